"""Resource instances, each with all its objects: how people look at a state, where the file has a flat list."""

from __future__ import annotations

from functools import cached_property
from operator import lt

from msgspec import Struct

from statefmt.model.addrs import (
    AbsProviderInstance,
    AbsResourceInstance,
    InstanceKey,
    key_order,
    list_order,
)
from statefmt.model.resources import ResourceInstanceObject, ResourceState
from statefmt.model.snapshot import Snapshot


class InstanceState(Struct, frozen=True, dict=True):
    """One instance of a resource. `objects` stand in the order of the file: the current one, and the deposed ones."""

    resource: ResourceState
    key: InstanceKey
    objects: tuple[ResourceInstanceObject, ...]

    @property
    def addr(self) -> AbsResourceInstance:
        """The address of the instance."""
        return self.resource.addr.instance(self.key)

    @property
    def current(self) -> ResourceInstanceObject | None:
        """The current object; None where only deposed ones are left."""
        return next((obj for obj in self.objects if obj.is_current), None)

    @property
    def deposed(self) -> tuple[ResourceInstanceObject, ...]:
        """The deposed objects, in the order of the file."""
        return tuple(obj for obj in self.objects if not obj.is_current)

    @property
    def current_first(self) -> tuple[ResourceInstanceObject, ...]:
        """All objects: the current one, then the deposed ones in the order of the file."""
        current = self.current
        return self.deposed if current is None else (current, *self.deposed)

    def provider(self, obj: ResourceInstanceObject) -> AbsProviderInstance | None:
        """The provider instance that an object is bound to; None where the state names no provider."""
        config = self.resource.provider_config
        return None if config is None else config.instance(obj.provider_key)

    def object_of(self, deposed: str) -> ResourceInstanceObject:
        """The object of a deposed key, "" for the current one. Raises KeyError where there is none."""
        first = self.objects[0]
        return first if first.deposed == deposed else self._by_deposed[deposed]

    @cached_property
    def _by_deposed(self) -> dict[str, ResourceInstanceObject]:
        # Of objects with the same deposed key the first one counts.
        return {obj.deposed: obj for obj in reversed(self.objects)}


def instances(snapshot: Snapshot) -> list[InstanceState]:
    """All resource instances, in the order of `tofu state list`."""
    found: list[InstanceState] = []
    # Resources first, then the keys of each: a resource has far fewer keys than a state has instances.
    for resource in sorted(snapshot.resources, key=lambda resource: list_order(resource.addr)):
        orders = [key_order(obj.key) for obj in resource.objects]
        if all(map(lt, orders, orders[1:])):
            # As files are written, where nothing is deposed.
            found += [InstanceState(resource, obj.key, (obj,)) for obj in resource.objects]
            continue
        objects: dict[InstanceKey, list[ResourceInstanceObject]] = {}
        for obj in resource.objects:
            objects.setdefault(obj.key, []).append(obj)
        found += [InstanceState(resource, key, tuple(objects[key])) for key in sorted(objects, key=key_order)]
    return found
