"""Runs read-only SQL over an index: queries of users, saved queries, overview, references and duplicates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from importlib.resources import files
from itertools import groupby, takewhile
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from statefmt.fleet.connection import is_of_file, open_to_read, way_out
from statefmt.fleet.tables import FleetError
from statefmt.store.files import read_bounded
from statefmt.store.reading import reason_of

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

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
    """Run one SELECT over an index. Raises FleetError if the query is invalid or is not a single SELECT."""
    with streamed_query(path, sql) as found:
        return QueryResult(found.columns, [row for batch in found.batches for row in batch])


def typed_query(path: Path, sql: str, row: type[_T]) -> list[_T]:
    """Run one SELECT over an index, and return its rows as Structs that are `array_like`.

    Raises FleetError like query(), and if a value does not have the type of its field.
    """
    found = query(path, sql).rows
    try:
        return msgspec.convert(found, list[row])  # type: ignore[valid-type]
    except msgspec.ValidationError as error:
        raise FleetError(f"{path}: this index has other rows than statetool writes; make a new one") from error


@contextmanager
def streamed_query(path: Path, sql: str) -> Iterator[StreamedResult]:
    """Run one SELECT over an index; its result is never in memory as a whole. Raises FleetError like query().

    The index is open as long as the context. Batches raise FleetError, too.
    """
    with closing(open_to_read(path)) as connection, ThreadPoolExecutor(1) as pool, _explained(path):
        statement = _checked(connection, sql)
        _awaited(connection, pool, lambda: connection.execute(statement))
        columns = [column[0] for column in connection.description or ()]
        yield StreamedResult(columns, _batches(connection, pool))


def parquet_blocks(path: Path, sql: str) -> Iterator[bytes]:
    """Yield the result of one SELECT over an index as blocks of a Parquet file. Raises FleetError like query()."""
    with TemporaryDirectory(prefix="statetool-") as folder:
        target = Path(folder) / "result.parquet"
        with (
            closing(open_to_read(path, writes_to=folder)) as connection,
            ThreadPoolExecutor(1) as pool,
            _explained(path),
        ):
            # The query may end with a semicolon or a comment.
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
    """Call a function in another thread: DuckDB does not return for a signal, but this thread can interrupt it."""
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
    """Return the single statement of a query. Raises FleetError for other queries."""
    import duckdb

    allowed = (duckdb.StatementType.SELECT, *((duckdb.StatementType.EXPLAIN,) if explains else ()))
    statements = connection.extract_statements(sql)
    if len(statements) != 1 or statements[0].type not in allowed:
        raise FleetError("write one SELECT: an index is only read, and by one statement at a time")
    return statements[0]


_SUFFIX: Final = ".sql"
# In bytes.
_LARGEST: Final = 1 << 20


class SavedQuery(Struct, frozen=True):
    """A saved query: its name, the first line of its comment, the other lines, and its SQL with the comment."""

    name: str
    title: str
    explanation: str
    sql: str


def saved_queries(folder: Path | None = None) -> dict[str, SavedQuery]:
    """Return the queries of statetool and those of a folder by name, sorted; a folder's query takes precedence. Raises
    FleetError.
    """
    found = dict(_in_folder(files("statefmt.fleet.queries").joinpath("sql")))
    if folder is not None:
        try:
            found.update(_in_folder(folder))
        except OSError as error:
            raise FleetError(f"{error.filename or folder}: {reason_of(error)}") from error
    return dict(sorted(found.items()))


def saved_query(name: str, folder: Path | None = None) -> SavedQuery:
    """Return a saved query by its name. Raises FleetError if it does not exist."""
    found = saved_queries(folder)
    if name not in found:
        raise FleetError(f"there is no saved query {name!r}; there are: {', '.join(found)}")
    return found[name]


def _in_folder(folder: Traversable | Path) -> list[tuple[str, SavedQuery]]:
    return [
        (name, _parsed(name, _text(entry)))
        for entry in folder.iterdir()
        if entry.name.endswith(_SUFFIX) and (name := entry.name.removesuffix(_SUFFIX))
    ]


def _text(entry: Traversable | Path) -> str:
    try:
        if isinstance(entry, Path):
            return read_bounded(entry, _LARGEST).decode("utf-8")
        return entry.read_text(encoding="utf-8")
    except OSError as error:
        raise FleetError(f"{entry}: {reason_of(error)}") from error
    except UnicodeDecodeError as error:
        raise FleetError(f"{entry}: it is not UTF-8") from error


def _parsed(name: str, sql: str) -> SavedQuery:
    comment = [line[2:].strip() for line in takewhile(lambda line: line.startswith("--"), sql.splitlines())]
    title, *explanation = comment or [name]
    return SavedQuery(name, title, " ".join(explanation).strip(), sql)


class IndexedState(Struct, array_like=True, frozen=True, gc=False):
    """A state of an index, with its numbers of findings, regardless of settings and baselines."""

    uri: str
    size: int | None
    serial: int | None
    format_version: int | None
    engine: str | None
    terraform_version: str | None
    n_resources: int
    n_objects: int
    encrypted: bool
    error: str | None
    errors: int
    warnings: int
    infos: int


class IndexedRun(Struct, array_like=True, frozen=True, gc=False):
    """A finished run: its number, its start in UTC, and the size of the index at its end."""

    run_id: int
    started: str
    checks: bool
    states: int
    objects: int
    size: int
    errors: int
    warnings: int
    infos: int


class ReleaseUse(Struct, array_like=True, frozen=True, gc=False):
    """The number of states that a release writes in a format."""

    engine: str | None
    release: str | None
    format_version: int | None
    states: int


class StateGrowth(Struct, array_like=True, frozen=True, gc=False):
    """The size and the objects of a state in the first and in the last run that has it."""

    uri: str
    size_first: int
    size_last: int
    objects_first: int
    objects_last: int


class StateReaders(Struct, array_like=True, frozen=True, gc=False):
    """The number of states that depend on a state, directly or through others, and that read it directly."""

    uri: str
    readers: int
    direct: int


class FleetOverview(Struct, frozen=True):
    """The overview of an index: the states by place, the runs by number, and three saved queries."""

    states: Sequence[IndexedState]
    runs: Sequence[IndexedRun]
    releases: Sequence[ReleaseUse]
    growth: Sequence[StateGrowth]
    readers: Sequence[StateReaders]


_STATES: Final = """
    SELECT uri, size, serial, format_version, engine, terraform_version, n_resources, n_objects, encrypted, error,
        count(*) FILTER (severity = 'error'), count(*) FILTER (severity = 'warning'),
        count(*) FILTER (severity = 'info')
    FROM states LEFT JOIN findings USING (state_id)
    GROUP BY ALL ORDER BY uri
"""
_RUNS: Final = """
    SELECT run_id, strftime(started, '%Y-%m-%d %H:%M'), checks, count(*), sum(n_objects)::BIGINT,
        coalesce(sum(size), 0)::BIGINT, sum(errors)::BIGINT, sum(warnings)::BIGINT, sum(infos)::BIGINT
    FROM runs JOIN history USING (run_id) WHERE finished IS NOT NULL
    GROUP BY ALL ORDER BY run_id
"""


def fleet_overview(path: Path) -> FleetOverview:
    """Return an overview of all states of an index. Raises FleetError."""
    return FleetOverview(
        typed_query(path, _STATES, IndexedState),
        typed_query(path, _RUNS, IndexedRun),
        typed_query(path, saved_query("versions-in-use").sql, ReleaseUse),
        typed_query(path, saved_query("growth").sql, StateGrowth),
        typed_query(path, saved_query("blast-radius").sql, StateReaders),
    )


_NODES: Final = "SELECT state_id, uri, n_resources, error FROM states ORDER BY uri"
_REFERENCES: Final = """
    SELECT uri, address, state_id, target_state_id, target_uri, backend
    FROM remote_refs JOIN states USING (state_id) ORDER BY uri, address
"""


class FleetNode(Struct, frozen=True):
    """A state: its place, whether the index has it, its number of resources, and the reason if it is unreadable."""

    uri: str
    indexed: bool
    resources: int = 0
    error: str | None = None

    @property
    def is_lost(self) -> bool:
        """Whether the state is not in the index, or is unreadable."""
        return not self.indexed or self.error is not None


class FleetReference(Struct, frozen=True):
    """The references from one state to another, by state_id; `stale` is the reason if one of them is stale."""

    source: str
    target: str
    addresses: Sequence[str]
    stale: str | None = None


class UnknownReference(Struct, frozen=True):
    """A reference whose arguments do not locate the state."""

    source: str
    address: str
    backend: str | None


class FleetGraph(Struct, frozen=True):
    """The states by state_id, in the order of their URIs; states that are only referred to come last."""

    nodes: Mapping[str, FleetNode]
    references: Sequence[FleetReference]
    unknown: Sequence[UnknownReference]

    def joined(self) -> FleetGraph:
        """Return the graph without unconnected states."""
        kept = {state_id for one in self.references for state_id in (one.source, one.target)}
        kept.update(one.source for one in self.unknown)
        nodes = {state_id: node for state_id, node in self.nodes.items() if state_id in kept}
        return FleetGraph(nodes, self.references, self.unknown)


class _NodeRow(Struct, array_like=True, frozen=True, gc=False):
    state_id: str
    uri: str
    resources: int
    error: str | None


class _ReferenceRow(Struct, array_like=True, frozen=True, gc=False):
    uri: str
    address: str
    source: str
    target: str | None
    target_uri: str | None
    backend: str | None


def fleet_graph(path: Path) -> FleetGraph:
    """Return the references between the states of an index. Raises FleetError."""
    nodes = {
        row.state_id: FleetNode(uri=row.uri, indexed=True, resources=row.resources, error=row.error)
        for row in typed_query(path, _NODES, _NodeRow)
    }
    stale = {(row[0], row[1]): row[4] for row in query(path, saved_query("stale-references").sql).rows}
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    reasons: dict[tuple[str, str], str] = {}
    unknown = []
    for row in typed_query(path, _REFERENCES, _ReferenceRow):
        if row.target is None or row.target_uri is None:
            unknown.append(UnknownReference(row.source, row.address, row.backend))
            continue
        nodes.setdefault(row.target, FleetNode(row.target_uri, False))
        pair = row.source, row.target
        found[pair].append(row.address)
        if (row.uri, row.address) in stale:
            reasons.setdefault(pair, stale[row.uri, row.address])
    references = [FleetReference(*pair, addresses, reasons.get(pair)) for pair, addresses in found.items()]
    return FleetGraph(nodes, references, unknown)


class ManagedPlace(Struct, frozen=True):
    """The manager of an object: a state, and the address of the instance; `deposed` is "" for the current object."""

    uri: str
    address: str
    type: str
    deposed: str
    lineage: str | None
    serial: int | None


class DuplicateObject(Struct, frozen=True):
    """A real object that states of several lineages manage.

    `object` is its ARN, else its id, else its identity as JSON. `matched_by` is `identity`, `arn` or `id`. `region` and
    `account` are None if unknown.
    """

    object: str
    matched_by: str
    region: str | None
    account: str | None
    places: Sequence[ManagedPlace]


class StateCopy(Struct, frozen=True):
    """A state that shares its lineage with others; the `newest` copies have the highest serial."""

    uri: str
    serial: int | None
    newest: bool
    n_objects: int
    sha256: str


class LineageCopies(Struct, frozen=True):
    """The states of a lineage; None for states without one and with the same bytes."""

    lineage: str | None
    states: Sequence[StateCopy]


class _DuplicateRow(Struct, array_like=True, frozen=True, gc=False):
    number: int
    object: str
    matched_by: str
    type: str
    region: str | None
    account: str | None
    uri: str
    address: str
    deposed: str
    lineage: str | None
    serial: int | None


class _CopyRow(Struct, array_like=True, frozen=True, gc=False):
    lineage: str | None
    uri: str
    serial: int | None
    newest: bool
    n_objects: int
    size: int | None
    sha256: str


def duplicate_objects(path: Path) -> list[DuplicateObject]:
    """Return the real objects that states of several lineages in an index manage. Raises FleetError."""
    rows = typed_query(path, saved_query("duplicates").sql, _DuplicateRow)
    return [_duplicate([*group]) for _, group in groupby(rows, attrgetter("number"))]


def state_copies(path: Path) -> list[LineageCopies]:
    """Return the lineages of which an index has several states. Raises FleetError."""
    rows = typed_query(path, saved_query("copies").sql, _CopyRow)
    return [
        LineageCopies(
            lineage,
            [
                StateCopy(uri=row.uri, serial=row.serial, newest=row.newest, n_objects=row.n_objects, sha256=row.sha256)
                for row in group
            ],
        )
        for (lineage, _), group in groupby(rows, lambda row: (row.lineage, row.lineage or row.sha256))
    ]


def _duplicate(rows: Sequence[_DuplicateRow]) -> DuplicateObject:
    # All places have the same region and account, if any.
    return DuplicateObject(
        rows[0].object,
        rows[0].matched_by,
        next((row.region for row in rows if row.region is not None), None),
        next((row.account for row in rows if row.account is not None), None),
        [ManagedPlace(row.uri, row.address, row.type, row.deposed, row.lineage, row.serial) for row in rows],
    )
