"""Locks the row of a state, or its creation, and makes sure that the lock is of this session."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from statefmt.model.errors import StoreError
from statefmt.store.lock_info import LockInfo
from statefmt.store.pg._link import RowLock, ServerLink, way_out
from statefmt.store.pg._locks import SessionLock, creation_keys, holders, own_locks
from statefmt.store.pg._parameters import KEEPALIVES
from statefmt.store.pg._rows import StateRow
from statefmt.store.pg._session import Session
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
