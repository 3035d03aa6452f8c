"""A store in memory: it locks, tells versions apart and keeps what was replaced, and knows no paths."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field

from msgspec import UNSET

from statefmt.model.errors import LockedError, StoreError
from statefmt.pieces import Piece, joined
from statefmt.store.local.journal import checksum
from statefmt.store.protocol import HistoryEntry, LockInfo, Stored, WriteTerms


@dataclass
class MemoryStore:
    """One state, by a counter as its version; see Store."""

    data: bytes
    name: str = "memory"
    version: int = 1
    holder: LockInfo | None = None
    entries: list[HistoryEntry] = field(default_factory=list)
    contents: dict[str, bytes] = field(default_factory=dict)

    def read(self) -> Stored:
        return Stored(self.data, self.version)

    @contextmanager
    def locked(self, info: LockInfo, timeout: float | None) -> Iterator[MemoryLock]:
        if timeout is not None:
            if self.holder is not None:
                raise LockedError(f"{self.name}: locked by {self.holder.Who}")
            self.holder = info
        try:
            yield MemoryLock(self, info, self.read())
        finally:
            if timeout is not None:
                self.holder = None

    def versions(self) -> Sequence[HistoryEntry]:
        return self.entries

    def content(self, checksum: str) -> bytes:
        return self.contents[checksum]

    def tidy(self) -> None:
        return


@dataclass
class MemoryLock:
    """The store while it is locked; see LockedStore."""

    store: MemoryStore
    info: LockInfo
    stored: Stored

    def undisturbed(self) -> AbstractContextManager[None]:
        return nullcontext()

    def write(self, pieces: Sequence[Piece], expected: Hashable, terms: WriteTerms) -> str | None:
        store = self.store
        if store.version != expected:
            raise StoreError(f"{store.name}: something else has written it; nothing was written")
        old, new = store.data, joined(store.data, pieces)
        store.contents[checksum(old)] = old
        number, info = len(store.entries) + 1, self.info
        before, after, goes_back = checksum(old), checksum(new), UNSET if terms.undoes is None else terms.undoes
        entry = HistoryEntry(number, info.Created, info.Who, info.Info, before, after, undoes=goes_back)
        store.entries.append(entry)
        store.data, store.version = new, store.version + 1
        return None
