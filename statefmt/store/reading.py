"""Reads the bytes of a file, a pipe or standard input, and explains why one cannot be read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final, TextIO, TypeAlias

from statefmt.model.errors import MissingStateError, StoreError
from statefmt.store.durable import close, read_all, read_reporting
from statefmt.store.small_files import first_written

# The name of standard input as a state.
STANDARD_INPUT: Final = "-"
# How the name of a version in git starts: git:REVISION:PATH.
GIT: Final = "git:"

# In bytes. A pipe may never end; the largest known states have a few hundred megabytes.
LARGEST_STATE: Final = 4 << 30
_TOO_LARGE: Final = f"larger than {LARGEST_STATE >> 30} GiB, which is too large for a state"

_CHUNK: Final = 1 << 20
ReadReport: TypeAlias = Callable[[int, int], None]


def read_bytes(name: str, report: ReadReport | None = None) -> bytes:
    """Read a regular file or a pipe; `report` is called with the bytes read and the size, 0 if unknown.

    Raises StoreError if it is missing, unreadable or anything else.
    """
    if not name:
        raise StoreError("the name of the state is empty")
    try:
        # O_NONBLOCK: opening a pipe without a writer must not wait forever.
        descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError as error:
        raise MissingStateError(f"{name}: {reason_of(error)}") from error
    except OSError as error:
        raise StoreError(f"{name}: {reason_of(error)}") from error
    try:
        status = os.fstat(descriptor)
        if stat.S_ISFIFO(status.st_mode):
            return _pipe(name, descriptor, report)
        check_regular(name, status)
        if status.st_size > LARGEST_STATE:
            raise StoreError(f"{name}: {_TOO_LARGE}")
        # In one piece if nobody is waiting: joining chunks copies them.
        return read_all(descriptor) if report is None else read_reporting(descriptor, status.st_size, report)
    except OSError as error:
        raise StoreError(f"{name}: {reason_of(error)}") from error
    finally:
        close(descriptor)


def _pipe(name: str, descriptor: int, report: ReadReport | None) -> bytes:
    """Read a pipe to its end; `descriptor` must be non-blocking."""
    first = first_written(name, descriptor)
    if first is None:
        raise StoreError(f"{name}: this is a pipe without a writer")
    os.set_blocking(descriptor, True)
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return _to_the_end(name, file, report, first)


def _to_the_end(name: str, file: BinaryIO, report: ReadReport | None, first: bytes = b"") -> bytes:
    """Read a stream to its end. Raises StoreError once it is too large for a state."""
    parts = [first]
    read = len(first)
    while part := file.read(_CHUNK):
        parts.append(part)
        read += len(part)
        if report is not None:
            report(read, 0)
        if read > LARGEST_STATE:
            raise StoreError(f"{display_name(name)}: {_TOO_LARGE}")
    return b"".join(parts)


def read_stream(stream: TextIO | None, report: ReadReport | None = None) -> bytes:
    """Read standard input; `report` is called with the bytes read and 0.

    Raises StoreError if it is closed, a terminal or too large.
    """
    if stream is None:
        raise StoreError("standard input is closed: pipe a state into it or name a file")
    if stream.isatty():
        raise StoreError("standard input is a terminal: pipe a state into it or name a file")
    try:
        return _to_the_end(STANDARD_INPUT, stream.buffer, report)
    except OSError as error:
        raise StoreError(f"standard input: {reason_of(error)}") from error


def display_name(name: str) -> str:
    """A state's name for messages."""
    return "<standard input>" if name == STANDARD_INPUT else name


def is_folder(name: str | Path) -> bool:
    """Return whether a name is that of a folder; False if a folder above may not be searched: reading it says so."""
    return os.path.isdir(name)  # noqa: PTH112 - Path.is_dir raises without permission


def check_regular(name: str, status: os.stat_result) -> None:
    """Raise StoreError if an open file is a folder, a device, a pipe or a socket."""
    if stat.S_ISREG(status.st_mode):
        return
    if stat.S_ISDIR(status.st_mode):
        likely = Path(name) / "terraform.tfstate"
        # Path.is_file raises if the folder may not be searched; os.path.isfile returns False.
        hint = f"; did you mean {likely}?" if os.path.isfile(likely) else ""  # noqa: PTH113
        raise StoreError(f"{name}: this is a folder, not a state file{hint}")
    if stat.S_ISFIFO(status.st_mode):
        raise StoreError(f"{name}: this is a pipe; statetool writes only regular files and standard output (-)")
    raise StoreError(f"{name}: this is a device or socket, not a state file")


def reason_of(error: OSError) -> str:
    """Return the reason of a system error in words."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, PermissionError):
        return "permission denied"
    if isinstance(error, IsADirectoryError):
        return "this is a folder, not a state file"
    return error.strerror or str(error)
