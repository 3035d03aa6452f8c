"""Manages the copy of a state for an editor: a file with mode 0600 in a separate folder with mode 0700.

A copy belongs to a running edit while the edit holds the lock of its folder; the system drops the lock of a killed
process. Creating a copy and searching for stale copies exclude each other.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from statefmt import StoreError
from statefmt.cli.copy_places import CopyPlace, copy_places, is_in_memory, problem_of
from statefmt.cli.run import run_context

_PRIVATE: Final = 0o700
_SECRET: Final = 0o600
_OTHERS: Final = 0o077
# Another edit may remove the common folder right after it was found.
_TRIES: Final = 10


class PrivateCopy(NamedTuple):
    """The copy of a state, while it is edited."""

    path: Path

    def read(self) -> bytes:
        """Return the content, also if the editor has replaced the file. Raises StoreError if it is unreadable."""
        if self.path.is_symlink():
            raise StoreError("the edited copy cannot be read: it is a symbolic link; nothing was written")
        try:
            return run_context().read(str(self.path))
        except StoreError as error:
            raise StoreError(f"the edited copy cannot be read: {error}; nothing was written") from error

    def kept(self) -> Path:
        """Keep the copy after the edit, without the editor's other files; return its new path."""
        folder = self.path.parent
        for other in folder.iterdir():
            if other != self.path:
                _remove(other)
        self.path.chmod(_SECRET)
        return folder.rename(folder.with_name(f"{KEPT}{folder.name}")) / self.path.name


@contextmanager
def private_copy(
    content: bytes, name: str, environment: Mapping[str, str], *, needs_memory: bool
) -> Iterator[PrivateCopy]:
    """Create a copy for an editor, and remove it at the end, with the editor's other files.

    `name` is the name of the file. The copy is in memory if possible; `needs_memory` requires it. Raises StoreError if
    there is no place, or if the copy cannot be written.
    """
    folder, lock = _folder(environment, needs_memory=needs_memory)
    try:
        path = folder / name
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _SECRET)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
        except OSError as error:
            raise StoreError(f"{folder}: the copy to edit cannot be written: {error.strerror}") from error
        yield PrivateCopy(path)
    finally:
        _remove(folder)
        os.close(lock)
        with suppress(OSError):
            # Unless another edit uses it.
            folder.parent.rmdir()


def removed_copies(common: str) -> list[str]:
    """Remove the stale copies in a common folder; return their folders."""
    removed: list[str] = []
    with suppress(OSError, StoreError), _locked(common) as held:
        _check(common, held)
        for path in sorted(Path(common).iterdir()):
            if path.name.startswith(KEPT):
                continue
            with suppress(OSError):
                lock = _open(path)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    _remove(path)
                    removed.append(str(path))
                finally:
                    os.close(lock)
    if removed:
        with suppress(OSError):
            Path(common).rmdir()
    return removed


def _folder(environment: Mapping[str, str], *, needs_memory: bool) -> tuple[Path, int]:
    """Create a folder for one copy; return it with the open descriptor that holds its lock."""
    problems: list[str] = []
    for place in copy_places(environment):
        if needs_memory and not place.is_memory:
            continue
        base = Path(place.folder).parent
        if place.is_memory and not is_in_memory(base):
            problems.append(f"{base} is not in memory")
            continue
        try:
            if not place.is_memory:
                base.mkdir(_PRIVATE, parents=True, exist_ok=True)
            if problem := problem_of(base):
                problems.append(f"{base}: {problem}")
                continue
            return _created(place)
        except OSError as error:
            problems.append(f"{place.folder}: {error.strerror}")
        except StoreError as error:
            problems.append(str(error))
    tried = "; ".join(problems) or "neither XDG_RUNTIME_DIR nor HOME is set"
    if needs_memory:
        raise StoreError(
            "the state is encrypted, and there is no folder in memory for the plain copy that the editor needs "
            f"({tried}); nothing was written. --plain-file allows a copy on the disk, which is removed after the edit"
        )
    raise StoreError(f"there is no folder for the copy that the editor needs ({tried}); nothing was written")


def _created(place: CopyPlace) -> tuple[Path, int]:
    for _ in range(_TRIES):
        with suppress(FileExistsError):
            Path(place.folder).mkdir(_PRIVATE)
        with suppress(FileNotFoundError), _locked(place.folder) as held:
            _check(place.folder, held)
            # Its mode is 0700.
            folder = Path(tempfile.mkdtemp(dir=place.folder, prefix=""))
            lock = _open(folder)
            fcntl.flock(lock, fcntl.LOCK_EX)
            return folder, lock
    raise StoreError(f"{place.folder}: it is removed again and again")


@contextmanager
def _locked(folder: str) -> Iterator[int]:
    """Open and lock a folder, to exclude searches while a copy is created."""
    held = _open(folder)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield held
    finally:
        os.close(held)


def _open(folder: Path | str) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)


def _check(folder: str, held: int) -> None:
    """Raise StoreError unless only this user can read an open folder: another user may have created it in /dev/shm."""
    status = os.fstat(held)
    if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & _OTHERS:
        raise StoreError(f"{folder} belongs to another user, or others may look into it")


def _remove(path: Path) -> None:
    """Remove a folder with its content, or a file, as far as possible."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


# The prefix of folders of kept copies. Folders of other copies have no dash in their names.
KEPT: Final = "kept-"


def kept_copies(environment: Mapping[str, str]) -> list[Path]:
    """Return the kept copies in all places."""
    found = []
    for place in copy_places(environment):
        with suppress(OSError):
            found += sorted(Path(place.folder).glob(f"{KEPT}*/*"))
    return found


def forget_kept(path: Path, environment: Mapping[str, str]) -> bool:
    """Remove a kept copy, and return True; False for any other path."""
    if path.absolute() not in kept_copies(environment):
        return False
    shutil.rmtree(path.parent, ignore_errors=True)
    with suppress(OSError):
        path.parent.parent.rmdir()
    return True
