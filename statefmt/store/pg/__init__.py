"""The client of the backend `pg`: each state is a row, locked by an advisory lock of a session on its id.

The lock belongs to the session: it ends with the connection, after which nothing is written. Source: OpenTofu
`internal/backend/remote-state/pg/client.go`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

from statefmt.model.errors import ChangedError, StoreError
from statefmt.store.backends.settings import StatePlace
from statefmt.store.pg._connecting import KEEPALIVES, RowLock, ServerLink, way_out
from statefmt.store.pg._rows import LostError, Session, StateRow, StateTable
from statefmt.store.protocol import LockInfo, Stored
from statefmt.store.remote.client import Connection, ListedState, LockHeldError, UnknownOutcomeError

# Settings apply to one transaction, or to an exclusive session: a pooler would pass them on to other clients. The row
# is locked only during a write.
_CAREFUL: Final = """
SELECT set_config('statement_timeout', %s, true), set_config('lock_timeout', %s, true),
CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END
"""
# In milliseconds, for the lock of the row.
_LONGEST_WAIT: Final = 20_000


class PgClient:
    """A connection to one state; see StateClient."""

    def __init__(self, place: StatePlace, connection: Connection) -> None:
        """Prepare to connect. Raises StoreError if a parameter is not supported."""
        self._place: Final = place
        self._environment: Final = connection.environment
        self._note: Final = connection.note
        self._link: Final = ServerLink(place, connection)
        self._row: Final = StateRow(place.location, StateTable.of(place.values), place.workspace)
        self._locks: Final = RowLocks(self._row, self._link)

    def __repr__(self) -> str:
        return f"PgClient({self.location!r})"

    @property
    def location(self) -> str:
        return self._place.location

    @property
    def lock_path(self) -> str:
        """The `Path` of lock information: PostgreSQL stores none."""
        return ""

    @property
    def is_locking(self) -> bool:
        return True

    def read(self) -> Stored | None:
        """Return the content and its version; None if there is no schema, table or row, or the row is empty."""
        return self._link.retried(self._row.read)

    def lock(self, info: LockInfo) -> None:
        """Lock the row of the state; if it does not exist, lock its creation."""
        link = self._link
        if link.held is not None or link.lost_for:
            raise StoreError(f"{self.location}: this connection holds the lock already, or has lost it")
        session = self._session()
        try:
            link.held = self._locks.take(session, info)
            return
        except LostError as error:
            reason = str(error)
        link.lose(reason, may_have_effect=True)
        with suppress(LostError, StoreError):
            # The session may still exist on the server, and hold the lock.
            link.connected()
        raise StoreError(f"{self.location}: the connection was lost before the state was locked: {reason}")

    def holder(self) -> LockInfo | None:
        """Return the session that holds the lock, as far as the server reveals it; None if there is none."""
        found = self._link.retried(self._locks.holder)
        if found is None:
            return None
        held = self._link.held
        return held.info if held is not None and held.backend.pid == found.pid else found.info

    def write(self, content: bytes, expected: Hashable | None, lock: LockInfo | None) -> None:
        """Replace the content, in one transaction that also checks the lock."""
        text = self._text(content)
        self._change(lambda session: self._row.write(session, text, expected), expected, lock is not None)

    def unlock(self, info: LockInfo) -> None:
        link = self._link
        if link.held is not None and link.session is not None:
            try:
                self._locks.give_back(link.session, link.held)
            except LostError as error:
                link.lose(str(error))
        link.lost_for = ""
        if link.unfinished is not None:
            pid = link.unfinished.pid
            try:
                link.connected()
                return
            except LostError as error:
                reason = str(error)
            raise StoreError(
                f"{self.location}: the connection was lost; the lock is gone as soon as the server ends the session "
                f"(pid {pid}): {reason}"
            )

    def force_unlock(self, lock_id: str) -> LockInfo | None:
        """Refuse: locks end with their session, and only its owner may end a session."""
        found = self._link.retried(self._locks.holder)
        if found is None:
            raise StoreError(
                f"{self.location}: nobody holds a lock; the server frees the locks of a session as soon as it ends"
            )
        info = found.info
        since = f", connected since {info.Created}" if info.Created else ""
        other = "" if lock_id == info.ID else f"; the ID of this lock is {info.ID}, not {lock_id}"
        raise StoreError(
            f"{self.location}: locked by {info.Who}{since}{other}. The server has that session open, so that its "
            f"program may still write. {way_out(found.pid)}"
        )

    def workspaces(self) -> Sequence[str]:
        return self._link.retried(self._row.names)

    def states_below(self, prefix: str) -> Iterator[ListedState]:
        """Yield the rows of a schema; for "", of all schemas with a table of states."""
        if prefix:
            yield from self._states_in(prefix)
            return
        for schema, is_readable in self._link.retried(self._row.schemas):
            if is_readable:
                yield from self._states_in(schema)
            else:
                self._note(f"{self.location}: no right to read the states in the schema {schema!r}; they are left out")

    def workspace_states(self) -> Iterator[ListedState]:
        return self._states_in(self._row.table.schema)

    def _states_in(self, schema: str) -> Iterator[ListedState]:
        row = replace(self._row, table=replace(self._row.table, schema=schema))
        for name, size, version in self._link.retried(row.listed):
            yield ListedState(self._place.moved(self._environment, name, schema_name=schema), version, size)

    def delete(self, expected: Hashable) -> None:
        """Delete the row if it has this version."""
        needs_lock = self._link.held is not None or bool(self._link.lost_for)
        self._change(lambda session: self._row.delete(session, expected), expected, needs_lock)

    def close(self) -> None:
        self._link.close()

    def _session(self) -> Session:
        return self._link.retried(lambda session: session)

    def _change(self, change: Callable[[Session], bool], expected: Hashable | None, needs_lock: bool) -> None:
        """Change the row in a transaction. `change` returns whether the row had the expected version."""
        if self._link.lost_for:
            raise StoreError(
                f"{self.location}: the connection was lost, and the lock with it; nothing was written: "
                f"{self._link.lost_for}"
            )
        session = self._session()
        commits = False
        try:
            session.identify()
            session.execute("BEGIN")
            try:
                limit = self._link.statement_limit
                session.execute(_CAREFUL, (str(limit), str(min(limit, _LONGEST_WAIT))))
                if needs_lock:
                    self._locks.require(session)
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
        self._link.lose(reason, may_have_effect=True)
        if commits:
            raise UnknownOutcomeError(f"{self.location}: the connection was lost while the state was written: {reason}")
        raise StoreError(f"{self.location}: the connection was lost; nothing was written: {reason}")

    def _text(self, content: bytes) -> str:
        """Return the content as a value of the column. Raises StoreError."""
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


_LOCK_KEY: Final = "SELECT pg_try_advisory_lock(%s)"
_UNLOCK_KEY: Final = "SELECT pg_advisory_unlock(%s)"
_PID: Final = "SELECT pg_backend_pid()"
# A prompt may outlast the idle limit of a session. Releases before 14 have no such limit. The server keeps the lock of
# a vanished machine until it notices, by default after two hours.
_KEEP: Final = f"""
SELECT set_config('application_name', %s, false), set_config('statement_timeout', %s, false),
CASE WHEN current_setting('server_version_num')::int >= 140000 THEN set_config('idle_session_timeout', '0', false) END,
{", ".join(f"set_config('tcp_keepalives_{name}', '{value}', false)" for name, value in KEEPALIVES.items())}
"""
# Every program that locks a row tries the creation lock, and releases it at once.
_MOMENTS: Final = 5
_MOMENT: Final = 0.05
# In bytes, without the end. Source: PostgreSQL, NAMEDATALEN.
_NAME_LENGTH: Final = 63
_POOLER: Final = (
    "a connection pooler gives each transaction another session of the server, and the lock is of one session; "
    "connect to the server itself, or to a pool in session mode"
)


@dataclass(frozen=True, slots=True)
class RowLocks:
    """The lock of one row, taken in sessions of the `link`. All methods raise LostError and StoreError."""

    row: StateRow
    link: ServerLink

    def take(self, session: Session, info: LockInfo) -> RowLock:
        """Lock the row, or its creation if it does not exist, and read the lock back. Raises LockHeldError."""
        self._refuse_shared_session(session)
        name = f"statetool {info.Who}".encode()[:_NAME_LENGTH].decode(errors="ignore")
        session.execute(_KEEP, (name, str(self.link.statement_limit)))
        creation = creation_keys(self.row.table)
        wanted: tuple[int, ...] = creation
        for attempt in range(_MOMENTS):
            if attempt:
                time.sleep(_MOMENT * (1 + random.random()))
            found = self.row.try_lock(session, creation)
            if found is not None:
                row, is_locked, is_created = found
                keys: tuple[int, ...] = (row,)
                if not is_locked:
                    wanted = keys
                    break
                wanted = creation
            else:
                row = None
                keys = tuple(takewhile(lambda key: session.execute(_LOCK_KEY, (key,))[0][0], creation))
                is_created = len(keys) == len(creation)
            # Another program may have created the row, or deleted it, just before it was locked.
            if is_created and self.row.id(session) == row:
                backend = session.identify()
                if own_locks(session, keys) != (backend.pid, len(keys)):
                    _release(session, keys)
                    raise StoreError(f"{self.row.location}: {_POOLER}; nothing was locked")
                return RowLock(info, keys, row, backend)
            _release(session, keys)
        holder = next(iter(holders(session, wanted)), None)
        if holder is None:
            raise LockHeldError(None, "Its holder has just ended, or this user may not see it")
        raise LockHeldError(holder.info, way_out(holder.pid))

    def require(self, session: Session) -> None:
        """Raise StoreError unless this session holds the lock of the workspace's current row."""
        held = self.link.held
        if held is None:
            raise StoreError(f"{self.row.location}: the lock is not held; nothing was written")
        if own_locks(session, held.keys) != (held.backend.pid, len(held.keys)):
            raise StoreError(f"{self.row.location}: {_POOLER}; nothing was written")
        if held.row is not None and self.row.id(session) != held.row:
            raise StoreError(f"{self.row.location}: the row was replaced while it was locked; nothing was written")

    def give_back(self, session: Session, held: RowLock) -> None:
        missing = _release(session, held.keys)
        self.link.held = None
        if missing:
            raise StoreError(f"{self.row.location}: the lock was not in this session any more: {_POOLER}")

    def holder(self, session: Session) -> SessionLock | None:
        """Return the session that holds the lock, as far as the server reveals it; None if there is none."""
        held, row = self.link.held, self.row.id(session)
        keys = creation_keys(self.row.table) if row is None else (row,)
        return next(iter(holders(session, held.keys if held else keys)), None)

    def _refuse_shared_session(self, session: Session) -> None:
        """Raise StoreError if a pooler switches sessions of the server between two statements."""
        pid = session.identify().pid
        if pid == session.announced_pid:
            return
        # There is a pooler. A pooler with a permanent session for each client is acceptable.
        other = self.link.another()
        try:
            other.execute("BEGIN")
            theirs = other.execute(_PID)[0][0]
            ours = session.execute(_PID)[0][0]
        finally:
            other.close()
        if theirs == pid or ours != pid:
            raise StoreError(f"{self.row.location}: {_POOLER}; nothing was locked")


def _release(session: Session, keys: Sequence[int]) -> int:
    """Unlock all keys; return the number of keys that were not locked."""
    return sum(not session.execute(_UNLOCK_KEY, (key,))[0][0] for key in keys)


# Terraform, and OpenTofu before 1.10, lock this key to create the row of any state.
_ANY_CREATION: Final = -1
_FNV_OFFSET: Final = 0x811C9DC5
_FNV_PRIME: Final = 0x01000193

# A key is one bigint: its halves are `classid` and `objid`, and `objsubid` is 1.
_HOLDS: Final = """
l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted AND l.mode = 'ExclusiveLock'
AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
AND ((l.classid::bigint << 32) | l.objid::bigint) = ANY (%s::bigint[])
"""
_HOLDERS: Final = f"""
SELECT l.pid, (l.classid::bigint << 32) | l.objid::bigint, a.usename::text, host(a.client_addr), a.application_name,
to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM pg_catalog.pg_locks AS l LEFT JOIN pg_catalog.pg_stat_activity AS a ON a.pid = l.pid WHERE {_HOLDS}
"""
_OWN: Final = f"""
SELECT pg_backend_pid(), count(*) FROM pg_catalog.pg_locks AS l WHERE l.pid = pg_backend_pid() AND {_HOLDS}
"""


@dataclass(frozen=True, slots=True)
class SessionLock:
    """A lock, and its session. `started` is the start of the session, "" if the server hides it."""

    pid: int
    key: int
    user: str
    address: str
    application: str
    started: str

    @property
    def info(self) -> LockInfo:
        """The known details of the holder; the ID is the server process, which ends with the session."""
        # The server hides the sessions of other users from ordinary users.
        host = f"@{self.address or '[local]'}" if self.started else ""
        return LockInfo(
            ID=str(self.pid),
            Operation="",
            Info=self.application,
            Who=f"{self.user}{host} (pid {self.pid})",
            Version="",
            Created=self.started,
            Path=str(self.key),
        )


def creation_keys(table: StateTable) -> tuple[int, int]:
    """Return the keys to lock during the creation of a row: one of all releases, and one of OpenTofu 1.10."""
    value = _FNV_OFFSET
    for byte in f"{table.schema}\0{table.table}".encode():
        value = (value * _FNV_PRIME & 0xFFFFFFFF) ^ byte
    return _ANY_CREATION, -value


def holders(session: Session, keys: Iterable[int]) -> list[SessionLock]:
    """Return the sessions that hold one of the keys."""
    rows = session.execute(_HOLDERS, (list(keys),))
    return [SessionLock(row[0], row[1], *(value or "" for value in row[2:])) for row in rows]


def own_locks(session: Session, keys: Iterable[int]) -> tuple[int, int]:
    """Return the process of the answering server, and the number of keys that it holds."""
    pid, count = session.execute(_OWN, (list(keys),))[0]
    return pid, count
