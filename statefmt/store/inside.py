"""Names the states that only the files of a folder name: inside of it when links are followed, and still so later.

Whoever can change the folder could put a link in place of a part of the path after the check. So such a state is opened
from the folder that was checked, one part after the other, and no part may be a link.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path, PosixPath
from typing import Final, NamedTuple

# O_PATH also opens a folder that may be searched but not read; Windows and macOS have no such flag.
SEARCH: Final = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_LINK: Final = "a symbolic link leads out of the folder; name the file itself, or allow what it leads to"
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)


class RealPath(NamedTuple):
    """A path without links, in a folder without links that it was checked to be in, or that folder itself."""

    root: str
    path: str


class CheckedPlace(NamedTuple):
    """Where the path of a state led when it was checked: its folder, and the file."""

    folder: RealPath
    file: RealPath


class InsideName(str):
    """The path of a state that was checked to be inside of a folder, as states are named everywhere."""

    __slots__ = ("place",)

    place: CheckedPlace

    def __new__(cls, path: str, place: CheckedPlace) -> InsideName:
        """Make the name of a path."""
        name = super().__new__(cls, path)
        name.place = place
        return name

    def __reduce__(self) -> tuple[object, ...]:
        """Let `pickle` keep the place: lists of states are checked by several processes."""
        return InsideName, (str(self), self.place)


class InsidePath(PosixPath):
    """The path of a state that was checked to be inside of a folder."""

    place: CheckedPlace


def inside_name(path: Path, roots: Iterable[Path | str]) -> InsideName | None:
    """Return the name of a state at a path; None unless it is one of `roots`, or below, when links are followed.

    The folder of the path must be there, too: backups and lock information are beside the path.
    """
    if "\0" in str(path):
        # No file has such a name; who opens it says so.
        return InsideName(str(path), CheckedPlace(RealPath("", ""), RealPath("", "")))
    file = os.path.realpath(path)
    real = map(os.path.realpath, roots)
    # What belongs to a file that is allowed is beside it.
    within = [os.path.dirname(one) if one == file and not os.path.isdir(one) else one for one in real]  # noqa: PTH112, PTH120
    found = (_within(os.path.realpath(path.parent), within), _within(file, within))
    return None if found[0] is None or found[1] is None else InsideName(str(path), CheckedPlace(found[0], found[1]))


def unfollowed_name(path: Path, root: str, folder: str) -> InsideName:
    """Return the name of a file in a real folder below a real root, which is refused if it is a link."""
    return InsideName(str(path), CheckedPlace(RealPath(root, folder), RealPath(root, str(Path(folder, path.name)))))


def path_of(name: str) -> Path:
    """Return the path of a state with this name, which stays checked."""
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
    """Create a folder, and those above it. Raises OSError as `open_inside` does."""
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
    """Return whether links of a path lead back to it, which leaves them in a real path."""
    try:
        Path(path).stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def _within(path: str, roots: Iterable[str]) -> RealPath | None:
    fits = (root for root in roots if path == root or path.startswith(root.rstrip(os.sep) + os.sep))
    root = next(fits, None)
    return None if root is None else RealPath(root, path)
