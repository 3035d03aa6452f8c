"""A state while operations run on it, each on the part of the state that it concerns.

An operation on a part has the same result as on the whole if the part has all resources that the operation changes or
decides by. So the time of an operation grows with its part, not with the state.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations_file._origins import InstanceOrigins
from statefmt.edit.operations_file._tables import Tables
from statefmt.model.addrs import AbsResource, AbsResourceInstance, ModuleInstance, Resource, ResourceMode
from statefmt.model.snapshot import ResourceState, Snapshot

# Stands at the end of each part: what an operation puts after it goes to the end of the state. No file has its name.
_END: Final = ResourceState(
    addr=AbsResource(ModuleInstance(), Resource(ResourceMode.MANAGED, "", "\udfff")), provider_config=None
)


class WorkingState:
    """A state, the parts that operations run on, and their edits as one. `origins` follow its instances."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.origins = InstanceOrigins()
        self._notes: list[str] = []
        self._joins: list[str] = []
        self._fill(snapshot)

    def _fill(self, snapshot: Snapshot) -> None:
        self._rest = replace(snapshot, resources=())
        self._resources = {resource.addr: resource for resource in snapshot.resources}
        self._places = {addr: place for place, addr in enumerate(self._resources)}
        self._next_place = len(self._places)
        self.tables = Tables(self._resources)

    @property
    def snapshot(self) -> Snapshot:
        """The whole state, as it is now."""
        return replace(self._rest, resources=tuple(self._resources.values()))

    @property
    def edit(self) -> Edit:
        """All operations as one edit."""
        return Edit(self.snapshot, self.origins.moved, tuple(self._notes), tuple(self._joins))

    def part(self, addrs: Iterable[AbsResource]) -> Snapshot:
        """Return a state of some resources, in their order; addresses without a resource do not count."""
        there = sorted({addr for addr in addrs if addr in self._resources}, key=self._places.__getitem__)
        return replace(self._rest, resources=(*(self._resources[addr] for addr in there), _END))

    def put(self, before: Snapshot, edit: Edit) -> None:
        """Take the result of an operation on `before`: a part, or the whole state."""
        was = {resource.addr: resource for resource in before.resources}
        now = {resource.addr: resource for resource in edit.snapshot.resources}
        changed = (old for addr, old in was.items() if old is not now.get(addr))
        gone = [addr for old in changed for addr in _gone(old, now.get(old.addr)) if addr not in edit.moved]
        self.origins.leave(gone)
        self.origins.move(edit.moved)
        self._notes += edit.notes
        self._joins += edit.joins
        if _END.addr in was:
            self._rest = replace(edit.snapshot, resources=())
            self._merge(was, now)
        else:
            self._fill(edit.snapshot)

    def _merge(self, was: dict[AbsResource, ResourceState], now: dict[AbsResource, ResourceState]) -> None:
        """Replace the resources of a part, in the order that the whole state would have."""
        for addr in was.keys() - now.keys():
            self._remove(addr)
        is_at_end = False
        for addr, resource in now.items():
            if resource is _END:
                is_at_end = True
            elif is_at_end or resource is not was[addr]:
                if is_at_end and addr in was:
                    self._remove(addr)
                self._set(resource, was.get(addr))

    def _remove(self, addr: AbsResource) -> None:
        del self._resources[addr], self._places[addr]

    def _set(self, resource: ResourceState, old: ResourceState | None) -> None:
        if resource.addr not in self._places:
            self._places[resource.addr] = self._next_place
            self._next_place += 1
        self._resources[resource.addr] = resource
        known = {id(obj) for obj in old.objects} if old else set()
        self.tables.add(resource, (obj for obj in resource.objects if id(obj) not in known))


def _gone(old: ResourceState, new: ResourceState | None) -> list[AbsResourceInstance]:
    left = {obj.key for obj in new.objects} if new else set()
    return [old.addr.instance(obj.key) for obj in old.objects if obj.key not in left]
