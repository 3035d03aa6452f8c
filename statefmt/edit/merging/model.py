"""Models the merge of two states with a common base: its conflicts, the decisions about them, and the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct, field

from statefmt.model.addrs import AbsResourceInstance
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import Snapshot

T = TypeVar("T")
U = TypeVar("U")


class Versions(NamedTuple, Generic[T]):
    """Something in the common base, in ours and in theirs."""

    base: T
    ours: T
    theirs: T

    def map(self, of: Callable[[T], U]) -> Versions[U]:
        """Return a part of each."""
        return Versions(of(self.base), of(self.ours), of(self.theirs))


class MergeSide(StrEnum):
    """One of the two states that are merged."""

    OURS = "ours"
    THEIRS = "theirs"


class ConflictKind(StrEnum):
    """A kind of conflict."""

    VALUE = "value"  # a part of an object has two new values
    DELETED = "deleted"  # one side deleted what the other side changed
    OBJECTS = "objects"  # one address has two remote objects
    MOVED = "moved"  # an instance moved to two addresses
    TAKEN = "taken"  # two instances have one new address
    PROVIDER = "provider"  # an object is, or the objects of a resource are, bound to two provider configurations
    OUTPUT = "output"  # an output has two new values
    MEMBER = "member"  # a member of the state or of a resource that statetool does not know


class Conflict(Struct, frozen=True, order=True):
    """A conflict: its address, and the JSON pointer of its part of the object, "" for all of it.

    `address` is an address of an instance, a resource, or `output.NAME`, and "" for the state. An instance that the
    base has goes by its address there.
    """

    address: str
    path: str
    kind: ConflictKind

    def __str__(self) -> str:
        """Return the address, the path and the kind for a message."""
        return f"{self.address or 'the state'}{self.path and f' {self.path}'} ({self.kind.value})"


# Returns the side whose part is taken; None if it is not decided. A conflict may be asked about several times.
DecideConflict: TypeAlias = Callable[[Conflict], MergeSide | None]


class Merge(Struct, frozen=True, kw_only=True):
    """The result of a merge.

    `conflicts` are the undecided ones, in order; if there are some, the `snapshot` has the parts of ours, and nothing
    may be written. `equals` is the side whose content the result is, if any. `moved` maps addresses in ours to the
    addresses in the result. `dropped` are the instances of one side that a decision leaves out.
    """

    snapshot: Snapshot
    conflicts: tuple[Conflict, ...] = ()
    equals: MergeSide | None = None
    moved: Mapping[AbsResourceInstance, AbsResourceInstance] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()


class MergeConflictError(SurgeryError):
    """A merge has conflicts that are not decided; `conflicts` lists them."""

    def __init__(self, conflicts: tuple[Conflict, ...]) -> None:
        shown = "; ".join(map(str, conflicts))
        super().__init__(f"conflicts are not decided: {shown}", address=conflicts[0].address or None)
        self.conflicts = conflicts
