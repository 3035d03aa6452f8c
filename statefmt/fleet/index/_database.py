"""The database of an index: its tables, its key, and batches of rows that replace those of their states."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from statefmt.fleet.errors import FleetError
from statefmt.fleet.index._changes import RunChanges
from statefmt.fleet.index._creation import create, private_files
from statefmt.fleet.index.connection import is_of_file, open_to_write, refuse_others, way_out
from statefmt.fleet.tables import STATE_TABLES, columns
from statefmt.fleet.work.lines import as_csv
from statefmt.fleet.work.task import Done, Task, not_stored
from statefmt.store.reading import reason_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Chunks in one transaction, about 300 MB of states. A transaction costs as much as the rows of several chunks.
_PARTS: Final = 16


class KnownState(NamedTuple):
    """What an index knows about a state that it has."""

    version: str | None
    made_by: str
    source: str
    failed: bool


class _Part(NamedTuple):
    """The rows of some states that wait to be stored; `known` are the states that have any as yet."""

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
        self._changes = RunChanges(connection)
        self._batch: list[_Part] = []

    def key(self) -> bytes:
        """Return the key of its hashes."""
        return bytes(self._one("SELECT key FROM settings"))

    def known(self) -> dict[str, KnownState]:
        """Return what it knows about its states, by their ids."""
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
        """Take the rows of some states, those that are `known` to have any. They are stored together with others."""
        self._batch.append(_Part(tasks, known, done, run_id))
        if len(self._batch) >= _PARTS:
            self.flush()

    def flush(self) -> None:
        """Replace the rows of the states that wait, in one transaction.

        If the database refuses them, which no ordinary state causes, try fewer at a time; a state whose own rows it
        refuses has a row that says so.
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
                # The reason is not the rows.
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
        with self._transaction(), self._changes.recorded(parts[0].run_id, state_ids):
            self._delete([state_id for part in parts for state_id in part.known])
            for name in STATE_TABLES:
                self._insert(name, [data for part in parts if (data := part.done.lines.get(name))], parts[0].run_id)

    def end_run(self, run_id: int, finished: str, gone: Sequence[str], found: Sequence[str], read: int) -> None:
        """Remove the states that are gone, and record the run and the history of its states, in one transaction."""
        with self._transaction():
            with self._changes.recorded(run_id, gone):
                self._delete(gone)
            self._connection.execute(_HISTORY, [run_id])
            self._connection.execute(
                "UPDATE runs SET finished = ?, n_states = ?, n_read = ?, n_removed = ?, n_failed = "
                "(SELECT count(*) FROM states WHERE error IS NOT NULL AND state_id IN (SELECT unnest(?))) "
                "WHERE run_id = ?",
                [finished, len(found), read, len(gone), list(found), run_id],
            )

    def failed(self, found: Sequence[str]) -> list[tuple[str, str]]:
        """Return the URI and the error of each of some states that could not be read."""
        return self._connection.execute(
            "SELECT uri, error FROM states WHERE error IS NOT NULL AND state_id IN (SELECT unnest(?)) ORDER BY uri",
            [list(found)],
        ).fetchall()

    def _delete(self, state_ids: Sequence[str]) -> None:
        if state_ids:
            for name in STATE_TABLES:
                self._connection.execute(f"DELETE FROM {name} WHERE state_id IN (SELECT unnest(?))", [list(state_ids)])

    def _insert(self, name: str, parts: Sequence[bytes], run_id: int) -> None:
        """Insert rows in one statement for each form, which costs much less than one for each part."""
        forms: dict[str, list[str]] = {"csv": [], "json": []}
        longest = 0
        for number, data in enumerate(parts):
            for form, found in zip(forms, as_csv(data), strict=True):
                if found:
                    path = self._folder / f"{number}.{form}"
                    path.write_bytes(found)
                    forms[form].append(str(path))
                    longest = max(longest, len(found))
        # The text of JSON is cast on its way into the table.
        types = ", ".join(
            f"{column.name}: '{'VARCHAR' if column.type == 'JSON' else column.type}'"
            for column in columns(STATE_TABLES[name])
        )
        # The rows come from workers, which do not know the run.
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
            # After a fatal error, such as a full disk, there is nothing to take back.
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
    """Turn errors of the database, and of files with rows on their way to it, into FleetError."""
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
