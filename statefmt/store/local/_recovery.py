"""What becomes of a write that was cut off: the next command finishes it, or finds that it never began."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from statefmt.model.errors import StoreError
from statefmt.store.durable import overwrite, read_all
from statefmt.store.local._folder import open_folder
from statefmt.store.local._names import STAGED_HISTORY
from statefmt.store.local.history import history_of, publish_history, stage_history
from statefmt.store.local.history_contents import content_of
from statefmt.store.local.journal import (
    Journal,
    checksum,
    read_journal,
    remove_journal,
)
from statefmt.store.local.state_file import StateFile
from statefmt.store.protocol import HistoryEntry
from statefmt.store.reading import reason_of

_NOT_BEGUN: Final = "a write that was cut off had not begun; the state is as before"
# Disks write a sector or a block of these as a whole, so that most of a torn content is compared in large parts.
_BLOCKS: Final = (1 << 16, 4096, 512)


def recover(state: StateFile, descriptor: int) -> str:
    """Finish or roll back a write of this state that was cut off; `descriptor` is open for both, and locked.

    Gives what was done in words, "" where there was nothing to do. Raises StoreError where neither can be done.
    """
    try:
        journal = read_journal(state)
    except ValueError as error:
        return _without_journal(state, descriptor, error)
    except OSError as error:
        advice = ". Run the command as the user who owns it" if isinstance(error, PermissionError) else ""
        raise StoreError(
            f"{state.journal}: the journal of a write cannot be read ({reason_of(error)}); nothing was written{advice}"
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
            raise StoreError(
                f"{state.path}: a write was cut off, and something else has changed the file since. The content before "
                f"is in {backup}. Compare the two, keep the right one, and delete {state.journal}"
            )
        try:
            overwrite(descriptor, [new])
        except OSError as error:
            raise StoreError(
                f"{state.path}: a write was cut off, and could not be finished ({reason_of(error)}); the next command "
                f"tries again. The content before is in {backup}"
            ) from error
    forgotten = _remember(state, journal.entry)
    remove_journal(state)
    return f"{state.path}: finished a write that was cut off; the state before it is in {backup}{forgotten}"


def old_side(state: StateFile) -> bytes | None:
    """The content before a write that is in progress or was cut off; None where there is no such write.

    Raises StoreError where the journal is damaged, or the content before cannot be read.
    """
    try:
        journal = read_journal(state)
    except ValueError as error:
        raise StoreError(f"{state.journal}: the journal of a write is damaged: {error}") from error
    except OSError as error:
        raise StoreError(f"{state.journal}: {reason_of(error)}") from error
    return None if journal is None else _sides(state, journal)[0]


def is_torn(now: bytes, old: bytes, new: bytes) -> bool:
    """Whether a content is a mixture of two others: at every place as the one or the other, or still without data.

    That is what is left of a write, of its roll-back and of their recovery, in whatever order sectors reached the disk:
    no JSON text has a zero byte, so that these are places which the system made and nobody wrote.
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
    """Go on without a damaged journal, if the state is known to be whole. Raises StoreError where it is not."""
    now = checksum(read_all(descriptor))
    entries = [entry for file in ((), (STAGED_HISTORY,)) for entry in history_of(state, *file).entries]
    if now not in {one for entry in entries for one in (entry.before, entry.after)}:
        raise StoreError(
            f"{state.path}: a write was cut off, and its journal is of no use ({reason}): the state may be half "
            "written. Nothing was changed. Put a good copy in place, such as the newest backup beside the state, and "
            f"delete {state.journal}"
        )
    remove_journal(state)
    return f"{state.path}: the state is whole; a damaged journal was deleted ({reason})"


def _sides(state: StateFile, journal: Journal) -> tuple[bytes, bytes]:
    """The content before a write and the one after it."""
    try:
        old = _old(state, journal)
        return old, journal.new_content(old)
    except (OSError, StoreError, ValueError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else error
        raise StoreError(
            f"{state.path}: a write was cut off, and can neither be finished nor undone: "
            f"{state.folder.path / journal.backup}: {reason}. Put a good copy of the state in place and delete "
            f"{state.journal}"
        ) from error


def _old(state: StateFile, journal: Journal) -> bytes:
    """The content before, from the backup, else from the history."""
    backup = state.folder.path / journal.backup
    try:
        with open_folder(backup.parent, state.folder.owner) as folder:
            old = folder.read(backup.name)
        if checksum(old) == journal.entry.before:
            return old
        raise ValueError("it is not what the journal says")
    except (OSError, StoreError, ValueError):
        with suppress(StoreError):
            return content_of(state, journal.entry.before)
        raise


def _remember(state: StateFile, entry: HistoryEntry) -> str:
    """Put the write into the history, unless it is there already. Gives why not, where that cannot be done."""
    try:
        history = history_of(state)
        if entry not in history.entries:
            stage_history(state, history.with_entry(entry))
            publish_history(state)
    except (OSError, StoreError) as error:
        # A state that can be read is worth more than its history.
        return f", and the history does not have it: {error}"
    return ""
