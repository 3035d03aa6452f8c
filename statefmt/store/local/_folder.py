"""Folders whose files are reached by name only: no symbolic link is followed, and only files of ours are touched.

A state's folder may come from a stranger (a clone, an archive) or be shared. So every file that statetool keeps there
is opened relative to the folder's descriptor, must be a regular file, and must belong to somebody who may decide about
the state: the current user, the state's owner or root. A file appears under its name as a whole or not at all.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NoReturn

from msgspec import Struct

from statefmt.model.errors import StoreError
from statefmt.store.durable import close, read_all, write_all
from statefmt.store.local._names import is_temporary
from statefmt.store.reading import LARGEST_STATE

# Backups, journals and new files hold secrets in clear text.
PRIVATE_MODE: Final = 0o600
_PRIVATE_FOLDER_MODE: Final = 0o700
# Not there on every system: Windows has none of them, macOS no O_PATH.
_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW
_DIRECTORY: Final = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
# A folder that may be searched but not read can be worked in all the same.
_SEARCH: Final = getattr(os, "O_PATH", os.O_RDONLY) | _DIRECTORY

_KINDS: Final = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
}


class Folder(Struct, frozen=True):
    """An open folder. `owner` is the user and the group of the state that the files in it belong to."""

    path: Path
    descriptor: int
    owner: tuple[int, int] | None = None

    def status(self, name: str) -> os.stat_result | None:
        """What is under a name, not following links; None where nothing is."""
        try:
            return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open(self, name: str, flags: int = os.O_RDONLY, *, of_anybody: bool = False) -> int:
        """A descriptor of a regular file of ours, or `of_anybody`. Raises OSError, and StoreError for anything else."""
        try:
            descriptor = os.open(name, flags | _NO_FOLLOW, dir_fd=self.descriptor)
        except OSError as error:
            found = self.status(name)
            if found is None or stat.S_ISREG(found.st_mode):
                raise
            self._refuse(name, found, error)
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or not (of_anybody or self._is_ours(found)):
            close(descriptor)
            self._refuse(name, found)
        return descriptor

    def read(self, name: str, limit: int = LARGEST_STATE, *, of_anybody: bool = False) -> bytes:
        """The content of a file, which `open` opens. Raises OSError and StoreError, also where it exceeds the limit."""
        descriptor = self.open(name, of_anybody=of_anybody)
        try:
            if os.fstat(descriptor).st_size > limit:
                raise StoreError(f"{self.path / name}: larger than {limit} bytes, so it is not a file of statetool's")
            return read_all(descriptor)
        finally:
            close(descriptor)

    def create(self, name: str, content: bytes) -> None:
        """Create a file with mode 0600, whole and durable. Raises FileExistsError."""
        with self._temporary(content) as temporary:
            self._link(temporary, name)
            try:
                self.sync()
            except OSError:
                with suppress(OSError):
                    os.unlink(name, dir_fd=self.descriptor)
                raise

    def replace(self, name: str, content: bytes) -> None:
        """Create a file with mode 0600, whole and durable, in place of a file of ours of this name."""
        self._check_replaceable(name)
        with self._temporary(content) as temporary:
            self.rename(temporary, name)

    def note(self, name: str, content: bytes) -> None:
        """Write a small file that need not survive a crash, in place of a regular file. Raises OSError, StoreError."""
        self.remove(name)
        descriptor = os.open(name, _NEW, PRIVATE_MODE, dir_fd=self.descriptor)
        try:
            write_all(descriptor, content)
            self._hand_over(descriptor)
        finally:
            close(descriptor)

    def link_from(self, other: Folder, other_name: str, name: str) -> None:
        """Let a name stand for a file of another folder, in place of a file of ours. Raises OSError."""
        self._check_replaceable(name)
        temporary = _temporary_name()
        os.link(other_name, temporary, src_dir_fd=other.descriptor, dst_dir_fd=self.descriptor, follow_symlinks=False)
        self.rename(temporary, name)

    def rename(self, old: str, new: str) -> None:
        """Give a file another name within the folder, durably."""
        os.rename(old, new, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)
        self.sync()

    def remove(self, name: str) -> bool:
        """Delete a regular file; False where there is none. Raises StoreError where something else has the name."""
        found = self.status(name)
        if found is None:
            return False
        if not stat.S_ISREG(found.st_mode):
            self._refuse(name, found)
        os.unlink(name, dir_fd=self.descriptor)
        return True

    def names(self) -> list[str]:
        """The names in the folder, sorted. Raises OSError where it may not be read."""
        with _readable(self.descriptor) as descriptor:
            return sorted(os.listdir(descriptor))  # noqa: PTH208 - a descriptor has no path

    def sync(self) -> None:
        """Wait until the names in the folder are on disk."""
        # Files can be created in a folder that may not be read, and nothing else makes their names durable.
        with suppress(PermissionError), _readable(self.descriptor) as descriptor:
            os.fsync(descriptor)

    def sweep(self) -> None:
        """Delete what was still being written when its writer was killed."""
        with suppress(OSError):
            for name in filter(is_temporary, self.names()):
                self._sweep(name)

    @contextmanager
    def inner(self, name: str, *, create: bool = False) -> Iterator[Folder | None]:
        """A folder in this one, None where there is none. Raises StoreError where the name is a link or not ours."""
        if create:
            self._make_folder(name)
        try:
            descriptor = os.open(name, _SEARCH | _NO_FOLLOW, dir_fd=self.descriptor)
        except FileNotFoundError:
            yield None
            return
        except OSError as error:
            found = self.status(name)
            if found is None or stat.S_ISDIR(found.st_mode):
                raise
            self._refuse(name, found, error)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISDIR(found.st_mode) or not self._is_ours(found):
                self._refuse(name, found)
            yield Folder(self.path / name, descriptor, self.owner)
        finally:
            close(descriptor)

    def remove_folder(self, name: str) -> None:
        """Delete a folder in this one, if it is empty."""
        try:
            os.rmdir(name, dir_fd=self.descriptor)
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise

    @contextmanager
    def _temporary(self, content: bytes) -> Iterator[str]:
        """A durable new file under a name of its own, which goes at the end if nothing renamed it."""
        name, descriptor = self._new_temporary()
        try:
            write_all(descriptor, content)
            self._hand_over(descriptor)
            os.fsync(descriptor)
            yield name
        finally:
            self._discard(name, descriptor)

    def _new_temporary(self) -> tuple[str, int]:
        while True:
            name = _temporary_name()
            descriptor = os.open(name, _NEW, PRIVATE_MODE, dir_fd=self.descriptor)
            try:
                _hold(descriptor)
                found = self.status(name)
                if found is not None and os.path.samestat(found, os.fstat(descriptor)):
                    return name, descriptor
                # Another process swept it before it was held.
                close(descriptor)
            except OSError:
                self._discard(name, descriptor)
                raise

    def _discard(self, name: str, descriptor: int) -> None:
        """Delete a temporary file as far as that goes; what is left is swept later."""
        with suppress(OSError):
            os.unlink(name, dir_fd=self.descriptor)
        close(descriptor)

    def _sweep(self, name: str) -> None:
        try:
            descriptor = self.open(name)
        except (OSError, StoreError):
            return
        try:
            if _hold(descriptor):
                os.unlink(name, dir_fd=self.descriptor)
        finally:
            close(descriptor)

    def _link(self, old: str, new: str) -> None:
        """Give a file one more name. A link fails where the name is taken, while a rename would replace a file."""
        try:
            os.link(old, new, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError:
            # Not every file system has links.
            if self.status(new) is not None:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(self.path / new)) from None
            os.rename(old, new, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def _make_folder(self, name: str) -> None:
        try:
            os.mkdir(name, _PRIVATE_FOLDER_MODE, dir_fd=self.descriptor)
        except FileExistsError:
            return
        with suppress(OSError), self.inner(name) as made:
            if made is not None:
                with _readable(made.descriptor) as descriptor:
                    self._hand_over(descriptor)
        self.sync()

    def _hand_over(self, descriptor: int) -> None:
        """Let the owner of the state have what root created, who could not go on with it otherwise."""
        if self.owner is not None and self.owner[0] != 0 and os.geteuid() == 0:
            os.fchown(descriptor, *self.owner)

    def _check_replaceable(self, name: str) -> None:
        found = self.status(name)
        if found is not None and not (stat.S_ISREG(found.st_mode) and self._is_ours(found)):
            self._refuse(name, found)

    def _is_ours(self, found: os.stat_result) -> bool:
        if not hasattr(os, "geteuid"):
            return True
        return found.st_uid in (0, os.geteuid(), self.owner[0] if self.owner else 0)

    def _refuse(self, name: str, found: os.stat_result, error: OSError | None = None) -> NoReturn:
        where = self.path / name
        if stat.S_ISREG(found.st_mode) or (stat.S_ISDIR(found.st_mode) and not self._is_ours(found)):
            what = f"it belongs to user {found.st_uid}, who is neither you nor the owner of the state"
        else:
            what = f"this is {_KINDS.get(stat.S_IFMT(found.st_mode), 'a device')}, which statetool did not make"
        raise StoreError(f"{where}: {what}. Look at it, and move it away") from error


@contextmanager
def open_folder(path: Path, owner: tuple[int, int] | None = None) -> Iterator[Folder]:
    """Open a folder by its path. Raises OSError."""
    descriptor = os.open(path, _SEARCH)
    try:
        yield Folder(path, descriptor, owner)
    finally:
        close(descriptor)


@contextmanager
def _readable(descriptor: int) -> Iterator[int]:
    """The same folder, open for reading: a descriptor for searching can neither be listed nor flushed."""
    readable = os.open(".", os.O_RDONLY | _DIRECTORY, dir_fd=descriptor)
    try:
        yield readable
    finally:
        close(readable)


def _temporary_name() -> str:
    # Not named after the file, whose name may be as long as names can be.
    return f".statetool.{os.urandom(8).hex()}.tmp"


def _hold(descriptor: int) -> bool:
    """Mark a file as being written by a living process; False where another one holds it, or that cannot be known."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
