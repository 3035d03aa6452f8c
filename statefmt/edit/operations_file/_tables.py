"""Tables that find the resources of a state which an operation concerns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from statefmt.analysis.selection.addresses import ResourceTable
from statefmt.model.addrs import NO_KEY, AbsResource, ConfigProviderConfig, ConfigResource, InstanceKey
from statefmt.model.addrs.provider import Provider
from statefmt.model.snapshot import ResourceInstanceObject, ResourceState

_Addresses: TypeAlias = dict[AbsResource, None]


class _Binding(NamedTuple):
    config: ConfigProviderConfig
    key: InstanceKey


class _Dependants(NamedTuple):
    """Resources by what they depend on."""

    on_resources: dict[ConfigResource, _Addresses]
    on_instances: dict[ConfigResource, _Addresses]

    def add(self, addr: AbsResource, objects: Iterable[ResourceInstanceObject]) -> None:
        for obj in objects:
            for one in obj.dependencies:
                self.on_resources.setdefault(one, {})[addr] = None
            for other in obj.depends_on:
                self.on_instances.setdefault(other.config(), {})[addr] = None


class Tables:
    """Tables of the resources of a state, made when they are first needed, and extended when resources change.

    `resources` are those of the state, as they are at any time.
    """

    def __init__(self, resources: Mapping[AbsResource, ResourceState]) -> None:
        self._resources = resources
        self._selectable: ResourceTable | None = None
        self._of_config: dict[ConfigResource, _Addresses] | None = None
        self._dependants: _Dependants | None = None
        self._bound: dict[Provider, dict[_Binding, _Addresses]] | None = None

    def add(self, resource: ResourceState, new: Iterable[ResourceInstanceObject]) -> None:
        """Extend the tables by a resource with `new` objects. What it was before stays in them."""
        if self._selectable is not None:
            self._selectable.add(resource)
        if self._of_config is not None:
            self._of_config.setdefault(resource.addr.config(), {})[resource.addr] = None
        if self._dependants is not None:
            self._dependants.add(resource.addr, new)
        if self._bound is not None:
            _add_bound(self._bound, resource)

    @property
    def selectable(self) -> ResourceTable:
        """The resources by address."""
        if self._selectable is None:
            self._selectable = ResourceTable(self._resources.values())
        return self._selectable

    def existing(self, addrs: Iterable[AbsResource]) -> AbsResource | None:
        """Return the first of some resources that exists."""
        return next((addr for addr in addrs if addr in self._resources), None)

    def another(self, config: ConfigResource, but: Collection[AbsResource]) -> AbsResource | None:
        """Return a resource with instances that has this address in the configuration; None if there are no others."""
        if self._of_config is None:
            self._of_config = {}
            for addr in self._resources:
                self._of_config.setdefault(addr.config(), {})[addr] = None
        found = (addr for addr in self._of_config.get(config, ()) if addr not in but)
        return next((addr for addr in found if addr in self._resources and self._resources[addr].objects), None)

    def dependants(self, config: ConfigResource) -> Iterator[AbsResource]:
        """Yield the resources that depend on a resource or on one of its instances, and perhaps others."""
        yield from self._all_dependants().on_resources.get(config, ())
        yield from self.older_dependants(config)

    def older_dependants(self, config: ConfigResource) -> Iterator[AbsResource]:
        """Yield the resources that name an instance in `depends_on`, as older releases wrote it."""
        yield from self._all_dependants().on_instances.get(config, ())

    def _all_dependants(self) -> _Dependants:
        if self._dependants is None:
            self._dependants = _Dependants({}, {})
            for resource in self._resources.values():
                self._dependants.add(resource.addr, resource.objects)
        return self._dependants

    def instances_of(self, source: Provider) -> Iterator[AbsResource]:
        """Yield a resource of each provider instance of a source."""
        bindings = self._bindings().get(source, {})
        found = (self._one_bound(bindings, binding) for binding in bindings)
        yield from (addr for addr in found if addr is not None)

    def bound_to(self, source: Provider) -> Iterator[AbsResource]:
        """Yield the resources of a source, perhaps several times, and perhaps others."""
        for addrs in self._bindings().get(source, {}).values():
            yield from addrs

    def _bindings(self) -> dict[Provider, dict[_Binding, _Addresses]]:
        if self._bound is None:
            self._bound = {}
            for resource in self._resources.values():
                _add_bound(self._bound, resource)
        return self._bound

    def _one_bound(self, bindings: Mapping[_Binding, _Addresses], binding: _Binding) -> AbsResource | None:
        """Return a resource that is bound to a provider instance, and forget those that no longer are."""
        addrs = bindings[binding]
        while addrs:
            addr = next(iter(addrs))
            resource = self._resources.get(addr)
            if resource is not None and binding in _bindings_of(resource):
                return addr
            del addrs[addr]
        return None


def _add_bound(found: dict[Provider, dict[_Binding, _Addresses]], resource: ResourceState) -> None:
    for binding in _bindings_of(resource):
        found.setdefault(binding.config.provider, {}).setdefault(binding, {})[resource.addr] = None


def _bindings_of(resource: ResourceState) -> set[_Binding]:
    config = resource.provider_config
    if config is None:
        return set()
    return {_Binding(config, key) for key in {obj.provider_key for obj in resource.objects} or {NO_KEY}}
