"""Determines the provider instance of each resource instance of a configuration, as far as possible.

A `provider` block declares a configuration. A module gets others from the `providers` argument of its call, under its
own names, and inherits default configurations that are not passed. Sources: OpenTofu `internal/tofu`, in
`node_resource_abstract_instance.go` (resolveProvider), `eval_provider.go` (resolveProviderInstance) and
`transform_provider.go`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

import msgspec

from statefmt.configuration._scope import EachValue, Scope
from statefmt.configuration.instances import ABSENT, AbsentInstance, ExpandedInstance, Instances
from statefmt.configuration.model import Configuration, Declarations, ProviderBlock, ProviderUse, ResourceBlock
from statefmt.configuration.provider_reference import (
    ProviderReference,
    configuration_aliases,
    local_name_problem,
    provider_named,
    read_passed_references,
    read_provider_reference,
)
from statefmt.hcl.evaluate import evaluate
from statefmt.hcl.operations import equal
from statefmt.hcl.source import Problem, ProblemKind, Range, error, warning
from statefmt.hcl.syntax import AttributeAccess, Body, Expression, as_traversal
from statefmt.hcl.value import Part, Unknown, Value, children
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
from statefmt.model.addrs.provider import Provider
from statefmt.model.cty import STRING, SetType, Type
from statefmt.model.cty.number import Number

# OpenTofu's own arguments of a resource.
META_ARGUMENTS: Final = frozenset({"count", "for_each", "provider", "depends_on"})
_META_BLOCKS: Final = frozenset({"lifecycle", "provisioner", "connection", "timeouts", "dynamic", "_"})


_FROM_CALLER: Final = Unknown("a caller of this module passes it")


def _arguments(body: Body, path: str = "") -> Iterator[tuple[str, Expression]]:
    for name in body.names():
        argument = None if not path and name in META_ARGUMENTS else body.attribute(name)
        if argument is not None:
            yield f"{path}{name}", argument.expression
    for type_ in body.block_types():
        # The order of several blocks says nothing: they may be a set.
        inside = body.blocks(type_)
        if type_ not in _META_BLOCKS and len(inside) == 1 and "dynamic" not in body.block_types():
            yield from _arguments(inside[0].body, f"{path}{type_}[0].")


class BlockBinding(msgspec.Struct, frozen=True):
    """The provider configuration of a resource block, and the origin of the key, if any.

    `range` covers the reference, or the block's header without a reference. `key` is evaluated in each instance of
    the resource; `resolved.key` in each instance of a module on the path to it.
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
        """Return the provider configuration of a resource block. Raises KeyError if the block does not exist.

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
        """Yield each use of a provider without a trace in the state, with its module, parents before children."""
        for path, module in self.configuration.modules.items():
            for use in module.declarations.uses:
                yield path, use

    def use_binding(self, module: Module, use: ProviderUse) -> tuple[ResolvedProvider, Expression | None] | Problem:
        """Return the provider configuration of a use, and its key, if any; a Problem as in block_binding()."""
        reference: ProviderReference | Problem = ProviderReference(use.local, use.range)
        if use.provider is not None:
            reference = read_provider_reference(use.provider.expression)
        if isinstance(reference, Problem):
            return reference
        required = self.configuration.modules[module].declarations.required_providers
        if use.is_function and use.local.local_name not in required:
            return unknown_function_provider(use, module)
        resolved = self.tree.resolve(module, reference.local)
        if resolved is None:
            return _without_alias(use, module) if use.is_function else not_present(use.user, module, reference)
        return resolved, reference.key

    def declared_keys(self, config: ConfigProviderConfig) -> tuple[InstanceKey, ...] | Unknown:
        """Return the instance keys of an existing provider configuration; NO_KEY alone without `for_each`."""
        block = self.tree.declared.get(config)
        if block is None:
            return _FROM_CALLER if config in self.tree.expected else (NO_KEY,)
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
            return _FROM_CALLER if config in self.tree.expected else provider.key is NO_KEY
        if config not in self._keys:
            self.declared_keys(config)
        keys = self._keys[config]
        return keys if isinstance(keys, Unknown) else provider.key in keys

    def settings(self, provider: AbsProviderInstance) -> Mapping[str, Part]:
        """Return the arguments of a provider instance, evaluated as far as possible.

        For an instance missing from `for_each`, `each.value` is its key if `for_each` is a set, and otherwise
        unknown.
        """
        config, key = provider.config, provider.key
        block = self.tree.declared.get(config)
        if block is None:
            reason = Unknown("no provider block declares it")
            return {} if self.tree.exists(config) and key is NO_KEY else {"": reason}
        each = self._each(config, block, key) if isinstance(key, StringKey) else None
        scope = self.instances.static_scope(config.module).within(each)
        unread = Unknown("a dynamic block makes it")
        found: dict[str, Part] = {}
        for name, one in block.settings:
            part = unread if one is None else evaluate(one, scope)
            if "[*]" not in name:
                found[name] = part
            elif isinstance(part, Unknown):
                found["dynamic"] = part
            else:
                for number, items in enumerate(children(part)):
                    found[name.replace("[*]", f"[{number}]")] = next(iter(children(items)), items)
        return found

    def unknown_variables(self, provider: AbsProviderInstance) -> dict[str, str]:
        """Return the arguments of a provider instance that are just an unknown variable of the root module, with it."""
        block = self.tree.declared.get(provider.config) if provider.config.module.is_root else None
        written = {} if block is None else dict(block.settings)
        names = {name: as_traversal(one) for name, one in written.items() if one is not None}
        values = self.settings(provider)
        return {
            name: ".".join([one.root, *(step.name for step in one.steps if isinstance(step, AttributeAccess))])
            for name, one in names.items()
            if one is not None
            and one.root == "var"
            and all(isinstance(step, AttributeAccess) for step in one.steps)
            and isinstance(values[name], Unknown)
        }

    def arguments(self, address: AbsResourceInstance) -> Mapping[str, Part]:
        """Return the evaluated arguments of a resource instance for its provider; {} if it is not declared.

        The paths of arguments in a nested block are like `metadata[0].name`, if it is the only block of its type.
        """
        declared = self.instances.declared(address)
        if declared is None:
            return {}
        body, scope = declared
        return {name: evaluate(argument, scope) for name, argument in _arguments(body)}

    def same_settings(self, one: AbsProviderInstance, other: AbsProviderInstance) -> bool:
        """Return whether two provider instances certainly have equal arguments."""
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
        """Return the type of a provider configuration's `for_each`; None without `for_each`."""
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
        """Return the provider instance that a call passes to a module instance; Absent if that instance is gone."""
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


class PassedKey(msgspec.Struct, frozen=True):
    """A key of a provider instance in the `providers` of a module call: `aws = aws.by_region[each.key]`.

    `module` is the called module; the key is evaluated in its caller, for each instance of the called module.
    """

    expression: Expression
    range: Range
    module: Module


class ResolvedProvider(msgspec.Struct, frozen=True):
    """The configuration that a name leads to, and the key selected on the way, if any."""

    config: ConfigProviderConfig
    key: PassedKey | None = None


class ProviderTree(msgspec.Struct, frozen=True):
    """Every provider configuration by its address.

    `declared` has the blocks. `passed` has the configurations passed to modules, by the address inside the module.
    `expected` has the configurations that the root module expects from a caller (`configuration_aliases`), with their
    local names: such a module is meant to be called, so it can be checked, but not applied.
    """

    configuration: Configuration
    declared: Mapping[ConfigProviderConfig, ProviderBlock]
    passed: Mapping[ConfigProviderConfig, ResolvedProvider]
    expected: Mapping[ConfigProviderConfig, LocalProviderConfig] = {}

    def exists(self, config: ConfigProviderConfig) -> bool:
        """Return whether a configuration exists: with a block, or in the root module by default or from its caller."""
        is_default = config.module.is_root and not config.alias
        return config in self.declared or is_default or config in self.expected

    def exactly(self, config: ConfigProviderConfig) -> ResolvedProvider | None:
        """Resolve an address without inheritance, to its block or to a passed configuration; None if neither exists."""
        passed = self.passed.get(config)
        return passed or (ResolvedProvider(config) if self.exists(config) else None)

    def resolve(self, module: Module, local: LocalProviderConfig) -> ResolvedProvider | None:
        """Return the configuration that a local name in a module leads to; None if there is none.

        Default configurations are inherited from the calling modules; configurations with an alias are not.
        """
        provider = provider_named(self.configuration.modules[module].declarations, local.local_name)
        return None if provider is None else self.find(module, provider, local.alias)

    def find(self, module: Module, provider: Provider, alias: str) -> ResolvedProvider | None:
        """Like resolve(), for a provider and an alias."""
        found = self.exactly(ConfigProviderConfig(module, provider, alias))
        while found is None and not alias and not module.is_root:
            module = module.parent()
            found = self.exactly(ConfigProviderConfig(module, provider, alias))
        return found


def not_present(user: object, module: Module, reference: ProviderReference) -> Problem:
    """Return the problem of a reference that leads nowhere."""
    return error(
        ProblemKind.NO_PROVIDER,
        "Provider configuration not present",
        f"{user} refers to {reference.local}, but {module or 'the root module'} has no such provider configuration: "
        "no provider block declares it, and no caller passes it.",
        reference.range,
    )


def unknown_function_provider(use: ProviderUse, module: Module) -> Problem:
    """Return the problem of a function whose provider the module does not require."""
    return error(
        ProblemKind.NO_PROVIDER,
        "Unknown function provider",
        f'{use.user} is a function of the provider "{use.local.local_name}", which the required_providers of '
        f"{module or 'the root module'} do not have.",
        use.range,
    )


def _without_alias(use: ProviderUse, module: Module) -> Problem:
    """Return the problem of a function whose alias leads nowhere.

    Source: OpenTofu `internal/tofu/transform_provider.go`, ProviderFunctionTransformer.
    """
    return warning(
        ProblemKind.NO_PROVIDER,
        "Provider configuration not present",
        f"{use.user} refers to {use.local}, but {module or 'the root module'} has no such provider configuration. "
        "OpenTofu does not refuse this: it uses the default configuration of the root module, or none.",
        use.range,
    )


def provider_tree(configuration: Configuration) -> ProviderTree:
    """Collect all provider configurations, and follow configurations passed between modules."""
    declared: dict[ConfigProviderConfig, ProviderBlock] = {}
    passed: dict[ConfigProviderConfig, ResolvedProvider] = {}
    tree = ProviderTree(configuration, declared, passed, dict(_expected(configuration.root.declarations)))
    for path, module in configuration.modules.items():
        for (name, alias), block in module.declarations.providers.items():
            provider = provider_named(module.declarations, name)
            if provider is not None:
                declared.setdefault(ConfigProviderConfig(path, provider, alias), block)
        given = () if module.call is None else module.call.providers or ()
        for child, parent in filter(None, map(read_passed_references, given)):
            provider = provider_named(module.declarations, child.local.local_name)
            if provider is None:
                continue
            inside = ConfigProviderConfig(path, provider, child.local.alias)
            own = declared.get(inside)
            # An empty block is only a placeholder for a passed configuration, the old way to require one.
            if own is not None and not (own.is_empty and own.for_each is None):
                # OpenTofu refuses this ("Cannot override provider configuration"); keep the block.
                continue
            # Look up the child's provider: the caller may use another name for it.
            found = tree.find(path.parent(), provider, parent.local.alias)
            if found is None:
                continue
            declared.pop(inside, None)
            if parent.key is not None:
                found = ResolvedProvider(found.config, PassedKey(parent.key, parent.key_range or parent.range, path))
            passed[inside] = found
    return tree


def _expected(root: Declarations) -> Iterator[tuple[ConfigProviderConfig, LocalProviderConfig]]:
    if root.state_at is not None:
        # Only a root module has a backend, and it has no caller.
        return
    for required, local in configuration_aliases(root):
        provider = provider_named(root, required.name)
        if provider is not None and (local.local_name, local.alias) not in root.providers:
            yield ConfigProviderConfig(Module(), provider, local.alias), local


_KEY_SUMMARY: Final = "Invalid provider instance key"


def evaluated_key(expression: Expression, scope: Scope) -> InstanceKey | Unknown:
    """Evaluate a key as OpenTofu does: numbers and booleans become strings. Adds a problem to refused values."""
    value = evaluate(expression, scope)
    if isinstance(value, Unknown):
        return value
    if value.sensitive:
        return _refused("A provider instance key must not be derived from a sensitive value.", expression.range)
    data = value.data
    if data is None:
        return _refused("A provider instance key must not be null.", expression.range)
    if isinstance(data, str):
        return StringKey(data)
    if isinstance(data, bool):
        return StringKey("true" if data else "false")
    if isinstance(data, Number):
        whole = data.small_integer()
        if whole is None:
            return Unknown("the key is not a whole number", expression.range)
        return StringKey(str(whole))
    return _refused("The given instance key is unsuitable: string required.", expression.range)


def _refused(detail: str, range_: Range) -> Unknown:
    return Unknown(
        detail[0].lower() + detail[1:].rstrip("."),
        range_,
        problem=error(ProblemKind.EVALUATION, _KEY_SUMMARY, detail, range_),
    )
