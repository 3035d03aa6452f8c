"""Reads and writes untrusted files: regular ones of limited size, without waiting, and durably."""

from __future__ import annotations

import errno
import os
import signal
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

# Seconds to wait for the writer of a named pipe: in a shell's `command > pipe &` it starts at about the same time.
_PATIENCE: Final = 1.0
_NAP: Final = 0.01
_CHUNK: Final = 1 << 18
# Pipes opened by the shell, as in `check <(tofu state pull)`: their writer has started or has already finished.
_OPEN_ALREADY: Final = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")


def read_bounded(path: Path | str, most: int, *, pipes: bool = False, links: bool = True) -> bytes:
    """Read a regular file of at most `most` bytes.

    With `pipes`, a pipe can be read as well; without `links`, symbolic links are not followed. Raises OSError with the
    reason in `strerror`, also if the file is a folder, a device or too large, or the pipe has no writer.
    """
    descriptor = _opened(path, os.O_RDONLY, links=links)
    try:
        status = os.fstat(descriptor)
        if stat.S_ISFIFO(status.st_mode) and pipes:
            first = first_written(os.fspath(path), descriptor)
            if first is None:
                raise OSError(errno.EPIPE, "it is a pipe without a writer")
            content = bytearray(first)
            os.set_blocking(descriptor, True)
        elif stat.S_ISREG(status.st_mode):
            if status.st_size > most:
                raise OSError(errno.EFBIG, f"it has {status.st_size:,} bytes; the limit is {most:,} bytes")
            content = bytearray()
        else:
            raise OSError(errno.EINVAL, "it is not a regular file")
        while len(content) <= most and (piece := os.read(descriptor, _CHUNK)):
            content += piece
    finally:
        os.close(descriptor)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes, the limit")
    return bytes(content)


def is_inside(path: Path | str, *folders: Path | str) -> bool:
    """Return whether a path is one of these folders or below one, after all symbolic links that exist are followed."""
    real = os.path.realpath(path)
    roots = map(os.path.realpath, folders)
    return any(real == root or real.startswith(root.rstrip(os.sep) + os.sep) for root in roots)


def open_for_writing(path: Path | str) -> int:
    """Open a pipe or a character device for writing, without waiting forever for the reader of a pipe.

    Raises OSError with the reason in `strerror`.
    """
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | getattr(os, "O_NOCTTY", 0))
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            if time.monotonic() > until:
                raise OSError(errno.ENXIO, "it is a pipe without a reader") from error
            time.sleep(_NAP)
        else:
            os.set_blocking(descriptor, True)
            return descriptor


def write_over(path: Path | str, content: bytes, *, links: bool = False) -> None:
    """Overwrite or create a regular file.

    Without `links`, symbolic links are not followed. Raises OSError, also if the path is not a regular file.
    """
    descriptor = _opened(path, os.O_WRONLY | os.O_CREAT, links=links)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        os.ftruncate(descriptor, 0)
        with os.fdopen(descriptor, "wb", closefd=False) as file:
            file.write(content)
    finally:
        os.close(descriptor)


def _opened(path: Path | str, flags: int, *, links: bool) -> int:
    # O_NONBLOCK: opening a pipe or reading a kernel file must not wait forever.
    flags |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
    try:
        return os.open(path, flags if links else flags | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP and not links:
            raise OSError(error.errno, "it is a symbolic link, which statetool does not follow here") from None
        raise
    except ValueError as error:
        raise OSError(errno.EINVAL, "a path cannot contain a NUL character") from error


def first_written(name: str, descriptor: int) -> bytes | None:
    """Return the first bytes of a pipe, b"" if its writer has not written yet, or None if it has no writer."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            first = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            # There is a writer, and it may take its time.
            return b""
        if first or name.startswith(_OPEN_ALREADY):
            return first
        if time.monotonic() > until:
            return None
        time.sleep(_NAP)


_COPIED_AT_ONCE: Final = 1 << 20
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
    while part := os.read(descriptor, _COPIED_AT_ONCE):
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
        if held + len(part) > _COPIED_AT_ONCE and small:
            yield b"".join(small)
            small, held = [], 0
        if len(part) > _COPIED_AT_ONCE:
            yield part
        else:
            small.append(part)
            held += len(part)
    if small:
        yield b"".join(small)
