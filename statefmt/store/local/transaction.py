"""A state file that is open and locked from reading to writing, and written so that no instant can damage it.

The file is written in place and never replaced by rename: an OpenTofu or Terraform that waits for the lock holds the
file itself open, and would otherwise write into an orphan. Before that, the old content is made durable as a backup,
and what is about to happen as a journal.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from statefmt.model.errors import StoreError
from statefmt.pieces import Piece, makes_the_same, parts_of
from statefmt.store.durable import (
    close,
    overwrite,
    read_all,
    signals_held_back,
)
from statefmt.store.explain import check_platform, explained
from statefmt.store.local._folder import Folder, open_folder
from statefmt.store.local._lock import locked
from statefmt.store.local._names import backup_name
from statefmt.store.local._recovery import recover
from statefmt.store.local.history import History, history_of, publish_history, stage_history
from statefmt.store.local.history_contents import discard_staged, drop_contents, keep_content
from statefmt.store.local.journal import (
    Journal,
    checksum,
    remove_journal,
    write_journal,
    written_as,
)
from statefmt.store.local.state_file import StateFile, around, check_own_name
from statefmt.store.lock_info import LockInfo
from statefmt.store.protocol import HistoryEntry
from statefmt.store.reading import check_regular, reason_of

# Takes what happened besides what was asked for, as a sentence.
Notify: TypeAlias = Callable[[str], None]

_MOST_BACKUPS: Final = 1000
# How often a state is opened anew because its file was replaced while the lock was waited for.
_MOST_REPLACEMENTS: Final = 100


@dataclass(frozen=True, slots=True)
class OpenState:
    """A state file that is open, and its content."""

    file: StateFile
    data: bytes
    descriptor: int
    info: LockInfo
    note: Notify

    def commit(self, new: bytes | Sequence[Piece], *, backup: Path | None = None, now: int) -> Path | None:
        """Replace the content, after a backup; the mode and the owner stay.

        The new content is given as bytes, or as the pieces that it is made of, and is never put together then; `now` is
        the time in Unix seconds for the backup's name, unless `backup` names another. Gives the path of the backup,
        None where there was nothing to do. Raises StoreError, with the file as it was, where it cannot be written.
        """
        pieces: tuple[Piece, ...] = (new,) if isinstance(new, bytes) else tuple(new)
        if makes_the_same(self.data, pieces):
            return None
        self._check_place()
        path = self.file.path
        with signals_held_back():
            with explained(path):
                kept, history = self._prepare(pieces, backup, now)
            self._write(pieces, kept)
            self._finish(history)
        return kept

    def keep_history(self, keep: int) -> None:
        """Keep so many edits from now on, and forget the older ones. Raises StoreError."""
        with explained(self.file.path):
            history = history_of(self.file).keeping(keep)
            stage_history(self.file, history)
            publish_history(self.file)
            drop_contents(self.file, history)

    def _check_place(self) -> None:
        """Raises StoreError where the open file is not the one that has the name any more."""
        if not self.file.is_at(self.descriptor):
            raise StoreError(
                f"{self.file.path}: the file was replaced or deleted while it was worked on; nothing was written, "
                "try again"
            )

    def _prepare(self, pieces: tuple[Piece, ...], wanted: Path | None, now: int) -> tuple[Path, History]:
        """Make durable what it takes to finish the write or to take it back. Raises StoreError, with nothing left."""
        # Imported where it is needed: commands that only read need no threads.
        from concurrent.futures import ThreadPoolExecutor

        state, info = self.file, self.info
        state.folder.sweep()
        earlier = history_of(state)
        parent = nullcontext(state.named_in) if wanted is None else open_folder(wanted.parent, state.folder.owner)
        with _failing(f"{state.path}: no backup could be made {_where(wanted)}"), parent as folder:
            if folder.descriptor != state.folder.descriptor:
                folder.sweep()
            with ThreadPoolExecutor() as others:
                # While the backup is written, which takes as long as both.
                checksums = [others.submit(checksum, self.data), others.submit(checksum, parts_of(self.data, pieces))]
                backup = _backup(folder, state.path.name if wanted is None else wanted, self.data, now)
            before, after = [digest.result() for digest in checksums]
            entry = HistoryEntry(
                earlier.next_number, info.Created, info.Who, info.Info or info.Operation, before, after
            )
            history = earlier.with_entry(entry)
            kept = folder.path / backup
            # Between paths without links, so that the way from the one to the other is right.
            way = os.path.relpath(os.path.realpath(kept), os.path.realpath(state.folder.path))
            try:
                with _failing(f"{state.path}: its history could not be written"):
                    stage_history(state, history)
                    keep_content(state, (folder, backup), self.data, before)
                with _failing(f"{state.path}: no journal could be made beside it"):
                    write_journal(state, Journal(way, pieces, entry, state.name, os.fstat(self.descriptor).st_ino))
            except BaseException:
                folder.remove(backup)
                discard_staged(state, earlier)
                raise
        return kept, history

    def _write(self, pieces: Sequence[Piece], backup: Path) -> None:
        """Write the new content; where that fails, the old content again."""
        path = self.file.path
        try:
            overwrite(self.descriptor, parts_of(self.data, pieces))
        except OSError as error:
            reason = f"{path}: it could not be written ({error.strerror})"
            try:
                overwrite(self.descriptor, [self.data])
            except OSError:
                raise StoreError(
                    f"{reason} and may be half written; the next command finishes the write. The content before is in "
                    f"{backup}"
                ) from error
            with suppress(OSError, StoreError):
                remove_journal(self.file)
                discard_staged(self.file, history_of(self.file))
            raise StoreError(f"{reason}; its content is as before, and also in {backup}") from error

    def _finish(self, history: History) -> None:
        """Put a write into the history, and forget that it was in progress. The state is written, whatever fails."""
        try:
            publish_history(self.file)
            remove_journal(self.file)
            drop_contents(self.file, history)
        except (OSError, StoreError) as error:
            reason = reason_of(error) if isinstance(error, OSError) else error
            self.note(
                f"{self.file.path}: the state was written, but not all that follows could be done ({reason}); the "
                "next command completes it"
            )


@contextmanager
def open_state(
    path: Path, info: LockInfo, note: Notify, *, timeout: float = 0, lock: bool = True
) -> Iterator[OpenState]:
    """Open a state file for a change, locked unless that is not wanted, and read it.

    `info` is what the lock and the history say of the change. A write that was cut off is finished or rolled back
    first; `note` is told of it. Raises StoreError where the file cannot be opened for writing, LockedError where
    somebody else holds the lock for longer than `timeout` seconds.
    """
    check_platform()
    check_own_name(path)
    with ExitStack() as opened:
        with explained(path):
            file, descriptor = _opened(opened, path, info, timeout if lock else None)
            recovered = recover(written_as(file, os.fstat(descriptor)), descriptor)
            data = read_all(descriptor)
        if recovered:
            note(recovered)
        yield OpenState(file, data, descriptor, info, note)


def _opened(opened: ExitStack, path: Path, info: LockInfo, timeout: float | None) -> tuple[StateFile, int]:
    """The file that has the name once its lock is held; without a timeout, the lock is not taken."""
    began = time.monotonic()
    for _ in range(_MOST_REPLACEMENTS):
        with ExitStack() as attempt:
            file = attempt.enter_context(around(path))
            flags = os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(file.name, flags, dir_fd=file.folder.descriptor)
            attempt.callback(close, descriptor)
            check_regular(str(path), os.fstat(descriptor))
            if timeout is not None:
                attempt.enter_context(locked(file, descriptor, info, timeout=timeout, began=began))
            if file.is_at(descriptor):
                opened.enter_context(attempt.pop_all())
                return file, descriptor
    raise StoreError(f"{path}: the file is replaced all the time; nothing was done, try again")


def _backup(folder: Folder, wanted: Path | str, content: bytes, now: int) -> str:
    """Create a durable copy, named as `tofu state` names its own or as wanted; never over another file."""
    if isinstance(wanted, Path):
        try:
            folder.create(wanted.name, content)
        except FileExistsError:
            raise StoreError(f"{wanted}: the backup exists already; nothing was written") from None
        return wanted.name
    for attempt in range(_MOST_BACKUPS):
        name = backup_name(wanted, now, attempt)
        with suppress(FileExistsError):
            folder.create(name, content)
            return name
    raise StoreError(
        f"{folder.path / wanted}: {_MOST_BACKUPS} backups of this second exist already; nothing was written"
    )


def _where(wanted: Path | None) -> str:
    return "beside it" if wanted is None else f"as {wanted}"


@contextmanager
def _failing(what: str) -> Iterator[None]:
    """Turn an error of the system into one that says what could not be done."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{what} ({reason_of(error)}); nothing was written") from error
