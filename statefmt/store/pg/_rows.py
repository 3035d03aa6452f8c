"""Defines the rows of states in PostgreSQL, their table and schema, and sessions that keep secrets out of messages."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import psycopg
from psycopg.sql import SQL, Composed, Identifier

from statefmt.model.errors import StoreError
from statefmt.store.backends.description import SettingValues, text_of
from statefmt.store.protocol import Stored
from statefmt.store.remote.client import ADVICE, Patience

T = TypeVar("T")
PgConnection: TypeAlias = psycopg.Connection[tuple[Any, ...]]

_SELF: Final = "SELECT pid, backend_start FROM pg_catalog.pg_stat_activity WHERE pid = pg_backend_pid()"
# In messages about connections, which have no fields. Source: libpq, `fe-protocol3.c`, `fe-auth.c`.
_OF_SERVER: Final = "FATAL: "
_NO_PASSWORD: Final = "no password supplied"
_END: Final = "SELECT pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity WHERE pid = %s AND backend_start = %s"
_LIVES: Final = "SELECT 1 FROM pg_catalog.pg_stat_activity WHERE pid = %s AND backend_start = %s"
# The number of checks whether a session has ended, and the seconds between them.
_LOOKS: Final = 100
_PAUSE: Final = 0.05
# Temporary problems. Other errors of a connection are final, such as a wrong password.
_PASSING: Final = (
    "Connection refused",
    "Connection reset",
    "closed the connection unexpectedly",
    "is starting up",
    "is shutting down",
    "too many clients",
    "connection slots are reserved",
)
# The message of psycopg about `connect_timeout`.
_LATE: Final = "connection timeout expired"
# The server ends the session, or is not ready. Source: PostgreSQL, appendix "Error Codes".
_ENDS: Final = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03"})


class LostError(Exception):
    """The connection is lost; `str()` is the reason."""


class OverdueError(LostError):
    """The connection was ended because the server was too slow; a retry would take too long again."""


class ServerError(StoreError):
    """The server refuses a statement; `sqlstate` is the error code."""

    def __init__(self, message: str, sqlstate: str) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


class Backend(NamedTuple):
    """The identity of a session of the server: its process ID, and its start."""

    pid: int
    started: object


class Session:
    """An open session, in which each statement is a transaction unless BEGIN starts one."""

    def __init__(
        self, location: str, parameters: Mapping[str, str], patience: Patience, debug: Callable[[str], None] | None
    ) -> None:
        """Connect. Raises LostError, and ServerError if the server refuses."""
        self._location = location
        self._secrets = [parameters[name] for name in ("password", "sslpassword") if parameters.get(name)]
        self._debug = debug
        # Reads do not need it, and should not wait for it.
        self.backend: Backend | None = None
        if debug is not None:
            debug(f"{location}: connect")
        problem: StoreError | LostError
        try:
            self._connection: PgConnection = _limited(patience).connect(
                "",
                autocommit=True,
                # A prepared statement belongs to a session, and a pooler may switch sessions.
                prepare_threshold=None,
                **parameters,  # type: ignore[arg-type]  # all are strings, by the name of the parameter
            )
        except OverdueError as error:
            problem = OverdueError(str(error))
        except psycopg.Error as error:
            problem = self._converted(error, lost=any(reason in str(error) for reason in _PASSING))
            if str(error) == _LATE:
                problem = OverdueError(f"there was no connection within {parameters['connect_timeout']} s; {ADVICE}")
        else:
            return
        # Outside the handler, so that no traceback shows the exception and its data.
        raise problem

    def __repr__(self) -> str:
        return f"Session({self._location!r})"

    @property
    def announced_pid(self) -> int:
        """The process that the server announced on connecting; a pooler announces another process."""
        return self._connection.info.backend_pid

    def identify(self) -> Backend:
        """Query the session of the server. Raises LostError and ServerError."""
        if self.backend is None:
            self.backend = Backend(*self.execute(_SELF)[0])
        return self.backend

    def execute(self, statement: str | Composed, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run a statement, with `%%` for `%`, and return its rows. Raises LostError and ServerError."""
        return self._run(statement, parameters)[0]

    def change(self, statement: str | Composed, parameters: Sequence[object] = ()) -> int:
        """Run a statement and return the number of changed rows. Raises LostError and ServerError."""
        return self._run(statement, parameters)[1]

    def end(self, other: Backend) -> bool:
        """End another session of the same user; return whether it has ended. Raises LostError."""
        with suppress(ServerError):
            self.execute(_END, other)
        for _ in range(_LOOKS):
            if not self.execute(_LIVES, other):
                return True
            time.sleep(_PAUSE)
        return False

    def close(self) -> None:
        """Close the connection; the server then ends the session and frees its locks."""
        self._connection.close()

    def _run(self, statement: str | Composed, parameters: Sequence[object]) -> tuple[list[tuple[Any, ...]], int]:
        if self._debug is not None:
            text = statement if isinstance(statement, str) else statement.as_string(self._connection)
            # The parameters contain states.
            self._debug(f"{self._location}: {' '.join(text.split())}")
        problem: StoreError | LostError
        try:
            cursor = self._connection.execute(statement, parameters)
            return (cursor.fetchall() if cursor.description else []), cursor.rowcount
        except UnicodeDecodeError:
            problem = ServerError(f"{self._location}: the database has data that is not valid UTF-8", "")
        except OverdueError as error:
            problem = OverdueError(str(error))
        except psycopg.Error as error:
            problem = self._converted(error, lost=self._connection.closed or error.sqlstate in _ENDS)
        except BaseException:
            # An interrupted statement may still run, and blocks the connection until it ends.
            self.close()
            raise
        if isinstance(problem, LostError):
            self.close()
        raise problem

    def _converted(self, error: psycopg.Error, *, lost: bool) -> StoreError | LostError:
        """Return the error to raise; libpq's own message may contain the parameters of the connection."""
        text = error.diag.message_primary or str(error)
        text = " ".join(text.split()).removeprefix("connection failed: ")
        for secret in self._secrets:
            text = text.replace(secret, "(sensitive value)")
        if lost:
            return LostError(text)
        # Before the server answers, the text comes from the library.
        whose = "" if not (error.diag.message_primary or _OF_SERVER in text) else "the server says: "
        advice = "; set PGPASSWORD, or write ~/.pgpass" if _NO_PASSWORD in text else ""
        return ServerError(f"{self._location}: {whose}{text}{advice}", error.sqlstate or "")


def _limited(patience: Patience) -> type[PgConnection]:
    """Return a connection class with time limits for connecting, and for a statement with its answer.

    psycopg waits forever for a server that does not answer a statement, or whose answer drips.
    """

    created = time.monotonic()

    def timed(steps: Generator[Any, Any, T], start: float, late: str) -> Generator[Any, Any, T]:
        """Run the steps of psycopg, which it repeats every 0.1 s while there is nothing to read."""
        latest = time.monotonic()
        ready = None
        try:
            while True:
                waits = steps.send(ready)
                ready = yield waits
                now = time.monotonic()
                latest = now if ready else latest
                if now - start > patience.whole:
                    raise OverdueError(f"{late} within {patience.whole:g} s; {ADVICE}")
                if now - latest > patience.answer:
                    raise OverdueError(f"there was no answer within {patience.answer:g} s; {ADVICE}")
        except StopIteration as end:
            result: T = end.value
            return result

    class Limited(psycopg.Connection[tuple[Any, ...]]):
        @classmethod
        def _connect_gen(cls, *arguments: Any, **options: Any) -> Any:
            # Called for each host and address, which share the time.
            return timed(super()._connect_gen(*arguments, **options), created, "there was no connection")

        def wait(self, gen: Any, *arguments: Any, **options: Any) -> Any:
            return super().wait(timed(gen, time.monotonic(), "the answer was not complete"), *arguments, **options)

    return Limited


# The version depends on the bytes, whatever the encoding of the database; md5() fails on a server in FIPS mode.
_VERSION: Final = "encode(sha256(convert_to(data, 'UTF8')), 'hex')"
_READ: Final = "SELECT data FROM {table} WHERE name = %s"
_NAMES: Final = "SELECT name FROM {table}"
_ID: Final = "SELECT id FROM {table} WHERE name = %s"
# Programs that create a row hold a creation lock until they have written it. A shared lock until the end of the
# statement detects them, without blocking other readers.
_LOCK: Final = """
SELECT id, pg_try_advisory_lock(id),
pg_try_advisory_xact_lock_shared(%s) AND pg_try_advisory_xact_lock_shared(%s) FROM {table} WHERE name = %s
"""
_UPDATE: Final = f"UPDATE {{table}} SET data = %s WHERE name = %s AND {_VERSION} = %s"
_DELETE: Final = f"DELETE FROM {{table}} WHERE name = %s AND {_VERSION} = %s"
# Each change stores a row anew, at another place or by another transaction. Neither value needs a read of the state.
_LISTED: Final = """
SELECT name, octet_length(data), concat_ws('-', tableoid, xmin, ctid, octet_length(data)) FROM {table}
WHERE name IS NOT NULL AND octet_length(data) > 0 ORDER BY name
"""
_SCHEMAS: Final = """
SELECT n.nspname, has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relname = %s AND c.relkind IN ('r', 'p') AND n.nspname NOT LIKE 'pg\\_%%' AND 3 = (
    SELECT count(*) FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = c.oid AND NOT a.attisdropped AND a.attname IN ('id', 'name', 'data')
) ORDER BY 1
"""
# The codes for a missing schema and a missing table. Source: PostgreSQL, appendix "Error Codes".
_MISSING: Final = frozenset({"3F000", "42P01"})


@dataclass(frozen=True, slots=True)
class StateRow:
    """The row of one state, which need not exist. All methods raise LostError and StoreError."""

    location: str
    table: StateTable
    workspace: str

    def read(self, session: Session) -> Stored | None:
        """Return the content and its version; None if there is no schema, table or row, or the row is empty."""
        row = self._only(self._query(session, _READ, (self.workspace,)))
        if row is None or not row[0]:
            return None
        data = str(row[0]).encode()
        return Stored(data, sha256(data).hexdigest())

    def id(self, session: Session) -> int | None:
        """Return the ID, the key of the lock."""
        rows = self._query(session, _ID, (self.workspace,))
        return int(rows[0][0]) if rows else None

    def try_lock(self, session: Session, creation: tuple[int, int]) -> tuple[int, bool, bool] | None:
        """Lock the row, if any: return its ID, whether it is locked, and whether no other session is creating it."""
        row = self._only(self._query(session, _LOCK, (*creation, self.workspace)))
        return None if row is None else (row[0], row[1], row[2])

    def write(self, session: Session, text: str, expected: object | None) -> bool:
        """Replace the content, or create the row; return False if the row does not have the expected version."""
        if expected is None:
            return create_row(session, self.table, self.location, self.workspace, text)
        return session.change(self.table.sql(_UPDATE), (text, self.workspace, expected)) == 1

    def delete(self, session: Session, expected: object) -> bool:
        """Delete the row; return False if it does not have the expected version."""
        return session.change(self.table.sql(_DELETE), (self.workspace, expected)) == 1

    def names(self, session: Session) -> list[str]:
        """Return the names of all rows of the table, sorted."""
        return sorted(str(row[0]) for row in self._query(session, _NAMES, ()) if row[0] is not None)

    def listed(self, session: Session) -> list[tuple[str, int, str]]:
        """Return the name, the size in bytes and the version of each row that has a state, sorted by name."""
        return [(str(name), int(size), str(version)) for name, size, version in self._query(session, _LISTED, ())]

    def schemas(self, session: Session) -> list[tuple[str, bool]]:
        """Return the schemas with a readable or unreadable table of states of this name, sorted."""
        return [(str(schema), bool(readable)) for schema, readable in session.execute(_SCHEMAS, (self.table.table,))]

    def _only(self, rows: Sequence[tuple[Any, ...]]) -> tuple[Any, ...] | None:
        if len(rows) > 1:
            raise StoreError(f"{self.location}: the table has {len(rows)} rows with the name of this workspace")
        return rows[0] if rows else None

    def _query(self, session: Session, statement: str, parameters: Sequence[object]) -> Sequence[tuple[Any, ...]]:
        """Read from the table; a missing table has no rows."""
        try:
            return session.execute(self.table.sql(statement), parameters)
        except ServerError as error:
            if error.sqlstate not in _MISSING:
                raise
        return ()


_SCHEMA_EXISTS: Final = "SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = %s)"
_RELATION_EXISTS: Final = """
SELECT EXISTS (SELECT FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relname = %s)
"""
_CREATE_SEQUENCE: Final = "CREATE SEQUENCE IF NOT EXISTS public.global_states_id_seq AS bigint"
_CREATE_TABLE: Final = """
CREATE TABLE IF NOT EXISTS {table} (
id bigint NOT NULL DEFAULT nextval('public.global_states_id_seq') PRIMARY KEY, name text UNIQUE, data text)
"""
# A row without data means that the state does not exist.
_INSERT: Final = """
INSERT INTO {table} AS s (name, data) VALUES (%s, %s)
ON CONFLICT (name) DO UPDATE SET data = excluded.data WHERE coalesce(s.data, '') = ''
"""


def create_row(session: Session, table: StateTable, location: str, workspace: str, content: str) -> bool:
    """Create the row of a state, and its table and schema if missing; return False if the state exists.

    Raises StoreError if a missing part must not be created, ServerError and LostError.
    """
    if not session.execute(_SCHEMA_EXISTS, (table.schema,))[0][0]:
        _require(table.skips_schema, location, f"the schema {table.schema!r}", "skip_schema_creation")
        session.execute(table.sql("CREATE SCHEMA IF NOT EXISTS {schema}"))
    if not session.execute(_RELATION_EXISTS, (table.schema, table.table))[0][0]:
        _require(table.skips_table, location, f"the table {table.table!r}", "skip_table_creation")
        session.execute(_CREATE_SEQUENCE)
        session.execute(table.sql(_CREATE_TABLE))
    if not table.skips_index and not session.execute(_RELATION_EXISTS, (table.schema, table.index))[0][0]:
        session.execute(table.sql("CREATE UNIQUE INDEX IF NOT EXISTS {index} ON {table} (name)"))
    return session.change(table.sql(_INSERT), (workspace, content)) == 1


def _require(is_skipped: bool, location: str, what: str, argument: str) -> None:
    if is_skipped:
        raise StoreError(f"{location}: {what} does not exist, and {argument} is set: create it first")


@dataclass(frozen=True, slots=True)
class StateTable:
    """The table of states, its schema and index, and flags for parts that must not be created."""

    schema: str
    table: str
    index: str
    skips_schema: bool
    skips_table: bool
    skips_index: bool

    @staticmethod
    def of(values: SettingValues) -> StateTable:
        """Return the table that the settings name."""
        return StateTable(
            schema=text_of(values, "schema_name"),
            table=text_of(values, "table_name"),
            index=text_of(values, "index_name"),
            skips_schema=bool(values.get("skip_schema_creation")),
            skips_table=bool(values.get("skip_table_creation")),
            skips_index=bool(values.get("skip_index_creation")),
        )

    def sql(self, statement: str) -> Composed:
        """Return a statement, with the quoted names in place of {table}, {schema} and {index}."""
        return SQL(statement).format(
            table=_quoted(self.schema, self.table), schema=_quoted(self.schema), index=_quoted(self.index)
        )


def _quoted(*names: str) -> Identifier:
    # psycopg looks for parameters in names, too.
    return Identifier(*(name.replace("%", "%%") for name in names))
