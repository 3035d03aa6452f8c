"""An index of states: what is read again, what is removed, and what an unreadable state leaves."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from statefmt import run_context
from statefmt.fleet import FleetError, IndexOptions, IndexRun, index_states, query
from statefmt.fleet._database import opened
from statefmt.fleet._rows import StateOrigin, StateRows, unreadable
from statefmt.fleet._work import Task, chunks, in_processes
from statefmt.fleet.tables import RUN_TABLES, STATE_TABLES, columns

pytest.importorskip("duckdb")

_PROVIDER = 'provider["registry.opentofu.org/hashicorp/aws"]'


def state(serial: int, *names: str, lineage: str = "a") -> bytes:
    resources = [
        {
            "mode": "managed",
            "type": "aws_vpc",
            "name": name,
            "provider": _PROVIDER,
            "instances": [{"schema_version": 1, "attributes": {"id": f"vpc-{name}", "region": "eu-west-1"}}],
        }
        for name in names
    ]
    document: dict[str, Any] = {"version": 4, "terraform_version": "1.9.0", "serial": serial, "lineage": lineage}
    return json.dumps({**document, "outputs": {}, "resources": resources}, indent=2).encode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    states = tmp_path / "states"
    states.mkdir()
    for number in range(4):
        (states / f"{number}.tfstate").write_bytes(state(number, "main", f"other_{number}"))
    return states


def indexed(folder: Path, *, checks: bool = False, workers: int = 1, sources: Sequence[str] = ()) -> IndexRun:
    options = IndexOptions(checks=checks, workers=workers)
    return index_states(run_context(), sources or [str(folder)], folder.parent / "index", options)


def rows(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in query(folder.parent / "index", sql).rows]


def test_rows_of_a_state(folder: Path) -> None:
    indexed(folder)
    assert rows(folder, "SELECT serial, n_resources, n_objects, engine, error FROM states ORDER BY serial") == [
        (number, 2, 2, "opentofu", None) for number in range(4)
    ]
    assert rows(
        folder,
        "SELECT address, resource, key, status, provider_instance, remote_id, region FROM objects "
        "WHERE address LIKE '%other_3'",
    ) == [("aws_vpc.other_3", "aws_vpc.other_3", None, "ready", _PROVIDER, "vpc-other_3", "eu-west-1")]


def test_equal_attributes_have_equal_hashes_in_one_index_only(folder: Path) -> None:
    document = json.loads((folder / "0.tfstate").read_bytes())
    (folder / "0.tfstate").write_bytes(json.dumps(document, separators=(",", ":")).encode())
    indexed(folder)
    assert rows(folder, "SELECT count(DISTINCT attr_hash) FROM objects WHERE address = 'aws_vpc.main'") == [(1,)]
    [(first,)] = rows(folder, "SELECT DISTINCT attr_hash FROM objects WHERE address = 'aws_vpc.main'")
    (folder.parent / "index").unlink()
    indexed(folder)
    assert rows(folder, "SELECT DISTINCT attr_hash FROM objects WHERE address = 'aws_vpc.main'") != [(first,)]


def test_a_refresh_reads_only_what_changed(folder: Path) -> None:
    assert indexed(folder).read == 4
    (folder / "1.tfstate").write_bytes(state(9, "main"))
    (folder / "new.tfstate").write_bytes(state(1, "new"))
    (folder / "2.tfstate").unlink()
    # Unreadable, and with the same version: reading it would fail.
    untouched = folder / "3.tfstate"
    before = untouched.stat()
    untouched.write_bytes(b"#" * before.st_size)
    os.utime(untouched, ns=(before.st_atime_ns, before.st_mtime_ns))

    run = indexed(folder)

    assert (run.states, run.read, run.removed, run.failed) == (4, 2, 1, [])
    assert rows(folder, "SELECT serial, n_objects, run_id FROM states ORDER BY uri") == [
        *((0, 2, 1), (9, 1, 2), (3, 2, 1), (1, 1, 2))
    ]
    assert rows(folder, "SELECT count(*) FROM objects") == [(6,)]
    assert rows(folder, "SELECT run_id, count(*) FROM history GROUP BY ALL ORDER BY ALL") == [(1, 4), (2, 4)]
    assert rows(folder, "SELECT n_states, n_read, n_removed, n_failed FROM runs WHERE run_id = 2") == [(4, 2, 1, 0)]


def test_findings_are_made_again_if_rules_were_not_run(folder: Path) -> None:
    indexed(folder)
    assert rows(folder, "SELECT count(*) FROM findings") == [(0,)]
    (folder / "0.tfstate").write_bytes(state(1, "main", lineage=""))
    assert indexed(folder, checks=True).read == 4
    assert rows(folder, "SELECT DISTINCT code FROM findings WHERE code = 'STA014'") == [("STA014",)]
    assert indexed(folder, checks=True).read == 0


def test_an_unreadable_state_is_a_row(folder: Path) -> None:
    (folder / "1.tfstate").write_bytes(b'{"version": 4, "serial"')
    (folder / "2.tfstate").unlink()
    (folder / "2.tfstate").symlink_to("nowhere")
    run = indexed(folder)
    assert [Path(uri).name for uri, _ in run.failed] == ["1.tfstate", "2.tfstate"]
    assert rows(folder, "SELECT count(*), count(error) FROM states") == [(4, 2)]
    (folder / "1.tfstate").write_bytes(state(1, "main"))
    (folder / "2.tfstate").unlink()
    assert indexed(folder).failed == []
    assert rows(folder, "SELECT count(*), count(error) FROM states") == [(3, 0)]


def test_a_source_that_is_missing_keeps_its_states(folder: Path) -> None:
    indexed(folder)
    folder.rename(folder.parent / "away")
    run = indexed(folder)
    assert (len(run.missing), run.removed) == (1, 0)
    assert rows(folder, "SELECT count(*) FROM states") == [(4,)]


def test_processes_give_the_same_rows(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    indexed(folder)
    wanted = rows(folder, "SELECT * EXCLUDE (attr_hash) FROM objects ORDER BY ALL")
    (folder.parent / "index").unlink()
    monkeypatch.setattr("statefmt.fleet._work.CHUNK", 1)
    assert indexed(folder, workers=2).read == 4
    assert rows(folder, "SELECT * EXCLUDE (attr_hash) FROM objects ORDER BY ALL") == wanted


def test_a_worker_that_dies_costs_one_state() -> None:
    """As the kernel ends a process that takes too much memory."""
    tasks = [Task(str(number), StateOrigin(str(number), f"/{number}", "/")) for number in range(5)]

    def read(task: Task) -> StateRows:
        if task.name == "3":
            os.kill(os.getpid(), signal.SIGKILL)
        return unreadable(task.origin, "read")

    with in_processes(2, read, 60, [tasks]) as results:
        every = list(results)
    found = [json.loads(line) for done in every if done.lines for line in done.lines["states"].splitlines()]
    assert sorted((row["state_id"], row["error"]) for row in found) == [
        *(("0", "read"), ("1", "read"), ("2", "read"), ("3", "worker died"), ("4", "read"))
    ]
    assert sum(done.deaths for done in every) == 2


def test_a_worker_reads_many_chunks() -> None:
    """Starting a process for each of them costs a sixth of the time. One that dies is replaced."""
    tasks = [Task(str(number), StateOrigin(str(number), f"/{number}", "/")) for number in range(12)]

    def read(task: Task) -> StateRows:
        if task.name == "3":
            os.kill(os.getpid(), signal.SIGKILL)
        return unreadable(task.origin, str(os.getpid()))

    with in_processes(2, read, 60, [tasks[:4], tasks[4:6], *([task] for task in tasks[6:])]) as results:
        found = [json.loads(done.lines["states"].splitlines()[0])["error"] for done in results if done.lines]
    # The chunk of the one that dies is read again one by one, which kills another.
    assert len(found) == 4 + 1 + 6
    assert found.count("worker died") == 1
    assert 2 <= len({*found} - {"worker died"}) <= 4


def test_a_killed_run_is_consistent_and_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between the tables of the second batch: the first one is whole, and the second one is not there."""
    monkeypatch.setattr("statefmt.fleet._work.CHUNK", 1)
    monkeypatch.setattr("statefmt.fleet._database._PARTS", 1)
    process = os.fork()
    if process == 0:
        from statefmt.fleet._database import Database

        insert, calls = Database._insert, []

        def killed(self: Database, name: str, parts: Sequence[bytes], run_id: int) -> None:
            calls.append(name)
            if calls.count("objects") == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            insert(self, name, parts, run_id)

        Database._insert = killed  # type: ignore[method-assign] # the death of this process
        try:
            indexed(folder)
        finally:
            os._exit(0)
    assert os.WTERMSIG(os.waitpid(process, 0)[1]) == signal.SIGKILL
    counts = "SELECT (SELECT count(*) FROM states), (SELECT count(*) FROM resources), (SELECT count(*) FROM objects)"
    assert rows(folder, counts) == [(1, 2, 2)]
    assert indexed(folder).read == 3
    assert rows(folder, counts) == [(4, 8, 8)]


def test_the_tables_are_those_documented(folder: Path) -> None:
    indexed(folder)
    found: dict[str, list[tuple[str, str, str]]] = {}
    for table, *column in rows(
        folder,
        "SELECT table_name, column_name, replace(data_type, 'TIMESTAMP_', 'TIMESTAMP'), comment FROM duckdb_columns() "
        "WHERE table_name != 'settings' AND NOT internal ORDER BY column_index",
    ):
        found.setdefault(table, []).append((column[0], column[1], column[2]))
    assert found == {name: [*map(tuple, columns(row))] for name, row in {**STATE_TABLES, **RUN_TABLES}.items()}


def test_another_database_is_refused(tmp_path: Path) -> None:
    import duckdb

    duckdb.connect(str(tmp_path / "other")).execute("CREATE TABLE x (y INT)").close()
    with pytest.raises(FleetError, match="not an index"), opened(tmp_path / "other"):
        pass
    (tmp_path / "text").write_bytes(b"some text" * 1000)
    with pytest.raises(FleetError, match="cannot open"), opened(tmp_path / "text"):
        pass
    assert (tmp_path / "text").read_bytes() == b"some text" * 1000


def test_a_chunk_has_few_states_however_small() -> None:
    """So that progress is seen, and all processes work, while states are read from afar."""
    tasks = [Task(str(number), StateOrigin(str(number), str(number), "s3://states/"), 300) for number in range(250)]
    found = chunks(tasks)
    assert [len(chunk) for chunk in found] == [100, 100, 50]
    assert [task for chunk in found for task in chunk] == tasks
