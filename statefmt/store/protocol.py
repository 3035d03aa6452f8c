"""The interface of a store, which reads, locks and writes the bytes of one state."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from msgspec import UNSET, Struct, UnsetType

if TYPE_CHECKING:
    # Most commands do not lock a state.
    from statefmt.pieces import Piece
    from statefmt.store.lock_info import LockInfo


# The SHA-256 of no bytes, which a state has before it is created.
NOTHING: Final = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


class Stored(NamedTuple):
    """The bytes in a store, and a version that changes when they change."""

    data: bytes
    version: Hashable


class LockedStore(Protocol):
    """A store while it is locked."""

    @property
    def stored(self) -> Stored:
        """The content at the time of locking."""

    def undisturbed(self) -> AbstractContextManager[None]:
        """Hold signals such as SIGINT back during a write and the report of it.

        A second signal still ends a request to a service that hangs.
        """

    def write(
        self,
        pieces: Sequence[Piece],
        expected: Hashable,
        *,
        backup: str | None,
        keeps_backup: bool,
        now: int,
        undoes: int | None = None,
    ) -> str | None:
        """Replace the content with pieces of it and new bytes, if it still has the `expected` version.

        Backs up the old content first, to `backup` if given; `now` is in Unix seconds. Unless `keeps_backup`, only the
        history keeps the old content; it records the number of the edit that this write `undoes`. Returns the place of
        the backup, or None if there is none beside the history. Raises StoreError and leaves the content unchanged.
        """


class JointEdit(Struct, frozen=True, omit_defaults=True):
    """An edit of several states at once, as the operations file at the path `file` says, or another name of the change.

    `id` tells it from all others. `states` are the names of all states of the file, and `writes` the places in `states`
    of those that were written, in order. `ending` is the command that ends it after a crash, without its option.
    `undoes` is the ID of the edit that this one undoes, and `created` the places of states that it created. `home` is
    the folder of statetool on the machine that made it, which has its journal and the names of the states.
    """

    id: str
    file: str
    states: tuple[str, ...]
    writes: tuple[int, ...] = ()
    ending: tuple[str, ...] = ()
    undoes: str = ""
    created: tuple[int, ...] = ()
    home: str = ""

    @property
    def written(self) -> tuple[str, ...]:
        """The names of the states that were written."""
        return tuple(name for place, name in enumerate(self.states) if place in self.writes)


class HistoryEntry(Struct, frozen=True):
    """One edit. `time` is in UTC (RFC 3339); `before` and `after` are the SHA-256 of the contents.

    `backup` is the part of the backup's name that tells it from others; "" if the user named it. `joint` is set if
    other states were edited with this one. `undoes` is set for an undo: it restored the content before the edit of that
    number. A joint edit that created the state has the SHA-256 of no bytes `before` it.
    """

    number: int
    time: str
    user: str
    command: str
    before: str
    after: str
    backup: str = ""
    joint: JointEdit | UnsetType = UNSET
    undoes: int | UnsetType = UNSET

    @property
    def creates(self) -> bool:
        """Whether the edit created the state, together with others; an empty file may be restored, too."""
        return bool(self.joint) and self.before == NOTHING


class Store(Protocol):
    """A place that holds one state."""

    @property
    def name(self) -> str:
        """The name shown to users."""

    def read(self) -> Stored:
        """Read the content without a lock. Raises StoreError."""

    def locked(self, info: LockInfo, timeout: float | None) -> AbstractContextManager[LockedStore]:
        """Lock and read the state; `timeout` is in seconds, None for no lock.

        Raises LockedError if another process holds the lock for longer, and StoreError.
        """

    def versions(self) -> Sequence[HistoryEntry]:
        """Return the edits that can be undone, oldest first. Raises StoreError."""

    def content(self, checksum: str) -> bytes:
        """Return the content before an edit, given its SHA-256. Raises StoreError."""

    def tidy(self) -> None:
        """Save space, as far as that needs no lock."""
