"""A state file with the folders around it: where it is named, and where it lies if its name is a symbolic link."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from statefmt.model.errors import StoreError
from statefmt.store.local._folder import Folder, open_folder
from statefmt.store.local._names import history_name, journal_name

# Names that the system makes for open files; what they lead to has a name of its own.
_OF_OPEN_FILES: Final = ("/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")


class StateFile(Struct, frozen=True):
    """A state file, by its path as it was given.

    `folder` and `name` are those of the file itself: its journal and its history are kept there, whatever link
    leads to it. `named_in` is the folder of the path that was given: backups and lock information stand there, as those
    of OpenTofu do.
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
        """Whether an open file is the one that has the name."""
        found = self.folder.status(self.name)
        return found is not None and os.path.samestat(found, os.fstat(descriptor))


@contextmanager
def around(path: Path) -> Iterator[StateFile]:
    """The folders around a state file, which need not be there. Raises OSError."""
    real = linked_file(path)
    owner = _owner(real)
    with open_folder(path.parent, owner) as named_in:
        if real is path:
            yield StateFile(path, named_in, path.name, named_in)
        else:
            with open_folder(real.parent, owner) as folder:
                yield StateFile(path, folder, real.name, named_in)


def history_path(path: Path) -> Path:
    """The folder with the history of a state file, for messages."""
    real = linked_file(path)
    return real.with_name(history_name(real.name))


def linked_file(path: Path) -> Path:
    """The path of the file itself where a name is a symbolic link, else the path as it is."""
    # Not Path.resolve: it raises for links in a circle.
    return Path(os.path.realpath(path)) if os.path.islink(path) else path  # noqa: PTH114 - Path.is_symlink may raise


def check_own_name(path: Path) -> None:
    """Raises StoreError for a name such as /dev/stdin, beside which nothing can be kept."""
    if os.path.abspath(path).startswith(_OF_OPEN_FILES):  # noqa: PTH100
        raise StoreError(
            f"{path}: this is the name of an open file, and not of a regular file; nothing was written. Name the file "
            "itself, or use '-' for standard input and output"
        )


def _owner(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat(follow_symlinks=False)
    except OSError:
        return None
    return status.st_uid, status.st_gid
