"""Reads and writes the history of a state: each edit by statetool, its time, user and command.

The history is in the folder `.NAME.statetool` beside the state, with the content before each edit. Anyone who can write
the state's folder can change the history, so it contains no file names: contents are found by their checksum.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import UNSET, Struct

from statefmt.model.errors import StoreError
from statefmt.store.explain import explained
from statefmt.store.local._names import HISTORY_FILE, HISTORY_IGNORE, STAGED_HISTORY, history_name
from statefmt.store.local.state_file import StateFile, around
from statefmt.store.protocol import HistoryEntry
from statefmt.store.reading import reason_of

_FORMAT: Final = "1.0"
_LARGEST: Final = 64 << 20
# Every edit writes the whole history.
_MOST_OLD_BACKUPS: Final = 2000


class OldBackup(Struct, frozen=True):
    """The backup of an edit that the history no longer has: the time of the edit, and the checksum and the stamp."""

    time: str
    checksum: str
    backup: str


class History(Struct, frozen=True):
    """The edits of a state that can be undone, oldest first, and the number of edits to keep.

    `old_backups` are those of earlier edits, for pruning. `last` is the number of the last edit, which may be gone.
    """

    format_version: str = _FORMAT
    keep: int = 20
    entries: tuple[HistoryEntry, ...] = ()
    old_backups: tuple[OldBackup, ...] = ()
    last: int = 0

    @property
    def last_number(self) -> int:
        """The number of the last edit, 0 if there was none. Numbers are not reused unless the history is deleted."""
        return max(self.last, self.entries[-1].number if self.entries else 0)

    @property
    def next_number(self) -> int:
        """The number of the next edit."""
        return self.last_number + 1

    def with_entry(self, entry: HistoryEntry) -> History:
        """Append an edit and drop the oldest ones beyond `keep`, but none of the same joint edit."""
        entries = (*self.entries, entry)
        # A joint edit may write a state several times, and is taken back with the content before the first.
        # What an edit undoes is needed to finish it after a crash.
        first = next((place for place, one in enumerate(entries) if _is_needed(one, entry)), len(entries))
        keep = max(self.keep, len(entries) - first)
        return self.without(entries[:-keep], entries[-keep:])

    def without(self, dropped: Sequence[HistoryEntry], entries: tuple[HistoryEntry, ...]) -> History:
        """Keep only these entries; remember the backups of those `dropped`."""
        old = [OldBackup(entry.time, entry.before, entry.backup) for entry in dropped if entry.backup]
        return msgspec.structs.replace(
            self, entries=entries, old_backups=(*self.old_backups, *old)[-_MOST_OLD_BACKUPS:], last=self.last_number
        )


_NONE: Final = History()


def _is_needed(one: HistoryEntry, last: HistoryEntry) -> bool:
    """Return whether an edit is of the same joint edit as the last one, or undone by that."""
    if not (joint := last.joint):
        return False
    is_undone = last.undoes is not UNSET and one.number >= last.undoes
    return is_undone or bool(one.joint and one.joint.id in (joint.id, joint.undoes or joint.id))


def load_history(path: Path, initial: History = _NONE) -> History:
    """Read the history of a state file, `initial` if there is none. Raises StoreError if it cannot be read."""
    try:
        with around(path) as state:
            return history_of(state, initial=initial)
    except FileNotFoundError:
        return initial
    except OSError as error:
        raise StoreError(f"{path}: {reason_of(error)}") from error


def history_of(state: StateFile, file: str = HISTORY_FILE, *, initial: History = _NONE) -> History:
    """Like load_history(), for a state file whose folders are open; `file` may be the staged history."""
    where = state.folder.path / history_name(state.name) / file
    try:
        with state.folder.inner(history_name(state.name)) as folder:
            history = msgspec.json.decode(folder.read(file, _LARGEST), type=History) if folder else initial
    except FileNotFoundError:
        return initial
    except OSError as error:
        raise StoreError(f"{where}: cannot read the history ({reason_of(error)})") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StoreError(f"{where}: the history is damaged ({error}). Move the folder away to start afresh") from error
    if history.format_version != _FORMAT:
        raise StoreError(
            f"{where}: the history has format {history.format_version!r}, from a newer statetool. Use that version, "
            "or move the folder away to start afresh"
        )
    return history


def stage_history(state: StateFile, history: History) -> None:
    """Write a new history durably beside the current one, ready to be renamed. Raises OSError, StoreError."""
    with state.folder.inner(history_name(state.name), create=True) as folder:
        assert folder is not None
        folder.sweep()
        with suppress(FileExistsError):
            # Contents of states must not be committed to a repository.
            folder.create(HISTORY_IGNORE, b"*\n")
        folder.replace(STAGED_HISTORY, msgspec.json.format(msgspec.json.encode(history), indent=2) + b"\n")


def publish_history(state: StateFile) -> None:
    """Replace the history with the staged one. Raises OSError, StoreError."""
    with state.folder.inner(history_name(state.name)) as folder:
        if folder is None or folder.status(STAGED_HISTORY) is None:
            raise FileNotFoundError(STAGED_HISTORY)
        folder.rename(STAGED_HISTORY, HISTORY_FILE)


def keep_edits(state: StateFile, keep: int, *, initial: History = _NONE) -> None:
    """Change the number of edits to keep; the state must be locked. Raises StoreError."""
    with explained(state.path):
        stage_history(state, msgspec.structs.replace(history_of(state, initial=initial), keep=keep))
        publish_history(state)
