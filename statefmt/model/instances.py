"""Groups the objects of a state, which the file lists flat, by resource instance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from operator import lt

from msgspec import Struct

from statefmt.model.addrs import (
    AbsProviderInstance,
    AbsResourceInstance,
    InstanceKey,
    ModuleInstance,
    key_order,
    module_instance_order,
    resource_order,
)
from statefmt.model.resources import ResourceInstanceObject, ResourceState
from statefmt.model.snapshot import Snapshot


class InstanceState(Struct, frozen=True, dict=True):
    """One instance of a resource, with its current and deposed objects in file order."""

    resource: ResourceState
    key: InstanceKey
    objects: tuple[ResourceInstanceObject, ...]

    @property
    def addr(self) -> AbsResourceInstance:
        """The absolute address of the instance."""
        return self.resource.addr.instance(self.key)

    @property
    def current(self) -> ResourceInstanceObject | None:
        """The current object; None if only deposed ones are left."""
        return next((obj for obj in self.objects if obj.is_current), None)

    @property
    def deposed(self) -> tuple[ResourceInstanceObject, ...]:
        """The deposed objects in file order."""
        return tuple(obj for obj in self.objects if not obj.is_current)

    @property
    def current_first(self) -> tuple[ResourceInstanceObject, ...]:
        """All objects: the current one, then the deposed ones in file order."""
        current = self.current
        return self.deposed if current is None else (current, *self.deposed)

    def provider(self, obj: ResourceInstanceObject) -> AbsProviderInstance | None:
        """Return the provider instance that an object is bound to; None if the state names no provider."""
        config = self.resource.provider_config
        return None if config is None else config.instance(obj.provider_key)

    def object_of(self, deposed: str) -> ResourceInstanceObject:
        """Return the object with a deposed key, "" for the current one. Raises KeyError if it does not exist."""
        first = self.objects[0]
        return first if first.deposed == deposed else self._by_deposed[deposed]

    @cached_property
    def _by_deposed(self) -> dict[str, ResourceInstanceObject]:
        # The first of several objects with the same deposed key wins.
        return {obj.deposed: obj for obj in reversed(self.objects)}


def instances(snapshot: Snapshot) -> list[InstanceState]:
    """Return all resource instances in the order of `tofu state list`."""
    return list(each_instance(snapshot))


def each_instance(snapshot: Snapshot) -> Iterator[InstanceState]:
    """Yield what instances() returns, one at a time, with much less memory."""
    for resource in in_list_order(snapshot.resources):
        objects = resource.objects
        if len(objects) == 1:
            yield InstanceState(resource, objects[0].key, objects)
            continue
        orders = [key_order(obj.key) for obj in objects]
        if all(map(lt, orders, orders[1:])):
            # The usual case: sorted, without deposed objects.
            for obj in objects:
                yield InstanceState(resource, obj.key, (obj,))
            continue
        of_keys: dict[InstanceKey, list[ResourceInstanceObject]] = {}
        for obj in objects:
            of_keys.setdefault(obj.key, []).append(obj)
        for key in sorted(of_keys, key=key_order):
            yield InstanceState(resource, key, tuple(of_keys[key]))


def in_list_order(resources: Iterable[ResourceState]) -> Iterator[ResourceState]:
    """Yield resources in the order of `tofu state list`.

    Sorting the modules, then the resources of each, then their keys is cheaper than sorting all instances of a state.
    """
    of_modules: dict[ModuleInstance, list[ResourceState]] = defaultdict(list)
    for resource in resources:
        of_modules[resource.addr.module].append(resource)
    for module in sorted(of_modules, key=module_instance_order):
        yield from sorted(of_modules[module], key=lambda resource: resource_order(resource.addr.resource))
