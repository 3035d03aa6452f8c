"""Runs one SQL query over an index, which is opened read-only and without access to anything else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from statefmt.fleet.errors import FleetError
from statefmt.fleet.index.connection import open_to_read

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class QueryResult(NamedTuple):
    """The result of a query: the names of its columns, and its rows of Python values."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


def query(path: Path, sql: str) -> QueryResult:
    """Run one SELECT over an index. Raises FleetError if the query is invalid, or is more or other than that."""
    connection = open_to_read(path)
    import duckdb

    try:
        found = connection.execute(_checked(connection, sql))
        return QueryResult([column[0] for column in found.description or ()], found.fetchall())
    except duckdb.Error as error:
        raise FleetError(f"the query failed: {str(error).rstrip()}") from error
    finally:
        connection.close()


def write_parquet(path: Path, sql: str) -> bytes:
    """Return the result of one SELECT over an index as a Parquet file. Raises FleetError as query() does."""
    connection = open_to_read(path, writes_to=(folder := TemporaryDirectory(prefix="statetool-")).name)
    import duckdb

    try:
        target = Path(folder.name) / "result.parquet"
        connection.sql(_checked(connection, sql)).write_parquet(str(target))
        return target.read_bytes()
    except duckdb.Error as error:
        raise FleetError(f"the query failed: {str(error).rstrip()}") from error
    finally:
        connection.close()
        folder.cleanup()


def _checked(connection: DuckDBPyConnection, sql: str) -> str:
    """Return the one statement of a query, without the semicolon. Raises FleetError for others."""
    import duckdb

    statements = connection.extract_statements(sql)
    if len(statements) != 1 or statements[0].type not in (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN):
        raise FleetError("write one SELECT: an index is only read, and by one statement at a time")
    return statements[0].query.strip().rstrip(";")
