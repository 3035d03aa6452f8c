"""Which provider instance each resource instance of a configuration is bound to, as far as that can be known.

Source: OpenTofu `internal/tofu/node_resource_abstract_instance.go`, resolveProvider; `internal/tofu/eval_provider.go`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import msgspec

from statefmt.addrs import (
    NO_KEY,
    AbsProviderInstance,
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    ConfigResource,
    InstanceKey,
    LocalProviderConfig,
    Module,
    ModuleInstance,
    StringKey,
)
from statefmt.config.expansion import Expansion, Instance, expand, expand_provider
from statefmt.config.expressions import Expression
from statefmt.config.model import Configuration, Repetition, ResourceBlock
from statefmt.config.position import Range
from statefmt.config.problem import Problem
from statefmt.config.provider_key import evaluated_key
from statefmt.config.provider_names import local_name_problem
from statefmt.config.provider_reference import ProviderReference, read_provider_reference
from statefmt.config.provider_tree import PassedKey, ProviderTree, ResolvedProvider, not_present, provider_tree
from statefmt.config.scope import Scope, root_scope
from statefmt.config.values import Unknown


class Absent(msgspec.Struct, frozen=True):
    """A module or resource instance that the configuration has no more: its key is not in `count` or `for_each`."""


ABSENT: Final = Absent()


class BlockBinding(msgspec.Struct, frozen=True):
    """What a resource block says about its provider: the configuration, and where the key is from, if there is one.

    `range` is the reference, the block's header where it has none. `key` is evaluated in each instance of the
    resource; `resolved.key` in each instance of a module on the way to it.
    """

    block: ResourceBlock
    resolved: ResolvedProvider
    range: Range
    key: Expression | None = None

    @property
    def config(self) -> ConfigProviderConfig:
        return self.resolved.config

    @property
    def has_key(self) -> bool:
        return self.key is not None or self.resolved.key is not None


class ProviderReferences:
    """A configuration with its provider references followed. Everything is worked out once, when it is asked for.

    `without` are keys that are taken out of every `for_each`, as if the collections had lost these elements.
    """

    def __init__(self, configuration: Configuration, without: Collection[str] = ()) -> None:
        self.configuration: Final = configuration
        self._without: Final = frozenset(map(StringKey, without))
        self.tree: Final[ProviderTree] = provider_tree(configuration)
        self._blocks: dict[ConfigResource, ResourceBlock] | None = None
        self._bindings: dict[ConfigResource, BlockBinding | Problem] = {}
        self._scopes: dict[ModuleInstance, Scope | Unknown | Absent] = {}
        self._instances: dict[AbsResource, dict[InstanceKey, Instance] | Unknown] = {}
        self._keys: dict[ConfigProviderConfig, Expansion | Unknown] = {}

    @property
    def blocks(self) -> dict[ConfigResource, ResourceBlock]:
        """Every `resource`, `data` and `ephemeral` block by its address, parents before children."""
        if self._blocks is None:
            self._blocks = {
                ConfigResource(path, block.address): block
                for path, module in self.configuration.modules.items()
                for block in module.declarations.resources
            }
        return self._blocks

    def block_binding(self, resource: ConfigResource) -> BlockBinding | Problem:
        """The provider configuration of a resource block. Raises KeyError where there is no such block.

        A Problem where the reference is none, or leads nowhere ("Provider configuration not present").
        """
        found = self._bindings.get(resource)
        if found is None:
            found = self._bindings[resource] = self._bound(resource, self.blocks[resource])
        return found

    def _bound(self, resource: ConfigResource, block: ResourceBlock) -> BlockBinding | Problem:
        reference: ProviderReference | Problem
        if block.provider is None:
            implied = LocalProviderConfig(resource.resource.implied_provider())
            wrong = local_name_problem(implied.local_name, block.range)
            reference = wrong or ProviderReference(implied, block.range)
        else:
            reference = read_provider_reference(block.provider.expression)
        if isinstance(reference, Problem):
            return reference
        resolved = self.tree.resolve(resource.module, reference.local)
        if resolved is None:
            return not_present(resource, resource.module, reference)
        return BlockBinding(block, resolved, reference.range, reference.key)

    def declared_keys(self, config: ConfigProviderConfig) -> tuple[InstanceKey, ...] | Unknown:
        """The keys of the instances of a provider configuration that is there; NO_KEY alone without `for_each`."""
        block = self.tree.declared.get(config)
        if block is None:
            return (NO_KEY,)
        found = self._keys.get(config)
        if found is None:
            scope = self._static_scope(config)
            found = self._keys[config] = self._left(expand_provider(block, scope))
        return found if isinstance(found, Unknown) else found.keys

    def _expansion(self, repetition: Repetition, scope: Scope) -> Expansion | Unknown:
        return self._left(expand(repetition, scope))

    def _left(self, expansion: Expansion | Unknown) -> Expansion | Unknown:
        """What is left of the instances without the keys that are taken out."""
        if not self._without or isinstance(expansion, Unknown):
            return expansion
        return Expansion(tuple(each for each in expansion.instances if each.key not in self._without))

    def _static_scope(self, config: ConfigProviderConfig) -> Scope:
        scope = root_scope(self.configuration)
        for name in config.module.names:
            scope = scope.child(name)
        return scope

    def scope(self, module: ModuleInstance) -> Scope | Unknown | Absent:
        """The names inside of one module instance; Absent where the configuration has no such instance."""
        found = self._scopes.get(module)
        if found is None:
            found = self._scopes[module] = self._entered(module)
        return found

    def _entered(self, module: ModuleInstance) -> Scope | Unknown | Absent:
        if module.is_root:
            return root_scope(self.configuration)
        parent = self.scope(module.parent())
        if isinstance(parent, Unknown | Absent):
            return parent
        step = module.steps[-1]
        declared = self.configuration.modules.get(module.module())
        if declared is None or declared.call is None:
            return ABSENT
        expansion = self._expansion(declared.call.repetition, parent)
        if isinstance(expansion, Unknown):
            return expansion
        for instance in expansion.instances:
            if instance.key == step.key:
                return parent.child(step.name, instance.each)
        return ABSENT

    def instances(self, resource: AbsResource) -> dict[InstanceKey, Instance] | Unknown:
        """The instances of a resource in one module instance, by key; none where that is absent."""
        found = self._instances.get(resource)
        if found is None:
            found = self._instances[resource] = self._expanded(resource)
        return found

    def _expanded(self, resource: AbsResource) -> dict[InstanceKey, Instance] | Unknown:
        scope = self.scope(resource.module)
        if isinstance(scope, Absent):
            return {}
        if isinstance(scope, Unknown):
            return scope
        expansion = self._expansion(self.blocks[resource.config()].repetition, scope)
        return expansion if isinstance(expansion, Unknown) else {each.key: each for each in expansion.instances}

    def module_instances(self, module: Module) -> list[ModuleInstance] | Unknown:
        """All instances of a module."""
        if module.is_root:
            return [ModuleInstance()]
        callers = self.module_instances(module.parent())
        call = self.configuration.modules[module].call
        if isinstance(callers, Unknown) or call is None:
            return [] if call is None else callers
        found: list[ModuleInstance] = []
        for caller in callers:
            scope = self.scope(caller)
            assert not isinstance(scope, Unknown | Absent), "it is an instance"
            expansion = self._expansion(call.repetition, scope)
            if isinstance(expansion, Unknown):
                return expansion
            found += (caller.child(module.names[-1], key) for key in expansion.keys)
        return found

    def resource_instances(self, resource: ConfigResource) -> list[AbsResourceInstance] | Unknown:
        """All instances of a resource block."""
        modules = self.module_instances(resource.module)
        if isinstance(modules, Unknown):
            return modules
        found: list[AbsResourceInstance] = []
        for module in modules:
            address = AbsResource(module, resource.resource)
            instances = self.instances(address)
            if isinstance(instances, Unknown):
                return instances
            found += map(address.instance, instances)
        return found

    def instance_binding(self, address: AbsResourceInstance) -> AbsProviderInstance | Unknown | Absent | Problem:
        """The provider instance of one resource instance. Raises KeyError where no block declares the resource."""
        binding = self.block_binding(address.config())
        if isinstance(binding, Problem):
            return binding
        instances = self.instances(address.containing_resource())
        if isinstance(instances, Unknown):
            # Where no key is chosen, all instances have the same, however many there are.
            return instances if binding.has_key else binding.config.instance()
        instance = instances.get(address.key)
        if instance is None:
            return ABSENT
        key = self._key(binding, address, instance)
        return key if isinstance(key, Unknown) else _instance(binding.config, key)

    def _key(self, binding: BlockBinding, address: AbsResourceInstance, instance: Instance) -> InstanceKey | Unknown:
        if binding.key is not None:
            scope = self.scope(address.module)
            assert not isinstance(scope, Unknown | Absent), "an instance was found in it"
            return evaluated_key(binding.key, scope.within(instance.each))
        passed = binding.resolved.key
        return NO_KEY if passed is None else self._passed_key(passed, address.module)

    def _passed_key(self, passed: PassedKey, inside: ModuleInstance) -> InstanceKey | Unknown:
        """The key that a call on the way to a module instance passes."""
        called = ModuleInstance(inside.steps[: len(passed.module.names)])
        caller = self.scope(called.parent())
        assert not isinstance(caller, Unknown | Absent), "a module instance was found in it"
        call = self.configuration.modules[passed.module].call
        assert call is not None
        expansion = self._expansion(call.repetition, caller)
        if isinstance(expansion, Unknown):
            return expansion
        each = next(item.each for item in expansion.instances if item.key == called.steps[-1].key)
        return evaluated_key(passed.expression, caller.within(each))


def _instance(config: ConfigProviderConfig, key: InstanceKey) -> AbsProviderInstance | Unknown:
    if not config.alias and key is not NO_KEY:
        return Unknown("a provider configuration without alias has no instance keys")
    return config.instance(key)
