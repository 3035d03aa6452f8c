"""Keeps the journal of a change of several states: the intent, in hashes, from before the first write to the end.

The journal is in `$XDG_STATE_HOME/statetool/applies/NAME`, where NAME has the readable part of the operations file's
name and a hash of its path. It has no content of any state: before the change, that is in the states and their
histories, and what comes after can be made again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from statefmt.model.errors import StoreError
from statefmt.store.local.journal import checksum
from statefmt.store.local.state_file import StateFile, opened_folder
from statefmt.store.protocol import LockInfo
from statefmt.store.reading import explained, reason_of
from statefmt.text import pattern, printable

_FORMAT: Final = "1.0"
_APPLIES: Final = "applies"
_JOURNAL: Final = "journal.json"
_LARGEST: Final = 64 << 20
_UNSAFE: Final = pattern(r"[^A-Za-z0-9._]+")
_LONGEST_READABLE: Final = 80
_DIGITS: Final = 32


class JournaledState(Struct, frozen=True):
    """A state before the change: where it is, as a Participant says, and its lock.

    `before` is the SHA-256 of its plain content, `stored` that of its bytes, which differ if it is encrypted. If the
    change creates the state, both are those of no bytes; `empty` is that of the state without objects which stands for
    none where a backend cannot delete it. `undoes` is the number of the edit that an undo takes back in this state.
    """

    location: str
    identity: str
    lock: LockInfo
    before: str
    stored: str
    empty: str = ""
    undoes: int | None = None

    @property
    def is_created(self) -> bool:
        """Whether the change creates the state."""
        return self.empty != ""


class JournaledWrite(Struct, frozen=True):
    """A write of a state: the SHA-256 of the plain content."""

    state: str
    result: str


class ApplyJournal(Struct, frozen=True):
    """A change of several states that has begun; `is_done` when all results have been read back.

    `id` tells it from all others. `states` are by their short names, `writes` in order. The rest is as in the Intent.
    """

    id: str
    file: str
    checksum: str
    command: str
    states: Mapping[str, JournaledState]
    writes: Sequence[JournaledWrite]
    ending: tuple[str, ...]
    undoes: str = ""
    is_done: bool = False
    format_version: str = _FORMAT

    def __post_init__(self) -> None:
        """Raise ValueError if a write is of no state."""
        if not self.states.keys() >= {write.state for write in self.writes}:
            raise ValueError("a write is of a state that it does not have")

    def known(self, state: str) -> tuple[str, ...]:
        """Return the hashes that a state has one after the other."""
        return (self.states[state].before, *(write.result for write in self.writes if write.state == state))

    def hashes(self, done: int) -> dict[str, str]:
        """Return the hash of each state after the first `done` writes."""
        return {name: state.before for name, state in self.states.items()} | {
            write.state: write.result for write in self.writes[:done]
        }


class _Version(Struct):
    format_version: str


@dataclass(frozen=True, slots=True)
class JournalFolder:
    """The folder of the journal of one operations file. It is locked, so that a file is applied once at a time."""

    place: StateFile

    @property
    def path(self) -> Path:
        """The path of the journal."""
        return self.place.path

    def read(self) -> ApplyJournal | None:
        """Return the journal, None if there is none. Raises StoreError if it is damaged."""
        with explained(self.path):
            try:
                data = self.place.folder.read(_JOURNAL, _LARGEST)
            except FileNotFoundError:
                return None
        try:
            version = msgspec.json.decode(data, type=_Version).format_version
            if version != _FORMAT:
                raise StoreError(
                    f"{self.path}: the journal has format {version!r}, from a newer statetool. Use that version; "
                    "nothing was written"
                )
            return msgspec.json.decode(data, type=ApplyJournal)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise StoreError(
                f"{self.path}: the journal is damaged ({error}); nothing was written. Compare the states with their "
                "histories. Then delete this file and the marker of each state, .NAME.statetool.hold beside it"
            ) from error

    def write(self, journal: ApplyJournal) -> None:
        """Write the journal durably, with mode 0600. Raises StoreError."""
        content = msgspec.json.format(msgspec.json.encode(journal), indent=2)
        with self._failing("write"):
            self.place.folder.sweep()
            self.place.folder.replace(_JOURNAL, content + b"\n")

    def remove(self) -> None:
        """Delete the journal durably. Raises StoreError."""
        with self._failing("delete"):
            if self.place.folder.remove(_JOURNAL):
                self.place.folder.sync()

    @contextmanager
    def _failing(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreError(f"{self.path}: cannot {what} the journal ({reason_of(error)})") from error


def has_journal(home: Path, file: str) -> bool:
    """Return whether a change by an operations file, by its real path, has begun and not ended."""
    return os.path.lexists(home / _APPLIES / _folder_name(file) / _JOURNAL)


@contextmanager
def opened_journal(home: Path, file: str) -> Iterator[JournalFolder]:
    """Open the folder of the journal of an operations file, by its real path, and lock it; `home` is statetool's own.

    Raises StoreError.
    """
    name = _folder_name(file)
    folder = home / _APPLIES / name
    with ExitStack() as opened:
        try:
            place = opened.enter_context(opened_folder(home.parent, (home.name, _APPLIES, name), _JOURNAL, file))
        except OSError as error:
            raise StoreError(
                f"{folder}: cannot keep the journal of {printable(file)} there ({reason_of(error)}); nothing was "
                "written. Name a folder that can be written in XDG_STATE_HOME"
            ) from error
        yield JournalFolder(place)


def _folder_name(file: str) -> str:
    readable = _UNSAFE.sub("-", Path(file).name).strip("-.")[:_LONGEST_READABLE]
    return f"{readable}-{checksum(os.fsencode(file))[:_DIGITS]}".removeprefix("-")
