"""Treats resources and modules alike where they have instances with keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TypeAlias

from statefmt.analysis.selection.patterns import module_call
from statefmt.model.addrs import AbsResource, AbsResourceInstance, InstanceKey, ModuleInstance

# An instance of a resource or a module, and what it is an instance of: a resource, or a module without its last key.
Keyed: TypeAlias = AbsResourceInstance | ModuleInstance
Repeatable: TypeAlias = AbsResource | ModuleInstance
NewKeys: TypeAlias = Mapping[AbsResourceInstance, InstanceKey] | Mapping[Keyed, InstanceKey]


def block_of(one: Keyed) -> Repeatable:
    """Return what this is an instance of."""
    return module_call(one) if isinstance(one, ModuleInstance) else one.containing_resource()


def key_of(one: Keyed) -> InstanceKey:
    """Return the key of an instance; of a module, its last one."""
    return one.steps[-1].key if isinstance(one, ModuleInstance) else one.key


def by_block(found: Iterable[Keyed]) -> dict[Repeatable, dict[InstanceKey, Keyed]]:
    """Group instances by block and key."""
    blocks: dict[Repeatable, dict[InstanceKey, Keyed]] = {}
    for one in found:
        blocks.setdefault(block_of(one), {})[key_of(one)] = one
    return blocks


def renamed(keys: Mapping[ModuleInstance, InstanceKey]) -> Callable[[ModuleInstance], ModuleInstance]:
    """Return the function from a module's address to its new one, given the new keys of modules."""

    @cache
    def at(module: ModuleInstance) -> ModuleInstance:
        if module.is_root:
            return module
        last = module.steps[-1]
        return at(module.parent()).child(last.name, keys.get(module, last.key))

    return at
