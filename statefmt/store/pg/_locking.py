"""Locks the row of a state, or its creation, and makes sure that the lock is of this session."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from statefmt.model.errors import StoreError
from statefmt.store.pg._connecting import KEEPALIVES, RowLock, ServerLink, way_out
from statefmt.store.pg._rows import Session, StateRow, StateTable
from statefmt.store.protocol import LockInfo
from statefmt.store.remote.client import LockHeldError

_LOCK_KEY: Final = "SELECT pg_try_advisory_lock(%s)"
_UNLOCK_KEY: Final = "SELECT pg_advisory_unlock(%s)"
_PID: Final = "SELECT pg_backend_pid()"
# A question may wait for its answer longer than a session may be idle. Releases before 14 have no such limit. The
# server keeps the lock of a machine that has vanished until it notices, by default after two hours.
_KEEP: Final = f"""
SELECT set_config('application_name', %s, false), set_config('statement_timeout', %s, false),
CASE WHEN current_setting('server_version_num')::int >= 140000 THEN set_config('idle_session_timeout', '0', false) END,
{", ".join(f"set_config('tcp_keepalives_{name}', '{value}', false)" for name, value in KEEPALIVES.items())}
"""
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
class RowLocks:
    """The lock of one row, as sessions of the `link` take it. All methods raise LostError and StoreError."""

    row: StateRow
    link: ServerLink

    def take(self, session: Session, info: LockInfo) -> RowLock:
        """Lock the row, or its creation if it does not exist, and read the lock back. Raises LockHeldError."""
        self._refuse_shared_session(session)
        session.execute(_KEEP, (_session_name(info.Who), str(self.link.statement_limit)))
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
                keys = _taken(session, creation)
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
        """Raise StoreError unless this session holds the lock, of the row that the workspace has now."""
        held = self.link.held
        if held is None:
            raise StoreError(f"{self.row.location}: the lock is not held; nothing was written")
        if own_locks(session, held.keys) != (held.backend.pid, len(held.keys)):
            raise StoreError(f"{self.row.location}: {_POOLER}; nothing was written")
        if held.row is not None and self.row.id(session) != held.row:
            raise StoreError(f"{self.row.location}: the row was replaced while it was locked; nothing was written")

    def give_back(self, session: Session, held: RowLock) -> None:
        """Unlock the row."""
        missing = _release(session, held.keys)
        self.link.held = None
        if missing:
            raise StoreError(f"{self.row.location}: the lock was not in this session any more: {_POOLER}")

    def holder(self, session: Session) -> SessionLock | None:
        """Return the session that holds the lock, as far as the server shows it; None if there is none."""
        held, row = self.link.held, self.row.id(session)
        keys = creation_keys(self.row.table) if row is None else (row,)
        return next(iter(holders(session, held.keys if held else keys)), None)

    def _refuse_shared_session(self, session: Session) -> None:
        """Raise StoreError if a pooler gives the session of the server to others between two statements."""
        pid = session.identify().pid
        if pid == session.announced_pid:
            return
        # There is a pooler. One that gives a session to each client for good may go on.
        other = self.link.another()
        try:
            other.execute("BEGIN")
            theirs = other.execute(_PID)[0][0]
            ours = session.execute(_PID)[0][0]
        finally:
            other.close()
        if theirs == pid or ours != pid:
            raise StoreError(f"{self.row.location}: {_POOLER}; nothing was locked")


def _taken(session: Session, keys: Sequence[int]) -> tuple[int, ...]:
    """Lock one key after the other, until one is another's; return those that are locked."""
    return tuple(takewhile(lambda key: session.execute(_LOCK_KEY, (key,))[0][0], keys))


def _release(session: Session, keys: Sequence[int]) -> int:
    """Unlock all keys; return how many of them were not locked."""
    return sum(not session.execute(_UNLOCK_KEY, (key,))[0][0] for key in keys)


def _session_name(who: str) -> str:
    return f"statetool {who}".encode()[:_NAME_LENGTH].decode(errors="ignore")


# Terraform, and OpenTofu before 1.10, lock this to create the row of any state.
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
    """A lock, and the session that holds it. `started` is when the session began, "" if the server hides it."""

    pid: int
    key: int
    user: str
    address: str
    application: str
    started: str

    @property
    def info(self) -> LockInfo:
        """What is known about the holder; the ID is that of the server process, which ends with the session."""
        # The server shows the sessions of other users only to some.
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
    """Return the keys to lock while the row of a state is created: that of all releases, and of OpenTofu 1.10."""
    value = _FNV_OFFSET
    for byte in f"{table.schema}\0{table.table}".encode():
        value = (value * _FNV_PRIME & 0xFFFFFFFF) ^ byte
    return _ANY_CREATION, -value


def holders(session: Session, keys: Iterable[int]) -> list[SessionLock]:
    """Return the sessions that hold one of the keys."""
    rows = session.execute(_HOLDERS, (list(keys),))
    return [SessionLock(row[0], row[1], *(value or "" for value in row[2:])) for row in rows]


def own_locks(session: Session, keys: Iterable[int]) -> tuple[int, int]:
    """Return the process of the server that answers, and how many of the keys it holds."""
    pid, count = session.execute(_OWN, (list(keys),))[0]
    return pid, count
