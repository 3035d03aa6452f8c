"""Writes the result of an edit to another file or to standard output instead of the state."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from statefmt.context import RunContext
from statefmt.model.errors import StoreError, Wording
from statefmt.store.files import open_for_writing, signals_held_back, write_all
from statefmt.store.reading import reason_of

_REPLACE: Final = Wording("--yes", "overwrite=True")


def refuse_existing(path: str, *, replace: bool) -> None:
    """Raise StoreError if a file exists and must not be replaced."""
    if not replace and os.path.isfile(path):  # noqa: PTH113 - Path.is_file raises if a name cannot be looked up
        raise StoreError(f"{path}: the file already exists; ", _REPLACE, " replaces it and keeps a backup")


class Copy(Protocol):
    """A destination for the new content of a state."""

    def write(self, content: bytes, written: Callable[[str | None], None]) -> None:
        """Write the content unless it is already there, then at once call `written` with the backup, if any."""


@dataclass(frozen=True, slots=True)
class OutputCopy:
    """Standard output."""

    context: RunContext

    def write(self, content: bytes, written: Callable[[str | None], None]) -> None:
        """Print the content."""
        self.context.write_output(content)
        written(None)


@dataclass(frozen=True, slots=True)
class FileCopy:
    """A file, created or, with `replace`, backed up and overwritten; `keeps_replaced` keeps that backup.

    `command` is recorded in the history of the file. A character device or a pipe is written as it is, without a lock.
    """

    context: RunContext
    path: str
    command: str
    replace: bool = False
    keeps_replaced: bool = True

    def write(self, content: bytes, written: Callable[[str | None], None]) -> None:
        """Create or replace the file. Raises StoreError if it exists and must not be replaced."""
        from statefmt.store.local.state_file import refuse_init_file
        from statefmt.store.local.store import LocalFile, create_file
        from statefmt.store.reading import read_bytes

        refuse_init_file(self.path, self.context.environment.get("TF_DATA_DIR", ""))
        target = Path(self.path)
        if not os.path.exists(target):  # noqa: PTH110 - Path.exists raises if a name cannot be looked up
            with signals_held_back():
                create_file(target, content)
                written(None)
            return
        if not os.path.isfile(target):  # noqa: PTH113
            self._stream(content)
            written(None)
            return
        refuse_existing(self.path, replace=self.replace)
        if read_bytes(self.path) == content:
            return
        info = self.context.lock_info(target, "write", self.command)
        with LocalFile(self.path, self.context).locked(info, 0) as locked, signals_held_back():
            now = int(self.context.clock().timestamp())
            backup = locked.write(
                [content], locked.stored.version, backup=None, keeps_backup=self.keeps_replaced, now=now
            )
            written(backup)

    def _stream(self, content: bytes) -> None:
        """Write to a character device such as /dev/null, or to a pipe that has a reader."""
        try:
            kind = os.stat(self.path).st_mode  # noqa: PTH116 - as above
            if not (stat.S_ISCHR(kind) or stat.S_ISFIFO(kind)):
                raise StoreError(f"{self.path}: cannot write to {_kind(kind)}; name a file, a pipe or - instead")
            descriptor = open_for_writing(self.path)
            try:
                write_all(descriptor, content)
            finally:
                os.close(descriptor)
        except BrokenPipeError:
            raise StoreError(f"{self.path}: the reader closed the pipe before the end") from None
        except OSError as error:
            raise StoreError(f"{self.path}: {reason_of(error)}") from error


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a socket" if stat.S_ISSOCK(mode) else "a block device"
