"""What a change of several states is, before it begins."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from statefmt.context import RunContext
    from statefmt.store.lock_info import LockInfo


class Intent(Struct, frozen=True):
    """A change of several states: the path of the operations file, and the SHA-256 of its content.

    `command` is the command line, for locks and histories. `timeout` is in seconds, for each lock, None for no locks.
    """

    file: str
    checksum: str
    command: str
    timeout: float | None = 0
    keeps_backup: bool = True

    @property
    def path(self) -> str:
        """The one path of the file."""
        return os.path.realpath(self.file)

    def lock_info(self, context: RunContext, name: str) -> LockInfo:
        """Return what the lock of a state says."""
        return context.lock_info(name, "apply", self.command)
