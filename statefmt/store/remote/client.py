"""Defines StateClient, the interface of each backend service for one state, and the connection of a run."""

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
    """Another holder has the lock.

    `holder` is None if the backend does not name it. `removal` is a sentence about removing the lock, if `force-unlock`
    cannot. RemoteStore waits, or raises LockedError.
    """

    def __init__(self, holder: LockInfo | None, removal: str = "") -> None:
        super().__init__(holder)
        self.holder = holder
        self.removal = removal

    @property
    def lock_id(self) -> str:
        """The ID for `force-unlock`, "" if unknown."""
        return self.holder.ID if self.holder else ""


class UnknownOutcomeError(StoreError):
    """A request was sent and its answer was lost: it may have had its effect, or may still have it.

    RemoteStore resolves it by reading.
    """

    code = "unknown-outcome"


class StateClient(Protocol):
    """A connection to one state in a backend. All methods raise StoreError, with the host and without credentials.

    The client retries reads; it retries changes only if they certainly had no effect.
    """

    @property
    def location(self) -> str:
        """The URL of the state, without credentials."""

    @property
    def lock_path(self) -> str:
        """The `Path` in the backend's own lock information."""

    @property
    def is_locking(self) -> bool:
        """Whether the backend is set up to lock."""

    def read(self) -> Stored | None:
        """Return the content and its version, such as an ETag; None if there is no state."""

    def lock(self, info: LockInfo) -> None:
        """Try once to lock the state. Raises LockHeldError if it is locked, and UnknownOutcomeError."""

    def holder(self) -> LockInfo | None:
        """Return the lock's holder; None if it is free. Raises NotImplementedError if the backend cannot be asked."""

    def write(self, content: bytes, expected: Hashable | None, lock: LockInfo | None) -> None:
        """Replace the content if it has the `expected` version; None for a new state.

        Verifies the confirmed content in a service-specific way. `lock` is the current lock, None without a lock.
        Raises ChangedError if the content has another version, and UnknownOutcomeError.
        """

    def unlock(self, info: LockInfo) -> None:
        """Release the lock. Raises UnknownOutcomeError, and StoreError if the lock now has another holder."""

    def force_unlock(self, lock_id: str) -> LockInfo | None:
        """Remove the lock with this ID, and return its holder if known.

        Raises StoreError, which names the holder, if the lock has another ID.
        """

    def workspaces(self) -> Sequence[str]:
        """Return the workspaces that have a state in the backend, sorted."""

    def delete(self, expected: Hashable) -> None:
        """Delete the state if it has this version, with its digest. Raises ChangedError."""

    def close(self) -> None:
        """Close the connection."""


@dataclass(frozen=True, slots=True)
class Connection:
    """The environment, the reports and the permissions of a run. Times are in seconds.

    `hosts` are the approached hosts, each with the user's consent to send credentials. All connections of a run share
    it, so that each host is announced, and asked about, once. They share `credentials`, too: finding them may take
    requests, and a run may read thousands of states. Unless the run `names_hosts`, it announces hosts only on failure.
    `foreign` are the hosts, without ports, that the user has not named.
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
        """The folder for histories and backups of states in backends."""
        home = self.environment.get("XDG_STATE_HOME", "")
        # The XDG Base Directory Specification declares relative paths invalid.
        base = (
            Path(home)
            if home.startswith("/")
            else Path(self.environment.get("HOME") or "~").expanduser() / ".local/state"
        )
        return base / "statetool"


class ListedState(Struct, frozen=True):
    """A state that a service lists: its place, its version, such as an ETag, and its size in bytes, 0 if unknown.

    `version` is None if the service has no version that is cheaper than reading the state. Names come from the service,
    and may be hostile.
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

    `time` is the time of its write, in UTC (RFC 3339), and `size` its size in bytes. `is_current` if commands read it
    by default.
    """

    id: str
    time: str
    size: int
    is_current: bool


@runtime_checkable
class VersionedClient(Protocol):
    """A StateClient whose service keeps versions. Its methods raise StoreError."""

    def object_versions(self) -> Sequence[ObjectVersion]:
        """Return the versions of the state, newest first; only the current version if the service keeps no others."""

    def read_version(self, version_id: str) -> bytes:
        """Return the content of a version. Raises StoreError also if there is no such version."""

    def close(self) -> None:
        """Close the connection."""


# In seconds, the longest delay that a server may ask for.
_LONGEST_ASKED: Final = 300.0
# The status for clients with too many requests, which then have no effect.
TOO_MANY: Final = 429


@dataclass(frozen=True, slots=True)
class Retries:
    """The number of retries of a request, and the shortest and longest wait before one, in seconds."""

    most: int = 2
    shortest: float = 1.0
    longest: float = 30.0

    def wait(self, attempt: int, chance: float, asked: float | None = None) -> float | None:
        """Return the wait after an attempt, counted from 0, in seconds; None to give up.

        `chance`, from 0 to 1, spreads the requests of clients that were refused at the same time. `asked` is the delay
        that the server asked for.
        """
        if attempt >= self.most or (asked or 0) > _LONGEST_ASKED:
            return None
        if asked is not None:
            return asked + chance * self.shortest
        # A float overflows beyond 2 to this power.
        doubled = min(self.shortest * 2.0 ** min(attempt, 64), self.longest)
        return max(doubled, 0.0) * (0.5 + chance / 2)


def is_passing(status: int) -> bool:
    """Return whether the same request may succeed later, by the status of the answer."""
    return status == TOO_MANY or (500 <= status < 600 and status != 501)


TIMEOUT_VARIABLE: Final = "STATETOOL_TIMEOUT"
_SECONDS: Final = pattern(r"[0-9]{1,6}(?:\.[0-9]{1,3})?")
ADVICE: Final = f"set {TIMEOUT_VARIABLE} to wait longer"


@dataclass(frozen=True, slots=True)
class Patience:
    """The time limits for a connection, for each part of an answer, and for a whole request, in seconds.

    A state of 100 MB may take all of the default over a slow line.
    """

    connect: float = 10.0
    answer: float = 60.0
    whole: float = 600.0

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Patience:
        """Return the time limits of a run: STATETOOL_TIMEOUT replaces all. Raises StoreError if it is not a number."""
        text = environment.get(TIMEOUT_VARIABLE, "")
        if not text:
            return cls()
        seconds = float(text) if _SECONDS.fullmatch(text) else 0.0
        if not seconds:
            raise StoreError(f"{TIMEOUT_VARIABLE} must be a number of seconds, such as 120")
        return cls(seconds, seconds, seconds)
