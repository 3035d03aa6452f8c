"""Queries over an index: read-only, and without access to anything else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from statefmt import run_context
from statefmt.fleet import (
    FleetError,
    IndexOptions,
    index_states,
    parquet_blocks,
    query,
    saved_queries,
    saved_query,
    streamed_query,
)
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
    # The list fits into a terminal.
    assert len(saved.title) <= 80 - len("unused-provider-keys  ")
    assert saved.explanation.endswith(".")
    assert query(index, saved.sql).columns


def test_own_queries_win(tmp_path: Path) -> None:
    (tmp_path / "largest.sql").write_text("-- Mine.\nSELECT 1")
    assert saved_query("largest", tmp_path).title == "Mine."
    with pytest.raises(FleetError, match=r"there is no saved query '[^']*'; there are: blast-radius, "):
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
        "COPY (SELECT 1) TO 'stolen.csv'",
        "ATTACH ':memory:' AS other",
        "EXPORT DATABASE 'stolen'",
        "PRAGMA database_list",
        "CALL pragma_version()",
        "RESET enable_external_access",
        "EXPLAIN ANALYZE DELETE FROM states",
        "EXPLAIN ANALYZE COPY states TO 'stolen.csv'",
        "WITH gone AS (DELETE FROM states RETURNING *) SELECT * FROM gone",
        "SELECT getenv('HOME')",
        "SELECT * FROM read_blob('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_json('/etc/passwd')",
        "SELECT * FROM read_parquet('https://127.0.0.1:9/x')",
        "SELECT * FROM parquet_metadata('x')",
        "SELECT * FROM sniff_csv('/etc/passwd')",
        "SELECT * FROM read_duckdb('other.db')",
        "SELECT * FROM query('COPY states TO ''stolen.csv''')",
        "SELECT * FROM duckdb_extensions()",
        "SELECT * FROM monkeypatch",
        "CREATE SECRET (TYPE s3)",
        "CREATE TEMP TABLE x AS SELECT 1",
        "PIVOT states ON uri",
        "VACUUM",
        "CHECKPOINT",
    ],
)
def test_a_query_only_reads_the_index(sql: str, index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = index.read_bytes()
    for run in (query, parquet_blocks):
        with pytest.raises(FleetError):
            list(run(index, sql))
    assert list(tmp_path.iterdir()) == []
    assert index.read_bytes() == before


def test_a_query_writes_only_its_result(index: Path) -> None:
    assert next(parquet_blocks(index, "SELECT 1 AS a; -- one"))[:4] == b"PAR1"


def test_what_a_home_folder_configures_is_not_run(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".duckdbrc").write_text("CREATE TABLE from_rc (x INT);")
    (tmp_path / ".duckdb" / "stored_secrets").mkdir(parents=True)
    (tmp_path / ".duckdb" / "stored_secrets" / "s.duckdb_secret").write_bytes(b"not a secret")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(FleetError, match="from_rc"):
        query(index, "SELECT * FROM from_rc")
    assert query(index, "SELECT * FROM duckdb_secrets()").rows == []


def test_a_query_that_takes_too_much_memory_leaves_the_disk_alone(index: Path) -> None:
    assert query(index, "SELECT current_setting('temp_directory')").rows == [("",)]


def test_a_huge_result_is_streamed(index: Path) -> None:
    """Its rows would take hundreds of terabytes."""
    with streamed_query(index, "SELECT repeat('x', 100) FROM range(1000000000000)") as found:
        assert len(next(found.batches)) == 10_000
        assert len(next(found.batches)) == 10_000


@pytest.mark.parametrize("saved", ["../x", "/etc/passwd", "duplicates.sql", "", ".", "x/../duplicates"])
def test_the_name_of_a_saved_query_is_no_path(saved: str, tmp_path: Path) -> None:
    (tmp_path / "x.sql").write_text("SELECT 1")
    (tmp_path / "own").mkdir()
    with pytest.raises(FleetError, match="there is no saved query"):
        saved_query(saved, tmp_path / "own")


def test_own_queries_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "x.sql").write_bytes(b"\xff\xfe")
    with pytest.raises(FleetError, match=r"x\.sql: it is not UTF-8"):
        saved_queries(tmp_path)
    with pytest.raises(FleetError, match="none: "):
        saved_queries(tmp_path / "none")


def test_views_in_an_index_of_a_stranger_read_nothing_else(index: Path, tmp_path: Path) -> None:
    import duckdb

    (tmp_path / "private.csv").write_text("secret\n")
    other = tmp_path / "other"
    other.write_bytes(index.read_bytes())
    with duckdb.connect(str(other)) as connection:
        connection.execute(f"CREATE VIEW stolen AS SELECT * FROM read_csv('{tmp_path}/private.csv')")
    with pytest.raises(FleetError, match="disabled by configuration"):
        query(other, "SELECT * FROM stolen")


def _open_files(process: int) -> list[Path]:
    return [path.readlink() for path in Path(f"/proc/{process}/fd").iterdir() if path.is_symlink()]


def _processor_time(process: int) -> float:
    """In seconds; statetool needs less to start."""
    user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_ctrl_c_ends_a_query(index: Path) -> None:
    """A query of hours ends at the signal, which is sent when it runs."""
    sql = "SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b"
    process = subprocess.Popen(
        [sys.executable, "-m", "statefmt", "fleet", "query", "--into", str(index), sql], stderr=subprocess.PIPE
    )
    # Once it works on the query, and not only on opening the index.
    while _processor_time(process.pid) < 1.5 or index not in _open_files(process.pid):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, b"")


def test_a_missing_index_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(FleetError, match="no such index"):
        query(tmp_path / "index", "SELECT 1")
    assert list(tmp_path.iterdir()) == []
