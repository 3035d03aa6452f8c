"""Puts everything in a state below a module."""

from __future__ import annotations

from msgspec.structs import replace

from statefmt.model.addrs import (
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    ConfigResource,
    Module,
    ModuleInstance,
)
from statefmt.model.snapshot import ResourceInstanceObject, ResourceState, Snapshot


def prefixed(snapshot: Snapshot, prefix: ModuleInstance) -> Snapshot:
    """Return the snapshot with all resources below a module, and their dependencies on each other.

    Provider configurations of the root module stay in the root module, as modules get theirs from it.
    """
    own = {one.addr.config() for one in snapshot.resources}

    def depending(obj: ResourceInstanceObject) -> ResourceInstanceObject:
        if not (obj.dependencies or obj.depends_on):
            return obj
        # What another state has keeps its address.
        needs = tuple(_config(one, prefix) if one in own else one for one in obj.dependencies)
        older = tuple(_instance(one, prefix) if one.config() in own else one for one in obj.depends_on)
        return replace(obj, dependencies=needs, depends_on=older)

    def inside(one: ResourceState) -> ResourceState:
        addr = AbsResource(_below(prefix, one.addr.module), one.addr.resource)
        config = one.provider_config and _provider(one.provider_config, prefix)
        return replace(one, addr=addr, provider_config=config, objects=tuple(map(depending, one.objects)))

    return replace(snapshot, resources=tuple(map(inside, snapshot.resources)))


def _below(prefix: ModuleInstance, module: ModuleInstance) -> ModuleInstance:
    return ModuleInstance((*prefix.steps, *module.steps))


def _config(addr: ConfigResource, prefix: ModuleInstance) -> ConfigResource:
    return ConfigResource(Module((*prefix.module().names, *addr.module.names)), addr.resource)


def _instance(addr: AbsResourceInstance, prefix: ModuleInstance) -> AbsResourceInstance:
    return AbsResourceInstance(_below(prefix, addr.module), addr.resource)


def _provider(config: ConfigProviderConfig, prefix: ModuleInstance) -> ConfigProviderConfig:
    if config.module.is_root:
        return config
    return replace(config, module=Module((*prefix.module().names, *config.module.names)))
