"""Making bytes durable: new files, names of files, and content that is written over."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

# Backups, journals and new files hold secrets in clear text.
_PRIVATE_MODE: Final = 0o600
_PRIVATE_FOLDER_MODE: Final = 0o700
_CHUNK: Final = 1 << 20
# What a terminal or a scheduler sends, and what a write that has begun does not stop for.
_SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGTSTP")


def write_new(path: Path, content: bytes) -> None:
    """Write a new file with mode 0600, and wait until it is on disk. Raises FileExistsError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE_MODE)
    try:
        _write_all(descriptor, content)
        os.fsync(descriptor)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Make a folder that only its owner may look into, if it is not there."""
    try:
        folder.mkdir(_PRIVATE_FOLDER_MODE)
    except FileExistsError:
        return
    sync_folder(folder.parent)


def overwrite(descriptor: int, parts: Iterable[bytes | memoryview]) -> None:
    """Write over a file's content, part by part, and only then cut it to length, so that it is never seen empty."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    length = 0
    for chunk in _chunks(parts):
        _write_all(descriptor, chunk)
        length += len(chunk)
    os.fsync(descriptor)
    os.ftruncate(descriptor, length)
    os.fsync(descriptor)


def read_all(descriptor: int) -> bytes:
    """The whole content of an open file."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    with os.fdopen(descriptor, "rb", closefd=False, buffering=0) as file:
        return file.readall()


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on disk."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:
        # Files can be made in a folder that may not be read, and there is no other way to make their names durable.
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def signals_held_back() -> Iterator[None]:
    """Let signals such as that of ^C wait, which would leave a file half written."""
    waiting = {signal.Signals[name] for name in _SIGNALS if hasattr(signal, name)}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waiting)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _chunks(parts: Iterable[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    """The same in fewer parts: each is a call of the system, and an edit of everything has ten thousands."""
    small: list[bytes | memoryview] = []
    held = 0
    for part in parts:
        if held + len(part) > _CHUNK and small:
            yield b"".join(small)
            small, held = [], 0
        if len(part) > _CHUNK:
            yield part
        else:
            small.append(part)
            held += len(part)
    if small:
        yield b"".join(small)


def _write_all(descriptor: int, content: bytes | memoryview) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
