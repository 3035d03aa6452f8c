"""Queries over an index: read-only, and without access to anything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from statefmt import run_context
from statefmt.fleet import FleetError, IndexOptions, index_states, query, saved_queries, saved_query, write_parquet
from tests.cli.states import SAMPLES

pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("index") / "index"
    index_states(run_context(), [str(SAMPLES)], path, IndexOptions(workers=1))
    return path


@pytest.mark.parametrize("name", saved_queries())
def test_every_saved_query_runs_and_is_explained(name: str, index: Path) -> None:
    saved = saved_query(name)
    assert saved.title.endswith(".")
    assert saved.explanation.endswith(".")
    assert query(index, saved.sql).columns


def test_own_queries_win(tmp_path: Path) -> None:
    (tmp_path / "largest.sql").write_text("-- Mine.\nSELECT 1")
    assert saved_query("largest", tmp_path).title == "Mine."
    with pytest.raises(FleetError, match="there is no saved query"):
        saved_query("../x", tmp_path)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/*')",
        "COPY states TO 'stolen.csv'",
        "ATTACH 'other.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "DELETE FROM states",
        "CREATE TABLE x (y INT)",
        "SELECT 1; SELECT 2",
        "",
        "nonsense",
        "SELECT 1) TO 'stolen.csv'; --",
    ],
)
def test_a_query_only_reads_the_index(sql: str, index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = index.read_bytes()
    for run in (query, write_parquet):
        with pytest.raises(FleetError):
            run(index, sql)
    assert list(tmp_path.iterdir()) == []
    assert index.read_bytes() == before


def test_a_query_writes_only_its_result(index: Path) -> None:
    assert write_parquet(index, "SELECT 1 AS a; -- one")[:4] == b"PAR1"


def test_a_missing_index_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(FleetError, match="no such index"):
        query(tmp_path / "index", "SELECT 1")
    assert list(tmp_path.iterdir()) == []
