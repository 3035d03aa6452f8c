"""The rows of a state: the quick way to them gives what the thorough one gives, whatever is in the state."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from benchmarks.shapes import SHAPES
from statefmt import run_context
from statefmt.fleet import IndexOptions, index_states, query
from statefmt.fleet._database import opened
from statefmt.fleet._masking import Masking
from statefmt.fleet._resource_rows import resource_rows
from statefmt.fleet._rows import StateOrigin, unreadable
from statefmt.fleet._work import Done, Task, as_csv, lines_of, work_on
from statefmt.formats.reading import inspect
from tests.formats.recorded import CASES, input_of

pytest.importorskip("duckdb")

_ROOT: Final = Path(__file__).parents[2]
_PROVIDER: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'
# What CSV, JSON, SQL and terminals treat specially.
_ODD: Final = (
    *('a"b', "a\\b", "\\", '\\"', "tab\tx", "line\nx", "\x00", "\x1b[31m", "é", "\u202e", "\u2028"),
    *("null", "true", "", "]", "[1]", "{", "a,b", "\\N", "\\n", "'", " x ", "x" * 3000),
)


def _states() -> Iterator[bytes]:
    yield from map(input_of, CASES)
    for shape in SHAPES.values():
        yield b"".join(shape.pieces(60_000))
    for path in sorted((_ROOT / "samples").glob("*.tfstate")):
        yield path.read_bytes()


def test_the_quick_way_gives_what_the_thorough_one_gives() -> None:
    compared = 0
    for data in _states():
        snapshot = inspect(data).snapshot
        if snapshot is not None:
            # With a secret to look for, each object is looked at closely.
            quick, thorough = (
                resource_rows(snapshot.resources, "1", Masking(frozenset(), names), b"key", attributes=False)
                for names in (frozenset[str](), frozenset({"in no state"}))
            )
            assert quick == thorough
            compared += len(quick.objects)
    assert compared > 2000


def _state(names: tuple[str, ...]) -> bytes:
    instances = [
        {"index_key": name, "schema_version": 1, "attributes": {"id": name, "region": f"r{name}"}} for name in names
    ]
    resource = {"mode": "managed", "type": "aws_vpc", "name": "x", "provider": _PROVIDER, "instances": instances}
    document: dict[str, Any] = {"version": 4, "terraform_version": "1.9.0", "serial": 1, "lineage": "a", "outputs": {}}
    return json.dumps({**document, "resources": [resource]}).encode()


def test_odd_strings_arrive_as_they_are(tmp_path: Path) -> None:
    """Some rows travel as CSV and those of other states, with control characters, as JSON."""
    printable = tuple(name for name in _ODD if name.isprintable() or "x" not in name)
    for number, names in enumerate((_ODD, printable, ("plain",))):
        (tmp_path / f"{number}.tfstate").write_bytes(_state(names))
    index = tmp_path / "index"
    assert index_states(run_context(), [str(tmp_path)], index, IndexOptions(workers=1)).failed == []
    sql = "SELECT key, remote_id, region FROM objects JOIN states USING (state_id) WHERE uri LIKE '%{}.tfstate'"
    for number, names in enumerate((_ODD, printable, ("plain",))):
        found = query(index, sql.format(number)).rows
        assert sorted(map(tuple, found)) == sorted((name, name, f"r{name}") for name in names)


@pytest.mark.parametrize(
    "name", ["tests/golden/sensitive-paths.in.tfstate", "tests/lint/SEC001/fail-beside-half-a-letter.tfstate"]
)
@pytest.mark.parametrize("attributes", [False, True])
def test_a_state_that_is_not_unicode_is_indexed(name: str, attributes: bool, tmp_path: Path) -> None:
    index = tmp_path / "index"
    options = IndexOptions(attributes=attributes, workers=1)
    assert index_states(run_context(), [str(_ROOT / name)], index, options).failed == []
    assert query(index, "SELECT count(*) > 0 FROM objects").rows == [(True,)]


@pytest.mark.parametrize("name", ["fail-cut-in-a-letter", "fail-latin-1"])
@pytest.mark.parametrize("attributes", [False, True])
def test_a_state_that_is_not_utf8_is_a_row_with_its_finding(name: str, attributes: bool, tmp_path: Path) -> None:
    """All commands refuse it."""
    index, state = tmp_path / "index", _ROOT / "tests" / "lint" / "STA013" / f"{name}.tfstate"
    run = index_states(run_context(), [str(state)], index, IndexOptions(attributes=attributes, workers=1))
    assert run.failed == [(str(state), "State is not UTF-8")]
    assert query(index, "SELECT count(*) FROM findings WHERE code = 'STA013'").rows == [(1,)]


def test_the_lines_of_csv() -> None:
    rows = unreadable(StateOrigin("0", "/0", "/"), "error").states
    assert as_csv(lines_of(rows)) == (b"", lines_of(rows))
    assert as_csv(b'["a",1]\n["b]",null]\n') == (b'"a",1\n"b]",null', b"")
    assert as_csv(b'["a",1]\n{"b":1}\n["c",2]\n') == (b'"a",1\n"c",2', b'{"b":1}\n')


def test_rows_that_the_database_refuses_cost_one_state(tmp_path: Path) -> None:
    tasks = [Task(str(number), StateOrigin(str(number), f"/{number}", "/")) for number in range(3)]
    done = work_on(tasks, lambda task: unreadable(task.origin, "read"))
    with opened(tmp_path / "index") as database:
        database.add(tasks, [], Done(done.state_ids, {**done.lines, "resources": b'["1"]\n'}), 1)
        database.flush()
    rows = query(tmp_path / "index", "SELECT state_id, error LIKE '%cannot be stored%' FROM states ORDER BY 1").rows
    assert rows == [("0", False), ("1", True), ("2", False)]
