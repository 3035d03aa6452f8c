"""The connection to a server, made when it is used: lost, made again, and what a lost session may still do."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from statefmt.model.errors import StoreError
from statefmt.store.backends.place import StatePlace
from statefmt.store.lock_info import LockInfo
from statefmt.store.pg._parameters import approach_hosts, connection_parameters, refuse_unverified
from statefmt.store.pg._session import Backend, LostError, OverdueError, Session
from statefmt.store.remote.connection import Connection
from statefmt.store.remote.patience import Patience

T = TypeVar("T")

# The attempts of what only reads, and the seconds before each after the first.
_ATTEMPTS: Final = 4
_WAIT: Final = 0.5


@dataclass(frozen=True, slots=True)
class RowLock:
    """The lock of this client: the keys, the ID of the row if it exists, and the session of the server."""

    info: LockInfo
    keys: tuple[int, ...]
    row: int | None
    backend: Backend


class ServerLink:
    """The session of a client, and the lock that it holds.

    `lost_for` is why the lock is lost, "" if it is not. `unfinished` is the session of a lost connection that may still
    have an effect, or hold the lock.
    """

    def __init__(self, place: StatePlace, connection: Connection) -> None:
        """Prepare to connect. Raises StoreError if a parameter is not supported."""
        self._place: Final = place
        self._connection: Final = connection
        self.patience: Final = Patience.of(connection.environment)
        self.parameters: Final = connection_parameters(place, connection.environment, self.patience)
        refuse_unverified(place, connection, self.parameters)
        self.session: Session | None = None
        self.held: RowLock | None = None
        self.lost_for = ""
        self.unfinished: Backend | None = None

    @property
    def statement_limit(self) -> int:
        """The longest time of a statement, for the server, in ms: its refusal is to come before the patience ends."""
        return math.ceil(self.patience.answer * 900)

    def retried(self, read: Callable[[Session], T]) -> T:
        """Read; connect again if the connection is lost."""
        reason = ""
        for attempt in range(_ATTEMPTS):
            if attempt:
                time.sleep(_WAIT * attempt * (0.5 + random.random()))
            try:
                return read(self.connected())
            except LostError as error:
                reason = str(error)
                is_overdue = isinstance(error, OverdueError)
            self.lose(reason)
            if is_overdue:
                break
        raise StoreError(f"{self._place.location}: {reason}")

    def connected(self) -> Session:
        """Return the session. Raises LostError and StoreError."""
        if self.session is None:
            approach_hosts(self._place, self._connection, self.parameters)
            self.session = self.another()
            if self.unfinished is not None:
                self._end(self.session, self.unfinished)
        return self.session

    def another(self) -> Session:
        """Return a new session, for the caller to close. Raises LostError and StoreError."""
        return Session(self._place.location, self.parameters, self.patience, self._connection.options.debug)

    def lose(self, reason: str, *, may_have_effect: bool = False) -> None:
        """Close the session; remember it if it holds the lock, or may have an effect."""
        session = self.session
        if session is not None and (may_have_effect or self.held is not None):
            self.unfinished = session.backend
        if self.held is not None:
            self.held, self.lost_for = None, reason
        self.close()

    def close(self) -> None:
        """Close the session."""
        session, self.session = self.session, None
        if session is not None:
            session.close()

    def _end(self, session: Session, lost: Backend) -> None:
        """Make sure that the session of a lost connection has ended: it may still commit, and holds the lock."""
        if not session.end(lost):
            raise StoreError(
                f"{self._place.location}: the connection was lost, and the server still has its session open: it may "
                f"still write, and holds the lock. {way_out(lost.pid)}"
            )
        self.unfinished = None


def way_out(pid: int) -> str:
    """Return what ends a session whose program is gone."""
    return f"If that program has ended, run `SELECT pg_terminate_backend({pid});` in the database"
