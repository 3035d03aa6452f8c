"""Reads small files of which nobody knows who made them: never without end, and never more than a given size."""

from __future__ import annotations

import errno
import os
import stat
import time
from pathlib import Path
from typing import Final

# How long a named pipe may have no writer, in seconds.
_PATIENCE: Final = 1.0
_NAP: Final = 0.01
_CHUNK: Final = 1 << 18
# Pipes that a shell has opened already, as in `--encryption <(command)`: their writer is there, or has finished.
_OPEN_ALREADY: Final = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")


def read_bounded(path: Path | str, most: int, *, pipes: bool = False, links: bool = True) -> bytes:
    """The content of a regular file of at most `most` bytes.

    With `pipes`, the content of a pipe, too; without `links`, no symbolic link is followed. Raises OSError, whose
    `strerror` is the reason, also where the file is a folder or a device, has more bytes, or nobody writes to the pipe.
    """
    # O_NONBLOCK: opening a pipe, or reading a file of the kernel, must not wait for ever.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
    if not links:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        if error.errno == errno.ELOOP and not links:
            raise OSError(error.errno, "it is a symbolic link, which is not followed here") from None
        raise
    except ValueError as error:
        raise OSError(errno.EINVAL, "no path has a NUL character in it") from error
    try:
        status = os.fstat(descriptor)
        if stat.S_ISFIFO(status.st_mode) and pipes:
            content = bytearray(_first_written(os.fspath(path), descriptor))
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


def _first_written(name: str, descriptor: int) -> bytes:
    """The first bytes in a pipe, none where its writer has not said anything yet. Raises OSError without a writer."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            first = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return b""
        if first or name.startswith(_OPEN_ALREADY):
            return first
        if time.monotonic() > until:
            raise OSError(errno.EPIPE, "it is a pipe that nobody writes to")
        time.sleep(_NAP)
