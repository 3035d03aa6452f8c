"""Standard input as a store: it can be read once, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from statefmt.model.errors import StoreError
from statefmt.store.protocol import LockedStore, Stored
from statefmt.store.reading import STANDARD_INPUT

if TYPE_CHECKING:
    from statefmt.store.lock_info import LockInfo
    from statefmt.store.protocol import HistoryEntry


@dataclass(frozen=True, slots=True)
class StandardInput:
    """What is piped into the program; see Store."""

    read_input: Callable[[], bytes]
    name: str = STANDARD_INPUT

    def read(self) -> Stored:
        """Everything that is piped in."""
        return Stored(self.read_input(), None)

    def locked(self, info: LockInfo, timeout: float | None) -> AbstractContextManager[LockedStore]:
        """Raises StoreError: nothing is written back."""
        raise StoreError("standard input: it cannot be written; name a file")

    def versions(self) -> Sequence[HistoryEntry]:
        """Raises StoreError: nothing is kept."""
        raise StoreError("standard input: it has no history; name a file")

    def content(self, checksum: str) -> bytes:
        """Raises StoreError: nothing is kept."""
        raise StoreError("standard input: it has no history; name a file")

    def tidy(self) -> None:
        """Nothing is kept."""
