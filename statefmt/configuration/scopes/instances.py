"""Lists the instances of modules and resources of a configuration, and gives each its scope.

Results are computed on demand and cached.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import msgspec

from statefmt.configuration.model import Configuration, ModuleCall, ProviderBlock, Repetition, ResourceBlock
from statefmt.configuration.scopes.expansion import ExpandedInstance, Expansion, expand, expand_provider
from statefmt.configuration.scopes.scope import EachValue, Scope, root_scope
from statefmt.configuration.scopes.static_references import static_problems
from statefmt.hcl.value import Unknown
from statefmt.model.addrs import (
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    ConfigResource,
    InstanceKey,
    Module,
    ModuleInstance,
    StringKey,
)


class AbsentInstance(msgspec.Struct, frozen=True):
    """A module or resource instance that the configuration lacks: its key is not in `count` or `for_each`."""


ABSENT: Final = AbsentInstance()


class Instances:
    """The instances of every module and resource of a configuration.

    `without` are keys to remove from every `for_each`, as if the collections had lost these elements.
    """

    def __init__(self, configuration: Configuration, without: Collection[str] = ()) -> None:
        self._configuration = configuration
        self._without: Final = frozenset(map(StringKey, without))
        self._blocks: dict[ConfigResource, ResourceBlock] | None = None
        self._scopes: dict[ModuleInstance, Scope | Unknown | AbsentInstance] = {}
        self._found: dict[AbsResource, dict[InstanceKey, ExpandedInstance] | Unknown] = {}

    @property
    def blocks(self) -> dict[ConfigResource, ResourceBlock]:
        """Every `resource`, `data` and `ephemeral` block by its address, parents before children."""
        if self._blocks is None:
            self._blocks = {
                ConfigResource(path, block.address): block
                for path, module in self._configuration.modules.items()
                for block in module.declarations.resources
            }
        return self._blocks

    def of_provider(self, config: ConfigProviderConfig, block: ProviderBlock) -> Expansion | Unknown:
        """Return the instances of a provider block."""
        expansion = expand_provider(block, self.static_scope(config.module))
        if block.for_each is not None and isinstance(expansion, Expansion):
            refused = next(static_problems(self._configuration, config.module, block.for_each.expression), None)
            if refused is not None:
                return Unknown(f"OpenTofu refuses it: {refused.detail}", refused.range)
        return self._left(expansion)

    def static_scope(self, module: Module) -> Scope:
        """Return the scope common to all instances of a module: without the `each` and `count` of its calls."""
        scope = root_scope(self._configuration)
        for name in module.names:
            scope = scope.child(name)
        return scope

    def _expansion(self, repetition: Repetition, scope: Scope) -> Expansion | Unknown:
        return self._left(expand(repetition, scope))

    def _left(self, expansion: Expansion | Unknown) -> Expansion | Unknown:
        """Return the instances that are left after removing the keys of `without`."""
        if not self._without or isinstance(expansion, Unknown):
            return expansion
        return Expansion(tuple(each for each in expansion.instances if each.key not in self._without))

    def scope(self, module: ModuleInstance) -> Scope | Unknown | AbsentInstance:
        """Return the scope of one module instance; Absent if the configuration has no such instance."""
        found = self._scopes.get(module)
        if found is None:
            found = self._scopes[module] = self._entered(module)
        return found

    def _entered(self, module: ModuleInstance) -> Scope | Unknown | AbsentInstance:
        if module.is_root:
            return root_scope(self._configuration)
        calling = self.calling(module)
        if isinstance(calling, Unknown | AbsentInstance):
            return calling
        parent, each = calling
        return parent.child(module.steps[-1].name, each)

    def calling(self, module: ModuleInstance) -> tuple[Scope, EachValue | None] | Unknown | AbsentInstance:
        """Return the scope in which a module instance is called, and the value of `each` or `count` in its call."""
        if module.module() not in self._configuration.modules:
            return ABSENT
        expansion = self.of_call(module)
        if isinstance(expansion, Unknown | AbsentInstance):
            return expansion
        parent = self.scope(module.parent())
        assert not isinstance(parent, Unknown | AbsentInstance), "the call was expanded in it"
        key = module.steps[-1].key
        return next(((parent, instance.each) for instance in expansion.instances if instance.key == key), ABSENT)

    def call(self, module: ModuleInstance) -> ModuleCall | None:
        """Return the block that calls a module; None if there is none."""
        caller = self._configuration.modules.get(module.parent().module())
        return None if caller is None else caller.declarations.calls.get(module.steps[-1].name)

    def of_call(self, module: ModuleInstance) -> Expansion | Unknown | AbsentInstance:
        """Return all instances of a module in its parent, whatever the last key of `module`; Absent without a call."""
        parent = self.scope(module.parent())
        if isinstance(parent, Unknown | AbsentInstance):
            return parent
        call = self.call(module)
        return ABSENT if call is None else self._expansion(call.repetition, parent)

    def of_resource(self, resource: AbsResource) -> dict[InstanceKey, ExpandedInstance] | Unknown:
        """Return the instances of a resource in one module instance, by key; empty if that module is absent."""
        found = self._found.get(resource)
        if found is None:
            found = self._found[resource] = self._expanded(resource)
        return found

    def _expanded(self, resource: AbsResource) -> dict[InstanceKey, ExpandedInstance] | Unknown:
        expansion = self.expansion_of(resource)
        if isinstance(expansion, AbsentInstance):
            return {}
        return expansion if isinstance(expansion, Unknown) else {each.key: each for each in expansion.instances}

    def expansion_of(self, resource: AbsResource) -> Expansion | Unknown | AbsentInstance:
        """Return the instances of a resource block in one module instance; Absent if that module is absent."""
        scope = self.scope(resource.module)
        if isinstance(scope, Unknown | AbsentInstance):
            return scope
        return self._expansion(self.blocks[resource.config()].repetition, scope)

    def of_module(self, module: Module) -> list[ModuleInstance] | Unknown:
        """Return all instances of a module."""
        if module.is_root:
            return [ModuleInstance()]
        callers = self.of_module(module.parent())
        call = self._configuration.modules[module].call
        if isinstance(callers, Unknown) or call is None:
            return [] if call is None else callers
        found: list[ModuleInstance] = []
        for caller in callers:
            scope = self.scope(caller)
            assert not isinstance(scope, Unknown | AbsentInstance), "it is an instance"
            expansion = self._expansion(call.repetition, scope)
            if isinstance(expansion, Unknown):
                return expansion
            found += (caller.child(module.names[-1], key) for key in expansion.keys)
        return found

    def all_of(self, resource: ConfigResource) -> list[AbsResourceInstance] | Unknown:
        """Return all instances of a resource block."""
        modules = self.of_module(resource.module)
        if isinstance(modules, Unknown):
            return modules
        found: list[AbsResourceInstance] = []
        for module in modules:
            address = AbsResource(module, resource.resource)
            instances = self.of_resource(address)
            if isinstance(instances, Unknown):
                return instances
            found += map(address.instance, instances)
        return found
