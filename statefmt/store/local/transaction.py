"""Opens, locks, reads and writes a state file so that a crash at any time leaves a recoverable state, and recovers
it.

The file is written in place and never replaced by rename: an OpenTofu or Terraform that waits for the lock holds the
file itself open and would otherwise write into an orphan. Before the write, a backup of the old content and a journal
of the write are made durable.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from statefmt.model.errors import StoreError
from statefmt.pieces import Piece, joined, makes_the_same, parts_of
from statefmt.store.files import close, overwrite, read_all, signals_held_back
from statefmt.store.local._folder import PRIVATE_MODE, STAGED_HISTORY, backup_name, open_folder
from statefmt.store.local.history import (
    History,
    content_of,
    discard_staged,
    drop_contents,
    history_of,
    publish_history,
    save_history,
)
from statefmt.store.local.journal import Journal, checksum, read_journal, remove_journal, write_journal, written_as
from statefmt.store.local.locks import locked, refuse_held, remove_hold, write_hold
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
from statefmt.store.protocol import HistoryEntry, JointEdit, LockInfo, Stored, WriteTerms
from statefmt.store.reading import check_platform, check_regular, explained, reason_of, refuse_unwritten
from statefmt.text import shell_word

# Reports a side effect, such as a recovery, as a sentence.
Notify: TypeAlias = Callable[[str], None]

# How often to reopen a state whose file was replaced while waiting for the lock.
_MOST_REPLACEMENTS: Final = 100


class OpenState(Struct, frozen=True):
    """An open state file and its content; see LockedManagedStore.

    `is_torn` if the journal of an interrupted write is still beside it. `joint` is set if other states are edited with
    this one. A file that `is_new` is written without a backup. `data_dir` is TF_DATA_DIR, which may contain the record
    of `init`.
    """

    file: StateFile
    data: bytes
    version: Hashable
    descriptor: int
    info: LockInfo
    note: Notify
    is_torn: bool = False
    joint: JointEdit | UnsetType = UNSET
    is_new: bool = False
    data_dir: str = ""

    @property
    def stored(self) -> Stored:
        """The content and its version."""
        return Stored(self.data, self.version)

    def undisturbed(self) -> AbstractContextManager[None]:
        return signals_held_back()

    def write(self, pieces: Sequence[Piece], expected: Hashable, terms: WriteTerms) -> str | None:
        refuse_init_file(self.file.path, self.data_dir)
        if terms.backup is not None:
            refuse_init_file(terms.backup, self.data_dir)
        self._check(expected, "written")
        if self.is_new:
            self._fill(joined(b"", pieces))
            return None
        kept = self.commit(pieces, terms)
        return None if kept is None else str(kept)

    def renewed(self) -> OpenState:
        """Read the open file, since closing another descriptor would drop the lock on some systems.

        Finishes or rolls back an incomplete write.
        """
        new = _settled(self.file, self.descriptor, self.info, self.note)
        return replace(new, joint=self.joint, is_new=self.is_new and not new.data, data_dir=self.data_dir)

    def hold(self, joint: JointEdit) -> OpenState:
        write_hold(self.file, self.info, joint)
        return replace(self, joint=joint)

    def release(self) -> None:
        remove_hold(self.file)

    def delete(self, expected: Hashable, *, now: int) -> str:
        """Rename the file to a backup.

        A process that waits for the lock has this file open, and then works on the backup, so nothing is lost.
        """
        self._check(expected, "deleted")
        self._check_place()
        state = self.file
        with failing(f"{state.path}: cannot rename it"), signals_held_back():
            os.fchmod(self.descriptor, PRIVATE_MODE)
            names = (backup_name(state.name, now, attempt) for attempt in count())
            name = next(one for one in names if state.folder.status(one) is None)
            state.folder.rename(state.name, name)
        return str(state.folder.path / name)

    def discard(self, expected: Hashable) -> None:
        """Delete the file, after emptying it.

        A process that waits for the lock has the file open, and finds it empty like a new file.
        """
        self._check(expected, "deleted")
        self._check_place()
        with failing(f"{self.file.path}: cannot delete it"), signals_held_back():
            overwrite(self.descriptor, [])
            self.file.folder.remove(self.file.name)
            self.file.folder.sync()
            self._forget_creation()

    def _check(self, expected: Hashable, what: str) -> None:
        if self._is_changed(expected):
            raise StoreError(f"{self.file.path}: the file changed during the edit; nothing was {what}, try again")

    def _is_changed(self, before: Hashable) -> bool:
        """Return whether the content changed after `before`; ignores links of the history."""
        return change_of(os.fstat(self.descriptor)) != before and read_all(self.descriptor) != self.data

    def commit(self, new: bytes | Sequence[Piece], terms: WriteTerms) -> Path | None:
        """Replace the content, after a backup; mode and owner stay.

        `new` is the new content as bytes or as pieces, which are never joined in memory. A temporary backup is deleted
        after the write. Returns the path of the backup; None if there is none or the content is the same. Raises
        StoreError if the write fails, and restores the old content if possible.
        """
        pieces: tuple[Piece, ...] = (new,) if isinstance(new, bytes) else tuple(new)
        if makes_the_same(self.data, pieces):
            return None
        refuse_init_file(self.file.path)
        self._check_place()
        with signals_held_back():
            with explained(self.file.path):
                kept, recording = self._prepare(pieces, terms)
            self._write(pieces, kept)
            finished = self._finish(recording)
            if finished and not terms.keeps_backup:
                return self._without(kept)
        return kept

    def _fill(self, new: bytes) -> None:
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
                self.note(
                    f"{state.path}: the state was written, but its journal could not be deleted ({reason_of(error)}); "
                    "the next command tries again"
                )

    def _forget_creation(self) -> None:
        if self.joint:
            forget_creation(self.file, self.joint, History())

    def _check_place(self) -> None:
        """Raise StoreError if the file was replaced or deleted since it was opened."""
        if not self.file.is_at(self.descriptor):
            raise StoreError(
                f"{self.file.path}: the file was replaced or deleted during the edit; nothing was written, try again"
            )

    def _prepare(self, pieces: tuple[Piece, ...], terms: WriteTerms) -> tuple[Path, Recording]:
        """Write the backup, the staged history and the journal durably. Raises StoreError and removes them again."""
        state = self.file
        found = change_of(os.fstat(self.descriptor))
        earlier = history_of(state)
        recording = record(state, self.info, self.data, pieces, earlier, terms, self.joint)
        kept = recording.backup
        assert kept is not None
        # Resolve links first: a relative path across a link would be wrong.
        way = os.path.relpath(os.path.realpath(kept), os.path.realpath(state.folder.path))
        try:
            with failing(f"{state.path}: cannot create a journal beside it"):
                journal = Journal(way, pieces, recording.entry, state.name, os.fstat(self.descriptor).st_ino)
                write_journal(state, journal, replaces=self.is_torn)
                if not self.is_torn and self._is_changed(found):
                    # Written by a program without a lock, during the backup.
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
            self.note(
                f"{self.file.path}: the state was written, but its history and journal could not be updated "
                f"({reason_of(error)}); the next command tries again"
            )
            return False
        return True

    def _without(self, backup: Path) -> Path | None:
        """Delete a backup whose content the history keeps; return its path if that fails."""
        try:
            remove_backup(self.file, backup)
        except (OSError, StoreError) as error:
            self.note(f"{backup}: this backup could not be deleted ({reason_of(error)})")
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
    marker of an edit of several states is beside it; with `ends_hold`, even if the marker is damaged. With `create`, a
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
    version = change_of(os.fstat(descriptor))
    return OpenState(file, data, version, descriptor, info, note, is_torn=is_torn)


def _opened(
    opened: ExitStack, path: Path, info: LockInfo, timeout: float | None, *, create: bool
) -> tuple[StateFile, int]:
    """Open and lock the file, again if it was replaced meanwhile; without a timeout, do not lock."""
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
    """Delete a file that was created for the lock and has no content, while it is still locked."""
    with suppress(OSError, StoreError):
        if os.fstat(descriptor).st_size == 0 and file.is_at(descriptor):
            file.folder.remove(file.name)


_NOT_BEGUN: Final = "an interrupted write had not begun; the state is unchanged"
# Disks write sectors and blocks of these sizes as a whole, so most of a torn content can be compared in large parts.
_BLOCKS: Final = (1 << 16, 4096, 512)


class UnrecoverableError(StoreError):
    """An interrupted write can be neither finished nor rolled back, now or later; `reason` says why."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(f"{reason}. {advice}")
        self.reason = reason


def recover(state: StateFile, descriptor: int) -> str:
    """Finish or roll back an interrupted write of this state; `descriptor` must be open for both, and locked.

    Returns a sentence about the recovery, or "". Raises StoreError if neither is possible.
    """
    try:
        journal = read_journal(state)
    except ValueError as error:
        return _without_journal(state, descriptor, error)
    except OSError as error:
        advice = ". Run the command as the user who owns it" if isinstance(error, PermissionError) else ""
        raise StoreError(
            f"{state.journal}: cannot read the journal of a write ({reason_of(error)}); nothing was written{advice}"
        ) from error
    if journal is None:
        return ""
    now = read_all(descriptor)
    backup = state.folder.path / journal.backup
    found = checksum(now)
    if found == journal.entry.before:
        remove_journal(state)
        return f"{state.path}: {_NOT_BEGUN}"
    if found != journal.entry.after:
        old, new = _sides(state, journal)
        if not is_torn(now, old, new):
            raise UnrecoverableError(
                f"{state.path}: a write was interrupted, and the file was changed by other means since. The previous "
                f"content is in {backup}",
                f"Compare the two, keep the right one and delete {state.journal}",
            )
        try:
            overwrite(descriptor, [new])
        except OSError as error:
            raise StoreError(
                f"{state.path}: a write was interrupted and could not be finished ({reason_of(error)}); the next "
                f"command tries again. The previous content is in {backup}"
            ) from error
    if not journal.backup:
        remove_journal(state)
        return f"{state.path}: finished an interrupted write of a new state"
    forgotten = _remember(state, journal.entry)
    remove_journal(state)
    return f"{state.path}: finished an interrupted write; the previous state is in {backup}{forgotten}"


def old_side(state: StateFile) -> bytes | None:
    """Return the content before an unfinished write; None if there is no such write.

    Raises StoreError if the journal is damaged or the content cannot be read.
    """
    try:
        journal = read_journal(state)
    except ValueError as error:
        raise StoreError(f"{state.journal}: the journal of a write is damaged: {error}") from error
    except OSError as error:
        raise StoreError(f"{state.journal}: {reason_of(error)}") from error
    return None if journal is None else _sides(state, journal)[0]


def is_torn(now: bytes, old: bytes, new: bytes) -> bool:
    """Return whether every byte of a content equals the old byte, the new byte or zero.

    An interrupted write, roll-back or recovery leaves such a mixture, in whatever order sectors reached the disk. JSON
    contains no zero bytes, so these are bytes that the file system allocated but that were never written.
    """
    if not min(len(old), len(new)) <= len(now) <= max(len(old), len(new)):
        return False
    return _is_mixed(now, old, new, 0, len(now), _BLOCKS)


def _is_mixed(now: bytes, old: bytes, new: bytes, start: int, end: int, sizes: tuple[int, ...]) -> bool:
    if not sizes:
        return all(
            now[place] == 0 or now[place : place + 1] in (old[place : place + 1], new[place : place + 1])
            for place in range(start, end)
        )
    for place in range(start, end, sizes[0]):
        stop = min(place + sizes[0], end)
        block = now[place:stop]
        if block not in (new[place:stop], old[place:stop]) and not _is_mixed(now, old, new, place, stop, sizes[1:]):
            return False
    return True


def _without_journal(state: StateFile, descriptor: int, reason: ValueError) -> str:
    """Delete a damaged journal if the history knows the state's checksum. Raises StoreError if it does not."""
    now = checksum(read_all(descriptor))
    entries = [entry for file in ((), (STAGED_HISTORY,)) for entry in history_of(state, *file).entries]
    if now not in {one for entry in entries for one in (entry.before, entry.after)}:
        raise UnrecoverableError(
            f"{state.path}: a write was interrupted, and its journal is damaged ({reason}): the state may be half "
            "written",
            "Nothing was changed. Put a good copy back, such as the newest backup beside the state: "
            f"`statetool restore BACKUP --state {shell_word(str(state.path))}`",
        )
    remove_journal(state)
    return f"{state.path}: the state is intact; deleted a damaged journal ({reason})"


def _sides(state: StateFile, journal: Journal) -> tuple[bytes, bytes]:
    try:
        old = _old(state, journal)
        return old, journal.new_content(old)
    except (OSError, StoreError, ValueError) as error:
        what = f"{state.path}: a write was interrupted and can neither be finished nor undone"
        cause = f"{state.folder.path / journal.backup}: {reason_of(error)}"
        if isinstance(error, OSError) and not isinstance(error, FileNotFoundError):
            # The content exists, and may be readable later or by another user.
            raise StoreError(f"{what} now: {cause}") from error
        advice = f"Put a good copy back: `statetool restore BACKUP --state {shell_word(str(state.path))}`"
        raise UnrecoverableError(f"{what}: {cause}", advice) from error


def _old(state: StateFile, journal: Journal) -> bytes:
    """Return the content before a write, from the backup or else from the history; b"" if there was no state."""
    if not journal.backup:
        return b""
    backup = state.folder.path / journal.backup
    try:
        with open_folder(backup.parent, state.folder.owner) as folder:
            old = folder.read(backup.name)
        if checksum(old) == journal.entry.before:
            return old
        raise ValueError("its checksum differs from the one in the journal")
    except (OSError, StoreError, ValueError):
        with suppress(StoreError):
            return content_of(state, journal.entry.before)
        raise


def _remember(state: StateFile, entry: HistoryEntry) -> str:
    """Add the write to the history if it is missing. Returns the reason if that fails, else ""."""
    try:
        history = history_of(state)
        if entry not in history.entries:
            save_history(state, history.with_entry(entry))
    except (OSError, StoreError) as error:
        # A readable state matters more than its history.
        return f", but it could not be added to the history: {error}"
    return ""
