"""Takes, verifies and releases the lock of a state in a backend, and describes its holder."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Final

from statefmt.model.errors import LockedError, StoreError, Wording
from statefmt.store.protocol import LockInfo, lock_lines
from statefmt.store.remote.client import LockHeldError, StateClient, UnknownOutcomeError
from statefmt.text import pattern, printable, shell_line

# Seconds between two attempts to lock, like OpenTofu; the last wait repeats. Source: OpenTofu
# `internal/states/statemgr/locker.go` (LockWithContext).
_WAITS: Final = (1, 2, 4, 8, 16)
# The number of repetitions of a request whose answer was lost and that had no effect.
_MOST_LOST: Final = 3
# Seconds before each check for the lock of an interrupted request, which may still arrive.
_LOOKS: Final = (0, 1, 2)
# In characters: a holder may write anything.
_LONGEST_NAME: Final = 200
_LONGEST_ID: Final = 300
# An ID that can be copied into a command.
_SIMPLE: Final = pattern(r"[A-Za-z0-9][A-Za-z0-9._:-]*", re.ASCII)


class _Found(Enum):
    """The lock that a backend has."""

    OURS = "ours"
    OTHERS = "another's"
    NONE = "none"
    UNKNOWN = "unknown"


class HeldLock:
    """The lock of one edit, from the first request to its release.

    `words` name the state in a command. Some locks just end with a session.
    """

    def __init__(
        self,
        client: StateClient,
        info: LockInfo,
        note: Callable[[str], None],
        pause: Callable[[float], None],
        words: tuple[str, ...],
        *,
        ends_with_session: bool,
    ) -> None:
        self.info = info
        self._client = client
        self._note = note
        self._pause = pause
        self._words = words
        self._ends_with_session = ends_with_session
        self._place = printable(client.location)
        self._may_be_ours = False
        self._is_ours = False
        # Whether the backend can be asked for the holder of the lock.
        self._can_be_seen = True
        self._held: LockHeldError | None = None

    def acquire(self, timeout: float) -> None:
        """Lock the state; wait up to `timeout` seconds for another holder.

        Raises LockedError, and StoreError if the lock cannot be taken or is not honoured.
        """
        until = time.monotonic() + timeout
        waits = iter(_WAITS)
        wait: float = 0
        while not self._tried():
            left = until - time.monotonic()
            if left <= 0:
                raise self._refusal(timeout)
            wait = next(waits, wait)
            self._pause(min(wait, left))
        self._is_ours = True
        self._read_back()

    def give_back(self) -> str:
        """Unlock the state if the lock is ours; return a sentence about a remaining lock, or "". Raises only on an
        interruption.
        """
        if not self._may_be_ours:
            return ""
        try:
            return self._given_back() if self._is_ours else self._taken_back()
        except BaseException:
            self._note(f"{self._place}: interrupted again; {self._left()}")
            raise

    def _tried(self) -> bool:
        lost: UnknownOutcomeError | None = None
        for _ in range(_MOST_LOST):
            before, self._may_be_ours = self._may_be_ours, True
            try:
                self._client.lock(self.info)
                return True
            except LockHeldError as error:
                if error.lock_id == self.info.ID:
                    # An earlier request succeeded.
                    return True
                self._may_be_ours = before
                self._held = error
                return False
            except UnknownOutcomeError as error:
                lost = error
            except StoreError:
                self._may_be_ours = before
                raise
            match self._look():
                case _Found.OURS:
                    return True
                case _Found.OTHERS:
                    return False
        raise UnknownOutcomeError(
            f"{self._place}: the answers to {_MOST_LOST} requests to lock the state were lost ({lost}); nothing was "
            f"written. {self._left()}"
        )

    def _look(self) -> _Found:
        try:
            holder = self._client.holder()
        except NotImplementedError:
            self._can_be_seen = False
            return _Found.UNKNOWN
        except StoreError:
            return _Found.UNKNOWN
        if holder is None:
            return _Found.NONE
        if not holder.ID:
            return _Found.UNKNOWN
        if holder.ID == self.info.ID:
            return _Found.OURS
        self._held = LockHeldError(holder)
        return _Found.OTHERS

    def _read_back(self) -> None:
        """Raise StoreError if the backend has another lock: then it does not exclude other programs."""
        try:
            holder = self._client.holder()
        except NotImplementedError:
            self._can_be_seen = False
            return
        if holder is None:
            self._may_be_ours = False
            raise StoreError(
                f"{self._place}: the service confirmed the lock, but there is none: it does not store locks, or "
                "somebody has removed this one at once; nothing was written"
            )
        if holder.ID not in ("", self.info.ID):
            self._may_be_ours = False
            raise StoreError(
                f"{self._place}: the service confirmed the lock although somebody else holds it, so it does not honour "
                "conditional requests, and its locks keep nobody out; nothing was written, and the other lock was left "
                f"alone. The lock:\n{lock_lines(holder)}"
            )

    def _given_back(self) -> str:
        problem = ""
        for _ in range(_MOST_LOST):
            try:
                self._client.unlock(self.info)
            except UnknownOutcomeError as error:
                problem = str(error)
                if self._look() in (_Found.NONE, _Found.OTHERS):
                    break
            except StoreError as error:
                problem = str(error)
                found = self._look()
                if found is _Found.NONE:
                    break
                if found is _Found.OTHERS:
                    self._may_be_ours = False
                    return f"somebody removed its lock during the edit, and it is locked by another now ({problem})"
                return f"it could not be unlocked ({problem}). {self._left()}"
            else:
                break
        else:
            return f"the answers to {_MOST_LOST} requests to unlock it were lost ({problem}). {self._left()}"
        self._may_be_ours = False
        return ""

    def _taken_back(self) -> str:
        """Unlock the state if an interrupted request has locked it, or locks it now."""
        found = _Found.UNKNOWN
        for look in _LOOKS:
            if look:
                self._pause(look)
            found = self._look()
            if found is _Found.UNKNOWN:
                found = self._look_by_locking()
            if found is not _Found.NONE:
                break
        if found is _Found.OURS:
            return self._given_back()
        self._may_be_ours = found is _Found.UNKNOWN
        return f"it may be locked. {self._left()}" if found is _Found.UNKNOWN else ""

    def _look_by_locking(self) -> _Found:
        """Find out whether the lock is ours if the backend cannot be asked: a request with our ID then succeeds."""
        try:
            self._client.lock(self.info)
        except LockHeldError as error:
            if error.lock_id == self.info.ID:
                return _Found.OURS
            return _Found.OTHERS if error.lock_id else _Found.UNKNOWN
        except StoreError:
            return _Found.UNKNOWN
        return _Found.OURS

    def _refusal(self, timeout: float) -> LockedError:
        held = self._held or LockHeldError(None)
        holder = held.holder
        waited = f" for more than {timeout:g} seconds" if timeout else ""
        known = lock_lines(holder) if holder else "  ID:        unknown"
        who = printable(holder.Who)[:_LONGEST_NAME] if holder and holder.Who else "somebody else"
        nothing_else = "" if holder else "; the service does not say by whom"
        removal = held.removal or (
            f"Once you are sure that nobody works on the state, remove the lock: {self._unlock(held.lock_id)}"
        )
        return LockedError(
            f"{self._place}: locked by {who}{waited}{nothing_else}; nothing was written. Wait for them to finish, or ",
            Wording("let the command wait: --lock-timeout 60s", "wait here: lock_timeout=60"),
            f". {removal}. The lock:\n{known}",
        )

    def _unlock(self, lock_id: str) -> str:
        word = lock_id if _SIMPLE.fullmatch(lock_id) and len(lock_id) <= _LONGEST_ID else "ID"
        return suggested_command(("unlock", word), self._words)

    def _left(self) -> str:
        """Return a sentence about a lock that may remain, with advice; `statetool locks` may show it."""
        shown = f"{suggested_command(('locks',), self._words)} shows"
        if self._ends_with_session:
            return f"The lock of this command may be left until the server ends its session; {shown} whether it is"
        seen = f"{shown} it, and " if self._can_be_seen else ""
        return f"The lock {self.info.ID} of this command may be left; {seen}{self._unlock(self.info.ID)} removes it"


# The current folder needs no name.
_HERE: Final = ("--state", ".")
_WORKSPACE: Final = "--workspace"


def suggested_command(command: Sequence[str], words: Sequence[str], *, all_workspaces: bool = False) -> str:
    """Return a command for copying, in backquotes. `words` name the state, as in RemoteName."""
    named = list(words)
    if tuple(named[:2]) == _HERE:
        del named[:2]
    if all_workspaces and _WORKSPACE in named:
        place = named.index(_WORKSPACE)
        del named[place : place + 2]
    return f"`{shell_line(['statetool', *command, *named])}`"
