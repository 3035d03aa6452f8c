"""The interface of a store, which reads, locks and writes the bytes of one state; lock information; and read-only
stores such as standard input.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol
from uuid import uuid4

from msgspec import UNSET, Struct, UnsetType

from statefmt.golang import JSONValue, Members, NumberText, encode_string, loads_exact
from statefmt.model.errors import StoreError
from statefmt.store.reading import STANDARD_INPUT
from statefmt.text import printable
from statefmt.version import __version__

if TYPE_CHECKING:
    from statefmt.pieces import Piece


# The SHA-256 of no bytes, the content of a state before its creation.
NOTHING: Final = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


class Stored(NamedTuple):
    """The bytes in a store, and a version that changes when they change."""

    data: bytes
    version: Hashable


class WriteTerms(NamedTuple):
    """How to record a write at `now`, in Unix seconds: a backup of the old content, to `backup` if given, and history.

    Unless `keeps_backup`, only the history keeps the old content. `undoes` is the number of the edit that the write
    undoes.
    """

    now: int
    backup: Path | None = None
    keeps_backup: bool = True
    undoes: int | None = None


class LockedStore(Protocol):
    """A store while it is locked."""

    @property
    def stored(self) -> Stored:
        """The content at the time of locking."""

    def undisturbed(self) -> AbstractContextManager[None]:
        """Hold back signals such as SIGINT during a write and its report.

        A second signal still ends a request to a hanging service.
        """

    def write(self, pieces: Sequence[Piece], expected: Hashable, terms: WriteTerms) -> str | None:
        """Replace the content with pieces of it and new bytes, if it still has the `expected` version.

        Returns the path of the backup; None if only the history keeps the old content. Raises StoreError and leaves the
        content unchanged.
        """


class JointEdit(Struct, frozen=True, omit_defaults=True):
    """An edit of several states at once; `file` is the path of the operations file, or another name of the change.

    `id` is unique. `states` are the names of all states of the file, and `writes` the indexes in `states` of the
    written states, in order. `ending` is the command that ends the edit after a crash, without its option. `undoes` is
    the ID of the undone edit, and `created` the indexes of created states. `home` is the folder of statetool, on the
    machine of the edit, that has its journal and the names of the states.
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
        """The names of the written states."""
        return tuple(name for place, name in enumerate(self.states) if place in self.writes)


class HistoryEntry(Struct, frozen=True):
    """One edit. `time` is in UTC (RFC 3339); `before` and `after` are the SHA-256 of the contents.

    `backup` is the distinguishing part of the backup's name; "" if the user named it. `joint` is set for an edit of
    several states. `undoes` is set for an undo: it restored the content before the edit of that number. A joint edit
    that created the state has the SHA-256 of no bytes `before` it.
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
        """Whether a joint edit created the state; an undo may also restore an empty file."""
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
        """Save space, as far as possible without a lock."""


class LockStatus(StrEnum):
    """Whether a state is locked."""

    FREE = "free"
    HELD = "held"
    LEFT = "left"  # not locked, but a dead process left its lock information behind
    UNKNOWN = "unknown"  # the backend cannot be asked
    NONE = "none"  # the backend is not set up to lock


class LockState(Struct, frozen=True):
    """The lock of the state with this name, and its holder, as far as known.

    `holder` is the information that the holder wrote, which may be false or hostile. `process` is the number of the
    process that holds the lock of a local file, 0 if unknown. `lock_id` removes the lock; "" if unknown. A lock that
    `ends_with_holder` is never left behind, and cannot be removed. `change` is the change of several states that holds
    the state until it has ended, also after its process.
    """

    name: str
    status: LockStatus
    holder: LockInfo | None = None
    process: int = 0
    ends_with_holder: bool = False
    change: JointEdit | None = None

    @property
    def lock_id(self) -> str:
        """The ID of the lock."""
        return "" if self.holder is None else self.holder.ID


class LockedManagedStore(LockedStore, Protocol):
    """A locked store with an optional state. Without a state, `stored` is empty, and `write` creates one."""

    def renewed(self) -> LockedManagedStore:
        """Read the state again under the same lock, and return its store. Without a state, `stored` has b"".

        A store writes once; a second write needs the renewed store. Raises StoreError.
        """

    def hold(self, joint: JointEdit) -> LockedManagedStore:
        """Keep edits out until `release`, also after this process has ended, if the store can. Raises StoreError.

        Returns a store that records the joint edit in the history. A lock in a backend is kept; a file gets a marker
        beside it. Both admit an edit whose LockInfo has the same ID.
        """

    def release(self) -> None:
        """End `hold`. Raises StoreError."""

    def discard(self, expected: Hashable) -> None:
        """Delete the state without a backup, if it still has the `expected` version: this edit has created it.

        Also deletes a file that was created for the lock, and the record of the creation. Raises StoreError and leaves
        the state unchanged.
        """

    def delete(self, expected: Hashable, *, now: int) -> str | None:
        """Delete the state if it still has the `expected` version; `now` is in Unix seconds.

        Returns the path of the backup, or None. Raises StoreError and leaves the state unchanged.
        """


class ManagedStore(Store, Protocol):
    """A store with an optional state."""

    def found(self) -> Stored | None:
        """Read the content without a lock; None if there is no state. Raises StoreError."""

    def locked(self, info: LockInfo, timeout: float | None) -> AbstractContextManager[LockedManagedStore]:
        """Lock and read the state; see Store."""

    def locked_place(
        self, info: LockInfo, timeout: float | None, *, ends_hold: bool = False
    ) -> AbstractContextManager[LockedManagedStore]:
        """Like locked(), but the state may be missing; with `ends_hold`, the marker of the change may be damaged."""

    def lock_state(self) -> LockState:
        """Return whether the state is locked, without locking it. Raises StoreError."""

    def remove_lock(self, lock_id: str) -> LockInfo | None:
        """Remove the lock with this ID, and return its holder if known.

        Raises StoreError if there is no such lock, or if it cannot be removed.
        """


# In bytes. Anyone may have written the lock information; programs write a few hundred bytes.
LARGEST_LOCK_INFO: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class LockInfo:
    """The holder of a lock and its purpose. Names and order are those of the file that OpenTofu and Terraform write."""

    ID: str
    Operation: str
    Info: str
    Who: str
    Version: str
    Created: str
    Path: str


def lock_info(path: Path | str, operation: str, command: str, *, who: str, created: datetime) -> LockInfo:
    """Return lock information for an operation such as `fmt`; `command` is the whole command line.

    Bytes that are not UTF-8 are escaped: lock information and histories are JSON.
    """
    words = (str(uuid4()), operation, command, who, f"statetool {__version__}", _in_go(created), str(path))
    return LockInfo(*(word.encode(errors="backslashreplace").decode() for word in words))


def lock_json(info: LockInfo) -> bytes:
    """Encode lock information byte for byte as Go does: compact, with `<`, `>`, `&`, U+2028 and U+2029 escaped.

    OpenTofu decodes a lock in DynamoDB, encodes it again and removes it only if the bytes are the same.
    Source: OpenTofu `internal/states/statemgr/locker.go` (LockInfo.Marshal).
    """
    values = zip(_NAMES, astuple(info), strict=True)
    return b"{%b}" % b",".join(b'"%b":%b' % (name.encode(), encode_string(value)) for name, value in values)


def read_lock_info(data: bytes) -> LockInfo | None:
    """Decode untrusted lock information; None if it is invalid. Never raises.

    Members with other names are ignored. A member that is missing or not a string becomes "".
    """
    if len(data) > LARGEST_LOCK_INFO:
        return None
    try:
        found = loads_exact(data, replace_invalid=True)
    except ValueError:
        return None
    members = dict(found) if isinstance(found, Members) else {}
    values = [_string(members.get(name)) for name in _NAMES]
    return LockInfo(*values) if any(values) else None


def _in_go(time: datetime) -> str:
    """Format a time in UTC like Go's JSON: RFC 3339, without trailing zeros in the fraction."""
    whole, _, fraction = time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds").partition(".")
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}Z" if fraction else f"{whole}Z"


def _string(value: JSONValue) -> str:
    return value if isinstance(value, str) and not isinstance(value, NumberText) else ""


_NAMES: Final = tuple(field.name for field in fields(LockInfo))


# The order of OpenTofu's "Lock Info:". Source: OpenTofu `internal/states/statemgr/locker.go` (LockInfo.String).
_ORDER: Final = ("ID", "Path", "Operation", "Who", "Version", "Created", "Info")
_WIDTH: Final = max(map(len, _ORDER)) + 2
# In characters. A holder may write text of any length.
_LONGEST: Final = 300


def lock_lines(info: LockInfo) -> str:
    """Format the information of a lock's holder like OpenTofu: each member on its line, without empty members."""
    assert {field.name for field in fields(info)} == set(_ORDER)
    members = ((name, _shown(getattr(info, name))) for name in _ORDER)
    return "\n".join(f"  {name + ':':<{_WIDTH}}{value}" for name, value in members if value)


def _shown(text: str) -> str:
    shown = printable(text)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"


class ReadOnlyStore(Struct, frozen=True):
    """A read-only state; see Store. `refusal` and `no_history` are the errors of all other methods."""

    name: str
    read: Callable[[], Stored]
    refusal: str
    no_history: str

    def locked(self, info: LockInfo, timeout: float | None) -> AbstractContextManager[LockedStore]:
        raise StoreError(self.refusal)

    def versions(self) -> Sequence[HistoryEntry]:
        raise StoreError(self.no_history)

    def content(self, checksum: str) -> bytes:
        raise StoreError(self.no_history)

    def tidy(self) -> None:
        pass


def standard_input(read_input: Callable[[], bytes], name: str = STANDARD_INPUT) -> ReadOnlyStore:
    """Return the store of a state on standard input."""
    return ReadOnlyStore(
        name,
        lambda: Stored(read_input(), None),
        "standard input cannot be edited; name a file",
        "standard input: it has no history; name a file",
    )
