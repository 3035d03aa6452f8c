"""The history of statetool's own edits of a state: what was done, when and by whom, from what and to what.

It is kept beside the state, in the folder `.NAME.statetool`, with the content before each edit. Whoever can write the
state's folder can write the history as well, so nothing in it names a file: contents are found by their checksum.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from statefmt.model.errors import StoreError
from statefmt.store.local._names import (
    HISTORY_FILE,
    HISTORY_IGNORE,
    STAGED_HISTORY,
    history_name,
)
from statefmt.store.local.state_file import StateFile, around
from statefmt.store.protocol import HistoryEntry
from statefmt.store.reading import reason_of

_FORMAT: Final = "1.0"
_LARGEST: Final = 64 << 20


class History(Struct, frozen=True):
    """The edits of a state that can be undone, oldest first, and how many are kept."""

    format_version: str = _FORMAT
    keep: int = 20
    entries: tuple[HistoryEntry, ...] = ()

    @property
    def next_number(self) -> int:
        """The number of the next edit. Numbers are never used again, unless all edits are forgotten."""
        return self.entries[-1].number + 1 if self.entries else 1

    def with_entry(self, entry: HistoryEntry) -> History:
        """The history with one more edit at its end, and none too many at its beginning."""
        return msgspec.structs.replace(self, entries=(*self.entries, entry)[-self.keep :])

    def keeping(self, keep: int) -> History:
        """The history that keeps so many edits, at least one, from now on."""
        return msgspec.structs.replace(self, keep=keep, entries=self.entries[-keep:])


def load_history(path: Path) -> History:
    """The history of a state file, empty where there is none. Raises StoreError where it cannot be read."""
    try:
        with around(path) as state:
            return history_of(state)
    except FileNotFoundError:
        return History()
    except OSError as error:
        raise StoreError(f"{path}: {reason_of(error)}") from error


def history_of(state: StateFile, file: str = HISTORY_FILE) -> History:
    """Like load_history(), for a state file whose folders are open; `file` may be the staged history."""
    where = state.folder.path / history_name(state.name) / file
    try:
        with state.folder.inner(history_name(state.name)) as folder:
            history = msgspec.json.decode(folder.read(file, _LARGEST), type=History) if folder else History()
    except FileNotFoundError:
        return History()
    except OSError as error:
        raise StoreError(f"{where}: the history cannot be read ({reason_of(error)})") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StoreError(f"{where}: the history is damaged ({error}). Move the folder away to begin anew") from error
    if history.format_version != _FORMAT:
        raise StoreError(
            f"{where}: the history has format {history.format_version!r}, which a newer statetool wrote. Use that one, "
            "or move the folder away to begin anew"
        )
    return history


def stage_history(state: StateFile, history: History) -> None:
    """Make a history durable beside the present one, so that it only has to be renamed. Raises OSError, StoreError."""
    with state.folder.inner(history_name(state.name), create=True) as folder:
        assert folder is not None
        folder.sweep()
        with suppress(FileExistsError):
            # Contents of states must not get into a repository.
            folder.create(HISTORY_IGNORE, b"*\n")
        folder.replace(STAGED_HISTORY, msgspec.json.format(msgspec.json.encode(history), indent=2) + b"\n")


def publish_history(state: StateFile) -> None:
    """Let the history that was staged be the history. Raises OSError, StoreError."""
    with state.folder.inner(history_name(state.name)) as folder:
        if folder is None or folder.status(STAGED_HISTORY) is None:
            raise FileNotFoundError(STAGED_HISTORY)
        folder.rename(STAGED_HISTORY, HISTORY_FILE)
