"""What a comparison of two snapshots says: plain values that commands print and programs read."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from statefmt.model.addrs import (
    AbsProviderInstance,
    AbsResource,
    AbsResourceInstance,
    ModuleInstance,
)
from statefmt.model.check_results import CheckResult
from statefmt.model.instances import InstanceState
from statefmt.model.outputs import OutputValue
from statefmt.model.resources import ResourceInstanceObject, ResourceState

Movable: TypeAlias = ModuleInstance | AbsResource | AbsResourceInstance


class MemberChange(Struct, frozen=True):
    """One member of an object that differs, as JSON text on either side; None where it is absent.

    `deposed` is the object's deposed key, "" for the current object. `name` is the member's name in format version 4;
    `provider` is the address of the provider instance, wherever the file says it.
    """

    deposed: str
    name: str
    old: bytes | None
    new: bytes | None


class ObjectChange(Struct, frozen=True):
    """An object that only one side has: an instance lost or gained its current object, or a deposed one."""

    deposed: str
    old: ResourceInstanceObject | None
    new: ResourceInstanceObject | None


class InstanceChange(Struct, frozen=True, kw_only=True):
    """A resource instance as it was and as it is; one of the two is None where it was added or removed.

    `members` and `objects` tell what differs between the two, apart from the address.
    """

    old: InstanceState | None
    new: InstanceState | None
    members: tuple[MemberChange, ...] = ()
    objects: tuple[ObjectChange, ...] = ()

    @property
    def addr(self) -> AbsResourceInstance:
        """Where the instance is, or where it was if it is gone."""
        return self._side.addr

    @property
    def is_moved(self) -> bool:
        """Whether the instance is on both sides, under two addresses."""
        return self.old is not None and self.new is not None and self.old.addr != self.new.addr

    @property
    def is_rekeyed(self) -> bool:
        """Whether it moved within its resource."""
        if self.old is None or self.new is None or not self.is_moved:
            return False
        return self.old.addr.containing_resource() == self.new.addr.containing_resource()

    @property
    def rebound(self) -> tuple[AbsProviderInstance | None, AbsProviderInstance | None] | None:
        """The provider instances before and after of the first object that changed its own; None for none."""
        if self.old is None or self.new is None:
            return None
        for change in self.members:
            if change.name == "provider":
                before, now = self.old.object_of(change.deposed), self.new.object_of(change.deposed)
                return self.old.provider(before), self.new.provider(now)
        return None

    @property
    def is_changed(self) -> bool:
        """Whether both sides have it and something differs besides its address and its provider."""
        if self.old is None or self.new is None:
            return False
        return bool(self.objects) or any(change.name != "provider" for change in self.members)

    @property
    def _side(self) -> InstanceState:
        side = self.new or self.old
        if side is None:
            raise ValueError("a change without sides")
        return side


class Move(Struct, frozen=True):
    """What moved, told as a whole: a module, a resource, or an instance; `count` is the number of its instances."""

    old: Movable
    new: Movable
    count: int


class ResourceChange(Struct, frozen=True):
    """What differs in a resource besides its instances: it has none on a side, or members nobody knows."""

    old: ResourceState | None
    new: ResourceState | None


class OutputChange(Struct, frozen=True):
    """An output value that differs, or that only one side has."""

    old: OutputValue | None
    new: OutputValue | None

    @property
    def name(self) -> str:
        side = self.new or self.old
        return side.name if side else ""


class CheckResultsChange(Struct, frozen=True):
    """All check results of both sides, where they differ."""

    old: tuple[CheckResult, ...]
    new: tuple[CheckResult, ...]

    @property
    def differing(self) -> tuple[tuple[str, CheckResult | None, CheckResult | None], ...]:
        """Those that differ: the address of the construct that is checked, and its result on each side."""
        old = {result.config_addr: result for result in self.old}
        new = {result.config_addr: result for result in self.new}
        found = ((address, old.get(address), new.get(address)) for address in sorted({**old, **new}))
        return tuple(one for one in found if one[1] != one[2])


class EnvelopeChange(Struct, frozen=True):
    """A member of the document that differs, as JSON text; None where it is absent."""

    name: str
    old: bytes | None
    new: bytes | None

    @property
    def is_known(self) -> bool:
        """Whether statetool knows the member; what is in one that it does not know may be sensitive."""
        return self.name in ("version", "terraform_version", "serial", "lineage")


class SnapshotDiff(Struct, frozen=True, kw_only=True):
    """Everything in which two snapshots differ. Applied to the old one, it gives the new one.

    `instances` has each instance once, those that are on both sides by their new address, in the order of
    `tofu state list`. `moves` says in the fewest words which of them moved. `followed` are instances that differ in
    nothing but dependencies that went along with what moved or was removed.
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
        """The instances that only the new side has."""
        return tuple(change for change in self.instances if change.old is None)

    @property
    def removed(self) -> tuple[InstanceChange, ...]:
        """The instances that only the old side has."""
        return tuple(change for change in self.instances if change.new is None)

    @property
    def moved(self) -> tuple[InstanceChange, ...]:
        """The instances that have another address, or another key within their resource."""
        return tuple(change for change in self.instances if change.is_moved)

    @property
    def rebound(self) -> tuple[InstanceChange, ...]:
        """The instances bound to another provider configuration or provider instance."""
        return tuple(change for change in self.instances if change.rebound)

    @property
    def changed(self) -> tuple[InstanceChange, ...]:
        """The instances in which more than the address and the provider differs."""
        return tuple(change for change in self.instances if change.is_changed)
