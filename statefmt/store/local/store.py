"""A local file as a store: locked like OpenTofu, written in place behind a journal, with a history beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from statefmt.model.errors import StoreError
from statefmt.store.files import InsideName, make_inside, path_of, signals_held_back
from statefmt.store.local._folder import journal_name, open_folder
from statefmt.store.local.locks import found_lock, remove_left_lock
from statefmt.store.local.recording import EditHistory
from statefmt.store.local.settled import StateReader, read_settled
from statefmt.store.local.state_file import StateFile, refuse_init_file
from statefmt.store.local.transaction import OpenState, UnrecoverableError, open_state
from statefmt.store.protocol import HistoryEntry, LockInfo, LockState, Stored
from statefmt.store.reading import check_platform, explained, read_bytes


def create_file(path: Path, content: bytes) -> None:
    """Create a file with mode 0600, atomically. Raises StoreError if it already exists."""
    check_platform()
    refuse_init_file(path)
    with explained(path), signals_held_back(), open_folder(path.parent) as folder:
        folder.sweep()
        journal = path.with_name(journal_name(path.name))
        # The name of the journal may be too long for a file: lexists is False then.
        if os.path.lexists(journal):
            # It would be mistaken for the journal of the new file.
            raise StoreError(
                f"{path}: there is no such file, but there is the journal of an interrupted write of it, {journal}; "
                "nothing was written. Move the journal to where the file went"
            )
        folder.create(path.name, content)


def replace_file(path: Path, content: bytes) -> None:
    """Create or replace a file that is not a state, with mode 0600, atomically. Raises StoreError.

    Refuses to replace a file of another user and anything but a regular file.
    """
    check_platform()
    with explained(path), signals_held_back(), open_folder(path.parent) as folder:
        folder.replace(path.name, content)


@dataclass(frozen=True, slots=True)
class LocalFile:
    """The state file at a path; see Store. `reader` is the reading run.

    With `even_torn`, also opens a half-written file that cannot be recovered. With `makes_folders`, creates the folders
    of a new state. Like for OpenTofu, an empty file has no state.
    """

    name: str
    reader: StateReader
    even_torn: bool = False
    makes_folders: bool = False

    @property
    def path(self) -> Path:
        return path_of(self.name)

    def read(self) -> Stored:
        """Read the content before or after any write in progress. Its version is None: only a locked file has a
        version.
        """
        try:
            return Stored(read_settled(self.name, self.reader), None)
        except UnrecoverableError:
            if not self.even_torn:
                raise
        return Stored(read_bytes(self.name), None)

    @contextmanager
    def locked(self, info: LockInfo, timeout: float | None) -> Iterator[OpenState]:
        wait = {"lock": False} if timeout is None else {"timeout": timeout}
        with open_state(self.path, info, self.reader.note, even_torn=self.even_torn, **wait) as opened:
            yield replace(opened, data_dir=self._data_dir)

    @property
    def history(self) -> EditHistory:
        return EditHistory(self.path, self._changing)

    def found(self) -> Stored | None:
        if not os.path.lexists(self.name):
            return None
        stored = self.read()
        return stored if stored.data else None

    @contextmanager
    def locked_place(self, info: LockInfo, timeout: float | None, *, ends_hold: bool = False) -> Iterator[OpenState]:
        refuse_init_file(self.path, self._data_dir)
        if self.makes_folders:
            with explained(self.path.parent):
                if isinstance(self.name, InsideName):
                    make_inside(self.name.place.folder)
                else:
                    self.path.parent.mkdir(parents=True, exist_ok=True)
        wait = {"lock": False} if timeout is None else {"timeout": timeout}
        with open_state(self.path, info, self.reader.note, create=True, ends_hold=ends_hold, **wait) as opened:
            yield replace(opened, is_new=not opened.data, data_dir=self._data_dir)

    def lock_state(self) -> LockState:
        """Ask the system for the holder of the lock, and read the lock information beside the file."""
        return found_lock(self.path)

    def remove_lock(self, lock_id: str) -> LockInfo | None:
        """Delete stale lock information. The lock itself ends with its process."""
        return remove_left_lock(self.path, lock_id)

    def versions(self) -> Sequence[HistoryEntry]:
        return self.history.load().entries

    def content(self, checksum: str) -> bytes:
        return self.history.content(checksum)

    @property
    def _data_dir(self) -> str:
        return self.reader.environment.get("TF_DATA_DIR", "")

    def tidy(self) -> None:
        """Compress a content of the history that no longer shares its file with a backup."""
        self.history.compress()

    @contextmanager
    def _changing(self, info: LockInfo) -> Iterator[StateFile]:
        with open_state(self.path, info, self.reader.note) as opened:
            yield opened.file
