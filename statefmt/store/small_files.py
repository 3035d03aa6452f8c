"""Reads and writes small files that anybody may have made: regular files, a limited size, never waiting for ever."""

from __future__ import annotations

import errno
import os
import stat
import time
from pathlib import Path
from typing import Final

# How long a named pipe may have no writer, in seconds: in a shell's `command > pipe &` it comes at about the same time.
_PATIENCE: Final = 1.0
_NAP: Final = 0.01
_CHUNK: Final = 1 << 18
# Pipes that a shell has opened already, as in `check <(tofu state pull)`: their writer is there, or has finished.
_OPEN_ALREADY: Final = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")


def read_bounded(path: Path | str, most: int, *, pipes: bool = False, links: bool = True) -> bytes:
    """The content of a regular file of at most `most` bytes.

    With `pipes`, the content of a pipe, too; without `links`, no symbolic link is followed. Raises OSError, whose
    `strerror` is the reason, also where the file is a folder or a device, has more bytes, or nobody writes to the pipe.
    """
    descriptor = _opened(path, os.O_RDONLY, links=links)
    try:
        status = os.fstat(descriptor)
        if stat.S_ISFIFO(status.st_mode) and pipes:
            first = first_written(os.fspath(path), descriptor)
            if first is None:
                raise OSError(errno.EPIPE, "it is a pipe that nobody writes to")
            content = bytearray(first)
            os.set_blocking(descriptor, True)
        elif stat.S_ISREG(status.st_mode):
            if status.st_size > most:
                raise OSError(errno.EFBIG, f"it has {status.st_size:,} bytes, and at most {most:,} are read")
            content = bytearray()
        else:
            raise OSError(errno.EINVAL, "it is not a regular file")
        while len(content) <= most and (piece := os.read(descriptor, _CHUNK)):
            content += piece
    finally:
        os.close(descriptor)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes, and no more are read")
    return bytes(content)


def write_over(path: Path | str, content: bytes, *, links: bool = False) -> None:
    """Give a regular file, which need not exist, another content.

    Without `links`, no symbolic link is followed. Raises OSError, also where there is something else of that name.
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
    """A descriptor of a file. Raises OSError."""
    # O_NONBLOCK: opening a pipe, or reading a file of the kernel, must not wait for ever.
    flags |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
    try:
        return os.open(path, flags if links else flags | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP and not links:
            raise OSError(error.errno, "it is a symbolic link, which is not followed here") from None
        raise
    except ValueError as error:
        raise OSError(errno.EINVAL, "no path has a NUL character in it") from error


def first_written(name: str, descriptor: int) -> bytes | None:
    """The first bytes in a pipe, none where its writer has not said anything yet; None where nobody writes to it."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            first = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            # The writer is there and may take its time.
            return b""
        if first or name.startswith(_OPEN_ALREADY):
            return first
        if time.monotonic() > until:
            return None
        time.sleep(_NAP)
