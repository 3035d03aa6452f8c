"""The advisory locks of states: their keys, and which sessions of the server hold them.

Source: OpenTofu `internal/backend/remote-state/pg/client.go` (Lock, composeCreationLockID); PostgreSQL, "pg_locks".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from statefmt.store.lock_info import LockInfo
from statefmt.store.pg._names import StateTable
from statefmt.store.pg._session import Session

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
