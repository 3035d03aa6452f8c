"""What becomes of a write that was cut off: the next command finishes it, or finds that it never began."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from statefmt.errors import StoreError
from statefmt.store.durable import overwrite, read_all, sync_folder
from statefmt.store.history import load_history, publish_history, stage_history
from statefmt.store.journal import Journal, checksum, decode, journal_path

_PAGE: Final = 4096
_ZEROS: Final = bytes(_PAGE)


def recover(path: Path, descriptor: int) -> str:
    """Finish or roll back a write of this state that was cut off; `descriptor` is open for both, and locked.

    Gives what was done in words, "" where there was nothing to do. Raises StoreError where neither can be done.
    """
    journal_file = journal_path(path)
    try:
        data = journal_file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    try:
        journal = decode(data)
    except ValueError:
        # The state is written only once the journal is whole.
        _remove(journal_file)
        return f"{path}: a write that was cut off had not begun; the state is as before"
    now = read_all(descriptor)
    if checksum(now) == journal.entry.before:
        _remove(journal_file)
        return f"{path}: a write that was cut off had not begun; the state is as before"
    if checksum(now) != journal.entry.after:
        old, new = _sides(path, journal)
        if not _is_mixture(now, old, new):
            raise StoreError(
                f"{path}: a write was cut off, and something else has changed the file since. The content before is in "
                f"{journal_file.parent / journal.backup}; look at both, keep the right one, and delete {journal_file}"
            )
        overwrite(descriptor, [new])
    forgotten = _remember(path, journal)
    _remove(journal_file)
    before = journal_file.parent / journal.backup
    return f"{path}: finished a write that was cut off; the state before it is in {before}{forgotten}"


def old_side(path: Path) -> bytes | None:
    """The content before a write that is in progress or was cut off; None where there is no such write.

    Raises StoreError where the backup that holds it cannot be read.
    """
    try:
        journal = decode(journal_path(path).read_bytes())
    except (OSError, ValueError):
        return None
    return _sides(path, journal)[0]


def _sides(path: Path, journal: Journal) -> tuple[bytes, bytes]:
    backup = journal_path(path).parent / journal.backup
    try:
        old = backup.read_bytes()
        return old, journal.new_content(old)
    except (OSError, ValueError) as error:
        raise StoreError(
            f"{path}: a write was cut off, and it can neither be finished nor undone: {backup}: {error}. "
            f"Put a good copy of the state in place and delete {journal_path(path)}"
        ) from error


def _remember(path: Path, journal: Journal) -> str:
    """Put the write into the history, unless it is there already. Gives why not, where that cannot be done."""
    try:
        history = load_history(path)
        if journal.entry not in history.entries:
            stage_history(path, history.with_entry(journal.entry))
            publish_history(path)
    except (OSError, StoreError) as error:
        # A state that can be had is worth more than its history.
        return f", and the history does not have it: {error}"
    return ""


def _is_mixture(now: bytes, old: bytes, new: bytes) -> bool:
    """Whether a content is the new one written over the old one in part, whatever pages had reached the disk."""
    if len(now) not in range(min(len(old), len(new)), max(len(old), len(new)) + 1):
        return False
    for start in range(0, len(now), _PAGE):
        page = now[start : start + _PAGE]
        if page not in (new[start : start + len(page)], old[start : start + len(page)], _ZEROS[: len(page)]) and (
            not _is_spliced(page, new[start : start + _PAGE], old[start : start + _PAGE])
        ):
            return False
    return True


def _is_spliced(page: bytes, new: bytes, old: bytes) -> bool:
    """Whether a page begins as the new content and ends as the old one."""
    same = next((place for place, pair in enumerate(zip(page, new, strict=False)) if pair[0] != pair[1]), len(new))
    return page[same:] == old[same : len(page)]


def _remove(journal_file: Path) -> None:
    journal_file.unlink(missing_ok=True)
    sync_folder(journal_file.parent)
