"""Models the result of comparing two snapshots, with filters by kind of difference and by address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from statefmt.model.addrs import AbsProviderInstance, AbsResource, AbsResourceInstance, ModuleInstance
from statefmt.model.snapshot import CheckResult, InstanceState, OutputValue, ResourceInstanceObject, ResourceState

if TYPE_CHECKING:
    from statefmt.lifecycle.schema import ProviderSchemas


# Modules, resources and instances, which can move as a whole.
Movable: TypeAlias = ModuleInstance | AbsResource | AbsResourceInstance


def kind_of(place: Movable) -> str:
    """Return `module`, `resource` or `instance`."""
    if isinstance(place, ModuleInstance):
        return "module"
    return "resource" if isinstance(place, AbsResource) else "instance"


class MemberChange(Struct, frozen=True):
    """A differing member of an object, as JSON on each side; None if absent.

    `deposed` is the object's deposed key, "" for the current object. `name` is the member's name in format version 4;
    `provider` is the address of the provider instance, at whatever level the file has it.
    """

    deposed: str
    name: str
    old: bytes | None
    new: bytes | None


class ObjectChange(Struct, frozen=True):
    """An object, current or deposed, that exists on only one side of an instance."""

    deposed: str
    old: ResourceInstanceObject | None
    new: ResourceInstanceObject | None


class InstanceChange(Struct, frozen=True, kw_only=True):
    """A resource instance before and after a change; `old` is None if it was added, `new` if it was removed.

    `members` and `objects` are the differences between the two, apart from the address.
    """

    old: InstanceState | None
    new: InstanceState | None
    members: tuple[MemberChange, ...] = ()
    objects: tuple[ObjectChange, ...] = ()

    @property
    def addr(self) -> AbsResourceInstance:
        """The new address of the instance, or the old one if it was removed."""
        side = self.new or self.old
        if side is None:
            raise ValueError("a change without sides")
        return side.addr

    @property
    def is_moved(self) -> bool:
        """Whether the instance exists on both sides, at different addresses."""
        return self.old is not None and self.new is not None and self.old.addr != self.new.addr

    @property
    def is_rekeyed(self) -> bool:
        """Whether the instance moved within its resource."""
        if self.old is None or self.new is None or not self.is_moved:
            return False
        return self.old.addr.containing_resource() == self.new.addr.containing_resource()

    @property
    def rebound(self) -> tuple[AbsProviderInstance | None, AbsProviderInstance | None] | None:
        """The old and new provider instance of the first rebound object; None if none was rebound."""
        if self.old is None or self.new is None:
            return None
        for change in self.members:
            if change.name == "provider":
                before, now = self.old.object_of(change.deposed), self.new.object_of(change.deposed)
                return self.old.provider(before), self.new.provider(now)
        return None

    @property
    def is_changed(self) -> bool:
        """Whether the instance exists on both sides, and differs in more than its address and provider."""
        if self.old is None or self.new is None:
            return False
        return bool(self.objects) or any(change.name != "provider" for change in self.members)


class Move(Struct, frozen=True):
    """A module, resource or instance that moved as a whole; `count` is the number of its instances."""

    old: Movable
    new: Movable
    count: int


class ResourceChange(Struct, frozen=True):
    """A difference in a resource outside its instances: one side has none, or unknown members differ."""

    old: ResourceState | None
    new: ResourceState | None


class OutputChange(Struct, frozen=True):
    """An output value that differs, or exists on only one side."""

    old: OutputValue | None
    new: OutputValue | None

    @property
    def name(self) -> str:
        """The name of the output."""
        side = self.new or self.old
        return side.name if side else ""


class CheckResultsChange(Struct, frozen=True):
    """All check results of both sides, if they differ."""

    old: tuple[CheckResult, ...]
    new: tuple[CheckResult, ...]

    @property
    def differing(self) -> tuple[tuple[str, CheckResult | None, CheckResult | None], ...]:
        """The differing results: the address of the checked construct, and its result on each side."""
        old = {result.config_addr: result for result in self.old}
        new = {result.config_addr: result for result in self.new}
        found = ((address, old.get(address), new.get(address)) for address in sorted({**old, **new}))
        return tuple(one for one in found if one[1] != one[2])


class EnvelopeChange(Struct, frozen=True):
    """A differing top-level member of the state, as JSON; None if absent."""

    name: str
    old: bytes | None
    new: bytes | None

    @property
    def title(self) -> str:
        """The name for users: `format version` for `version`, which could be mistaken for a release."""
        return "format version" if self.name == "version" else self.name

    @property
    def is_known(self) -> bool:
        """Whether statetool knows the member; unknown members may contain sensitive values."""
        return self.name in ("version", "terraform_version", "serial", "lineage")


class SnapshotDiff(Struct, frozen=True, kw_only=True):
    """All differences between two snapshots; false if there are none.

    Applied to the old snapshot, they produce the new one. `instances` has each instance once, by its new address if
    it exists on both sides, in the order of `tofu state list`. `moves` summarizes the moves among them. `followed`
    are instances that differ only in dependencies that follow moves and removals.
    """

    envelope: tuple[EnvelopeChange, ...] = ()
    outputs: tuple[OutputChange, ...] = ()
    instances: tuple[InstanceChange, ...] = ()
    moves: tuple[Move, ...] = ()
    followed: tuple[InstanceChange, ...] = ()
    resources: tuple[ResourceChange, ...] = ()
    check_results: CheckResultsChange | None = None

    def __bool__(self) -> bool:
        """Whether anything differs."""
        return bool(
            self.envelope or self.outputs or self.instances or self.followed or self.resources or self.check_results
        )

    @property
    def added(self) -> tuple[InstanceChange, ...]:
        """The instances that exist only on the new side."""
        return tuple(change for change in self.instances if change.old is None)

    @property
    def removed(self) -> tuple[InstanceChange, ...]:
        """The instances that exist only on the old side."""
        return tuple(change for change in self.instances if change.new is None)

    @property
    def moved(self) -> tuple[InstanceChange, ...]:
        """The instances with a different address, or a different key within their resource."""
        return tuple(change for change in self.instances if change.is_moved)

    @property
    def rebound(self) -> tuple[InstanceChange, ...]:
        """The instances bound to a different provider configuration or provider instance."""
        return tuple(change for change in self.instances if change.rebound)

    @property
    def changed(self) -> tuple[InstanceChange, ...]:
        """The instances that differ in more than their address and provider."""
        return tuple(change for change in self.instances if change.is_changed)

    def as_dict(self) -> dict[str, object]:
        """Return the differences as JSON-compatible values: addresses and names, without values that may be secret."""
        checks = self.check_results
        return {
            "differs": bool(self),
            "added": [str(change.addr) for change in self.added],
            "removed": [str(change.addr) for change in self.removed],
            "changed": [
                {"address": str(one.addr), "members": list(dict.fromkeys(member.name for member in one.members))}
                for one in self.changed
            ],
            "moved": [{"from": str(one.old and one.old.addr), "to": str(one.addr)} for one in self.moved],
            "moves": [{"from": str(one.old), "to": str(one.new), "instances": one.count} for one in self.moves],
            "rebound": [
                {"address": str(one.addr), "from": before and str(before), "to": now and str(now)}
                for one in self.rebound
                for before, now in [one.rebound or (None, None)]
            ],
            "resources": [str(side.addr) for one in self.resources for side in [one.new or one.old] if side],
            "outputs": [one.name for one in self.outputs],
            "check_results": [address for address, *_ in checks.differing] if checks else [],
            "envelope": [one.name for one in self.envelope],
            "followed": len(self.followed),
        }


class Kind(StrEnum):
    """A kind of difference. `MOVED` includes `REKEYED`; `CHANGED` includes all from `ATTRIBUTES` to `DEPOSED`."""

    ADDED = "added"
    REMOVED = "removed"
    MOVED = "moved"
    REKEYED = "rekeyed"
    REBOUND = "rebound"
    CHANGED = "changed"
    ATTRIBUTES = "attributes"
    TAINTED = "tainted"
    SCHEMA = "schema"
    PRIVATE = "private"
    DEPENDENCIES = "dependencies"
    DEPOSED = "deposed"
    RESOURCES = "resources"
    OUTPUTS = "outputs"
    CHECKS = "checks"
    ENVELOPE = "envelope"


_WITHIN: Final = {
    Kind.MOVED: {Kind.REKEYED},
    Kind.CHANGED: {
        Kind.ATTRIBUTES, Kind.TAINTED, Kind.SCHEMA, Kind.PRIVATE, Kind.DEPENDENCIES, Kind.DEPOSED,
    },
}  # fmt: skip
_MEMBERS: Final = {
    "provider": Kind.REBOUND,
    "status": Kind.TAINTED,
    "schema_version": Kind.SCHEMA,
    "identity_schema_version": Kind.SCHEMA,
    "private": Kind.PRIVATE,
    "dependencies": Kind.DEPENDENCIES,
    "depends_on": Kind.DEPENDENCIES,
}


def kinds(only: Iterable[Kind] = (), ignored: Iterable[Kind] = ()) -> frozenset[Kind]:
    """Return the requested kinds, all if `only` is empty, without the ignored ones."""
    wanted = _with_parts(only) or set(Kind)
    return frozenset(wanted - _with_parts(ignored))


def _instance_kind(change: InstanceChange) -> Kind | None:
    """Return how the address of an instance changed; None if it did not."""
    if change.old is None:
        return Kind.ADDED
    if change.new is None:
        return Kind.REMOVED
    if change.is_rekeyed:
        return Kind.REKEYED
    return Kind.MOVED if change.is_moved else None


def _with_parts(given: Iterable[Kind]) -> set[Kind]:
    chosen = set(given)
    return chosen.union(*(_WITHIN.get(kind, set()) for kind in chosen))


# Whether a change at an address counts.
AddressTest: TypeAlias = Callable[[AbsResourceInstance], bool]


def narrowed(changes: SnapshotDiff, wanted: frozenset[Kind], chosen: AddressTest | None = None) -> SnapshotDiff:
    """Return the differences of the wanted kinds. With `chosen`, only differences of instances that it accepts.

    Omits differences outside of instances with `chosen`. An instance whose move is not wanted is reported as if it
    had always been at its new address. Includes followed dependencies if dependencies and moves or removals are
    wanted.
    """
    picked = [change for change in changes.instances if _is_chosen(change, chosen)]
    instances = tuple(part for change in picked if (part := _part(change, wanted)) is not None)
    follows = Kind.DEPENDENCIES in wanted and not wanted.isdisjoint((Kind.MOVED, Kind.REKEYED, Kind.REMOVED))
    whole = chosen is None
    return SnapshotDiff(
        envelope=changes.envelope if whole and Kind.ENVELOPE in wanted else (),
        outputs=changes.outputs if whole and Kind.OUTPUTS in wanted else (),
        instances=instances,
        moves=_moves(changes.moves, instances),
        followed=tuple(change for change in changes.followed if _is_chosen(change, chosen)) if follows else (),
        resources=changes.resources if whole and Kind.RESOURCES in wanted else (),
        check_results=changes.check_results if whole and Kind.CHECKS in wanted else None,
    )


def move_of(change: InstanceChange, moves: Mapping[Movable, Move]) -> Move | None:
    """Return the move that includes an instance, from moves by old address; None if it did not move."""
    return None if change.old is None or not change.is_moved else move_from(change.old.addr, moves)


def move_from(addr: AbsResourceInstance, moves: Mapping[Movable, Move]) -> Move | None:
    """Return the move that includes the instance with this old address, from moves by old address."""
    places: Iterable[Movable] = (*addr.module.on_the_way, addr.containing_resource(), addr)
    return next((moves[place] for place in places if place in moves), None)


def _is_chosen(change: InstanceChange, chosen: AddressTest | None) -> bool:
    return chosen is None or any(side is not None and chosen(side.addr) for side in (change.old, change.new))


def _part(change: InstanceChange, wanted: frozenset[Kind]) -> InstanceChange | None:
    """Return the wanted part of one change; None if there is none."""
    kind = _instance_kind(change)
    if kind in (Kind.ADDED, Kind.REMOVED):
        return change if kind in wanted else None
    members = tuple(member for member in change.members if _MEMBERS.get(member.name, Kind.ATTRIBUTES) in wanted)
    objects = change.objects if Kind.DEPOSED in wanted else ()
    moved = kind in wanted
    if not (members or objects or moved):
        return None
    old = change.old
    if old is not None and change.new is not None and not moved:
        resource = replace(old.resource, addr=change.new.resource.addr)
        old = replace(old, resource=resource, key=change.new.key)
    return replace(change, old=old, members=members, objects=objects)


def _moves(moves: Sequence[Move], instances: Iterable[InstanceChange]) -> tuple[Move, ...]:
    """Return the remaining moves: whole ones if all their instances remain, else one for each instance."""
    by_place = {move.old: move for move in moves}
    found = [(change, move) for change in instances if (move := move_of(change, by_place)) is not None]
    counts = Counter(move for _, move in found)
    left: dict[Move, None] = {}
    for change, move in found:
        if counts[move] == move.count:
            left[move] = None
        elif change.old is not None and change.new is not None:
            left[Move(change.old.addr, change.new.addr, 1)] = None
    return tuple(sorted(left, key=lambda move: str(move.old)))


def typed_changes(changes: SnapshotDiff, schemas: ProviderSchemas) -> SnapshotDiff:
    """Return the differences with values hidden that the schemas make sensitive. Raises SchemaError."""
    from statefmt.lifecycle.schema_marks import typed_instance

    def side(instance: InstanceState | None) -> InstanceState | None:
        return None if instance is None else typed_instance(instance, schemas)

    def typed(change: InstanceChange) -> InstanceChange:
        return replace(change, old=side(change.old), new=side(change.new))

    return replace(changes, instances=tuple(map(typed, changes.instances)))
