"""Reads and writes untrusted files: regular ones of limited size, without waiting, and durably.

Also names states that only files of a folder name: they must be inside the folder, after following links, both when
checked and when opened.
"""

from __future__ import annotations

import errno
import os
import signal
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PosixPath
from typing import Final, NamedTuple

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
    """Return whether a path is one of the folders or below one, after following existing symbolic links."""
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
            # There is a writer, which may be slow.
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
    """Write all of the content, in as many system calls as necessary."""
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def close(descriptor: int) -> None:
    """Close a file and ignore errors: its content is already durable, or was only read."""
    with suppress(OSError):
        os.close(descriptor)


@contextmanager
def signals_held_back(*, but: Collection[int] = ()) -> Iterator[None]:
    """Block signals such as SIGINT, except `but`: they would leave a file half written."""
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


# An attacker who can change a folder could replace a part of a path with a link after the check. So such a state is
# opened from the checked folder, one part after the other, and no part may be a link.

# O_PATH also opens a folder that may be searched but not read; Windows and macOS have no such flag.
SEARCH: Final = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_LINK: Final = "a symbolic link leads out of the folder; name the file itself, or allow what it leads to"
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)


class RealPath(NamedTuple):
    """A path without links, in or equal to a checked folder without links."""

    root: str
    path: str


class CheckedPlace(NamedTuple):
    """The target of the path of a state at the time of the check: its folder, and the file."""

    folder: RealPath
    file: RealPath


class InsideName(str):
    """The path of a state that was checked to be inside a folder, as a state name."""

    __slots__ = ("place",)

    place: CheckedPlace

    def __new__(cls, path: str, place: CheckedPlace) -> InsideName:
        name = super().__new__(cls, path)
        name.place = place
        return name

    def __reduce__(self) -> tuple[object, ...]:
        """Let `pickle` keep the place: several processes check lists of states."""
        return InsideName, (str(self), self.place)


class InsidePath(PosixPath):
    """The path of a state that was checked to be inside a folder."""

    place: CheckedPlace


def inside_name(path: Path, roots: Iterable[Path | str]) -> InsideName | None:
    """Return the name of a state at a path; None unless the path, after following links, is one of `roots` or below
    one.

    The folder of the path must be inside, too: backups and lock information are beside the path.
    """
    if "\0" in str(path):
        # No file has such a name; opening it raises the error.
        return InsideName(str(path), CheckedPlace(RealPath("", ""), RealPath("", "")))
    file = os.path.realpath(path)
    real = map(os.path.realpath, roots)
    # Files that belong to an allowed file are beside it.
    within = [os.path.dirname(one) if one == file and not os.path.isdir(one) else one for one in real]  # noqa: PTH112, PTH120
    found = (_within(os.path.realpath(path.parent), within), _within(file, within))
    return None if found[0] is None or found[1] is None else InsideName(str(path), CheckedPlace(found[0], found[1]))


def unfollowed_name(path: Path, root: str, folder: str) -> InsideName:
    """Return the name of a file in a real folder below a real root; opening refuses a link."""
    return InsideName(str(path), CheckedPlace(RealPath(root, folder), RealPath(root, str(Path(folder, path.name)))))


def path_of(name: str) -> Path:
    """Return the path of a state name, which stays checked."""
    if not isinstance(name, InsideName) or os.name == "nt":
        return Path(name)
    path = InsidePath(name)
    path.place = name.place
    return path


def open_inside(real: RealPath, flags: int) -> int:
    """Open a real path. Raises OSError, also if a part of it below its root has become a symbolic link."""
    if os.open not in os.supports_dir_fd:
        return os.open(real.path, flags)
    *folders, last = Path(real.path).relative_to(real.root).parts or (".",)
    descriptor = os.open(real.root, SEARCH)
    for part, opening in [*((folder, SEARCH) for folder in folders), (last, flags)]:
        try:
            inner = os.open(part, opening | _NO_LINK, dir_fd=descriptor)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR) and not _is_circle(real.path):
                raise OSError(error.errno, _LINK) from error
            raise
        finally:
            os.close(descriptor)
        descriptor = inner
    return descriptor


def make_inside(real: RealPath) -> None:
    """Create a folder and its parents. Raises OSError like `open_inside`."""
    Path(real.root).mkdir(parents=True, exist_ok=True)
    descriptor = os.open(real.root, SEARCH)
    try:
        for part in Path(real.path).relative_to(real.root).parts:
            with suppress(FileExistsError):
                os.mkdir(part, dir_fd=descriptor)
            inner = os.open(part, SEARCH | _NO_LINK, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
    finally:
        os.close(descriptor)


def _is_circle(path: str) -> bool:
    """Return whether the links of a path form a cycle; a real path keeps such links."""
    try:
        Path(path).stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def _within(path: str, roots: Iterable[str]) -> RealPath | None:
    fits = (root for root in roots if path == root or path.startswith(root.rstrip(os.sep) + os.sep))
    root = next(fits, None)
    return None if root is None else RealPath(root, path)
