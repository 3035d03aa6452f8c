"""What a backend does for one state: StateClient, which each service implements, and the connection of a run."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from msgspec import Struct

from statefmt.model.errors import StoreError
from statefmt.store.backends.options import BackendOptions
from statefmt.store.backends.settings import StatePlace
from statefmt.store.protocol import Stored
from statefmt.text import pattern

if TYPE_CHECKING:
    from statefmt.store.protocol import LockInfo


class LockHeldError(Exception):
    """Somebody else holds the lock.

    `holder` is None if the backend does not say who. `removal` is a sentence that says how to remove the lock, if
    `force-unlock` cannot. RemoteStore waits, or raises LockedError.
    """

    def __init__(self, holder: LockInfo | None, removal: str = "") -> None:
        super().__init__(holder)
        self.holder = holder
        self.removal = removal

    @property
    def lock_id(self) -> str:
        """What `force-unlock` takes, "" if that is not known."""
        return self.holder.ID if self.holder else ""


class UnknownOutcomeError(StoreError):
    """A request was sent and its answer was lost: it may have had its effect, or may still have it.

    RemoteStore finds out by reading.
    """

    code = "unknown-outcome"


class StateClient(Protocol):
    """A connection to one state in a backend. All methods raise StoreError, with the host and without credentials.

    Requests that only read are retried by the client; those that change something only if they had no effect for sure.
    """

    @property
    def location(self) -> str:
        """The URL of the state, without credentials."""

    @property
    def lock_path(self) -> str:
        """What the backend's own lock information has as its `Path`."""

    @property
    def is_locking(self) -> bool:
        """Whether the backend is set up to lock."""

    def read(self) -> Stored | None:
        """Return the content and its version, such as an ETag; None if there is no state."""

    def lock(self, info: LockInfo) -> None:
        """Try once to lock the state. Raises LockHeldError if it is locked, and UnknownOutcomeError."""

    def holder(self) -> LockInfo | None:
        """Return who holds the lock; None if nobody does. Raises NotImplementedError if the backend cannot tell."""

    def write(self, content: bytes, expected: Hashable | None, lock: LockInfo | None) -> None:
        """Replace the content, on the condition that it has the `expected` version; None if there is no state yet.

        Makes sure that the service has what it confirms, in the way that the service allows. `lock` is the lock that is
        held, None without one. Raises ChangedError if the content has another version, and
        UnknownOutcomeError.
        """

    def unlock(self, info: LockInfo) -> None:
        """Give the lock back. Raises UnknownOutcomeError, and StoreError if the lock is another's by now."""

    def force_unlock(self, lock_id: str) -> LockInfo | None:
        """Remove the lock with this ID, whoever holds it, and return who held it if that is known.

        Raises StoreError if the lock has another ID, and says who holds it.
        """

    def workspaces(self) -> Sequence[str]:
        """Return the workspaces that have a state in the backend, sorted."""

    def delete(self, expected: Hashable) -> None:
        """Delete the state with this version, and nothing newer, with its digest. Raises ChangedError."""

    def close(self) -> None:
        """Close the connection."""


@dataclass(frozen=True, slots=True)
class Connection:
    """The environment of a run, where it reports side effects, and what it allows. Times are in seconds.

    `hosts` are those that the run has approached, with whether the user agreed to send them credentials. All
    connections of a run share it, so that each host is named, and asked about, once. They share `credentials`, too:
    finding them may take requests, and a run may read thousands of states. Unless the run `names_hosts`, it names them
    only if something fails. `foreign` are the hosts that something else than the user has named, without ports.
    """

    environment: Mapping[str, str] = field(repr=False)
    note: Callable[[str], None]
    options: BackendOptions
    hosts: dict[str, bool] = field(default_factory=dict)
    credentials: dict[bytes, Callable[[], Any]] = field(default_factory=dict, repr=False)
    names_hosts: bool = True
    foreign: set[str] = field(default_factory=set)

    @property
    def state_home(self) -> Path:
        """The folder of what statetool keeps about states in backends: histories and backups."""
        home = self.environment.get("XDG_STATE_HOME", "")
        # A relative path is invalid, as the XDG Base Directory Specification says.
        base = (
            Path(home)
            if home.startswith("/")
            else Path(self.environment.get("HOME") or "~").expanduser() / ".local/state"
        )
        return base / "statetool"


class ListedState(Struct, frozen=True):
    """A state that a service lists: its place, its version, such as an ETag, and its size in bytes, 0 if unknown.

    `version` is None if the service has none that costs less than reading the state. Names come from the service, and
    may be hostile.
    """

    place: StatePlace
    version: str | None
    size: int


@runtime_checkable
class ListingClient(Protocol):
    """A StateClient whose service lists states. Its methods raise StoreError, also after some states."""

    def states_below(self, prefix: str) -> Iterator[ListedState]:
        """Yield the states below a prefix: objects `*.tfstate` in a bucket, or rows in a schema, "" for all schemas."""

    def workspace_states(self) -> Iterator[ListedState]:
        """Yield the states of all workspaces of the backend."""


class ObjectVersion(Struct, frozen=True):
    """A version of a state that a service keeps.

    `time` is when it was written, in UTC (RFC 3339), and `size` its size in bytes. `is_current` if a command reads it
    unless another one is named.
    """

    id: str
    time: str
    size: int
    is_current: bool


@runtime_checkable
class VersionedClient(Protocol):
    """A StateClient whose service keeps versions. Its methods raise StoreError."""

    def object_versions(self) -> Sequence[ObjectVersion]:
        """Return the versions of the state, newest first; only the current one if the service keeps no others."""

    def read_version(self, version_id: str) -> bytes:
        """Return the content of a version. Raises StoreError also if there is no such version."""

    def close(self) -> None:
        """Close the connection."""


# In seconds. A server that asks for more patience gets none.
_LONGEST_ASKED: Final = 300.0
# The status for clients that send too many requests, which have no effect then.
TOO_MANY: Final = 429


@dataclass(frozen=True, slots=True)
class Retries:
    """How often to repeat a request, and the shortest and the longest wait before it, in seconds."""

    most: int = 2
    shortest: float = 1.0
    longest: float = 30.0

    def wait(self, attempt: int, chance: float, asked: float | None = None) -> float | None:
        """Return how long to wait after an attempt, the first being 0, in seconds; None to give up.

        `chance`, from 0 to 1, spreads the requests of clients that were refused at the same time. `asked` is what the
        server asked for.
        """
        if attempt >= self.most or (asked or 0) > _LONGEST_ASKED:
            return None
        if asked is not None:
            return asked + chance * self.shortest
        # A float has room for 2 to this power.
        doubled = min(self.shortest * 2.0 ** min(attempt, 64), self.longest)
        return max(doubled, 0.0) * (0.5 + chance / 2)


def is_passing(status: int) -> bool:
    """Return whether a status says that the same request may succeed later."""
    return status == TOO_MANY or (500 <= status < 600 and status != 501)


TIMEOUT_VARIABLE: Final = "STATETOOL_TIMEOUT"
_SECONDS: Final = pattern(r"[0-9]{1,6}(?:\.[0-9]{1,3})?")
ADVICE: Final = f"set {TIMEOUT_VARIABLE} to wait longer"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a connection, for each part of an answer, and for all of a request, in seconds.

    A state of 100 MB may take all of the default over a slow line.
    """

    connect: float = 10.0
    answer: float = 60.0
    whole: float = 600.0

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Patience:
        """Return the patience of a run: STATETOOL_TIMEOUT replaces all. Raises StoreError unless it is a number."""
        text = environment.get(TIMEOUT_VARIABLE, "")
        if not text:
            return cls()
        seconds = float(text) if _SECONDS.fullmatch(text) else 0.0
        if not seconds:
            raise StoreError(f"{TIMEOUT_VARIABLE} must be a number of seconds, such as 120")
        return cls(seconds, seconds, seconds)
