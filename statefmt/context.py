"""The surroundings of a run, as one value. The caller makes it and passes it down; nothing below reads them itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    # Most runs neither lock a state nor open an encrypted one.
    from statefmt.encryption import EncryptionConfiguration
    from statefmt.store.lock_info import LockInfo


@dataclass(frozen=True, slots=True)
class RunContext:
    """The surroundings of one run.

    `clock` gives the present time with its time zone, `user` is `name@host`. `note` reports something that happened
    besides what was asked for, as a sentence. `read_input` and `write_output` are standard input and output.
    `encryption` reads the configuration that opens encrypted states when it is first needed, and gives None where
    the module that was named has none; the field itself is None where no configuration was named.
    """

    environment: Mapping[str, str]
    clock: Callable[[], datetime]
    user: Callable[[], str]
    note: Callable[[str], None]
    read_input: Callable[[], bytes]
    write_output: Callable[[bytes], None]
    encryption: Callable[[], EncryptionConfiguration | None] | None = None

    def configuration(self) -> EncryptionConfiguration | None:
        """The configuration that opens encrypted states, or None. Raises ConfigurationError."""
        return None if self.encryption is None else self.encryption()

    def read(self, name: str) -> bytes:
        """The bytes of a state file, or of standard input for `-`. Raises StoreError."""
        from statefmt.store.local.settled import read_settled
        from statefmt.store.reading import STANDARD_INPUT

        return self.read_input() if name == STANDARD_INPUT else read_settled(name, self)

    def lock_info(self, path: Path | str, operation: str, command: str = "") -> LockInfo:
        """What the lock and the history of a state say about an operation of this run."""
        from statefmt.store.lock_info import lock_info

        return lock_info(path, operation, command, who=self.user(), created=self.clock())
