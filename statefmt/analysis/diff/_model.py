"""The result of comparing two snapshots, as plain values for commands to print and programs to read."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from statefmt.model.addrs import AbsProviderInstance, AbsResource, AbsResourceInstance, ModuleInstance
from statefmt.model.check_results import CheckResult
from statefmt.model.instances import InstanceState
from statefmt.model.outputs import OutputValue
from statefmt.model.resources import ResourceInstanceObject, ResourceState

# What can move as a whole.
Movable: TypeAlias = ModuleInstance | AbsResource | AbsResourceInstance


class MemberChange(Struct, frozen=True):
    """A member of an object that differs, as JSON on each side; None if absent.

    `deposed` is the object's deposed key, "" for the current object. `name` is the member's name in format version 4;
    `provider` is the address of the provider instance, at whatever level the file has it.
    """

    deposed: str
    name: str
    old: bytes | None
    new: bytes | None


class ObjectChange(Struct, frozen=True):
    """An object, current or deposed, that only one side of an instance has."""

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
        return self._side.addr

    @property
    def is_moved(self) -> bool:
        """Whether both sides have the instance, at different addresses."""
        return self.old is not None and self.new is not None and self.old.addr != self.new.addr

    @property
    def is_rekeyed(self) -> bool:
        """Whether it moved within its resource."""
        if self.old is None or self.new is None or not self.is_moved:
            return False
        return self.old.addr.containing_resource() == self.new.addr.containing_resource()

    @property
    def rebound(self) -> tuple[AbsProviderInstance | None, AbsProviderInstance | None] | None:
        """The old and new provider instance of the first object that was rebound; None if none was."""
        if self.old is None or self.new is None:
            return None
        for change in self.members:
            if change.name == "provider":
                before, now = self.old.object_of(change.deposed), self.new.object_of(change.deposed)
                return self.old.provider(before), self.new.provider(now)
        return None

    @property
    def is_changed(self) -> bool:
        """Whether both sides have it, and it differs in more than its address and provider."""
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
    """A module, resource or instance that moved as a whole; `count` is the number of its instances."""

    old: Movable
    new: Movable
    count: int


class ResourceChange(Struct, frozen=True):
    """A difference in a resource besides its instances: it has none on one side, or unknown members differ."""

    old: ResourceState | None
    new: ResourceState | None


class OutputChange(Struct, frozen=True):
    """An output value that differs, or that only one side has."""

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
        """The results that differ: the address of the checked construct, and its result on each side."""
        old = {result.config_addr: result for result in self.old}
        new = {result.config_addr: result for result in self.new}
        found = ((address, old.get(address), new.get(address)) for address in sorted({**old, **new}))
        return tuple(one for one in found if one[1] != one[2])


class EnvelopeChange(Struct, frozen=True):
    """A top-level member of the state that differs, as JSON; None if absent."""

    name: str
    old: bytes | None
    new: bytes | None

    @property
    def title(self) -> str:
        """The name for people: `format version` for `version`, which could be taken for that of a release."""
        return "format version" if self.name == "version" else self.name

    @property
    def is_known(self) -> bool:
        """Whether statetool knows the member; unknown members may contain sensitive values."""
        return self.name in ("version", "terraform_version", "serial", "lineage")


class SnapshotDiff(Struct, frozen=True, kw_only=True):
    """All differences between two snapshots; false if there are none.

    Applied to the old snapshot, they give the new one. `instances` has each instance once, by its new address if both
    sides have it, in the order of `tofu state list`. `moves` summarizes which of them moved. `followed` are instances
    that differ only in dependencies that follow moves and removals.
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
        """The instances that differ in more than their address and provider."""
        return tuple(change for change in self.instances if change.is_changed)

    def as_dict(self) -> dict[str, object]:
        """Return the differences as values that JSON has: addresses and names, without values that may be secret."""
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
