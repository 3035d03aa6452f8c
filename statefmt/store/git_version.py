"""A version of a file in git as a store, which can only be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from statefmt.model.errors import StoreError
from statefmt.store._git_object import read_git_object
from statefmt.store.protocol import HistoryEntry, LockedStore, Stored

if TYPE_CHECKING:
    from statefmt.store.lock_info import LockInfo


@dataclass(frozen=True, slots=True)
class GitVersion:
    """The state in `git:REVISION:PATH`; see Store. `environment` is that of the git process."""

    name: str
    environment: Mapping[str, str]

    def read(self) -> Stored:
        """Read the version by running git."""
        return Stored(read_git_object(self.name, self.environment), None)

    def locked(self, info: LockInfo, timeout: float | None) -> AbstractContextManager[LockedStore]:
        """Raise StoreError: a version in git never changes."""
        raise StoreError(f"{self.name}: a version in git cannot be edited; write the result to a file")

    def versions(self) -> Sequence[HistoryEntry]:
        """Raise StoreError: only files have a history of edits."""
        raise StoreError(f"{self.name}: a version in git has no history of edits")

    def content(self, checksum: str) -> bytes:
        """Raise StoreError: only files have a history of edits."""
        raise StoreError(f"{self.name}: a version in git has no history of edits")

    def tidy(self) -> None:
        """Do nothing."""
