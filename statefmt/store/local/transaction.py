"""Opens, locks, reads and writes a state file so that a crash at any time leaves a recoverable state.

The file is written in place and never replaced by rename: an OpenTofu or Terraform that waits for the lock holds the
file itself open and would otherwise write into an orphan. Before the write, a backup of the old content and a journal
of the write are made durable.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import UNSET, UnsetType

from statefmt.model.errors import StoreError
from statefmt.pieces import Piece, makes_the_same, parts_of
from statefmt.store.durable import close, overwrite, read_all, signals_held_back
from statefmt.store.explain import check_platform, explained
from statefmt.store.local._folder import PRIVATE_MODE
from statefmt.store.local._lock import locked
from statefmt.store.local._names import backup_name
from statefmt.store.local._recovery import UnrecoverableError, recover
from statefmt.store.local.history import History, history_of, publish_history
from statefmt.store.local.history_contents import discard_staged, drop_contents
from statefmt.store.local.hold import refuse_held
from statefmt.store.local.journal import Journal, checksum, remove_journal, write_journal, written_as
from statefmt.store.local.recording import (
    Recording,
    discard,
    failing,
    forget_creation,
    record,
    record_creation,
    remove_backup,
)
from statefmt.store.local.state_file import StateFile, around, change_of, check_own_name, refuse_init_file
from statefmt.store.lock_info import LockInfo
from statefmt.store.protocol import HistoryEntry, JointEdit
from statefmt.store.reading import check_regular, reason_of, refuse_unwritten

# Reports a side effect, such as a recovery, as a sentence.
Notify: TypeAlias = Callable[[str], None]

# How often to reopen a state whose file was replaced while waiting for the lock.
_MOST_REPLACEMENTS: Final = 100


@dataclass(frozen=True, slots=True)
class OpenState:
    """An open state file and its content; `is_torn` if the journal of an interrupted write is still beside it.

    `joint` is set if other states are edited with this one.
    """

    file: StateFile
    data: bytes
    descriptor: int
    info: LockInfo
    note: Notify
    is_torn: bool = False
    joint: JointEdit | UnsetType = UNSET

    def renewed(self) -> OpenState:
        """Read the file again, after finishing or rolling back a write that failed halfway. Raises StoreError."""
        return replace(_settled(self.file, self.descriptor, self.info, self.note), joint=self.joint)

    def is_changed(self, before: Hashable) -> bool:
        """Return whether the content changed after `before`; a link that the history made or removed changes none."""
        return change_of(os.fstat(self.descriptor)) != before and read_all(self.descriptor) != self.data

    def commit(
        self,
        new: bytes | Sequence[Piece],
        *,
        backup: Path | None = None,
        keeps_backup: bool = True,
        now: int,
        undoes: int | None = None,
    ) -> Path | None:
        """Replace the content, after a backup; mode and owner stay.

        `new` is the new content as bytes or as pieces, which are never joined in memory. `now` is in Unix seconds, for
        the name of the backup unless `backup` is given. Unless `keeps_backup`, the backup is deleted after the write,
        and only the history keeps the old content; it records the number of the edit that this one `undoes`. Returns
        the path of the backup; None if there is none or the content is the same. Raises StoreError if the write fails,
        and restores the old content if possible.
        """
        pieces: tuple[Piece, ...] = (new,) if isinstance(new, bytes) else tuple(new)
        if makes_the_same(self.data, pieces):
            return None
        refuse_init_file(self.file.path)
        self._check_place()
        with signals_held_back():
            with explained(self.file.path):
                kept, recording = self._prepare(pieces, backup, now, undoes)
            self._write(pieces, kept)
            finished = self._finish(recording)
            if finished and not keeps_backup:
                return self._without(kept)
        return kept

    def fill(self, new: bytes) -> None:
        """Write the first content of an empty file: there is nothing to back up.

        Only an edit of several states records this in the history. Raises StoreError if the write fails, and leaves the
        file empty if possible.
        """
        refuse_init_file(self.file.path)
        self._check_place()
        state, info = self.file, self.info
        if self.joint:
            with signals_held_back():
                record_creation(state, info, new, self.joint, History())
        entry = HistoryEntry(0, info.Created, info.Who, info.Info or info.Operation, checksum(b""), checksum(new))
        with signals_held_back():
            with failing(f"{state.path}: cannot create a journal beside it"):
                state.folder.sweep()
                write_journal(state, Journal("", (new,), entry, state.name, os.fstat(self.descriptor).st_ino))
            try:
                overwrite(self.descriptor, [new])
            except OSError as error:
                with suppress(OSError, StoreError):
                    overwrite(self.descriptor, [])
                    remove_journal(state)
                    self._forget_creation()
                raise StoreError(f"{state.path}: the write failed ({error.strerror}); there is no state yet") from error
            try:
                remove_journal(state)
            except (OSError, StoreError) as error:
                reason = reason_of(error) if isinstance(error, OSError) else error
                self.note(
                    f"{state.path}: the state was written, but its journal could not be deleted ({reason}); the next "
                    "command tries again"
                )

    def set_aside(self, now: int) -> Path:
        """Rename the file to a backup and return the path of that; `now` is in Unix seconds. Raises StoreError.

        A process that waits for the lock has this file open, and then works on the backup: nothing is lost.
        """
        self._check_place()
        state = self.file
        with failing(f"{state.path}: cannot rename it"), signals_held_back():
            os.fchmod(self.descriptor, PRIVATE_MODE)
            names = (backup_name(state.name, now, attempt) for attempt in count())
            name = next(one for one in names if state.folder.status(one) is None)
            state.folder.rename(state.name, name)
        return state.folder.path / name

    def discard(self) -> None:
        """Delete the file, after emptying it. Raises StoreError.

        A process that waits for the lock has the file open, and finds it as empty as a new one.
        """
        self._check_place()
        with failing(f"{self.file.path}: cannot delete it"), signals_held_back():
            overwrite(self.descriptor, [])
            self.file.folder.remove(self.file.name)
            self.file.folder.sync()
            self._forget_creation()

    def _forget_creation(self) -> None:
        if self.joint:
            forget_creation(self.file, self.joint, History())

    def _check_place(self) -> None:
        """Raise StoreError if the file was replaced or deleted since it was opened."""
        if not self.file.is_at(self.descriptor):
            raise StoreError(
                f"{self.file.path}: the file was replaced or deleted during the edit; nothing was written, try again"
            )

    def _prepare(
        self, pieces: tuple[Piece, ...], wanted: Path | None, now: int, undoes: int | None
    ) -> tuple[Path, Recording]:
        """Write the backup, the staged history and the journal durably. Raises StoreError and removes them again."""
        state = self.file
        found = change_of(os.fstat(self.descriptor))
        earlier = history_of(state)
        recording = record(
            state, self.info, self.data, pieces, earlier, wanted=wanted, now=now, joint=self.joint, undoes=undoes
        )
        kept = recording.backup
        assert kept is not None
        # Resolve links first: a relative path across a link would be wrong.
        way = os.path.relpath(os.path.realpath(kept), os.path.realpath(state.folder.path))
        try:
            with failing(f"{state.path}: cannot create a journal beside it"):
                journal = Journal(way, pieces, recording.entry, state.name, os.fstat(self.descriptor).st_ino)
                write_journal(state, journal, replaces=self.is_torn)
                if not self.is_torn and self.is_changed(found):
                    # By a program that asks for no lock: it has had the whole time of the backup.
                    remove_journal(state)
                    raise StoreError(f"{state.path}: the file changed during the edit; nothing was written, try again")
        except BaseException:
            discard(state, recording)
            raise
        return kept, recording

    def _write(self, pieces: Sequence[Piece], backup: Path) -> None:
        """Write the new content; if that fails, restore the old content."""
        path = self.file.path
        try:
            overwrite(self.descriptor, parts_of(self.data, pieces))
        except OSError as error:
            reason = f"{path}: the write failed ({error.strerror})"
            try:
                overwrite(self.descriptor, [self.data])
            except OSError:
                raise StoreError(
                    f"{reason}, and the file may be half written; the next command finishes the write. The previous "
                    f"content is in {backup}"
                ) from error
            with suppress(OSError, StoreError):
                remove_journal(self.file)
                discard_staged(self.file, history_of(self.file))
            raise StoreError(f"{reason}; the file is unchanged, and its content is also in {backup}") from error

    def _finish(self, recording: Recording) -> bool:
        """Publish the history and remove the journal. Errors are only reported: the state is already written."""
        try:
            publish_history(self.file)
            remove_journal(self.file)
            drop_contents(self.file, recording.history)
        except (OSError, StoreError) as error:
            reason = reason_of(error) if isinstance(error, OSError) else error
            self.note(
                f"{self.file.path}: the state was written, but its history and journal could not be updated "
                f"({reason}); the next command tries again"
            )
            return False
        return True

    def _without(self, backup: Path) -> Path | None:
        """Delete a backup whose content the history keeps; return its path if that fails."""
        try:
            remove_backup(self.file, backup)
        except (OSError, StoreError) as error:
            reason = reason_of(error) if isinstance(error, OSError) else error
            self.note(f"{backup}: this backup could not be deleted ({reason})")
            return backup
        return None


@contextmanager
def open_state(
    path: Path,
    info: LockInfo,
    note: Notify,
    *,
    timeout: float = 0,
    lock: bool = True,
    even_torn: bool = False,
    even_held: bool = False,
    ends_hold: bool = False,
    create: bool = False,
) -> Iterator[OpenState]:
    """Open, lock (unless `lock` is false) and read a state file for an edit.

    `info` describes the edit in the lock and in the history. Finishes or rolls back an interrupted write first and
    reports it to `note`; with `even_torn`, opens the file even if that is impossible, and with `even_held`, even if the
    marker of an edit of several states is beside it; with `ends_hold`, if that marker is damaged. With `create`, a
    missing file is created, with mode 0600, and deleted at the end if it is still empty, as OpenTofu does. Raises
    StoreError if the file cannot be opened for writing, and LockedError if another process holds the lock for longer
    than `timeout` seconds.
    """
    check_platform()
    check_own_name(path)
    with ExitStack() as opened:
        with explained(path):
            file, descriptor = _opened(opened, path, info, timeout if lock else None, create=create)
            if not even_held:
                refuse_held(file, info, ends_hold=ends_hold)
        yield _settled(file, descriptor, info, note, even_torn=even_torn)


def _settled(file: StateFile, descriptor: int, info: LockInfo, note: Notify, *, even_torn: bool = False) -> OpenState:
    """Finish or roll back an interrupted write, and read the file."""
    with explained(file.path):
        is_torn = False
        try:
            recovered = recover(written_as(file, os.fstat(descriptor)), descriptor)
        except UnrecoverableError as error:
            if not even_torn:
                raise
            recovered, is_torn = error.reason, True
        refuse_unwritten(str(file.path), descriptor, os.fstat(descriptor).st_size)
        data = read_all(descriptor)
    if recovered:
        note(recovered)
    return OpenState(file=file, data=data, descriptor=descriptor, info=info, note=note, is_torn=is_torn)


def _opened(
    opened: ExitStack, path: Path, info: LockInfo, timeout: float | None, *, create: bool
) -> tuple[StateFile, int]:
    """Open and lock the file, again if it was replaced meanwhile; without a timeout, do not lock it."""
    began = time.monotonic()
    for _ in range(_MOST_REPLACEMENTS):
        with ExitStack() as attempt:
            file = attempt.enter_context(around(path))
            flags = os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
            is_new = create and file.folder.status(file.name) is None
            flags |= os.O_CREAT if is_new else 0
            descriptor = os.open(file.name, flags, PRIVATE_MODE, dir_fd=file.folder.descriptor)
            attempt.callback(close, descriptor)
            check_regular(str(path), os.fstat(descriptor))
            if timeout is not None:
                attempt.enter_context(locked(file, descriptor, info, timeout=timeout, began=began))
            if is_new:
                attempt.callback(_remove_empty, file, descriptor)
            if file.is_at(descriptor):
                opened.enter_context(attempt.pop_all())
                return file, descriptor
    raise StoreError(f"{path}: the file keeps being replaced; nothing was done, try again")


def _remove_empty(file: StateFile, descriptor: int) -> None:
    """Delete a file that was created to be locked and got no content, while it is still locked."""
    with suppress(OSError, StoreError):
        if os.fstat(descriptor).st_size == 0 and file.is_at(descriptor):
            file.folder.remove(file.name)
