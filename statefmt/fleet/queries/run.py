"""Runs one SQL query over an index, which is opened read-only and without access to anything else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import msgspec

from statefmt.fleet.errors import FleetError
from statefmt.fleet.index.connection import is_of_file, open_to_read, way_out

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, Statement

_T = TypeVar("_T")
_BATCH: Final = 10_000
_BLOCK: Final = 1 << 20
_VIEW: Final = "statetool_result"


class QueryResult(NamedTuple):
    """The result of a query: the names of its columns, and its rows of Python values."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


class StreamedResult(NamedTuple):
    """The result of a query that is still running: the names of its columns, and its rows in batches."""

    columns: Sequence[str]
    batches: Iterator[Sequence[Sequence[Any]]]


def query(path: Path, sql: str) -> QueryResult:
    """Run one SELECT over an index. Raises FleetError if the query is invalid, or is more or other than that."""
    with streamed_query(path, sql) as found:
        return QueryResult(found.columns, [row for batch in found.batches for row in batch])


def typed_query(path: Path, sql: str, row: type[_T]) -> list[_T]:
    """Run one SELECT over an index, and return its rows as Structs that are `array_like`.

    Raises FleetError as query() does, and if a value does not have the type of its field.
    """
    found = query(path, sql).rows
    try:
        return msgspec.convert(found, list[row])  # type: ignore[valid-type]
    except msgspec.ValidationError as error:
        raise FleetError(f"{path}: this index has other rows than statetool writes; make a new one") from error


@contextmanager
def streamed_query(path: Path, sql: str) -> Iterator[StreamedResult]:
    """Run one SELECT over an index; its result is never in memory as a whole. Raises FleetError as query() does.

    The index is open as long as the context. Batches raise FleetError, too.
    """
    with closing(open_to_read(path)) as connection, ThreadPoolExecutor(1) as pool, _explained(path):
        statement = _checked(connection, sql)
        _awaited(connection, pool, lambda: connection.execute(statement))
        columns = [column[0] for column in connection.description or ()]
        yield StreamedResult(columns, _batches(connection, pool))


def parquet_blocks(path: Path, sql: str) -> Iterator[bytes]:
    """Yield the result of one SELECT over an index as blocks of a Parquet file. Raises FleetError as query() does."""
    with TemporaryDirectory(prefix="statetool-") as folder:
        target = Path(folder) / "result.parquet"
        with (
            closing(open_to_read(path, writes_to=folder)) as connection,
            ThreadPoolExecutor(1) as pool,
            _explained(path),
        ):
            # A view ends as the query does: with a semicolon, or with a comment.
            connection.execute(f"CREATE TEMP VIEW {_VIEW} AS {_checked(connection, sql, explains=False).query}")
            relation = connection.view(_VIEW)
            _awaited(connection, pool, lambda: relation.write_parquet(str(target)))
        with target.open("rb") as file:
            while block := file.read(_BLOCK):
                yield block


def _batches(connection: DuckDBPyConnection, pool: ThreadPoolExecutor) -> Iterator[Sequence[Sequence[Any]]]:
    while batch := _awaited(connection, pool, lambda: connection.fetchmany(_BATCH)):
        yield batch


def _awaited(connection: DuckDBPyConnection, pool: ThreadPoolExecutor, call: Callable[[], _T]) -> _T:
    """Call in another thread: DuckDB does not return for a signal, and this thread can then interrupt it."""
    future = pool.submit(call)
    try:
        return future.result()
    except BaseException:
        connection.interrupt()
        wait([future])
        raise


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        reason = str(error).rstrip()
        if is_of_file(error):
            raise FleetError(f"{path}: cannot read this index: {reason}{way_out(path, error)}") from error
        if "'pytz'" in reason:
            reason = "cast times with a time zone to TIMESTAMP or VARCHAR"
        raise FleetError(f"the query failed: {reason}") from error


def _checked(connection: DuckDBPyConnection, sql: str, *, explains: bool = True) -> Statement:
    """Return the one statement of a query. Raises FleetError for others."""
    import duckdb

    allowed = (duckdb.StatementType.SELECT, *((duckdb.StatementType.EXPLAIN,) if explains else ()))
    statements = connection.extract_statements(sql)
    if len(statements) != 1 or statements[0].type not in allowed:
        raise FleetError("write one SELECT: an index is only read, and by one statement at a time")
    return statements[0]
