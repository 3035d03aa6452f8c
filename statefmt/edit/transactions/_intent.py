"""What a change of several states is, before it begins."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from statefmt.context import RunContext
    from statefmt.store.protocol import LockInfo


class Intent(Struct, frozen=True):
    """A change of several states: the path of the operations file, and the SHA-256 of its content.

    `command` is the command line, for locks and histories. `timeout` is in seconds, for each lock, None for no locks.
    A change without an operations file has a `key` of its own, which tells it from others, and `file` is its name in
    messages. `words` are the command that ends it after a crash, with --resume or --abort. `undoes` is the ID of the
    change that it undoes, and `back_to` has the number of the first edit that it undoes in each state.
    """

    file: str
    checksum: str
    command: str
    timeout: float | None = 0
    keeps_backup: bool = True
    key: str = ""
    words: tuple[str, ...] = ()
    undoes: str = ""
    back_to: Mapping[str, int] = MappingProxyType({})

    @property
    def path(self) -> str:
        """The one path of the file, or the key; a link stays, as the paths of states are relative to its folder."""
        file = Path(self.file)
        return self.key or str(Path(os.path.realpath(file.parent), file.name))

    @property
    def ending(self) -> tuple[str, ...]:
        """The command that ends the change; see `ways_out`."""
        return self.words or ("apply", self.path)

    @property
    def what(self) -> str:
        """What messages call the change."""
        return self.ending[0] if self.key else "apply of this file"

    def lock_info(self, context: RunContext, name: str) -> LockInfo:
        """Return what the lock of a state says."""
        return context.lock_info(name, self.ending[0], self.command)
