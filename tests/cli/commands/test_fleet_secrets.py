"""No planted secret is in an index, nor in anything that the commands of fleets print of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from statefmt.fleet import query
from statefmt.fleet.tables import RUN_TABLES, STATE_TABLES
from tests.cli.conftest import Statetool
from tests.fleet.states import vpc, written
from tests.fleet.test_secrets import SECRET, planted_state

duckdb = pytest.importorskip("duckdb")

# As a key, each is spelled differently in an address, in a JSON pointer, in JSON and in a database.
_ODD: Final = [
    f'{SECRET}quote"d',
    f"{SECRET}back\\slash",
    f"{SECRET}line\nbreak",
    f"{SECRET}slash/and~tilde",
    f"{SECRET}${{template}}",
    f"{SECRET}ünï ☃ 𝄞",
    f"two words {SECRET}",
]
_TABLES: Final = (*STATE_TABLES, *RUN_TABLES)
_PRINTS: Final = [
    *(f"fleet query --format {form} 'SELECT * FROM {name}'" for name in _TABLES for form in ("table", "json", "csv")),
    *(f"fleet check --format {form}" for form in ("text", "concise", "json", "sarif", "junit", "github")),
    *(f"fleet duplicates --format {form}" for form in ("text", "json")),
    *(f"fleet graph --all --format {form}" for form in ("text", "dot", "mermaid", "html", "json")),
    *("fleet diff --full", "fleet diff --format json", "fleet diff first --full", "fleet check --write-baseline known"),
]


def _odd(names: list[str], serial: int, path: Path) -> None:
    """Write a state with secrets as instance keys, ids, tags and parts of ARNs."""
    outputs = {f"o{number}": {"value": name, "type": "string", "sensitive": True} for number, name in enumerate(names)}
    keyed: list[dict[str, Any]] = [
        {"schema_version": 0, "index_key": name, "attributes": {"id": name, "tags": {name: name}}, "status": "tainted"}
        for name in names
    ]
    resource = {**vpc("main"), "instances": keyed}
    others = [
        vpc(f"other_{number}", {"arn": f"arn:aws:ec2:eu-west-1:{name}:vpc/x"}, dependencies=["aws_vpc.main"])
        for number, name in enumerate(names)
    ]
    written(path, serial, resource, *others, outputs=outputs)


@pytest.fixture
def index(folder: Path, statetool: Statetool) -> Path:
    """Two runs, between which all secrets change."""
    states = folder / "fleet"
    states.mkdir()
    for serial, mark in ((1, SECRET), (2, f"{SECRET}new-")):
        (states / "planted.tfstate").write_bytes(planted_state().replace(SECRET.encode(), mark.encode()))
        # Of another lineage, so that there are duplicates.
        other = planted_state().replace(b'"lineage": "l"', b'"lineage": "m"')
        (states / f"removed-{serial}.tfstate").write_bytes(other)
        if serial > 1:
            (states / "removed-1.tfstate").unlink()
        _odd([name.replace(SECRET, mark) for name in _ODD], serial, states / "odd.tfstate")
        _odd([f"{mark}1", "one", "two", "three", "four"] * 10, serial, states / "broken.tfstate")
        done = statetool("fleet", "index", "fleet", "--into", "statetool.duckdb")
        assert SECRET not in done.text + done.err
    return folder / "statetool.duckdb"


def test_no_secret_is_in_the_database(index: Path) -> None:
    assert SECRET.encode() not in index.read_bytes()
    connection = duckdb.connect(str(index))
    tables = [row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
    assert set(tables) >= set(_TABLES)
    found = {name: str(connection.execute(f"FROM {name}").fetchall()) for name in tables}
    connection.close()
    assert [name for name, text in found.items() if SECRET in text] == []
    # Something is there, and some of it is hidden.
    assert "(sensitive value)" in found["objects"]
    assert "(sensitive value)" in found["findings"]
    assert found["object_changes"] != "[]"


def test_no_secret_is_in_parquet(index: Path, statetool: Statetool) -> None:
    for name in _TABLES:
        done = statetool("fleet", "query", f"FROM {name}", "--format", "parquet")
        assert done.out[:4] == b"PAR1"
        Path("table.parquet").write_bytes(done.out)
        rows = duckdb.sql("FROM 'table.parquet'").fetchall()
        assert len(rows) == query(index, f"SELECT count(*) FROM {name}").rows[0][0]
        assert SECRET not in str(rows)


def test_no_secret_is_printed(index: Path, statetool: Statetool) -> None:
    import shlex

    for line in _PRINTS:
        done = statetool(*shlex.split(line))
        assert done.status in (0, 1, 2), line
        assert "Traceback" not in done.err, line
        assert done.out or "baseline" in line, (line, done.err)
        assert SECRET not in done.text + done.err, line
    assert SECRET not in Path("known").read_text()
