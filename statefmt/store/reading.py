"""Finds and reads the bytes of states in files, pipes and standard input, and explains read errors."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, TextIO, TypeAlias

from statefmt.model.errors import MissingStateError, StoreError
from statefmt.store.backends import RemoteName
from statefmt.store.files import (
    InsideName,
    close,
    first_written,
    inside_name,
    open_inside,
    read_all,
    read_reporting,
    unfollowed_name,
)
from statefmt.text import pattern, shell_word

# The name of standard input as a state.
STANDARD_INPUT: Final = "-"
# The prefix of a version in git: git:REVISION:PATH.
GIT: Final = "git:"
# The prefix of a state in a plan file: plan:prior:PATH or plan:previous:PATH.
PLAN: Final = "plan:"

# In bytes, of a file.
LARGEST_STATE: Final = 4 << 30
# In bytes, of a pipe or the answer of a server, which may never end.
LARGEST_STREAM: Final = 192 << 20
SIZE_VARIABLE: Final = "STATETOOL_MAX_SIZE"
_SIZE: Final = pattern(r"([0-9]{1,9})([KMG]i?B)")
_UNITS: Final = {"K": 10, "M": 20, "G": 30}

_CHUNK: Final = 1 << 20
# Smaller files cost little, whatever their content.
_SMALL: Final = 16 << 20
# The content of unwritten parts of a file, and the white space of JSON.
_NOTHING: Final = b"\0 \t\r\n"
# Counted parts of a file between holes.
_MOST_HOLES: Final = 1_000
ReadReport: TypeAlias = Callable[[int, int], None]


def largest_stream(environment: Mapping[str, str]) -> int:
    """Return the size in bytes of the largest pipe or answer that a run reads. Raises StoreError."""
    given = environment.get(SIZE_VARIABLE, "")
    if not given:
        return LARGEST_STREAM
    size = size_of(given)
    if not size:
        raise StoreError(f"{SIZE_VARIABLE} must be a size with a unit, such as 512MiB or 2GiB")
    return size


def size_of(text: str) -> int:
    """Return a size with a unit in bytes; 0 for any other text."""
    size = _SIZE.fullmatch(text)
    return 0 if size is None else int(size[1]) << _UNITS[size[2][0]]


def too_large(what: str, limit: int) -> StoreError:
    """Return the error for a pipe or an answer above the limit."""
    return StoreError(f"{what} has more than {limit:,} bytes, the limit; {SIZE_VARIABLE}=2GiB would raise the limit")


def read_bytes(name: str, report: ReadReport | None = None, *, largest: int = LARGEST_STREAM) -> bytes:
    """Read a regular file or a pipe; `report` is called with the bytes read and the size, 0 if unknown.

    `largest` is the size of the largest pipe. Raises StoreError if it is missing, unreadable or another kind of file,
    or if a large file was hardly written.
    """
    if not name:
        raise StoreError("the name of the state is empty")
    try:
        # O_NONBLOCK: opening a pipe without a writer must not wait forever.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        descriptor = open_inside(name.place.file, flags) if isinstance(name, InsideName) else os.open(name, flags)
    except FileNotFoundError as error:
        raise MissingStateError(f"{name}: {reason_of(error)}") from error
    except OSError as error:
        raise StoreError(f"{name}: {reason_of(error)}") from error
    try:
        status = os.fstat(descriptor)
        if stat.S_ISFIFO(status.st_mode):
            return _pipe(name, descriptor, report, largest)
        check_regular(name, status)
        refuse_unwritten(name, descriptor, status.st_size)
        # In one piece if nobody is waiting: joining chunks copies them.
        return read_all(descriptor) if report is None else read_reporting(descriptor, status.st_size, report)
    except OSError as error:
        raise StoreError(f"{name}: {reason_of(error)}") from error
    finally:
        close(descriptor)


def refuse_unwritten(name: str, descriptor: int, size: int) -> None:
    """Raise StoreError for a large file that cannot be a state, before it takes memory.

    Such a file is too large, does not start like a state, contains only NUL bytes and white space, or is mostly holes.
    """
    if size > LARGEST_STATE:
        raise StoreError(f"{name}: larger than {LARGEST_STATE >> 30} GiB, which is too large for a state")
    if size <= _SMALL:
        return
    written = _written(descriptor, size)
    if written < size // 2:
        raise StoreError(
            f"{name}: only {written:,} of the {size:,} bytes of this file were ever written, so it is not a whole "
            f"state; restore a backup, or salvage the start of it: head -c {_SMALL} {shell_word(name)} >start.tfstate"
        )
    position = 0
    while position < size:
        os.lseek(descriptor, position, os.SEEK_SET)
        part = os.read(descriptor, _CHUNK)
        if not part:
            break
        if start := part.lstrip(_NOTHING)[:1]:
            if start != b"{" and size > LARGEST_STREAM:
                raise StoreError(
                    f"{name}: this file has {size:,} bytes and does not start with an opening brace, so it is not a "
                    "state"
                )
            return
        position += len(part)
    raise StoreError(
        f"{name}: the {size:,} bytes of this file are NUL bytes and white space, so it is not a state; restore a backup"
    )


def _written(descriptor: int, size: int) -> int:
    """Return the number of bytes outside holes, as far as the file system knows."""
    seek_data, seek_hole = getattr(os, "SEEK_DATA", None), getattr(os, "SEEK_HOLE", None)
    if seek_data is None or seek_hole is None:
        return size
    written = position = 0
    for _ in range(_MOST_HOLES):
        try:
            start = os.lseek(descriptor, position, seek_data)
            position = os.lseek(descriptor, start, seek_hole)
        except OSError as error:
            # ENXIO: there is no more data. Any other: the file system does not know.
            return written if error.errno == errno.ENXIO else size
        written += position - start
        if position >= size:
            return written
    return size


def _pipe(name: str, descriptor: int, report: ReadReport | None, largest: int) -> bytes:
    """Read a pipe to its end; `descriptor` must be non-blocking."""
    first = first_written(name, descriptor)
    if first is None:
        raise StoreError(f"{name}: this is a pipe without a writer")
    os.set_blocking(descriptor, True)
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return _to_the_end(name, file, report, largest, first)


def _to_the_end(name: str, file: BinaryIO, report: ReadReport | None, largest: int, first: bytes = b"") -> bytes:
    """Read a stream to its end. Raises StoreError once it is too large for a state."""
    parts = [first]
    read = len(first)
    while part := file.read(_CHUNK):
        parts.append(part)
        read += len(part)
        if report is not None:
            report(read, 0)
        if read > largest:
            parts.clear()
            raise too_large(display_name(name), largest)
    return b"".join(parts)


def read_stream(stream: TextIO | None, report: ReadReport | None = None, *, largest: int = LARGEST_STREAM) -> bytes:
    """Read standard input; `report` is called with the bytes read and 0, and `largest` is the limit in bytes.

    Raises StoreError if it is closed, a terminal or too large.
    """
    if stream is None:
        raise StoreError("standard input is closed: pipe a state into it or name a file")
    if stream.isatty():
        raise StoreError("standard input is a terminal: pipe a state into it or name a file")
    try:
        return _to_the_end(STANDARD_INPUT, stream.buffer, report, largest)
    except OSError as error:
        raise StoreError(f"standard input: {reason_of(error)}") from error


def display_name(name: str) -> str:
    """Return the name of a state for messages."""
    return "<standard input>" if name == STANDARD_INPUT else name


def is_folder(name: str | Path) -> bool:
    """Return whether a name is a folder; False if a parent may not be searched: reading then reports the error."""
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


def reason_of(error: Exception) -> str:
    """Return the reason of an error, in words for a system error."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, PermissionError):
        return "permission denied"
    if isinstance(error, IsADirectoryError):
        return "this is a folder, not a state file"
    return (isinstance(error, OSError) and error.strerror) or str(error)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn an OSError into a StoreError that names the file."""
    try:
        yield
    except FileExistsError as error:
        raise StoreError(f"{path}: the file already exists; name another file") from error
    except FileNotFoundError as error:
        raise StoreError(f"{path}: there is no such file or folder") from error
    except IsADirectoryError as error:
        raise StoreError(f"{path}: {reason_of(error)}") from error
    except PermissionError as error:
        raise StoreError(f"{path}: permission denied; nothing was written") from error
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}; nothing was written") from error


def check_platform() -> None:
    """Raise StoreError on Windows, on which statetool does not write files."""
    if sys.platform == "win32":
        raise StoreError(
            "statetool does not write files on Windows, where it cannot lock a state as OpenTofu does. "
            "Write to standard output and put the file in place yourself."
        )


_SUFFIX: Final = ".tfstate"
# `terraform.tfstate.backup`, or `terraform.tfstate.1700000000.backup` from `tofu state` and statetool.
_BACKUP_SUFFIX: Final = ".backup"
# `init` keeps its own files here, including a `terraform.tfstate` that is not a state.
_WORKING_FOLDER: Final = ".terraform"


def find_states(names: Iterable[str], *, everything: bool = False, allowed: Sequence[str] = ()) -> list[str]:
    """Expand paths, globs and folders to state files without duplicates, in the order given, sorted within each name.

    A folder expands to every `*.tfstate` below it; `everything` adds backups and `.terraform`. Standard input, paths
    and states in backends stay as they are. Raises StoreError if a glob or a folder contains no state file. A link that
    leads out of a folder, and not to an `allowed` place, is found, but cannot be read.
    """
    found: dict[str, None] = {}
    for name in names:
        for path in _expand(name, everything, allowed):
            found[path] = None
    return list(found)


def _expand(name: str, everything: bool, allowed: Sequence[str]) -> list[str]:
    if name in (STANDARD_INPUT, "") or isinstance(name, RemoteName):
        return [name]
    if is_folder(name):
        below = sorted(_states_below(name, everything, allowed))
        if not below:
            raise StoreError(f"{name}: no state file (*{_SUFFIX}) in this folder or below it")
        return below
    import glob

    if glob.has_magic(name) and not os.path.lexists(name):
        matching = sorted(glob.glob(name, recursive=True))  # noqa: PTH207 - Path.glob takes no absolute patterns
        if not matching:
            raise StoreError(f"{name}: no file matches this pattern")
        return [
            path
            for match in matching
            for path in ([match] if not is_folder(match) else _expand(match, everything, allowed))
        ]
    return [name]


def _states_below(folder: str, everything: bool, allowed: Sequence[str]) -> Iterator[str]:
    root = os.path.realpath(folder)
    for parent, folders, files in os.walk(folder, onerror=_refuse):
        if not everything:
            folders[:] = [name for name in folders if name != _WORKING_FOLDER]
        for name in files:
            if name.endswith(_SUFFIX) or (everything and name.endswith(_BACKUP_SUFFIX) and _SUFFIX in name):
                path = Path(parent, name)
                found = inside_name(path, (folder, *allowed)) if path.is_symlink() else None
                # The walk follows no links to folders. A link that leads out of the folder is opened as a link, which
                # is refused.
                real = os.path.join(root, os.path.relpath(parent, folder))  # noqa: PTH118 - thousands of states
                yield found or unfollowed_name(path, root, os.path.normpath(real))


def _refuse(error: OSError) -> None:
    # Skipping an unreadable folder would skip the check of its states.
    raise StoreError(f"{error.filename}: {reason_of(error)}") from error
