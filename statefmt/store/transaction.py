"""A state file that is open and locked from reading to writing, and written so that no instant can damage it.

The file is written in place and never replaced by rename: an OpenTofu or Terraform that waits for the lock holds the
file itself open, and would otherwise write into an orphan. Before that, the old content is made durable as a backup,
and what is about to happen as a journal.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from statefmt.errors import StoreError
from statefmt.store.durable import overwrite, read_all, signals_held_back, sync_folder, write_new
from statefmt.store.explain import check_platform, explained
from statefmt.store.history import History, HistoryEntry, load_history, publish_history, stage_history
from statefmt.store.history_contents import discard_staged, drop_contents, keep_content
from statefmt.store.journal import Journal, Piece, checksum, encode, journal_path, makes_the_same, parts_of
from statefmt.store.lock import LockInfo, locked
from statefmt.store.reading import check_regular, reason_of
from statefmt.store.recovery import recover


@dataclass(frozen=True, slots=True)
class OpenState:
    """A state file that is open: its content, and what was done about an earlier write that was cut off."""

    path: Path
    data: bytes
    recovered: str
    descriptor: int
    info: LockInfo

    def commit(self, new: bytes | Sequence[Piece], *, backup: Path | None = None, now: int) -> Path | None:
        """Replace the content, after a backup; the mode and the owner stay.

        The new content is given as bytes, or as the pieces that it is made of, and is never put together then; `now` is
        the time in Unix seconds for the backup's name, unless `backup` names another. Gives the path of the backup,
        None where there was nothing to do. Raises StoreError, with the file as it was, where it cannot be written.
        """
        pieces: tuple[Piece, ...] = (new,) if isinstance(new, bytes) else tuple(new)
        if makes_the_same(self.data, pieces):
            return None
        # Imported where it is needed: who only looks needs no threads.
        from concurrent.futures import ThreadPoolExecutor

        with explained(self.path), signals_held_back():
            earlier = load_history(self.path)
            with ThreadPoolExecutor() as others:
                # While the backup is written, which takes as long as both.
                checksums = [others.submit(checksum, self.data), others.submit(checksum, parts_of(self.data, pieces))]
                kept = _backup(self.path, self.data, backup, now)
            before, after = [digest.result() for digest in checksums]
            entry = self._entry(earlier.next_number, before, after)
            history = earlier.with_entry(entry)
            try:
                _stage(self.path, kept, self.data, before, history)
                name = os.path.relpath(os.path.realpath(kept), os.path.realpath(journal_path(self.path).parent))
                _write_journal(self.path, encode(Journal(name, pieces, entry)))
            except StoreError:
                kept.unlink()
                discard_staged(self.path, earlier)
                raise
            self._write(pieces, kept)
            _end(self.path, history)
        return kept

    def keep_history(self, keep: int) -> None:
        """Keep so many edits from now on, and forget the older ones. Raises StoreError."""
        with explained(self.path):
            history = load_history(self.path).keeping(keep)
            stage_history(self.path, history)
            publish_history(self.path)
            drop_contents(self.path, history)

    def _entry(self, number: int, before: str, after: str) -> HistoryEntry:
        """What the history is to say of a write, with the checksums of both contents."""
        info = self.info
        return HistoryEntry(number, info.Created, info.Who, info.Info or info.Operation, before, after)

    def _write(self, pieces: Sequence[Piece], backup: Path) -> None:
        """Write the new content; where that fails, the old content again."""
        try:
            overwrite(self.descriptor, parts_of(self.data, pieces))
        except OSError as error:
            reason = f"{self.path}: it could not be written ({error.strerror})"
            try:
                overwrite(self.descriptor, [self.data])
            except OSError:
                raise StoreError(
                    f"{reason} and is damaged; the next command finishes the write. The old content is in {backup}"
                ) from error
            _end_journal(self.path)
            raise StoreError(f"{reason}; its content is as before, and also in {backup}") from error


@contextmanager
def open_state(path: Path, info: LockInfo, *, timeout: float = 0, lock: bool = True) -> Iterator[OpenState]:
    """Open a state file for a change, locked unless that is not wanted, and read it.

    `info` is what the lock and the history say of the change.

    A write that was cut off is finished or rolled back first. Raises StoreError where the file cannot be opened for
    writing, LockedError where somebody else holds the lock for longer than `timeout` seconds.
    """
    check_platform()
    with explained(path):
        descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        check_regular(str(path), os.fstat(descriptor))
        with locked(path, descriptor, info, timeout=timeout) if lock else nullcontext():
            with explained(path):
                recovered = recover(path, descriptor)
                data = read_all(descriptor)
            yield OpenState(path, data, recovered, descriptor, info)
    finally:
        os.close(descriptor)


def _backup(path: Path, content: bytes, wanted: Path | None, now: int) -> Path:
    """A durable copy, beside the file and named as `tofu state` names its own; never over another file."""
    for attempt in range(1000):
        extra = f"-{attempt}" if attempt else ""
        backup = wanted or path.with_name(f"{path.name}.{now}{extra}.backup")
        try:
            write_new(backup, content)
            sync_folder(backup.parent)
        except FileExistsError:
            if wanted:
                raise StoreError(f"{wanted}: the backup exists already; nothing was written") from None
            continue
        except OSError as error:
            where = f"as {wanted}" if wanted else "beside it"
            raise StoreError(
                f"{path}: no backup could be made {where} ({reason_of(error)}); nothing was written"
            ) from error
        return backup
    raise StoreError(f"{path}: 1000 backups of this second exist already; nothing was written")


def _stage(path: Path, backup: Path, content: bytes, name: str, history: History) -> None:
    """Make the history ready that has the write in it."""
    try:
        stage_history(path, history)
        keep_content(path, backup, content, name)
    except OSError as error:
        raise StoreError(
            f"{path}: its history could not be written ({reason_of(error)}); nothing was written"
        ) from error


def _write_journal(path: Path, content: bytes) -> None:
    journal = journal_path(path)
    try:
        write_new(journal, content)
        sync_folder(journal.parent)
    except OSError as error:
        raise StoreError(
            f"{path}: no journal could be made beside it ({reason_of(error)}); nothing was written"
        ) from error


def _end(path: Path, history: History) -> None:
    """Put a write into the history, and forget that it was in progress."""
    try:
        publish_history(path)
    except OSError as error:
        raise StoreError(
            f"{path}: it was written, but its history was not ({reason_of(error)}); the next command sees to that"
        ) from error
    _end_journal(path)
    drop_contents(path, history)


def _end_journal(path: Path) -> None:
    journal = journal_path(path)
    journal.unlink(missing_ok=True)
    sync_folder(journal.parent)
