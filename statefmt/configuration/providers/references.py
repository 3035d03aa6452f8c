"""Determines the provider instance of each resource instance of a configuration, as far as it can be known.

Source: OpenTofu `internal/tofu/node_resource_abstract_instance.go`, resolveProvider; `internal/tofu/eval_provider.go`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

import msgspec

from statefmt.configuration.model import Configuration, ProviderBlock, ProviderUse, ResourceBlock
from statefmt.configuration.provider_names import local_name_problem, provider_named
from statefmt.configuration.provider_reference import ProviderReference, read_provider_reference
from statefmt.configuration.providers._key import evaluated_key
from statefmt.configuration.providers.tree import (
    PassedKey,
    ProviderTree,
    ResolvedProvider,
    not_present,
    provider_tree,
    unknown_function_provider,
)
from statefmt.configuration.scopes.expansion import ExpandedInstance
from statefmt.configuration.scopes.instances import ABSENT, AbsentInstance, Instances
from statefmt.configuration.scopes.scope import EachValue
from statefmt.hcl.expressions.evaluate import evaluate
from statefmt.hcl.source.position import Range
from statefmt.hcl.source.problem import Problem
from statefmt.hcl.syntax.expressions import Expression
from statefmt.hcl.value import Part, Unknown, Value
from statefmt.hcl.values.operators import equal
from statefmt.model.addrs import (
    NO_KEY,
    AbsProviderInstance,
    AbsResourceInstance,
    ConfigProviderConfig,
    ConfigResource,
    InstanceKey,
    LocalProviderConfig,
    Module,
    ModuleInstance,
    StringKey,
)
from statefmt.model.cty import STRING, SetType, Type


class BlockBinding(msgspec.Struct, frozen=True):
    """The provider configuration of a resource block, and the origin of the key, if there is one.

    `range` covers the reference, or the block's header if there is none. `key` is evaluated in each instance of the
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
    """The resolved provider references of a configuration, computed on demand and cached.

    `without` are keys to remove from every `for_each`, as if the collections had lost these elements.
    """

    def __init__(self, configuration: Configuration, without: Collection[str] = ()) -> None:
        self.configuration: Final = configuration
        self.instances: Final = Instances(configuration, without)
        self.tree: Final[ProviderTree] = provider_tree(configuration)
        self._bindings: dict[ConfigResource, BlockBinding | Problem] = {}
        self._keys: dict[ConfigProviderConfig, dict[InstanceKey, None] | Unknown] = {}
        self._types: dict[ConfigProviderConfig, Type] = {}

    @property
    def blocks(self) -> dict[ConfigResource, ResourceBlock]:
        """Every `resource`, `data` and `ephemeral` block by its address, parents before children."""
        return self.instances.blocks

    def block_binding(self, resource: ConfigResource) -> BlockBinding | Problem:
        """Return the provider configuration of a resource block. Raises KeyError if there is no such block.

        Returns a Problem if the reference is invalid or leads nowhere ("Provider configuration not present").
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

    def uses(self) -> Iterator[tuple[Module, ProviderUse]]:
        """Yield each use of a provider that leaves nothing in a state, with its module, parents before children."""
        for path, module in self.configuration.modules.items():
            for use in module.declarations.uses:
                yield path, use

    def use_binding(self, module: Module, use: ProviderUse) -> tuple[ResolvedProvider, Expression | None] | Problem:
        """Return the provider configuration of a use, and its key if there is one; a Problem as block_binding()."""
        reference: ProviderReference | Problem = ProviderReference(use.local, use.range)
        if use.provider is not None:
            reference = read_provider_reference(use.provider.expression)
        if isinstance(reference, Problem):
            return reference
        required = self.configuration.modules[module].declarations.required_providers
        if use.is_function and use.local.local_name not in required:
            return unknown_function_provider(use, module)
        resolved = self.tree.resolve(module, reference.local)
        return not_present(use.user, module, reference) if resolved is None else (resolved, reference.key)

    def declared_keys(self, config: ConfigProviderConfig) -> tuple[InstanceKey, ...] | Unknown:
        """Return the instance keys of an existing provider configuration; NO_KEY alone without `for_each`."""
        block = self.tree.declared.get(config)
        if block is None:
            return (NO_KEY,)
        found = self._keys.get(config)
        if found is None:
            expansion = self.instances.of_provider(config, block)
            found = expansion if isinstance(expansion, Unknown) else dict.fromkeys(expansion.keys)
            self._keys[config] = found
        return found if isinstance(found, Unknown) else tuple(found)

    def declares(self, provider: AbsProviderInstance) -> bool | Unknown:
        """Return whether a provider instance exists."""
        config = provider.config
        if not self.tree.exists(config):
            return False
        if config not in self.tree.declared:
            return provider.key is NO_KEY
        if config not in self._keys:
            self.declared_keys(config)
        keys = self._keys[config]
        return keys if isinstance(keys, Unknown) else provider.key in keys

    def settings(self, provider: AbsProviderInstance) -> Mapping[str, Part]:
        """Return the arguments of a provider instance, evaluated; unknown where they cannot be.

        An instance that `for_each` does not have has the value of its key in a set, and otherwise an unknown one.
        """
        config, key = provider.config, provider.key
        block = self.tree.declared.get(config)
        if block is None:
            reason = Unknown("no provider block declares it")
            return {} if self.tree.exists(config) and key is NO_KEY else {"": reason}
        each = self._each(config, block, key) if isinstance(key, StringKey) else None
        scope = self.instances.static_scope(config.module).within(each)
        unread = Unknown("a dynamic block makes it")
        return {name: unread if one is None else evaluate(one, scope) for name, one in block.settings}

    def same_settings(self, one: AbsProviderInstance, other: AbsProviderInstance) -> bool:
        """Return whether two provider instances surely have equal arguments."""
        mine, others = self.settings(one), self.settings(other)
        return mine.keys() == others.keys() and all(equal(mine[name], others[name]) is True for name in mine)

    def null_keys(self, config: ConfigProviderConfig) -> tuple[InstanceKey, ...]:
        """Return the keys whose value in `for_each` is null."""
        block = self.tree.declared.get(config)
        if block is None or block.for_each is None:
            return ()
        expansion = self.instances.of_provider(config, block)
        if isinstance(expansion, Unknown):
            return ()
        each = [one.each for one in expansion.instances if one.each is not None]
        return tuple(one.key for one in each if isinstance(one.value, Value) and one.value.is_null)

    def _each(self, config: ConfigProviderConfig, block: ProviderBlock, key: StringKey) -> EachValue:
        expansion = self.instances.of_provider(config, block)
        if not isinstance(expansion, Unknown):
            for instance in expansion.instances:
                if instance.key == key and instance.each is not None:
                    return instance.each
        if isinstance(self.for_each_type(config), SetType):
            return EachValue(key, Value(STRING, key.value))
        return EachValue(key, Unknown("the for_each has no such key"))

    def for_each_type(self, config: ConfigProviderConfig) -> Type | None:
        """Return the type of a provider configuration's `for_each`; None if it has none."""
        block = self.tree.declared.get(config)
        if block is None or block.for_each is None:
            return None
        if config not in self._types:
            scope = self.instances.static_scope(config.module)
            self._types[config] = evaluate(block.for_each.expression, scope).type
        return self._types[config]

    def named_config(self, resource: ConfigResource) -> ConfigProviderConfig | None:
        """Return the provider configuration that a block refers to, even if it does not exist; None if invalid."""
        block = self.blocks[resource]
        reference = None if block.provider is None else read_provider_reference(block.provider.expression)
        if isinstance(reference, Problem):
            return None
        local = reference.local if reference else LocalProviderConfig(resource.resource.implied_provider())
        provider = provider_named(self.configuration.modules[resource.module].declarations, local.local_name)
        return None if provider is None else ConfigProviderConfig(resource.module, provider, local.alias)

    def instance_binding(
        self, address: AbsResourceInstance
    ) -> AbsProviderInstance | Unknown | AbsentInstance | Problem:
        """Return the provider instance of a resource instance. Raises KeyError if no block declares the resource."""
        binding = self.block_binding(address.config())
        if isinstance(binding, Problem):
            return binding
        instances = self.instances.of_resource(address.containing_resource())
        if isinstance(instances, Unknown):
            # Without a key, all instances have the same provider, however many there are.
            return instances if binding.has_key else binding.config.instance()
        instance = instances.get(address.key)
        if instance is None:
            return ABSENT
        return self._instance_of(binding, address.module, instance)

    def destroying(self, address: AbsResourceInstance) -> AbsProviderInstance | Unknown | AbsentInstance | Problem:
        """Return the provider instance of a resource instance that its block no longer declares.

        A key from a module call counts as long as that module instance exists. Absent if only the state can give the
        key. Raises KeyError if no block declares the resource.
        """
        binding = self.block_binding(address.config())
        if isinstance(binding, Problem):
            return binding
        if not binding.has_key:
            return binding.config.instance()
        passed = binding.resolved.key
        return ABSENT if passed is None else self._through_call(binding.config, passed, address.module)

    def _instance_of(
        self, binding: BlockBinding, module: ModuleInstance, instance: ExpandedInstance
    ) -> AbsProviderInstance | Unknown | AbsentInstance:
        if binding.key is not None:
            scope = self.instances.scope(module)
            assert not isinstance(scope, Unknown | AbsentInstance), "an instance was found in it"
            return _instance(binding.config, evaluated_key(binding.key, scope.within(instance.each)))
        passed = binding.resolved.key
        return binding.config.instance() if passed is None else self._through_call(binding.config, passed, module)

    def _through_call(
        self, config: ConfigProviderConfig, passed: PassedKey, inside: ModuleInstance
    ) -> AbsProviderInstance | Unknown | AbsentInstance:
        """Return the provider instance passed by a call on the way to a module instance; Absent if that is gone."""
        calling = self.instances.calling(ModuleInstance(inside.steps[: len(passed.module.names)]))
        if isinstance(calling, Unknown | AbsentInstance):
            return calling
        caller, each = calling
        return _instance(config, evaluated_key(passed.expression, caller.within(each)))


def _instance(config: ConfigProviderConfig, key: InstanceKey | Unknown) -> AbsProviderInstance | Unknown:
    if isinstance(key, Unknown):
        return key
    if not config.alias and key is not NO_KEY:
        return Unknown("a provider configuration without an alias has no instance keys")
    return config.instance(key)
