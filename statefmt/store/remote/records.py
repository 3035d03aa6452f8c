"""Keeps the history and the backups of a state in a backend, in a folder on this machine.

The folder is `$XDG_STATE_HOME/statetool/states/NAME`, where NAME has the readable part of the location and a hash of
all of it. An edit is recorded durably before the write request. If the outcome of the write is unknown, the record
stays unpublished until the next use of the state compares checksums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from statefmt.model.errors import StoreError
from statefmt.store.backends.description import without_credentials
from statefmt.store.local.history import History, compress_one, discard_staged, history_of
from statefmt.store.local.journal import checksum
from statefmt.store.local.locks import Hold, found_hold, may_be_held, refuse_held
from statefmt.store.local.pruning import plan_pruning, prune
from statefmt.store.local.recording import EditHistory, Recording, discard, publish, unpublished
from statefmt.store.local.state_file import StateFile, may_be_unpublished, opened_folder
from statefmt.store.protocol import LockInfo
from statefmt.store.reading import explained, reason_of
from statefmt.text import pattern, printable

# The variable that disables histories and backups of states in backends. Files of a folder cannot disable them.
SETTING: Final = "STATETOOL_REMOTE_HISTORY"

_STATE: Final = "terraform.tfstate"
_STATES: Final = "states"
# Users do not see the folder, so it must not grow forever.
INITIAL: Final = History(keep=10)
_UNSAFE: Final = pattern(r"[^A-Za-z0-9._]+")
_LONGEST_READABLE: Final = 80
_DIGITS: Final = 32
_ON: Final = ("", "on", "1", "true", "yes")
_OFF: Final = ("off", "0", "false", "no")


def is_kept(setting: str) -> bool:
    """Return whether the value of SETTING enables histories and backups. Raises StoreError for an invalid value."""
    if setting.lower() in _ON:
        return True
    if setting.lower() in _OFF:
        return False
    raise StoreError(f"{SETTING} must be 'on' or 'off', not {setting!r}; nothing was written")


def records_folder(location: str, identity: str) -> str:
    """Return the name of the folder for a state: readable by its location, safe, and unique by its identity."""
    readable = _UNSAFE.sub("-", without_credentials(location)).strip("-.")[:_LONGEST_READABLE]
    return f"{readable}-{_hash(identity)}".removeprefix("-")


@dataclass(frozen=True, slots=True)
class RemoteRecords:
    """The history and the backups of a state; `home` is the folder of statetool in the state home.

    The `identity` is unique, even among states of the same location. It may contain secrets, so only its hash is
    stored.
    """

    home: Path
    location: str
    identity: str
    note: Callable[[str], None]

    @property
    def folder(self) -> Path:
        """The folder, created by the first edit."""
        return self.home / _STATES / records_folder(self.location, self.identity)

    @property
    def path(self) -> Path:
        """The path of the state in the folder, from which the paths of its backups are derived."""
        return self.folder / _STATE

    @property
    def may_be_unsettled(self) -> bool:
        """Whether the record of a write of unknown outcome may exist."""
        return may_be_unpublished(self.folder, _STATE)

    @property
    def _label(self) -> str:
        return f"{without_credentials(self.location)}\n{_hash(self.identity)}"

    @contextmanager
    def opened(self) -> Iterator[StateFile]:
        """Create the folder if necessary, and lock it. Raises StoreError."""
        inside = (self.home.name, _STATES, self.folder.name)
        with ExitStack() as opened:
            try:
                state = opened.enter_context(opened_folder(self.home.parent, inside, _STATE, self._label))
            except OSError as error:
                raise StoreError(
                    f"{self.folder}: cannot keep the history and the backups of {printable(self.location)} there "
                    f"({reason_of(error)}); nothing was written. Name a folder that can be written in XDG_STATE_HOME, "
                    f"or keep neither history nor backups: {SETTING}=off"
                ) from error
            yield state

    def held(self) -> Hold | None:
        """Return the marker of a change of several states, None if there is none. Raises StoreError."""
        if not may_be_held(self.path):
            return None
        with self.opened() as state, explained(self.folder):
            return found_hold(state)

    def refuse_held(self, info: LockInfo, *, ends_hold: bool = False) -> None:
        """Raise LockedError if another change of several states on this machine holds the state.

        With `ends_hold`, the marker may be damaged.
        """
        if may_be_held(self.path):
            with self.opened() as state, explained(self.folder):
                refuse_held(state, info, printable(without_credentials(self.location)), ends_hold=ends_hold)

    def edit_history(self, changing: Callable[[LockInfo], AbstractContextManager[StateFile]]) -> EditHistory:
        return EditHistory(self.path, changing, INITIAL, is_apart=True)

    def keep_unconfirmed(self, state: StateFile, recording: Recording, new: bytes) -> Path | None:
        """Keep the new content of a write of unknown outcome; return its path, None if that fails."""
        name = _unconfirmed(recording)
        with suppress(OSError, StoreError):
            state.folder.replace(name, new)
            return self.folder / name
        return None

    def settle(self, read: Callable[[], bytes]) -> None:
        """Publish or discard the record of a write of unknown outcome, by the content that `read` returns now.

        Raises StoreError.
        """
        if not self.may_be_unsettled:
            return
        with self.opened() as state, explained(self.folder):
            recording = unpublished(state, INITIAL)
            if recording is None:
                return
            entry, new = recording.entry, _unconfirmed(recording)
            what = f"{printable(self.location)}: edit {entry.number} ({printable(entry.command)})"
            kept = f"; its result is in {self.folder / new}" if state.folder.status(new) else ""
            now = checksum(read())
            if now == entry.after:
                publish(state, recording)
                state.folder.remove(new)
                self.note(f"{what}, whose outcome was unknown, was written")
            elif now == entry.before:
                discard(state, recording)
                self.note(f"{what}, whose outcome was unknown, was not written{kept}")
            else:
                discard_staged(state, recording.earlier)
                before = f"; the content before it is in {recording.backup}" if recording.backup else ""
                self.note(f"{what} has an unknown outcome, and the state has been changed since{before}{kept}")

    def tidy(self) -> None:
        """Compress contents, and delete the backups of edits that are no longer in the history; ignores errors."""
        with suppress(OSError, StoreError):
            if not self.folder.exists():
                return
            compress_one(self.path)
            with self.opened() as state:
                if history_of(state).old_backups and not self.may_be_unsettled:
                    prune(state, plan_pruning(self.path))


def _unconfirmed(recording: Recording) -> str:
    """Return the name of the new content of a write of unknown outcome."""
    return f"{_STATE}.{recording.entry.after[:_DIGITS]}.unconfirmed"


def _hash(text: str) -> str:
    return checksum(text.encode(errors="surrogateescape"))[:_DIGITS]
