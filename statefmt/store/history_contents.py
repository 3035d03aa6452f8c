"""The contents of a state before statetool's edits, each once, named by its checksum and read back only if whole."""

from __future__ import annotations

import gzip
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from typing import Final

from statefmt.errors import StoreError
from statefmt.store.durable import make_folder, sync_folder, write_new
from statefmt.store.history import History, history_folder, unstage_history
from statefmt.store.journal import checksum
from statefmt.store.reading import reason_of

_FOLDER: Final = "contents"
_COMPRESSED: Final = ".gz"
_LEVEL: Final = 3


def keep_content(path: Path, backup: Path, content: bytes, name: str) -> None:
    """Keep the content before an edit, which is in a backup already, under its checksum. Raises OSError.

    Both are one file where the file system allows that, so that keeping it costs nothing. An older file of that name
    is let go: it may have become the state itself, when somebody moved a backup into its place. The folder of the
    history is there.
    """
    folder = _folder(path)
    make_folder(folder)
    temporary = _temporary(folder)
    try:
        os.link(backup, temporary)
    except OSError:
        write_new(temporary, content)
    temporary.replace(folder / name)
    sync_folder(folder)


def kept_content(path: Path, name: str) -> bytes:
    """The content with a checksum. Raises StoreError where it is not there, or damaged."""
    kept = _folder(path) / name
    try:
        content = _read(kept)
    except (OSError, EOFError, ValueError) as error:
        raise StoreError(f"{kept}: the content before this edit cannot be read ({error})") from error
    if checksum(content) != name:
        raise StoreError(f"{kept}: the content before this edit was changed since, and is of no use")
    return content


def drop_contents(path: Path, history: History) -> None:
    """Delete the contents that the history does not need any more, as far as that goes."""
    needed = {entry.before for entry in history.entries}
    with suppress(OSError):
        for kept in _contents(path):
            if kept.name.removesuffix(_COMPRESSED) not in needed:
                kept.unlink()


def discard_staged(path: Path, history: History) -> None:
    """Leave nothing behind of a history that was staged for a write that did not take place."""
    with suppress(OSError):
        unstage_history(path)
        drop_contents(path, history)
        if not history.entries:
            rmtree(history_folder(path))


def forget_history(path: Path) -> None:
    """Delete the history of a state, with all contents. Raises StoreError where that cannot be done."""
    folder = history_folder(path)
    try:
        rmtree(folder)
    except OSError as error:
        raise StoreError(f"{folder}: the history could not be deleted ({reason_of(error)})") from error


def compress_one(path: Path) -> None:
    """Compress one content that is not a backup any more, the oldest, if there is one that is not compressed."""
    # It only saves space: where it does not go, the contents stay as they are.
    with suppress(OSError):
        plain = [kept for kept in _contents(path) if kept.suffix != _COMPRESSED and kept.stat().st_nlink == 1]
        if not plain:
            return
        kept = min(plain, key=lambda kept: kept.stat().st_mtime_ns)
        temporary = _temporary(kept.parent)
        write_new(temporary, gzip.compress(kept.read_bytes(), _LEVEL, mtime=0))
        temporary.replace(kept.with_name(kept.name + _COMPRESSED))
        sync_folder(kept.parent)
        kept.unlink()


def _temporary(folder: Path) -> Path:
    return folder / f"{secrets.token_hex(8)}.tmp"


def _folder(path: Path) -> Path:
    return history_folder(path) / _FOLDER


def _contents(path: Path) -> Iterator[Path]:
    with suppress(FileNotFoundError, NotADirectoryError):
        yield from sorted(_folder(path).iterdir())


def _read(kept: Path) -> bytes:
    try:
        return kept.read_bytes()
    except FileNotFoundError:
        return gzip.decompress(kept.with_name(kept.name + _COMPRESSED).read_bytes())
