"""Opens the folders of a state file: that of its path and, if the path is a symbolic link, that of its target."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from statefmt.model.errors import StoreError
from statefmt.store.inside import InsidePath, RealPath
from statefmt.store.local._folder import Folder, history_name, journal_name, open_folder
from statefmt.text import shell_word

# Where `init` records the backend, in each folder; TF_DATA_DIR names another data directory.
_DATA: Final = ".terraform"
_RECORD: Final = "terraform.tfstate"
# Names that the system gives to open files, which also have names of their own.
_OF_OPEN_FILES: Final = ("/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")


class StateFile(Struct, frozen=True):
    """A state file; `path` is the path as given, possibly a symbolic link.

    `folder` and `name` are those of the file itself; its journal and history are kept there, whatever link leads to
    it. `named_in` is the folder of `path`; backups and lock information are kept there, as OpenTofu does.
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
        """Return whether an open file is still the one under this name."""
        found = self.folder.status(self.name)
        return found is not None and os.path.samestat(found, os.fstat(descriptor))


def version_of(status: os.stat_result) -> tuple[int, int, int]:
    """Return a value that changes whenever the content changes, unless a program sets the time back."""
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def change_of(status: os.stat_result) -> tuple[int, int, int]:
    """Return a value that changes whenever the file changes: no program can set this time, but links change it, too."""
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
    """Raise StoreError for a name such as /dev/stdin, beside which no files can be created."""
    if os.path.abspath(path).startswith(_OF_OPEN_FILES):  # noqa: PTH100
        raise StoreError(
            f"{path}: this names an open file, not a regular file; nothing was written. Name the file itself, or use "
            "'-' for standard input and output"
        )


def refuse_init_file(path: Path | str, data_dir: str = "") -> None:
    """Raise StoreError for the file in which `init` records the backend of a folder, in `.terraform` or `data_dir`.

    It has the name of a state. With a state in it, the engines refuse every command in the folder, and the objects are
    in no state that a command uses.
    """
    folder = init_folder(path, data_dir)
    if folder is not None:
        raise StoreError(
            f"{path}: init records the backend in this file, and no command works in a folder whose record is a state; "
            f"nothing was written. Name the folder {shell_word(str(folder))}, whose state is then found, or another "
            "file"
        )


def init_folder(path: Path | str, data_dir: str = "") -> Path | None:
    """Return the folder whose file of `init` a path names, through a link, too; None for any other path."""
    if "\0" in str(path):
        # No path of a file; who opens it says so.
        return None
    for named in (path, os.path.abspath(path), os.path.realpath(path)):  # noqa: PTH100 - Path.resolve may raise
        place = Path(named)
        for data in filter(None, (_DATA, os.path.normpath(data_dir) if data_dir else "")):
            parts = Path(data).parts
            if place.name == _RECORD and place.parent.parts[-len(parts) :] == parts:
                # Of a data directory elsewhere, the folder is not known: it is the current one.
                return Path() if Path(data).is_absolute() else Path(*place.parent.parts[: -len(parts)])
    return None


def _owner(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat(follow_symlinks=False)
    except OSError:
        return None
    return status.st_uid, status.st_gid
