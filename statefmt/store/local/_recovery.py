"""Finishes or rolls back an interrupted write of a state file."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from statefmt.model.errors import StoreError
from statefmt.store.durable import overwrite, read_all
from statefmt.store.local._folder import open_folder
from statefmt.store.local._names import STAGED_HISTORY
from statefmt.store.local.history import history_of, publish_history, stage_history
from statefmt.store.local.history_contents import content_of
from statefmt.store.local.journal import Journal, checksum, read_journal, remove_journal
from statefmt.store.local.state_file import StateFile
from statefmt.store.protocol import HistoryEntry
from statefmt.store.reading import reason_of
from statefmt.text.shell import shell_word

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

    Returns a sentence that says what was done, or "". Raises StoreError if neither is possible.
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

    Raises StoreError if the journal is damaged or that content cannot be read.
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
    """Return the contents before and after a write."""
    try:
        old = _old(state, journal)
        return old, journal.new_content(old)
    except (OSError, StoreError, ValueError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else error
        what = f"{state.path}: a write was interrupted and can neither be finished nor undone"
        cause = f"{state.folder.path / journal.backup}: {reason}"
        if isinstance(error, OSError) and not isinstance(error, FileNotFoundError):
            # The content is there, and may be readable later or by another user.
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
            stage_history(state, history.with_entry(entry))
            publish_history(state)
    except (OSError, StoreError) as error:
        # A readable state is worth more than its history.
        return f", but it could not be added to the history: {error}"
    return ""
