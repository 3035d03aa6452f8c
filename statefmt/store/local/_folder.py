"""Creates, reads and deletes statetool's own files in a folder, by their names and without following links.

A state's folder may be untrusted (a clone, an archive) or shared. So every file of statetool is opened relative to the
folder's descriptor, must be a regular file, and must belong to the current user, the state's owner or root. A new file
appears complete or not at all.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NoReturn

from msgspec import Struct

from statefmt.model.errors import StoreError
from statefmt.store.files import SEARCH, RealPath, close, open_inside, read_all, write_all
from statefmt.store.reading import LARGEST_STATE, check_platform
from statefmt.text import pattern

# Backups, journals and new files hold secrets in clear text.
PRIVATE_MODE: Final = 0o600
_PRIVATE_FOLDER_MODE: Final = 0o700
# Windows has none of these flags.
_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW
_DIRECTORY: Final = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)

_KINDS: Final = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
}


class Folder(Struct, frozen=True):
    """An open folder. `owner` is the user and the group of the state file."""

    path: Path
    descriptor: int
    owner: tuple[int, int] | None = None

    def status(self, name: str) -> os.stat_result | None:
        """Return the status of a name, without following links; None if it does not exist."""
        try:
            return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open(self, name: str, flags: int = os.O_RDONLY, *, of_anybody: bool = False) -> int:
        """Open a regular file of a trusted owner or, with `of_anybody`, of anyone. Raises OSError, and StoreError for
        other files.
        """
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
        """Read a file, opened like `open`. Raises OSError and StoreError, also if it exceeds `limit` bytes."""
        descriptor = self.open(name, of_anybody=of_anybody)
        try:
            if os.fstat(descriptor).st_size > limit:
                raise StoreError(f"{self.path / name}: larger than {limit} bytes, so statetool did not create it")
            return read_all(descriptor)
        finally:
            close(descriptor)

    def create(self, name: str, content: bytes) -> None:
        """Create a file with mode 0600, atomically and durably. Raises FileExistsError."""
        with self._temporary(content) as temporary:
            self._link(temporary, name)
            try:
                self.sync()
            except OSError:
                with suppress(OSError):
                    os.unlink(name, dir_fd=self.descriptor)
                raise

    def replace(self, name: str, content: bytes) -> None:
        """Create or replace statetool's own file, with mode 0600, atomically and durably."""
        self._check_replaceable(name)
        with self._temporary(content) as temporary:
            self.rename(temporary, name)

    def note(self, name: str, content: bytes) -> None:
        """Create or replace a small file that need not survive a crash. Raises OSError, StoreError."""
        self.remove(name)
        descriptor = os.open(name, _NEW, PRIVATE_MODE, dir_fd=self.descriptor)
        try:
            write_all(descriptor, content)
            self._hand_over(descriptor)
        finally:
            close(descriptor)

    def link_from(self, other: Folder, other_name: str, name: str) -> None:
        """Create or replace `name` as a hard link to a file of another folder. Raises OSError."""
        self._check_replaceable(name)
        temporary = _temporary_name()
        os.link(other_name, temporary, src_dir_fd=other.descriptor, dst_dir_fd=self.descriptor, follow_symlinks=False)
        self.rename(temporary, name)

    def rename(self, old: str, new: str) -> None:
        """Rename a file within the folder, durably."""
        os.rename(old, new, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)
        self.sync()

    def remove(self, name: str) -> bool:
        """Delete a regular file; return False if it does not exist. Raises StoreError if it is not a regular file."""
        found = self.status(name)
        if found is None:
            return False
        if not stat.S_ISREG(found.st_mode):
            self._refuse(name, found)
        os.unlink(name, dir_fd=self.descriptor)
        return True

    def names(self) -> list[str]:
        """Return the sorted names in the folder. Raises OSError if it may not be read."""
        with _readable(self.descriptor) as descriptor:
            return sorted(os.listdir(descriptor))  # noqa: PTH208 - a descriptor has no path

    def sync(self) -> None:
        """Wait until the names in the folder are on disk."""
        # A folder with write but no read permission cannot be flushed.
        with suppress(PermissionError), _readable(self.descriptor) as descriptor:
            os.fsync(descriptor)

    def sweep(self) -> None:
        """Delete temporary files whose writer was killed."""
        with suppress(OSError):
            for name in filter(is_temporary, self.names()):
                self._sweep(name)

    @contextmanager
    def inner(self, name: str, *, create: bool = False) -> Iterator[Folder | None]:
        """Open a subfolder, None if it does not exist. Raises StoreError if the name is a link or not ours."""
        if create:
            self._make_folder(name)
        try:
            descriptor = os.open(name, SEARCH | _NO_FOLLOW, dir_fd=self.descriptor)
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
        """Delete a subfolder if it is empty."""
        try:
            os.rmdir(name, dir_fd=self.descriptor)
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise

    @contextmanager
    def _temporary(self, content: bytes) -> Iterator[str]:
        """Create a durable temporary file; delete it at the end unless it was renamed."""
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
                # Another process swept it before it was locked.
                close(descriptor)
            except OSError:
                self._discard(name, descriptor)
                raise

    def _discard(self, name: str, descriptor: int) -> None:
        """Delete a temporary file if possible; otherwise it is swept later."""
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
        """Link a file under a new name. Unlike a rename, a link fails if the name is taken."""
        try:
            os.link(old, new, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError:
            # Not every file system has hard links.
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
        """Give a file created by root to the owner of the state, who could not use it otherwise."""
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
            what = f"this is {_KINDS.get(stat.S_IFMT(found.st_mode), 'a device')}, which statetool did not create"
        raise StoreError(f"{where}: {what}. Inspect it and move it away") from error


@contextmanager
def open_folder(path: Path, owner: tuple[int, int] | None = None, *, real: RealPath | None = None) -> Iterator[Folder]:
    """Open a folder by its path, or by its `real` path if it was checked.

    Raises OSError, and StoreError on Windows, which has no such descriptors.
    """
    check_platform()
    descriptor = os.open(path, SEARCH) if real is None else open_inside(real, SEARCH)
    try:
        yield Folder(path, descriptor, owner)
    finally:
        close(descriptor)


@contextmanager
def _readable(descriptor: int) -> Iterator[int]:
    """Open the same folder for reading: a search-only descriptor can neither be listed nor flushed."""
    readable = os.open(".", os.O_RDONLY | _DIRECTORY, dir_fd=descriptor)
    try:
        yield readable
    finally:
        close(readable)


def _temporary_name() -> str:
    # Not derived from the file name, which may already have the maximum length.
    return f".statetool.{os.urandom(8).hex()}.tmp"


def _hold(descriptor: int) -> bool:
    """Lock a file to mark it as being written; False if another process holds it or locking fails."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


HISTORY_FILE: Final = "history.json"
STAGED_HISTORY: Final = "history.json.new"
HISTORY_IGNORE: Final = ".gitignore"
CONTENTS: Final = "contents"
COMPRESSED: Final = ".gz"

_JOURNAL: Final = pattern(r"\.(.+)\.statetool\.journal", re.DOTALL)
_TEMPORARY: Final = pattern(r"\.statetool\.[0-9a-f]{16}\.tmp")
_CONTENT: Final = pattern(r"[0-9a-f]{64}(?:\.gz)?")
# `.backup`, optionally after the Unix time of an edit, and a number if that second had several.
_BACKUP_SUFFIX: Final = pattern(r"(?:\.[0-9]+(?:-[0-9]+)?)?\.backup")


def lock_info_name(name: str) -> str:
    """Return the name of the lock information file, which OpenTofu and Terraform use as well."""
    return f".{name.removeprefix('.')}.lock.info"


def history_name(name: str) -> str:
    """Return the name of the folder with the history of a state."""
    return f".{name}.statetool"


def journal_name(name: str) -> str:
    """Return the name of the journal of a state."""
    return f".{name}.statetool.journal"


def hold_name(name: str) -> str:
    """Return the name of the marker of a state that is held."""
    return f".{name}.statetool.hold"


def state_of_journal(name: str) -> str | None:
    """Return the name of the state to which a journal belongs; None if the file is not a journal."""
    found = _JOURNAL.fullmatch(name)
    return found[1] if found else None


def backup_name(name: str, now: int, attempt: int) -> str:
    """Return the name of a backup in the style of `tofu state`, with `now` in Unix seconds."""
    extra = f"-{attempt}" if attempt else ""
    return f"{name}.{now}{extra}.backup"


def backup_stamp(backup: str, name: str) -> str:
    """Return the part of a name from backup_name() that distinguishes it from other backups of the state."""
    return backup[len(name) + 1 : -len(".backup")]


def stamped_backup(name: str, stamp: str) -> str:
    """Return the name of a backup from its stamp, the reverse of backup_stamp(); "" for other names."""
    backup = f"{name}.{stamp}.backup"
    return backup if is_own_backup(backup, name) else ""


def is_backup(name: str, state: str) -> bool:
    """Return whether a name is a backup of the state by statetool, OpenTofu or Terraform."""
    return name.startswith(state) and _BACKUP_SUFFIX.fullmatch(name[len(state) :]) is not None


def is_own_backup(name: str, state: str) -> bool:
    """Return whether a name is a backup with a time; OpenTofu's `terraform.tfstate.backup` has none."""
    return is_backup(name, state) and name != f"{state}.backup"


def is_temporary(name: str) -> bool:
    """Return whether a name is a temporary file of statetool."""
    return _TEMPORARY.fullmatch(name) is not None


def is_content(name: str) -> bool:
    """Return whether a name is a content of the history: its SHA-256, with `.gz` if it is compressed."""
    return _CONTENT.fullmatch(name) is not None
