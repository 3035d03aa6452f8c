"""Deletes the plain copies of a state that is encrypted by now: the backups and the history that statetool made.

Only regular files with names of statetool's own form are deleted, and no symbolic link is followed.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from statefmt.errors import StoreError
from statefmt.store.history import history_folder
from statefmt.store.history_contents import forget_history
from statefmt.store.linked import linked_file
from statefmt.store.reading import reason_of

# Whether the content of a copy can be read without a key.
IsPlain: TypeAlias = Callable[[bytes], bool]

# `.TIME.backup`, or `.TIME-NUMBER.backup` where a second had several.
_OWN: Final = re.compile(r"\.[0-9]{1,20}(?:-[0-9]{1,3})?\.backup")
# What OpenTofu and Terraform make.
_FOREIGN: Final = ".backup"
_CONTENTS: Final = "contents"
_GZIP: Final = b"\x1f\x8b"
# Contents that are larger once they are decompressed are cut off: what they are shows at their beginning.
_MOST: Final = 1 << 30
_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_FOLDER: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_FILE: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _LINK


@dataclass(frozen=True, slots=True)
class Kept:
    """A copy that could not be deleted, or not be looked at, and why."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class PlainCopies:
    """What became of the plain copies of a state; `foreign` are those of other tools, which are left alone."""

    deleted: tuple[Path, ...]
    failed: tuple[Kept, ...]
    foreign: tuple[Path, ...]


def discard_plain(path: Path, is_plain: IsPlain) -> PlainCopies:
    """Delete the plain backups of a state, and its whole history if any content in it is plain.

    The state itself must be encrypted and durable. What cannot be read is not deleted, and is among the `failed`.
    """
    path = linked_file(path)
    deleted: list[Path] = []
    failed: list[Kept] = []
    foreign: list[Path] = []
    try:
        with _opened(path.parent, _FOLDER) as folder:
            for name in sorted(os.listdir(folder)):  # noqa: PTH208 - a Path is no open folder
                suffix = name.removeprefix(path.name)
                if suffix == name or not (suffix == _FOREIGN or _OWN.fullmatch(suffix)):
                    continue
                copy = path.with_name(name)
                try:
                    if not is_plain(_content(name, folder)):
                        continue
                    if suffix == _FOREIGN:
                        foreign.append(copy)
                        continue
                    os.unlink(name, dir_fd=folder)
                    deleted.append(copy)
                except OSError as error:
                    failed.append(Kept(copy, reason_of(error)))
            if deleted:
                os.fsync(folder)
    except OSError as error:
        failed.append(Kept(path.parent, reason_of(error)))
    history = history_folder(path)
    try:
        if _has_plain_content(history, is_plain):
            forget_history(path)
            deleted.append(history)
    except StoreError as error:
        failed.append(Kept(history, str(error).removeprefix(f"{history}: ")))
    except OSError as error:
        failed.append(Kept(history, reason_of(error)))
    return PlainCopies(tuple(deleted), tuple(failed), tuple(foreign))


def _has_plain_content(history: Path, is_plain: IsPlain) -> bool:
    """Whether any content in a history is plain. Raises OSError where that cannot be known."""
    unread: OSError | None = None
    with (
        suppress(FileNotFoundError),
        _opened(history, _FOLDER | _LINK) as folder,
        _opened(_CONTENTS, _FOLDER | _LINK, folder) as contents,
    ):
        for name in os.listdir(contents):  # noqa: PTH208 - as above
            try:
                if is_plain(_decompressed(_content(name, contents))):
                    return True
            except OSError as error:
                unread = error
    if unread is not None:
        raise unread
    return False


def _decompressed(content: bytes) -> bytes:
    """A content as it was before it was compressed, if it was; as much of it as there is, if it is damaged."""
    if not content.startswith(_GZIP):
        return content
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(content, _MOST)
    except zlib.error:
        return content


def _content(name: str, folder: int) -> bytes:
    """The content of a regular file in an open folder. Raises OSError."""
    with _opened(name, _FILE, folder) as descriptor:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read()


@contextmanager
def _opened(name: Path | str, flags: int, folder: int | None = None) -> Iterator[int]:
    try:
        descriptor = os.open(name, flags, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ELOOP or (error.errno == errno.ENOTDIR and _is_link(name, folder)):
            raise OSError(error.errno, "it is a symbolic link", os.fspath(name)) from None
        raise
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _is_link(name: Path | str, folder: int | None) -> bool:
    """Whether a folder that could not be opened is a link: Linux says of one that it is no folder."""
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False
