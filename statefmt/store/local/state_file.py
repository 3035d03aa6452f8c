"""Opens the folders of a state file, of its link's target, and of the records of a state in a backend."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from statefmt.model.errors import LockedError, StoreError
from statefmt.store.files import InsidePath, RealPath, close
from statefmt.store.local._folder import STAGED_HISTORY, Folder, history_name, journal_name, open_folder
from statefmt.text import shell_word

# Holds the record of `init` in each folder; TF_DATA_DIR names another data directory.
_DATA: Final = ".terraform"
_RECORD: Final = "terraform.tfstate"
# Names of open files, which also have names of their own.
_OF_OPEN_FILES: Final = ("/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")


class StateFile(Struct, frozen=True):
    """A state file; `path` is the path as given, possibly a symbolic link.

    `folder` and `name` belong to the file itself, and hold its journal and history, regardless of links. `named_in` is
    the folder of `path`, and holds backups and lock information, as for OpenTofu.
    """

    path: Path
    folder: Folder
    name: str
    named_in: Folder

    @property
    def journal(self) -> Path:
        """The path of the journal, for messages."""
        return self.folder.path / journal_name(self.name)

    def is_at(self, descriptor: int) -> bool:
        """Return whether an open file still has this name."""
        found = self.folder.status(self.name)
        return found is not None and os.path.samestat(found, os.fstat(descriptor))


def version_of(status: os.stat_result) -> tuple[int, int, int]:
    """Return a value that changes with the content, unless a program sets the time back."""
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def change_of(status: os.stat_result) -> tuple[int, int, int]:
    """Return a value that changes with the file: programs cannot set this time, but links change it, too."""
    return (status.st_ctime_ns, status.st_size, status.st_ino)


@contextmanager
def around(path: Path) -> Iterator[StateFile]:
    """Open the folders of a state file, which need not exist. Raises OSError."""
    real = linked_file(path)
    owner = _owner(real)
    place = path.place if isinstance(path, InsidePath) else None
    with open_folder(path.parent, owner, real=place.folder if place else None) as named_in:
        if real is path:
            yield StateFile(path, named_in, path.name, named_in)
        else:
            linked_to = RealPath(place.file.root, str(real.parent)) if place else None
            with open_folder(real.parent, owner, real=linked_to) as folder:
                yield StateFile(path, folder, real.name, named_in)


def history_path(path: Path) -> Path:
    """Return the path of the history folder of a state file, for messages."""
    real = linked_file(path)
    return real.with_name(history_name(real.name))


def linked_file(path: Path) -> Path:
    """Return the target if the path is a symbolic link, or was one when it was checked, else the same path."""
    if isinstance(path, InsidePath):
        real = Path(path.place.file.path)
        return path if Path(path.place.folder.path, path.name) == real else real
    # Not Path.resolve, which raises for circular links.
    return Path(os.path.realpath(path)) if os.path.islink(path) else path  # noqa: PTH114 - Path.is_symlink may raise


def check_own_name(path: Path) -> None:
    """Raise StoreError for a name such as /dev/stdin, beside which files cannot be created."""
    if os.path.abspath(path).startswith(_OF_OPEN_FILES):  # noqa: PTH100
        raise StoreError(
            f"{path}: this names an open file, not a regular file; nothing was written. Name the file itself, or use "
            "'-' for standard input and output"
        )


def refuse_init_file(path: Path | str, data_dir: str = "") -> None:
    """Raise StoreError for the file in which `init` records the backend of a folder, in `.terraform` or `data_dir`.

    The file is named like a state. With a state in it, the engines refuse every command in the folder, and no command
    uses the state.
    """
    folder = init_folder(path, data_dir)
    if folder is not None:
        raise StoreError(
            f"{path}: init records the backend in this file, and no command works in a folder whose record is a state; "
            f"nothing was written. Name the folder {shell_word(str(folder))}, whose state is then found, or another "
            "file"
        )


def init_folder(path: Path | str, data_dir: str = "") -> Path | None:
    """Return the folder whose record of `init` a path names, also through a link; None for any other path."""
    if "\0" in str(path):
        # Not the path of a file; opening it raises the error.
        return None
    for named in (path, os.path.abspath(path), os.path.realpath(path)):  # noqa: PTH100 - Path.resolve may raise
        place = Path(named)
        for data in filter(None, (_DATA, os.path.normpath(data_dir) if data_dir else "")):
            parts = Path(data).parts
            if place.name == _RECORD and place.parent.parts[-len(parts) :] == parts:
                # The folder of an external data directory is unknown: assume the current folder.
                return Path() if Path(data).is_absolute() else Path(*place.parent.parts[: -len(parts)])
    return None


def _owner(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat(follow_symlinks=False)
    except OSError:
        return None
    return status.st_uid, status.st_gid


_LOCK: Final = "lock"
_LOCATION: Final = "location"
_LONGEST_LABEL: Final = 1 << 16
_PRIVATE: Final = 0o700
# Seconds. A write to a backend holds the lock, and may be retried.
_PATIENCE: Final = 120.0
_NAP: Final = 0.05


# Two processes on one machine may edit the same state in a backend at the same time if it has no lock. So the folder
# with its history and backups is locked during changes.


@contextmanager
def opened_folder(base: Path, inside: Sequence[str], name: str, label: str) -> Iterator[StateFile]:
    """Create a folder in `base` unless it exists, lock it, and return the place of a state in it.

    `inside` are the path segments of the folder: each must belong to statetool and not be a symbolic link. New folders
    have mode 0700. The folder is for one state; a file in it contains the state's `label`. Raises OSError, StoreError,
    and LockedError if another process holds the lock for long.
    """
    with ExitStack() as opened:
        owner = _made(base)
        folder = opened.enter_context(open_folder(base, owner))
        for one in inside:
            below = opened.enter_context(folder.inner(one, create=True))
            assert below is not None
            folder = below
        opened.enter_context(_locked(folder))
        _check_label(folder, label)
        yield StateFile(folder.path / name, folder, name, folder)


def may_be_unpublished(folder: Path, name: str) -> bool:
    """Return whether the record of a write of unknown outcome may exist."""
    return os.path.lexists(folder / history_name(name) / STAGED_HISTORY)


def _made(folder: Path) -> tuple[int, int]:
    """Create a folder and its missing parents; return the owner of the existing part."""
    try:
        status = folder.stat()
    except FileNotFoundError:
        owner = _made(folder.parent)
        with suppress(FileExistsError):
            folder.mkdir(_PRIVATE)
            if owner[0] != 0 and os.geteuid() == 0:
                # Otherwise a user could not use a folder that root created in the user's home.
                os.chown(folder, *owner)
        return owner
    return status.st_uid, status.st_gid


@contextmanager
def _locked(folder: Folder) -> Iterator[None]:
    import fcntl

    if folder.status(_LOCK) is None:
        with suppress(FileExistsError):
            folder.create(_LOCK, b"")
    descriptor = folder.open(_LOCK, os.O_RDWR)
    try:
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise LockedError(
                        f"{folder.path}: another statetool on this machine has been writing the same state for "
                        f"{_PATIENCE:g} seconds; nothing was written, try again"
                    ) from None
                time.sleep(_NAP)
        yield
    finally:
        # Closing the file drops the lock.
        close(descriptor)


def _check_label(folder: Folder, label: str) -> None:
    content = label.encode(errors="surrogateescape") + b"\n"
    if folder.status(_LOCATION) is None:
        folder.create(_LOCATION, content)
    elif folder.read(_LOCATION, _LONGEST_LABEL) != content:
        raise StoreError(
            f"{folder.path / _LOCATION}: this folder has the history of another state; nothing was written. Move the "
            "folder away"
        )
