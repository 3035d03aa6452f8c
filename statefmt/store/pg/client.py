"""The client of the backend `pg`: a row for each state, locked by its id as an advisory lock of one session.

The lock is the session's: it is gone with the connection, and nothing is written after that.
Source: OpenTofu `internal/backend/remote-state/pg/client.go`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, TypeVar

from statefmt.model.errors import ChangedError, StoreError
from statefmt.store.backends.place import StatePlace
from statefmt.store.lock_info import LockInfo
from statefmt.store.protocol import Stored
from statefmt.store.remote.client import LockHeldError, UnknownOutcomeError
from statefmt.store.remote.connection import Connection

if TYPE_CHECKING:
    # psycopg is imported when a connection is made.
    from statefmt.store.pg._locks import SessionLock
    from statefmt.store.pg._names import StateTable
    from statefmt.store.pg._session import Backend, Session

T = TypeVar("T")

# The version is of the bytes, whatever the encoding of the database; md5() fails on a server in FIPS mode.
_VERSION: Final = "encode(sha256(convert_to(data, 'UTF8')), 'hex')"
_READ: Final = "SELECT id, data FROM {table} WHERE name = %s"
_NAMES: Final = "SELECT name FROM {table}"
_ID: Final = "SELECT id FROM {table} WHERE name = %s"
# Programs that create a row hold a creation lock until they have written it. Shared, and until the end of the statement
# only: that is enough to see them, and keeps out nobody else who looks.
_LOCK: Final = """
SELECT id, pg_try_advisory_lock(id),
pg_try_advisory_xact_lock_shared(%s) AND pg_try_advisory_xact_lock_shared(%s) FROM {table} WHERE name = %s
"""
_LOCK_KEY: Final = "SELECT pg_try_advisory_lock(%s)"
_UNLOCK_KEY: Final = "SELECT pg_advisory_unlock(%s)"
_UPDATE: Final = f"UPDATE {{table}} SET data = %s WHERE name = %s AND {_VERSION} = %s"
_DELETE: Final = f"DELETE FROM {{table}} WHERE name = %s AND {_VERSION} = %s"
# Settings are of one transaction, or of a session that is nobody else's: a pooler would give them to others. The row is
# locked only while somebody writes it.
_CAREFUL: Final = """
SELECT set_config('statement_timeout', '60s', true), set_config('lock_timeout', '20s', true),
CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END
"""
_PID: Final = "SELECT pg_backend_pid()"
# A question may wait for its answer longer than a session may be idle. Releases before 14 have no such limit.
_KEEP: Final = """
SELECT set_config('application_name', %s, false), CASE WHEN current_setting('server_version_num')::int >= 140000
THEN set_config('idle_session_timeout', '0', false) END
"""

# No schema, and no table. Source: PostgreSQL, appendix "Error Codes".
_MISSING: Final = frozenset({"3F000", "42P01"})
# The attempts of what only reads, and the seconds before each after the first.
_ATTEMPTS: Final = 4
_WAIT: Final = 0.5
# Every program that locks a row tries the creation lock, and gives it back at once.
_MOMENTS: Final = 5
_MOMENT: Final = 0.05
# In bytes, without the end. Source: PostgreSQL, NAMEDATALEN.
_NAME_LENGTH: Final = 63


_POOLER: Final = (
    "a connection pooler gives each transaction another session of the server, and the lock is of one session; "
    "connect to the server itself, or to a pool in session mode"
)


@dataclass(frozen=True, slots=True)
class RowLock:
    """The lock of this client: the keys, the ID of the row if it exists, and the session of the server."""

    info: LockInfo
    keys: tuple[int, ...]
    row: int | None
    backend: Backend


class PgClient:
    """A connection to one state; see StateClient."""

    def __init__(self, place: StatePlace, connection: Connection) -> None:
        """Prepare to connect. Raises StoreError if a parameter is not supported, or psycopg is not installed."""
        try:
            from statefmt.store.pg._names import StateTable
            from statefmt.store.pg._parameters import connection_parameters, refuse_unverified
        except ImportError as error:
            raise StoreError(
                f"{place.location}: states in PostgreSQL need the package psycopg; install statetool[pg]"
            ) from error
        self.place: Final = place
        self.connection: Final = connection
        self._parameters: Final = connection_parameters(place, connection.environment)
        refuse_unverified(place, connection, self._parameters)
        self._table: Final[StateTable] = StateTable.of(place.values)
        self._session: Session | None = None
        self._held: RowLock | None = None
        # Why the lock is lost; "" if it is not.
        self._lost_for = ""
        # The session of a lost connection that may still have an effect, or hold a lock.
        self._unfinished: Backend | None = None

    def __repr__(self) -> str:
        return f"PgClient({self.location!r})"

    @property
    def location(self) -> str:
        """The URL of the state."""
        return self.place.location

    @property
    def lock_path(self) -> str:
        """The `Path` of lock information: PostgreSQL stores none."""
        return ""

    @property
    def is_locking(self) -> bool:
        """Whether the backend locks: always."""
        return True

    def read(self) -> Stored | None:
        """Return the content and its version; None if there is no schema, table or row, or the row is empty."""
        rows = self._retried(lambda session: self._query(session, _READ, (self.place.workspace,)))
        if len(rows) > 1:
            raise StoreError(f"{self.location}: the table has {len(rows)} rows with the name of this workspace")
        if not rows or not rows[0][1]:
            return None
        data = str(rows[0][1]).encode()
        return Stored(data, sha256(data).hexdigest())

    def lock(self, info: LockInfo) -> None:
        """Lock the row of the state; if it does not exist, lock its creation."""
        from statefmt.store.pg._session import LostError

        if self._held is not None or self._lost_for:
            raise StoreError(f"{self.location}: this connection holds the lock already, or has lost it")
        session = self._retried(lambda session: session)
        try:
            self._refuse_shared_session(session)
            session.execute(_KEEP, (_session_name(info.Who),))
            self._held = self._locked(session, info)
            return
        except LostError as error:
            reason = str(error)
        self._lose(reason, may_have_effect=True)
        with suppress(LostError, StoreError):
            # The server may still have the session, and in it the lock.
            self._connected()
        raise StoreError(f"{self.location}: the connection was lost before the state was locked: {reason}")

    def holder(self) -> LockInfo | None:
        """Return the session that holds the lock, as far as the server shows it; None if there is none."""
        found = self._holder()
        if found is None:
            return None
        held = self._held
        return held.info if held is not None and held.backend.pid == found.pid else found.info

    def write(self, content: bytes, expected: Hashable | None, lock: LockInfo | None) -> None:
        """Replace the content, in one transaction that also checks the lock."""
        text = self._text(content)
        name = self.place.workspace

        def change(session: Session) -> bool:
            if expected is None:
                from statefmt.store.pg._creation import create_row

                return create_row(session, self._table, self.location, name, text)
            return session.change(self._table.sql(_UPDATE), (text, name, expected)) == 1

        self._change(change, expected, lock is not None)

    def unlock(self, info: LockInfo) -> None:
        """Give the lock back."""
        from statefmt.store.pg._session import LostError

        held, session = self._held, self._session
        if held is not None and session is not None:
            try:
                missing = self._release(session, held.keys)
            except LostError as error:
                self._lose(str(error))
            else:
                self._held = None
                if missing:
                    raise StoreError(f"{self.location}: the lock was not in this session any more: {_POOLER}")
        self._lost_for = ""
        if self._unfinished is not None:
            pid = self._unfinished.pid
            try:
                self._connected()
                return
            except LostError as error:
                reason = str(error)
            raise StoreError(
                f"{self.location}: the connection was lost; the lock is gone as soon as the server ends the session "
                f"(pid {pid}): {reason}"
            )

    def force_unlock(self, lock_id: str) -> LockInfo | None:
        """Refuse: a lock is left behind by no session that has ended, and ending a session is its owner's decision."""
        found = self._holder()
        if found is None:
            raise StoreError(
                f"{self.location}: nobody holds a lock; the server frees the locks of a session as soon as it ends"
            )
        info = found.info
        since = f", connected since {info.Created}" if info.Created else ""
        other = "" if lock_id == info.ID else f"; the ID of this lock is {info.ID}, not {lock_id}"
        raise StoreError(
            f"{self.location}: locked by {info.Who}{since}{other}. The server has that session open, so that its "
            f"program may still write. {_way_out(found.pid)}"
        )

    def workspaces(self) -> Sequence[str]:
        """Return the names of all rows."""
        rows = self._retried(lambda session: self._query(session, _NAMES, ()))
        return sorted(str(row[0]) for row in rows if row[0] is not None)

    def delete(self, expected: Hashable) -> None:
        """Delete the row, if it has this version."""
        name = self.place.workspace
        self._change(
            lambda session: session.change(self._table.sql(_DELETE), (name, expected)) == 1,
            expected,
            self._held is not None or bool(self._lost_for),
        )

    def close(self) -> None:
        """Close the connection."""
        self._close()

    def _change(self, change: Callable[[Session], bool], expected: Hashable | None, needs_lock: bool) -> None:
        """Change the row in a transaction. `change` returns whether the row had the expected version."""
        from statefmt.store.pg._session import LostError

        if self._lost_for:
            raise StoreError(
                f"{self.location}: the connection was lost, and the lock with it; nothing was written: {self._lost_for}"
            )
        session = self._retried(lambda session: session)
        commits = False
        try:
            session.identify()
            session.execute("BEGIN")
            try:
                session.execute(_CAREFUL)
                if needs_lock:
                    self._require_lock(session)
                if not change(session):
                    raise ChangedError(
                        f"{self.location}: the state has changed since it was read; nothing was written",
                        str(expected or ""),
                    )
            except LostError:
                raise
            except BaseException:
                session.execute("ROLLBACK")
                raise
            commits = True
            session.execute("COMMIT")
            return
        except LostError as error:
            reason = str(error)
        self._lose(reason, may_have_effect=True)
        if commits:
            raise UnknownOutcomeError(f"{self.location}: the connection was lost while the state was written: {reason}")
        raise StoreError(f"{self.location}: the connection was lost; nothing was written: {reason}")

    def _require_lock(self, session: Session) -> None:
        """Raise StoreError unless this session holds the lock, of the row that the workspace has now."""
        from statefmt.store.pg._locks import own_locks

        held = self._held
        if held is None:
            raise StoreError(f"{self.location}: the lock is not held; nothing was written")
        if own_locks(session, held.keys) != (held.backend.pid, len(held.keys)):
            raise StoreError(f"{self.location}: {_POOLER}; nothing was written")
        if held.row is not None and self._row(session) != held.row:
            raise StoreError(f"{self.location}: the row was replaced while it was locked; nothing was written")

    def _locked(self, session: Session, info: LockInfo) -> RowLock:
        """Take the lock, and read it back. Raises LockHeldError."""
        from statefmt.store.pg._locks import creation_keys, holders, own_locks

        creation = creation_keys(self._table)
        wanted: tuple[int, ...] = creation
        for attempt in range(_MOMENTS):
            if attempt:
                time.sleep(_MOMENT * (1 + random.random()))
            rows = self._query(session, _LOCK, (*creation, self.place.workspace))
            if len(rows) > 1:
                raise StoreError(f"{self.location}: the table has {len(rows)} rows with the name of this workspace")
            if rows:
                row, is_locked, is_created = rows[0]
                keys: tuple[int, ...] = (row,)
                if not is_locked:
                    wanted = keys
                    break
                wanted = creation
            else:
                row, is_created = None, False
                keys = self._taken(session, creation)
                is_created = len(keys) == len(creation)
            # Another program may have created the row, or deleted it, just before it was locked.
            if is_created and self._row(session) == row:
                backend = session.identify()
                if own_locks(session, keys) != (backend.pid, len(keys)):
                    self._release(session, keys)
                    raise StoreError(f"{self.location}: {_POOLER}; nothing was locked")
                return RowLock(info, keys, row, backend)
            self._release(session, keys)
        found = next(iter(holders(session, wanted)), None)
        if found is None:
            raise LockHeldError("", None, "Its holder has just ended, or this user may not see it")
        raise LockHeldError(found.info.ID, found.info, _way_out(found.pid))

    def _taken(self, session: Session, creation: Sequence[int]) -> tuple[int, ...]:
        """Lock one key after the other, until one is another's; return those that are locked."""
        return tuple(takewhile(lambda key: session.execute(_LOCK_KEY, (key,))[0][0], creation))

    def _release(self, session: Session, keys: Sequence[int]) -> int:
        """Unlock all keys; return how many of them were not locked."""
        return sum(not session.execute(_UNLOCK_KEY, (key,))[0][0] for key in keys)

    def _refuse_shared_session(self, session: Session) -> None:
        """Raise StoreError if a pooler gives the session of the server to others between two statements."""
        from statefmt.store.pg._session import Session as NewSession

        pid = session.identify().pid
        if pid == session.announced_pid:
            return
        # There is a pooler. One that gives a session to each client for good may go on.
        other = NewSession(self.location, self._parameters, self.connection.options.debug)
        try:
            other.execute("BEGIN")
            theirs = other.execute(_PID)[0][0]
            ours = session.execute(_PID)[0][0]
        finally:
            other.close()
        if theirs == pid or ours != pid:
            raise StoreError(f"{self.location}: {_POOLER}; nothing was locked")

    def _holder(self) -> SessionLock | None:
        from statefmt.store.pg._locks import creation_keys, holders

        def find(session: Session) -> SessionLock | None:
            row = self._row(session)
            keys = creation_keys(self._table) if row is None else (row,)
            held = self._held
            return next(iter(holders(session, held.keys if held else keys)), None)

        return self._retried(find)

    def _row(self, session: Session) -> int | None:
        rows = self._query(session, _ID, (self.place.workspace,))
        return int(rows[0][0]) if rows else None

    def _query(self, session: Session, statement: str, parameters: Sequence[object]) -> Sequence[tuple[Any, ...]]:
        """Read from the table; a table that does not exist has no rows."""
        from statefmt.store.pg._session import ServerError

        try:
            return session.execute(self._table.sql(statement), parameters)
        except ServerError as error:
            if error.sqlstate not in _MISSING:
                raise
        return ()

    def _retried(self, read: Callable[[Session], T]) -> T:
        """Read; connect again if the connection is lost."""
        from statefmt.store.pg._session import LostError

        reason = ""
        for attempt in range(_ATTEMPTS):
            if attempt:
                time.sleep(_WAIT * attempt * (0.5 + random.random()))
            try:
                return read(self._connected())
            except LostError as error:
                reason = str(error)
            self._lose(reason)
        raise StoreError(f"{self.location}: {reason}")

    def _connected(self) -> Session:
        """Return the session. Raises LostError and StoreError."""
        if self._session is None:
            from statefmt.store.pg._parameters import approach_hosts
            from statefmt.store.pg._session import Session as NewSession

            approach_hosts(self.place, self.connection, self._parameters)
            self._session = NewSession(self.location, self._parameters, self.connection.options.debug)
            if self._unfinished is not None:
                self._end(self._session, self._unfinished)
        return self._session

    def _end(self, session: Session, lost: Backend) -> None:
        """Make sure that the session of a lost connection has ended: it may still commit, and holds the lock."""
        if not session.end(lost):
            raise StoreError(
                f"{self.location}: the connection was lost, and the server still has its session open: it may still "
                f"write, and holds the lock. {_way_out(lost.pid)}"
            )
        self._unfinished = None

    def _lose(self, reason: str, *, may_have_effect: bool = False) -> None:
        """Close the session; remember it if it holds the lock, or may have an effect."""
        session = self._session
        if session is not None and (may_have_effect or self._held is not None):
            self._unfinished = session.backend
        if self._held is not None:
            self._held, self._lost_for = None, reason
        self._close()

    def _close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def _text(self, content: bytes) -> str:
        """Return the content as the column takes it. Raises StoreError."""
        try:
            text = content.decode()
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            raise StoreError(
                f"{self.location}: PostgreSQL stores valid UTF-8 without NUL only, and the new state is not; nothing "
                "was written"
            )
        return text


def _way_out(pid: int) -> str:
    return f"If that program has ended, run `SELECT pg_terminate_backend({pid});` in the database"


def _session_name(who: str) -> str:
    return f"statetool {who}".encode()[:_NAME_LENGTH].decode(errors="ignore")
