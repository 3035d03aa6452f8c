"""What a change of several states is, before it begins."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec import Struct

from statefmt.text.printable import printable

if TYPE_CHECKING:
    from statefmt.context import RunContext
    from statefmt.store.lock_info import LockInfo


class Intent(Struct, frozen=True):
    """A change of several states: the path of the operations file, and the SHA-256 of its content.

    `command` is the command line, for locks and histories. `timeout` is in seconds, for each lock, None for no locks.
    If a command made the file in memory, `file` is "", and `arguments` and `folder` are those of a JointEdit.
    """

    file: str
    checksum: str
    command: str
    timeout: float | None = 0
    keeps_backup: bool = True
    arguments: tuple[str, ...] = ()
    folder: str = ""

    @property
    def name(self) -> str:
        """The file or the command, for messages."""
        return printable(self.file) if self.file else f"statetool {self.arguments[0]}"

    @property
    def path(self) -> str:
        """The one path of the file, "" without one."""
        return os.path.realpath(self.file) if self.file else ""

    @property
    def key(self) -> str:
        """What tells the change from all others: the path, or the folder, the command and the checksum."""
        return self.path or f"{self.folder} {self.arguments[0]} {self.checksum}"

    def lock_info(self, context: RunContext, name: str) -> LockInfo:
        """Return what the lock of a state says."""
        return context.lock_info(name, self.arguments[0] if self.arguments else "apply", self.command)
