"""Writes the database of an index: its tables, its key, and batches of rows that replace those of their states."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from statefmt.fleet._work import Done, Task, as_csv, not_stored
from statefmt.fleet.connection import KEY_BYTES, SCHEMA_VERSION, is_of_file, open_to_write, refuse_others, way_out
from statefmt.fleet.tables import (
    RUN_TABLES,
    STATE_TABLES,
    FindingChangeRow,
    FleetError,
    ObjectChangeRow,
    OutputChangeRow,
    columns,
)
from statefmt.store.reading import reason_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


# Chunks in one transaction, about 300 MB of states. A transaction costs as much as the rows of several chunks.
_PARTS: Final = 16


# The tables to compare, with their tables of changes and the common columns.
_COMPARED: Final = tuple(
    (table, changes, ", ".join(row.__struct_fields__[1:-1]))
    for table, changes, row in (
        ("objects", "object_changes", ObjectChangeRow),
        ("outputs", "output_changes", OutputChangeRow),
        ("findings", "finding_changes", FindingChangeRow),
    )
)


class KnownState(NamedTuple):
    """The facts that an index has about a state."""

    version: str | None
    made_by: str
    source: str
    failed: bool


class _Part(NamedTuple):
    """Rows of some states before storage; `known` are the states that already have rows."""

    tasks: Sequence[Task]
    known: Sequence[str]
    done: Done
    run_id: int

    def each(self) -> Iterator[_Part]:
        for task, done in zip(self.tasks, self.done.each(), strict=True):
            yield _Part([task], [one for one in self.known if one in done.state_ids], done, self.run_id)


class Database:
    """An open index. `opened()` makes one."""

    def __init__(self, connection: DuckDBPyConnection, folder: Path) -> None:
        self._connection = connection
        self._folder = folder
        self._batch: list[_Part] = []

    def key(self) -> bytes:
        """Return the key of the hashes."""
        return bytes(self._one("SELECT key FROM settings"))

    def known(self) -> dict[str, KnownState]:
        """Return the known facts about the states, by their ids."""
        rows = self._connection.execute(
            "SELECT state_id, version, made_by, source, error IS NOT NULL FROM states"
        ).fetchall()
        return {state_id: KnownState(*row) for state_id, *row in rows}

    def begin_run(self, started: str, made_by: str, *, checks: bool) -> int:
        """Start a run, and return its number."""
        number = int(self._one("SELECT coalesce(max(run_id), 0) + 1 FROM runs"))
        self._connection.execute(
            "INSERT INTO runs (run_id, started, made_by, checks) VALUES (?, ?, ?, ?)",
            [number, started, made_by, checks],
        )
        return number

    def add(self, tasks: Sequence[Task], known: Sequence[str], done: Done, run_id: int) -> None:
        """Add the rows of some states; `known` are the states that already have rows. Rows are stored in batches."""
        self._batch.append(_Part(tasks, known, done, run_id))
        if len(self._batch) >= _PARTS:
            self.flush()

    def flush(self) -> None:
        """Replace the rows of the waiting states, in one transaction.

        If the database refuses them, which no ordinary state causes, try smaller batches; a state whose own rows are
        refused gets a row with the reason.
        """
        parts, self._batch = self._batch, []
        if parts:
            self._store(parts)

    def _store(self, parts: Sequence[_Part]) -> None:
        import duckdb

        try:
            self._replace(parts)
        except duckdb.Error as error:
            if is_of_file(error) or isinstance(error, duckdb.OutOfMemoryException):
                # The rows are not the reason.
                raise
            if len(parts) > 1:
                for part in parts:
                    self._store([part])
            elif len(parts[0].tasks) > 1:
                for part in parts[0].each():
                    self._store([part])
            else:
                refused = not_stored(parts[0].tasks[0], str(error).splitlines()[0])
                self._replace([parts[0]._replace(done=refused)])

    def _replace(self, parts: Sequence[_Part]) -> None:
        state_ids = [state_id for part in parts for state_id in part.done.state_ids]
        with self._transaction(), self._recorded(parts[0].run_id, state_ids):
            self._delete([state_id for part in parts for state_id in part.known])
            for name in STATE_TABLES:
                self._insert(name, [data for part in parts if (data := part.done.lines.get(name))], parts[0].run_id)

    @contextmanager
    def _recorded(self, run_id: int, state_ids: Sequence[str]) -> Iterator[None]:
        """Record the changes that the block makes to states of earlier runs.

        Use it within a transaction.
        """
        compared = [state_id for state_id in state_ids if state_id in self._earlier]
        if not compared:
            yield
            return
        for table, _, names in _COMPARED:
            self._connection.execute(
                f"CREATE OR REPLACE TEMP TABLE old_{table} AS "
                f"SELECT {names} FROM {table} WHERE state_id IN (SELECT unnest(?))",
                [compared],
            )
        yield
        for table, changes, names in _COMPARED:
            # Rows may repeat: a broken state can have an address twice. So rows are counted.
            self._connection.execute(
                f"INSERT INTO {changes} SELECT ?, {names}, sum(change) AS change FROM ("
                f"SELECT {names}, -1 AS change FROM temp.old_{table} UNION ALL "
                f"SELECT {names}, 1 FROM {table} WHERE state_id IN (SELECT unnest(?))) "
                "GROUP BY ALL HAVING sum(change) != 0",
                [run_id, compared],
            )
            self._connection.execute(f"DROP TABLE temp.old_{table}")

    @cached_property
    def _earlier(self) -> frozenset[str]:
        """Return the states of earlier runs. Everything in other states is new, as recorded in `history`."""
        rows = self._connection.execute("SELECT DISTINCT state_id FROM history").fetchall()
        return frozenset(state_id for (state_id,) in rows)

    def end_run(self, run_id: int, finished: str, gone: Sequence[str], found: Sequence[str], read: int) -> None:
        """Remove the missing states, and record the run and the history of its states, in one transaction."""
        with self._transaction():
            with self._recorded(run_id, gone):
                self._delete(gone)
            self._connection.execute(_HISTORY, [run_id])
            self._connection.execute(
                "UPDATE runs SET finished = ?, n_states = ?, n_read = ?, n_removed = ?, n_failed = "
                "(SELECT count(*) FROM states WHERE error IS NOT NULL AND state_id IN (SELECT unnest(?))) "
                "WHERE run_id = ?",
                [finished, len(found), read, len(gone), list(found), run_id],
            )

    def failed(self, found: Sequence[str]) -> list[tuple[str, str]]:
        """Return the URI and the error of each failed state."""
        return self._connection.execute(
            "SELECT uri, error FROM states WHERE error IS NOT NULL AND state_id IN (SELECT unnest(?)) ORDER BY uri",
            [list(found)],
        ).fetchall()

    def _delete(self, state_ids: Sequence[str]) -> None:
        if state_ids:
            for name in STATE_TABLES:
                self._connection.execute(f"DELETE FROM {name} WHERE state_id IN (SELECT unnest(?))", [list(state_ids)])

    def _insert(self, name: str, parts: Sequence[bytes], run_id: int) -> None:
        """Insert rows in one statement for each form, which is much faster than one statement for each part."""
        forms: dict[str, list[str]] = {"csv": [], "json": []}
        longest = 0
        for number, data in enumerate(parts):
            for form, found in zip(forms, as_csv(data), strict=True):
                if found:
                    path = self._folder / f"{number}.{form}"
                    path.write_bytes(found)
                    forms[form].append(str(path))
                    longest = max(longest, len(found))
        # JSON is cast from text on its way into the table.
        types = ", ".join(
            f"{column.name}: '{'VARCHAR' if column.type == 'JSON' else column.type}'"
            for column in columns(STATE_TABLES[name])
        )
        # Rows come from workers, which do not know the run.
        what = f"* REPLACE ({run_id} AS run_id)" if name == "states" else "*"
        for form, paths in forms.items():
            if paths:
                how = _CSV.format(longest=longest) if form == "csv" else _JSON
                self._connection.execute(
                    f"INSERT INTO {name} BY NAME SELECT {what} FROM read_{form}(?, columns = {{{types}}}, {how})",
                    [paths],
                )
                for one in paths:
                    Path(one).unlink()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN")
        try:
            yield
        except BaseException:
            # After a fatal error, such as a full disk, there is nothing to roll back.
            with suppress(Exception):
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def _one(self, sql: str) -> Any:
        row = self._connection.execute(sql).fetchone()
        assert row is not None
        return row[0]


_JSON: Final = "format = 'newline_delimited', maximum_object_size = 1073741824"
_CSV: Final = (
    "auto_detect = false, header = false, delim = ',', quote = '\"', escape = '\\', nullstr = 'null', "
    "allow_quoted_nulls = false, new_line = '\\n', max_line_size = {longest}"
)
_HISTORY: Final = """
    INSERT INTO history BY NAME
    SELECT $1 AS run_id, state_id, uri, error, format_version, terraform_version, lineage, serial, encrypted, size,
        n_resources, n_objects, coalesce(counts.errors, 0) AS errors, coalesce(counts.warnings, 0) AS warnings,
        coalesce(counts.infos, 0) AS infos
    FROM states LEFT JOIN (
        SELECT state_id, count(*) FILTER (severity = 'error') AS errors,
            count(*) FILTER (severity = 'warning') AS warnings, count(*) FILTER (severity = 'info') AS infos
        FROM findings GROUP BY state_id
    ) AS counts USING (state_id)
"""


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """Open an index to write, and create it if it does not exist. Raises FleetError."""
    with private_files(), _refusing(path):
        if not os.path.lexists(path):
            create(path)
        connection = open_to_write(path)
        try:
            refuse_others(connection, path)
            with TemporaryDirectory(prefix="statetool-", ignore_cleanup_errors=True) as folder:
                yield Database(connection, Path(folder))
        finally:
            connection.close()


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Turn errors of the database, and of temporary files with rows, into FleetError."""
    failed = f"{path}: cannot write this index: "
    try:
        yield
    except OSError as error:
        raise FleetError(f"{failed}{reason_of(error)}") from error
    except Exception as error:
        # duckdb is imported late, and may be missing.
        if error.__class__.__module__.partition(".")[0] not in ("duckdb", "_duckdb"):
            raise
        raise FleetError(f"{failed}{str(error).splitlines()[0]}{way_out(path, error)}") from error


@contextmanager
def private_files() -> Iterator[None]:
    """Let this process create files that only their owner can read; DuckDB has no option for the mode."""
    mask = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(mask)


def create(path: Path) -> None:
    """Create an index without states under another name, and rename it. Raises FleetError and duckdb.Error."""
    # DuckDB cannot open a half-written file, which a killed process may leave behind.
    new = path.with_name(f".{path.name}.new")
    if not path.parent.exists():
        raise FleetError(f"{path}: cannot create this index: there is no folder {path.parent}")
    try:
        new.touch(mode=0o600)
        new.unlink()
        new.with_name(f"{new.name}.wal").unlink(missing_ok=True)
        connection = open_to_write(new)
        try:
            _make_tables(connection)
            connection.execute("CHECKPOINT")
        finally:
            connection.close()
        new.rename(path)
    except OSError as error:
        raise FleetError(f"{path}: cannot create this index: {reason_of(error)}") from error


def _make_tables(connection: DuckDBPyConnection) -> None:
    connection.execute("BEGIN")
    for name, row_type in {**STATE_TABLES, **RUN_TABLES}.items():
        defined = ", ".join(f"{column.name} {column.type}" for column in columns(row_type))
        connection.execute(f"CREATE TABLE {name} ({defined})")
        for column in columns(row_type):
            about = column.description.replace("'", "''")
            connection.execute(f"COMMENT ON COLUMN {name}.{column.name} IS '{about}'")
    connection.execute("CREATE TABLE settings (schema_version INTEGER, key BLOB)")
    connection.execute("INSERT INTO settings VALUES (?, ?)", [SCHEMA_VERSION, secrets.token_bytes(KEY_BYTES)])
    connection.execute("COMMIT")
