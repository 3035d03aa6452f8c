"""Recognizes changes of dependencies that only follow moves and removals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from msgspec.structs import replace

from statefmt.analysis.diff._model import InstanceChange
from statefmt.model.addrs import AbsResourceInstance, ConfigResource
from statefmt.model.resources import ResourceInstanceObject
from statefmt.model.snapshot import Snapshot


class Moves:
    """The moves between two snapshots, to recognize the dependency changes that follow from them."""

    def __init__(
        self, old: Snapshot, new: Snapshot, moved: Sequence[tuple[AbsResourceInstance, AbsResourceInstance]]
    ) -> None:
        self._old, self._new, self._moved = old, new, moved

    @cached_property
    def _forth(self) -> _Mapping:
        before, after = self._filled
        return _Mapping(self._moved, before - after, self._new)

    @cached_property
    def _back(self) -> _Mapping:
        before, after = self._filled
        return _Mapping([(other, one) for one, other in self._moved], after - before, self._old)

    @cached_property
    def _filled(self) -> tuple[set[ConfigResource], set[ConfigResource]]:
        """The resources with objects of both sides. Large states have many: collected only if a dependency differs."""
        before, after = (
            {resource.addr.config() for resource in side.resources if resource.objects}
            for side in (self._old, self._new)
        )
        return before, after

    def without_followed(self, change: InstanceChange) -> InstanceChange:
        """Return the change without dependencies that only follow moves and removals."""
        if change.old is None or change.new is None:
            return change
        kept = tuple(
            member
            for member in change.members
            if member.name not in ("dependencies", "depends_on")
            or not self._follows(
                change.old.object_of(member.deposed), change.new.object_of(member.deposed), member.name
            )
        )
        return replace(change, members=kept)

    def _follows(self, one: ResourceInstanceObject, other: ResourceInstanceObject, name: str) -> bool:
        if name == "depends_on":
            before, now = set(one.depends_on), set(other.depends_on)
            return self._forth.instances(before) == now or self._back.instances(now) == before
        return self._forth.fits(one.dependencies, other.dependencies) or self._back.fits(
            other.dependencies, one.dependencies
        )


class _Mapping:
    """Where resources and instances moved, in one direction: to the snapshot `target`, which lacks those in `gone`."""

    def __init__(
        self,
        moved: Sequence[tuple[AbsResourceInstance, AbsResourceInstance]],
        gone: set[ConfigResource],
        target: Snapshot,
    ) -> None:
        self._instances = dict(moved)
        self._resources: dict[ConfigResource, set[ConfigResource]] = {}
        for one, other in moved:
            self._resources.setdefault(one.config(), set()).add(other.config())
        for config in self._staying(target):
            self._resources[config].add(config)
        # Removed resources: dependencies on them may stay or go.
        self._lost = gone - self._resources.keys()
        for targets in self._resources.values():
            targets.difference_update(self._lost)

    def _staying(self, target: Snapshot) -> set[ConfigResource]:
        """Return the resources that moved only in part; instances that took their place do not count."""
        came = set(self._instances.values())
        return {
            resource.addr.config()
            for resource in target.resources
            if resource.addr.config() in self._resources
            and any(resource.addr.instance(obj.key) not in came for obj in resource.objects)
        }

    def instances(self, addrs: Iterable[AbsResourceInstance]) -> set[AbsResourceInstance]:
        return {self._instances.get(addr, addr) for addr in addrs}

    def fits(self, old: Iterable[ConfigResource], new: Iterable[ConfigResource]) -> bool:
        """Return whether `new` is `old` after the moves; removed resources may be in it or not."""
        left = set(new) - self._lost
        wanted: set[ConfigResource] = set()
        for config in old:
            targets = self._resources.get(config)
            if targets is None:
                wanted.add(config)
            elif targets <= left:
                wanted |= targets
            else:
                return False
        return wanted - self._lost == left
