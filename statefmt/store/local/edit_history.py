"""The history of one state, to show, to shorten and to read contents from."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from statefmt.store.local.history import History, keep_edits, load_history
from statefmt.store.local.history_contents import compress_one, kept_content
from statefmt.store.local.state_file import StateFile
from statefmt.store.lock_info import LockInfo

if TYPE_CHECKING:
    # Edits do not prune.
    from statefmt.store.local.pruning import Pruning


@dataclass(frozen=True, slots=True)
class EditHistory:
    """The history of the state at `path`, which for a state in a backend is a name in a folder of statetool's own.

    `changing` locks the history and opens its folder; `initial` is the history before the first edit. With `is_apart`,
    the folder is made by the first edit. All methods raise StoreError.
    """

    path: Path
    changing: Callable[[LockInfo], AbstractContextManager[StateFile]]
    initial: History = field(default_factory=History)
    is_apart: bool = False

    def load(self) -> History:
        """Read the history."""
        return load_history(self.path, self.initial)

    def content(self, checksum: str) -> bytes:
        """Return the content with a checksum."""
        return kept_content(self.path, checksum)

    def compress(self) -> None:
        """Compress one content, if any can be; ignores errors."""
        compress_one(self.path)

    def keep(self, number: int, info: LockInfo) -> None:
        """Keep this many edits from now on."""
        with self.changing(info) as state:
            keep_edits(state, number, initial=self.initial)

    def pruning(self, *, keep: int | None = None, since: datetime | None = None) -> Pruning:
        """Plan a pruning; see plan_pruning."""
        from statefmt.store.local.pruning import Pruning, plan_pruning

        if self.is_apart and not self.path.parent.exists():
            return Pruning(self.initial, self.initial)
        return plan_pruning(self.path, keep=keep, since=since)

    def prune(self, pruning: Pruning, keep: int | None, info: LockInfo) -> None:
        """Delete what was planned, and keep only so many edits from now on unless `keep` is None."""
        from statefmt.store.local.pruning import prune

        with self.changing(info) as state:
            prune(state, pruning)
            if keep is not None:
                keep_edits(state, keep, initial=self.initial)
