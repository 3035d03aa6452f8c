"""A local file as a store: locked like OpenTofu, written in place behind a journal, with a history beside it."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from statefmt.model.errors import StoreError
from statefmt.pieces import Piece, joined
from statefmt.store.files import InsideName, make_inside, path_of, signals_held_back
from statefmt.store.local._folder import journal_name, open_folder
from statefmt.store.local.locks import found_lock, remove_hold, remove_left_lock, write_hold
from statefmt.store.local.recording import EditHistory
from statefmt.store.local.settled import StateReader, read_settled
from statefmt.store.local.state_file import StateFile, change_of, refuse_init_file
from statefmt.store.local.transaction import OpenState, UnrecoverableError, open_state
from statefmt.store.protocol import HistoryEntry, JointEdit, LockInfo, LockState, Stored, WriteTerms
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
            # It would be taken for that of the new file.
            raise StoreError(
                f"{path}: there is no such file, but there is the journal of an interrupted write of it, {journal}; "
                "nothing was written. Move the journal to where the file went"
            )
        folder.create(path.name, content)


def replace_file(path: Path, content: bytes) -> None:
    """Create or replace a file that is not a state, with mode 0600, atomically. Raises StoreError.

    A file of another user and what is not a regular file are not replaced.
    """
    check_platform()
    with explained(path), signals_held_back(), open_folder(path.parent) as folder:
        folder.replace(path.name, content)


class LockedFile(Struct, frozen=True):
    """An open and locked state file; see LockedStore. One that `is_new` is written without a backup.

    `data_dir` is TF_DATA_DIR, where `init` may keep its record.
    """

    opened: OpenState
    stored: Stored
    is_new: bool = False
    data_dir: str = ""

    def undisturbed(self) -> AbstractContextManager[None]:
        return signals_held_back()

    def write(self, pieces: Sequence[Piece], expected: Hashable, terms: WriteTerms) -> str | None:
        refuse_init_file(self.opened.file.path, self.data_dir)
        if terms.backup is not None:
            refuse_init_file(terms.backup, self.data_dir)
        self._check(expected, "written")
        if self.is_new:
            self.opened.fill(joined(b"", pieces))
            return None
        kept = self.opened.commit(pieces, terms)
        return None if kept is None else str(kept)

    def renewed(self) -> LockedFile:
        """Read the open file, since closing another one would drop the lock on some systems."""
        opened = self.opened.renewed()
        stored = Stored(opened.data, change_of(os.fstat(opened.descriptor)))
        return replace(self, opened=opened, stored=stored, is_new=self.is_new and not opened.data)

    def hold(self, joint: JointEdit) -> LockedFile:
        write_hold(self.opened.file, self.opened.info, joint)
        return replace(self, opened=replace(self.opened, joint=joint))

    def release(self) -> None:
        remove_hold(self.opened.file)

    def discard(self, expected: Hashable) -> None:
        """Empty the file, and delete it."""
        self._check(expected, "deleted")
        self.opened.discard()

    def delete(self, expected: Hashable, *, now: int) -> str | None:
        """Rename the file to a backup."""
        self._check(expected, "deleted")
        return str(self.opened.set_aside(now))

    def _check(self, expected: Hashable, what: str) -> None:
        if self.opened.is_changed(expected):
            raise StoreError(
                f"{self.opened.file.path}: the file changed during the edit; nothing was {what}, try again"
            )


@dataclass(frozen=True, slots=True)
class LocalFile:
    """The state file at a path; see Store. `reader` is the run that reads it.

    With `even_torn`, also opens a file that an interrupted write left half written and that cannot be recovered. With
    `makes_folders`, creates the folders of a new state. As for OpenTofu, an empty file has no state.
    """

    name: str
    reader: StateReader
    even_torn: bool = False
    makes_folders: bool = False

    @property
    def path(self) -> Path:
        return path_of(self.name)

    def read(self) -> Stored:
        """Read the content before or after any write in progress. Its version is None: only a locked file has one."""
        try:
            return Stored(read_settled(self.name, self.reader), None)
        except UnrecoverableError:
            if not self.even_torn:
                raise
        return Stored(read_bytes(self.name), None)

    @contextmanager
    def locked(self, info: LockInfo, timeout: float | None) -> Iterator[LockedFile]:
        wait = {"lock": False} if timeout is None else {"timeout": timeout}
        with open_state(self.path, info, self.reader.note, even_torn=self.even_torn, **wait) as opened:
            stored = Stored(opened.data, change_of(os.fstat(opened.descriptor)))
            yield LockedFile(opened, stored, data_dir=self._data_dir)

    @property
    def history(self) -> EditHistory:
        return EditHistory(self.path, self._changing)

    def found(self) -> Stored | None:
        """Read the content; None if there is no file, or an empty one."""
        if not os.path.lexists(self.name):
            return None
        stored = self.read()
        return stored if stored.data else None

    @contextmanager
    def locked_place(self, info: LockInfo, timeout: float | None, *, ends_hold: bool = False) -> Iterator[LockedFile]:
        """Open, lock and read the file, which is created if it is missing."""
        refuse_init_file(self.path, self._data_dir)
        if self.makes_folders:
            with explained(self.path.parent):
                if isinstance(self.name, InsideName):
                    make_inside(self.name.place.folder)
                else:
                    self.path.parent.mkdir(parents=True, exist_ok=True)
        wait = {"lock": False} if timeout is None else {"timeout": timeout}
        with open_state(self.path, info, self.reader.note, create=True, ends_hold=ends_hold, **wait) as opened:
            stored = Stored(opened.data, change_of(os.fstat(opened.descriptor)))
            yield LockedFile(opened, stored, is_new=not opened.data, data_dir=self._data_dir)

    def lock_state(self) -> LockState:
        """Ask the system who holds the lock, and read the lock information beside the file."""
        return found_lock(self.path)

    def remove_lock(self, lock_id: str) -> LockInfo | None:
        """Delete the lock information that a process left behind. The lock itself ends with its process."""
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
