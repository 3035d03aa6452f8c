"""Standard input as a store, which can only be read, and only once."""

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
    """A state that is piped in; see Store."""

    read_input: Callable[[], bytes]
    name: str = STANDARD_INPUT

    def read(self) -> Stored:
        """Read all of standard input."""
        return Stored(self.read_input(), None)

    def locked(self, info: LockInfo, timeout: float | None) -> AbstractContextManager[LockedStore]:
        """Raise StoreError: standard input cannot be written."""
        raise StoreError("standard input cannot be edited; name a file")

    def versions(self) -> Sequence[HistoryEntry]:
        """Raise StoreError: standard input has no history."""
        raise StoreError("standard input: it has no history; name a file")

    def content(self, checksum: str) -> bytes:
        """Raise StoreError: standard input has no history."""
        raise StoreError("standard input: it has no history; name a file")

    def tidy(self) -> None:
        """Do nothing."""
