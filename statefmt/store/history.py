"""The history of statetool's own edits of a state: what was done, when and by whom, from what and to what.

It stands beside the state, in the folder `.NAME.statetool`, with the content before each edit.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from statefmt.errors import StoreError
from statefmt.store.durable import make_folder, sync_folder, write_new
from statefmt.store.linked import linked_file
from statefmt.store.reading import reason_of

_FILE: Final = "history.json"
_STAGED: Final = "history.json.new"
_IGNORE: Final = ".gitignore"
_FORMAT: Final = "1.0"


class HistoryEntry(Struct, frozen=True):
    """One edit. `time` is in UTC as RFC 3339 has it; `before` and `after` are the SHA-256 of the contents."""

    number: int
    time: str
    user: str
    command: str
    before: str
    after: str


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


def history_folder(path: Path) -> Path:
    """Where the history of a state file stands: `.NAME.statetool` beside it."""
    path = linked_file(path)
    return path.with_name(f".{path.name.removeprefix('.')}.statetool")


def load_history(path: Path) -> History:
    """The history of a state file, empty where there is none. Raises StoreError where it cannot be read."""
    file = history_folder(path) / _FILE
    try:
        history = msgspec.json.decode(file.read_bytes(), type=History)
    except (FileNotFoundError, NotADirectoryError):
        return History()
    except (OSError, msgspec.DecodeError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else error
        raise StoreError(
            f"{file}: the history cannot be read ({reason}). Move the folder away to begin anew"
        ) from error
    if history.format_version != _FORMAT:
        raise StoreError(f"{file}: the history has the format {history.format_version}, which a newer statetool wrote")
    return history


def stage_history(path: Path, history: History) -> None:
    """Make a history durable beside the one there is, so that it only has to be given its name. Raises OSError."""
    folder = history_folder(path)
    make_folder(folder)
    with suppress(FileExistsError):
        # Contents of states are no business of a repository.
        write_new(folder / _IGNORE, b"*\n")
    staged = folder / _STAGED
    staged.unlink(missing_ok=True)
    write_new(staged, msgspec.json.format(msgspec.json.encode(history), indent=2) + b"\n")


def unstage_history(path: Path) -> None:
    """Forget a history that was staged."""
    (history_folder(path) / _STAGED).unlink(missing_ok=True)


def publish_history(path: Path) -> None:
    """Let the history that was staged be the history. Raises OSError."""
    folder = history_folder(path)
    (folder / _STAGED).replace(folder / _FILE)
    sync_folder(folder)
