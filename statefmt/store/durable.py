"""Overwrites files in place and durably, with signals blocked."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

_CHUNK: Final = 1 << 20
# Signals from a terminal or a scheduler, which must not interrupt a write.
_SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGTSTP")


def overwrite(descriptor: int, parts: Iterable[bytes | memoryview]) -> None:
    """Overwrite a file part by part, then truncate it to the new length, so that it is never seen empty."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    length = 0
    for chunk in _chunks(parts):
        write_all(descriptor, chunk)
        length += len(chunk)
    os.fsync(descriptor)
    os.ftruncate(descriptor, length)
    os.fsync(descriptor)


def read_all(descriptor: int) -> bytes:
    """Return the whole content of an open file."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    with os.fdopen(descriptor, "rb", closefd=False, buffering=0) as file:
        return file.readall()


def read_reporting(descriptor: int, size: int, report: Callable[[int, int], None]) -> bytes:
    """Like read_all(), but reads in chunks and reports the bytes read and `size`."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    parts: list[bytes] = []
    read = 0
    while part := os.read(descriptor, _CHUNK):
        parts.append(part)
        read += len(part)
        report(read, max(size, read))
    return b"".join(parts)


def write_all(descriptor: int, content: bytes | memoryview) -> None:
    """Write all of the content, however many system calls that takes."""
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def close(descriptor: int) -> None:
    """Close a file and ignore errors: its content is already durable, or was only read."""
    with suppress(OSError):
        os.close(descriptor)


@contextmanager
def signals_held_back(*, but: Collection[int] = ()) -> Iterator[None]:
    """Block signals such as SIGINT, which would leave a file half written, except for some."""
    waiting = {signal.Signals[name] for name in _SIGNALS if hasattr(signal, name)}.difference(but)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waiting)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _chunks(parts: Iterable[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    """Join small parts: each part is a system call, and a large edit has tens of thousands."""
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
