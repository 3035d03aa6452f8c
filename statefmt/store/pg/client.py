"""The client of the backend `pg`: a row for each state, locked by its id as an advisory lock of one session.

The lock is the session's: it is gone with the connection, and nothing is written after that.
Source: OpenTofu `internal/backend/remote-state/pg/client.go`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from statefmt.model.errors import ChangedError, StoreError
from statefmt.store.backends.settings import StatePlace
from statefmt.store.pg._connecting import ServerLink, way_out
from statefmt.store.pg._locking import RowLocks
from statefmt.store.pg._rows import LostError, Session, StateRow, StateTable
from statefmt.store.protocol import LockInfo, Stored
from statefmt.store.remote.client import Connection, ListedState, UnknownOutcomeError

# Settings are of one transaction, or of a session that is nobody else's: a pooler would give them to others. The row is
# locked only while somebody writes it.
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
        """The URL of the state."""
        return self._place.location

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
            # The server may still have the session, and in it the lock.
            link.connected()
        raise StoreError(f"{self.location}: the connection was lost before the state was locked: {reason}")

    def holder(self) -> LockInfo | None:
        """Return the session that holds the lock, as far as the server shows it; None if there is none."""
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
        """Give the lock back."""
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
        """Refuse: a lock is left behind by no session that has ended, and ending a session is its owner's decision."""
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
        """Return the names of all rows."""
        return self._link.retried(self._row.names)

    def states_below(self, prefix: str) -> Iterator[ListedState]:
        """Yield the rows of a schema or, if it is "", of all schemas with a table of states."""
        if prefix:
            yield from self._states_in(prefix)
            return
        for schema, is_readable in self._link.retried(self._row.schemas):
            if is_readable:
                yield from self._states_in(schema)
            else:
                self._note(f"{self.location}: no right to read the states in the schema {schema!r}; they are left out")

    def workspace_states(self) -> Iterator[ListedState]:
        """Yield the rows of the schema."""
        return self._states_in(self._row.table.schema)

    def _states_in(self, schema: str) -> Iterator[ListedState]:
        row = replace(self._row, table=replace(self._row.table, schema=schema))
        for name, size, version in self._link.retried(row.listed):
            yield ListedState(self._place.moved(self._environment, name, schema_name=schema), version, size)

    def delete(self, expected: Hashable) -> None:
        """Delete the row, if it has this version."""
        needs_lock = self._link.held is not None or bool(self._link.lost_for)
        self._change(lambda session: self._row.delete(session, expected), expected, needs_lock)

    def close(self) -> None:
        """Close the connection."""
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
