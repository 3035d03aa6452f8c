"""What changed between two runs: which runs can be named, and every kind of change, over one run and over several."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from statefmt.fleet import FleetError, FleetRun, ObjectDifference, OutputDifference, StateDifference, run_difference
from statefmt.fleet._runs import named_run
from tests.fleet.states import indexed, rows, vpc, written
from tests.tables import each_row

pytest.importorskip("duckdb")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    states = tmp_path / "states"
    states.mkdir()
    written(states / "a.tfstate", 1, vpc("main"), vpc("other"))
    written(states / "b.tfstate", 1, vpc("main"))
    indexed(tmp_path)
    return tmp_path


def _only(folder: Path, before: str = "previous", after: str = "latest") -> StateDifference:
    (found,) = run_difference(folder / "index", before, after).states
    return found


def test_nothing_changed(folder: Path) -> None:
    indexed(folder)
    found = run_difference(folder / "index")
    assert (found.before.run_id, found.after.run_id, found.states) == (1, 2, ())
    assert found.compares_findings
    assert found.same_rules


def test_states_come_and_go(folder: Path) -> None:
    (folder / "states/a.tfstate").unlink()
    written(folder / "states/c.tfstate", 7, vpc("x"))
    indexed(folder)
    gone, came = run_difference(folder / "index").states
    assert (Path(gone.uri).name, gone.kind, gone.after, gone.objects) == ("a.tfstate", "removed", None, ())
    assert (Path(came.uri).name, came.kind, came.before, came.objects) == ("c.tfstate", "added", None, ())
    assert came.after is not None
    assert (came.after.serial, came.after.n_objects) == (7, 1)


def test_what_changed_in_objects(folder: Path) -> None:
    written(
        folder / "states/b.tfstate",
        2,
        vpc("main", {"id": "another", "region": "eu-west-1"}),
        vpc("new"),
        vpc("gone_bad", status="tainted"),
    )
    indexed(folder)
    written(
        folder / "states/b.tfstate",
        3,
        vpc("main", {"id": "another", "cidr": "10.0.0.0/8"}, status="tainted"),
        vpc("gone_bad"),
    )
    indexed(folder)
    found = _only(folder)
    assert found.objects == (
        ObjectDifference("aws_vpc.gone_bad", "", "changed", ("status",)),
        ObjectDifference("aws_vpc.main", "", "changed", ("status", "attributes")),
        ObjectDifference("aws_vpc.new", "", "removed"),
    )
    assert found.before is not None
    assert found.after is not None
    assert (found.before.serial, found.after.serial, found.before.n_objects, found.after.n_objects) == (2, 3, 3, 2)
    # What came and went between is not seen.
    found = _only(folder, "1", "3")
    assert found.objects == (
        ObjectDifference("aws_vpc.gone_bad", "", "added"),
        ObjectDifference("aws_vpc.main", "", "changed", ("status", "id", "attributes")),
    )
    assert _only(folder, "3", "1").objects == (
        ObjectDifference("aws_vpc.gone_bad", "", "removed"),
        ObjectDifference("aws_vpc.main", "", "changed", ("status", "id", "attributes")),
    )


def test_a_change_that_was_taken_back_is_none(folder: Path) -> None:
    before = (folder / "states/a.tfstate").read_bytes()
    written(folder / "states/a.tfstate", 2, vpc("main", {"id": "x"}))
    indexed(folder)
    (folder / "states/a.tfstate").write_bytes(before)
    indexed(folder)
    assert run_difference(folder / "index", "1", "3").states == ()
    assert rows(folder, "SELECT run_id, sum(abs(change)) FROM object_changes GROUP BY ALL ORDER BY ALL") == [
        *((2, 3), (3, 3))
    ]


def test_a_state_that_was_away_or_broken_is_compared_across(folder: Path) -> None:
    path = folder / "states/a.tfstate"
    path.rename(folder / "away")
    (folder / "states/b.tfstate").write_text("{")
    indexed(folder)
    gone, broken = run_difference(folder / "index").states
    assert gone.kind == "removed"
    assert (broken.kind, broken.objects) == ("changed", ())
    assert broken.after is not None
    assert broken.after.error is not None
    written(path, 2, vpc("main"), vpc("new"))
    written(folder / "states/b.tfstate", 2, vpc("main", {"id": "x"}))
    indexed(folder)
    came, mended = run_difference(folder / "index").states
    assert came.kind == "added"
    assert (mended.kind, mended.objects) == ("changed", ())
    one, other = run_difference(folder / "index", "1", "3").states
    assert one.objects == (
        ObjectDifference("aws_vpc.new", "", "added"),
        ObjectDifference("aws_vpc.other", "", "removed"),
    )
    assert other.objects == (ObjectDifference("aws_vpc.main", "", "changed", ("id", "attributes")),)


def test_outputs(folder: Path) -> None:
    path = folder / "states/b.tfstate"
    text = {"type": "string"}
    written(path, 2, vpc("main"), outputs={"a": {"value": "1", **text}, "b": {"value": "1", **text}})
    indexed(folder)
    assert _only(folder).outputs == (OutputDifference("a", "added"), OutputDifference("b", "added"))
    written(path, 3, vpc("main"), outputs={"b": {"value": "2", **text}, "c": {"value": "x", "sensitive": True, **text}})
    indexed(folder)
    assert _only(folder).outputs == (
        OutputDifference("a", "removed"),
        OutputDifference("b", "changed"),
        OutputDifference("c", "added"),
    )


def test_findings(folder: Path) -> None:
    """STA014: no lineage."""
    written(folder / "states/b.tfstate", 2, vpc("main"), lineage="")
    indexed(folder)
    found = _only(folder)
    assert [(one.code, one.count) for one in found.findings if one.code == "STA014"] == [("STA014", 1)]
    assert found.before is not None
    assert found.after is not None
    assert (found.before.infos, found.after.infos) == (1, 2)
    written(folder / "states/b.tfstate", 3, vpc("main"))
    indexed(folder)
    assert [(one.code, one.count) for one in _only(folder).findings if one.code == "STA014"] == [("STA014", -1)]


def test_runs_without_rules_do_not_lose_findings(folder: Path) -> None:
    written(folder / "states/b.tfstate", 2, vpc("main"), lineage="")
    indexed(folder)
    indexed(folder, checks=False)
    found = run_difference(folder / "index")
    assert (found.states, found.compares_findings, found.same_rules) == ((), False, False)
    indexed(folder)
    found = run_difference(folder / "index", "2")
    assert (found.states, found.compares_findings) == ((), True)


def test_other_sources_stay(folder: Path) -> None:
    """A run over one folder says nothing about the states of another one, and its history has them."""
    (folder / "more").mkdir()
    written(folder / "more/c.tfstate", 1, vpc("main"))
    indexed(folder, sources=[folder / "more"])
    assert Path(_only(folder).uri).name == "c.tfstate"
    assert rows(folder, "SELECT run_id, count(*) FROM history GROUP BY ALL ORDER BY ALL") == [(1, 2), (2, 3)]


def test_an_address_twice(folder: Path) -> None:
    """Names that are hidden are equal, so rows are counted."""
    secret = {"value": "s3cr3t-key", "type": "string", "sensitive": True}
    both: list[dict[str, Any]] = [
        {"schema_version": 1, "index_key": key, "attributes": {}} for key in ("s3cr3t-key", "s3cr3t-key-2")
    ]
    for serial, instances in ((2, both[:1]), (3, both)):
        resource = {**vpc("main"), "instances": instances}
        outputs = {"a": secret, "b": {**secret, "value": "s3cr3t-key-2"}}
        written(folder / "states/b.tfstate", serial, resource, outputs=outputs)
        indexed(folder)
    (change,) = _only(folder).objects
    assert (change.kind, "s3cr3t" in change.address) == ("added", False)


def test_an_interrupted_run_cannot_be_named(folder: Path) -> None:
    """Its changes count for the next one, which ends its work."""
    import duckdb

    written(folder / "states/b.tfstate", 2, vpc("main"), vpc("new"))
    indexed(folder)
    with duckdb.connect(str(folder / "index")) as connection:
        # As a run leaves it that is killed after its last batch.
        connection.execute("DELETE FROM history WHERE run_id = 2")
        connection.execute("UPDATE runs SET finished = NULL WHERE run_id = 2")
    with pytest.raises(FleetError, match="no finished run 2"):
        run_difference(folder / "index", "2")
    indexed(folder)
    found = run_difference(folder / "index")
    assert (found.before.run_id, found.after.run_id) == (1, 3)
    (state,) = found.states
    assert state.objects == (ObjectDifference("aws_vpc.new", "", "added"),)


_RUNS = [
    FleetRun(number, datetime(2026, 1, day, 12, tzinfo=UTC), "", True, 1)
    for number, day in ((1, 1), (2, 5), (5, 5), (6, 9))
]


@each_row(
    ("name", "number"),
    [
        ("1", 1),
        ("5", 5),
        ("latest", 6),
        ("-1", 6),
        ("previous", 5),
        ("-2", 5),
        ("-4", 1),
        ("first", 1),
        ("2026-01-05", 5),
        ("2026-01-08", 5),
        ("20260104", None),
        ("2026-01-05T12:00", 5),
        ("2026-01-05T11:59:59Z", 1),
        ("2026-01-05T13:30+02:00", 1),
        ("2026-01-05T13:30-02:00", 5),
        ("9999-12-31", 6),
        ("2999-01-01", 6),
        ("2025-12-31", None),
        ("3", None),
        ("0", None),
        ("-0", None),
        ("-5", None),
        ("-", None),
        ("", None),
        ("٣", None),
        ("1" * 5000, None),
        ("newest", None),
    ],
)
def test_named_runs(name: str, number: int | None) -> None:
    if number is None:
        with pytest.raises(FleetError):
            named_run(_RUNS, name)
    else:
        assert named_run(_RUNS, name).run_id == number


def test_without_runs(tmp_path: Path) -> None:
    with pytest.raises(FleetError, match="no such index"):
        run_difference(tmp_path / "index")
    assert [*tmp_path.iterdir()] == []
    with pytest.raises(FleetError, match="no finished run"):
        named_run([], "latest")
