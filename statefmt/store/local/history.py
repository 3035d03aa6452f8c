"""Reads and writes the history of a state: each edit with its time, user and command, and the contents before it.

The history is in the folder `.NAME.statetool` beside the state, with the content before each edit. Anyone who can write
the state's folder can change the history, so it contains no file names: contents are found by their checksum.
"""

from __future__ import annotations

import gzip
import stat
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import msgspec
from msgspec import UNSET, Struct

from statefmt.model.errors import StoreError
from statefmt.store.local._folder import (
    COMPRESSED,
    CONTENTS,
    HISTORY_FILE,
    HISTORY_IGNORE,
    STAGED_HISTORY,
    Folder,
    history_name,
    is_backup,
    is_content,
    is_own_backup,
    is_temporary,
    stamped_backup,
)
from statefmt.store.local.journal import checksum
from statefmt.store.local.state_file import StateFile, around, history_path, linked_file
from statefmt.store.protocol import NOTHING, HistoryEntry
from statefmt.store.reading import LARGEST_STATE, explained, reason_of

_FORMAT: Final = "1.0"
_LARGEST: Final = 64 << 20
# Every edit writes the whole history.
_MOST_OLD_BACKUPS: Final = 2000


class OldBackup(Struct, frozen=True):
    """The backup of an edit that is no longer in the history: the time of the edit, the checksum, and the stamp."""

    time: str
    checksum: str
    backup: str


class History(Struct, frozen=True):
    """The edits of a state that can be undone, oldest first, and the number of edits to keep.

    `old_backups` are the backups of earlier edits, for pruning. `last` is the number of the last edit, which may have
    been removed.
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
        """Append an edit and drop the oldest edits beyond `keep`, but none of the same joint edit."""
        entries = (*self.entries, entry)
        # A joint edit may write a state several times, and its revert needs the content before the first write. After a
        # crash, completing an undo needs the undone edits.
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
    """Return whether an edit belongs to the same joint edit as the last, or is undone by it."""
    if not (joint := last.joint):
        return False
    is_undone = last.undoes is not UNSET and one.number >= last.undoes
    return is_undone or bool(one.joint and one.joint.id in (joint.id, joint.undoes or joint.id))


def load_history(path: Path, initial: History = _NONE) -> History:
    """Read the history of a state file; `initial` if there is none. Raises StoreError if it is unreadable."""
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


def save_history(state: StateFile, history: History) -> None:
    """Replace the history durably. Raises OSError, StoreError."""
    stage_history(state, history)
    publish_history(state)


def keep_edits(state: StateFile, keep: int, *, initial: History = _NONE) -> None:
    """Change the number of edits to keep; the state must be locked. Raises StoreError."""
    with explained(state.path):
        save_history(state, msgspec.structs.replace(history_of(state, initial=initial), keep=keep))


_LEVEL: Final = 3
# zlib's `wbits` for the gzip format.
_GZIP: Final = 31


def keep_content(state: StateFile, backup: tuple[Folder, str], content: bytes, name: str) -> None:
    """Add the content before an edit, which is already in a backup, under its checksum. Raises OSError, StoreError.

    Uses a hard link to the backup if possible, which takes no space. Replaces an older file of that name, which may
    have become the state itself, if a backup was moved into place.
    """
    with _contents(state, create=True) as folder:
        assert folder is not None
        try:
            folder.link_from(*backup, name)
        except OSError:
            folder.replace(name, content)


def kept_content(path: Path, name: str) -> bytes:
    """Return the content with a checksum. Raises StoreError if it is missing or damaged."""
    try:
        with around(path) as state:
            return content_of(state, name)
    except OSError as error:
        raise StoreError(f"{path}: {reason_of(error)}") from error


def content_of(state: StateFile, name: str) -> bytes:
    """Like kept_content(), for a state file whose folders are open."""
    if name == NOTHING:
        return b""
    where = history_path(state.path) / CONTENTS / name
    if not is_content(name):
        raise StoreError(f"{history_path(state.path)}: the history contains {name!r}, which is not a checksum")
    try:
        with _contents(state) as folder:
            if folder is None:
                raise FileNotFoundError(name)
            content = _read(folder, name)
    except OSError as error:
        raise StoreError(f"{where}: cannot read the content before this edit ({reason_of(error)})") from error
    if checksum(content) != name:
        raise StoreError(f"{where}: this content was changed after it was stored, so it cannot be used")
    return content


def drop_contents(state: StateFile, history: History) -> None:
    """Delete the contents that the history no longer needs, as far as possible."""
    with suppress(OSError, StoreError), unneeded_contents(state, history) as (folder, names):
        if folder is not None:
            folder.sweep()
            for name in names:
                folder.remove(name)


@contextmanager
def unneeded_contents(state: StateFile, history: History) -> Iterator[tuple[Folder | None, list[str]]]:
    """Open the folder of the contents, None if it does not exist; also yield the names of unneeded contents."""
    needed = {entry.before for entry in history.entries}
    with _contents(state) as folder:
        names = filter(is_content, folder.names()) if folder else ()
        yield folder, [name for name in names if name.removesuffix(COMPRESSED) not in needed]


def discard_staged(state: StateFile, history: History) -> None:
    """Delete the staged history of a write that did not take place, and its contents."""
    with suppress(OSError, StoreError):
        drop_contents(state, history)
        with state.folder.inner(history_name(state.name)) as folder:
            if folder is None:
                return
            folder.remove(STAGED_HISTORY)
            if folder.status(HISTORY_FILE) is None:
                _empty(folder)
        state.folder.remove_folder(history_name(state.name))


def forget_history(path: Path) -> None:
    """Delete the history of a state and all its contents. Raises StoreError if that fails."""
    where = history_path(path)
    try:
        with around(path) as state:
            forget_history_of(state)
            if state.folder.status(history_name(state.name)) is not None:
                raise StoreError(f"{where}: the history was deleted, but the folder contains other files")
    except OSError as error:
        raise StoreError(f"{where}: cannot delete the history ({reason_of(error)})") from error


def forget_history_of(state: StateFile) -> None:
    """Like forget_history(), for a state file whose folders are open; other files stay. Raises OSError, StoreError."""
    with state.folder.inner(history_name(state.name)) as folder:
        if folder is None:
            return
        _empty(folder)
    state.folder.remove_folder(history_name(state.name))


def any_content(path: Path, wanted: Callable[[bytes], bool]) -> bool:
    """Return whether any content of a history satisfies `wanted`. Raises OSError or StoreError if one is unreadable."""
    with around(path) as state, _contents(state) as folder:
        names = [name for name in folder.names() if is_content(name)] if folder else []
        return any(folder is not None and wanted(_read(folder, name.removesuffix(COMPRESSED))) for name in names)


def compress_one(path: Path) -> None:
    """Compress the oldest uncompressed content that no longer shares its file with a backup, if any."""
    # Errors are ignored: compression only saves space.
    with suppress(OSError, StoreError), around(path) as state, _contents(state) as folder:
        if folder is None:
            return
        found = [(name, folder.status(name)) for name in folder.names() if is_content(name)]
        plain = [
            (status.st_mtime_ns, name)
            for name, status in found
            if status and stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and not name.endswith(COMPRESSED)
        ]
        if plain:
            name = min(plain)[1]
            folder.replace(name + COMPRESSED, gzip.compress(folder.read(name), _LEVEL, mtime=0))
            folder.remove(name)


def _empty(folder: Folder) -> None:
    """Delete statetool's own files from the folder of a history, and nothing else."""
    with folder.inner(CONTENTS) as contents:
        for name in contents.names() if contents else ():
            if contents and (is_content(name) or is_temporary(name)):
                contents.remove(name)
    folder.remove_folder(CONTENTS)
    folder.sweep()
    for name in (STAGED_HISTORY, HISTORY_FILE, HISTORY_IGNORE):
        folder.remove(name)
    folder.sync()


@contextmanager
def _contents(state: StateFile, *, create: bool = False) -> Iterator[Folder | None]:
    with state.folder.inner(history_name(state.name)) as folder:
        if folder is None:
            yield None
        else:
            with folder.inner(CONTENTS, create=create) as contents:
                yield contents


def _read(folder: Folder, name: str) -> bytes:
    try:
        return folder.read(name)
    except FileNotFoundError:
        compressed = folder.read(name + COMPRESSED)
    try:
        return zlib.decompressobj(_GZIP).decompress(compressed, LARGEST_STATE)
    except zlib.error as error:
        raise StoreError(f"{folder.path / name}{COMPRESSED}: this content is damaged ({error})") from error


# Returns whether a content is unencrypted.
IsPlain: TypeAlias = Callable[[bytes], bool]


@dataclass(frozen=True, slots=True)
class Kept:
    """A copy that could not be read or deleted, and the reason."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class PlainCopies:
    """The result for the plain copies of a state; `foreign` are those of other tools, which are kept."""

    deleted: tuple[Path, ...]
    failed: tuple[Kept, ...]
    foreign: tuple[Path, ...]


def discard_plain(path: Path, is_plain: IsPlain) -> PlainCopies:
    """Delete the plain backups of a state; if any content in its history is plain, delete the whole history.

    The state itself must be encrypted and durable. Unreadable copies are kept and listed in `failed`.
    """
    deleted: list[Path] = []
    failed: list[Kept] = []
    foreign: list[Path] = []
    try:
        with around(path) as state:
            for folder, name in backups_of(state):
                where = folder.path / name
                try:
                    if not is_plain(folder.read(name)):
                        continue
                    if is_own_backup(name, state.path.name) or is_own_backup(name, state.name):
                        folder.remove(name)
                        deleted.append(where)
                    else:
                        foreign.append(where)
                except (OSError, StoreError) as error:
                    failed.append(_kept(where, error))
            if deleted:
                state.folder.sync()
                state.named_in.sync()
    except OSError as error:
        failed.append(_kept(path.parent, error))
    history = history_path(path)
    try:
        if any_content(path, is_plain):
            forget_history(path)
            deleted.append(history)
    except (OSError, StoreError) as error:
        failed.append(_kept(history, error))
    return PlainCopies(tuple(deleted), tuple(failed), tuple(foreign))


def _kept(path: Path, error: OSError | StoreError) -> Kept:
    return Kept(path, reason_of(error).removeprefix(f"{path}: "))


def backups(path: Path) -> list[Path]:
    """Return the sorted backups of a state by statetool, OpenTofu and Terraform.

    They are regular files. The state may be missing. Returns none if its folder cannot be listed.
    """
    with suppress(OSError), around(path) as state:
        found = [(folder.path / name, folder.status(name)) for folder, name in backups_of(state)]
        return sorted(where for where, status in found if status and stat.S_ISREG(status.st_mode))
    return []


def backups_of(state: StateFile) -> list[tuple[Folder, str]]:
    """Return the names of backups beside a state and beside the symbolic link to it, of files of any kind."""
    places = {(state.folder, state.name), (state.named_in, state.path.name)}
    return [(folder, name) for folder, own in places for name in folder.names() if is_backup(name, own)]


def own_backup(path: Path, stamp: str) -> Path | None:
    """Return the path of statetool's backup before an edit, from its stamp; None if there is none."""
    state = linked_file(path)
    backup = stamped_backup(state.name, stamp) if stamp else ""
    return state.parent / backup if backup else None
