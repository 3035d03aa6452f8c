"""Collects the provider configurations of all modules and resolves their names through the module tree.

A `provider` block declares a configuration. A module gets others from the `providers` argument of its call, under its
own names, and inherits the default configurations that are not passed. Source: OpenTofu
`internal/tofu/transform_provider.go`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from statefmt.configuration import model
from statefmt.configuration.model import Configuration, Declarations, ProviderBlock, ProviderUse
from statefmt.configuration.provider_names import provider_named
from statefmt.configuration.provider_reference import ProviderReference, read_provider_reference
from statefmt.hcl.source.position import Range
from statefmt.hcl.source.problem import Problem, ProblemKind, error
from statefmt.hcl.syntax.expressions import Expression
from statefmt.model.addrs import ConfigProviderConfig, LocalProviderConfig, Module, Provider


class PassedKey(msgspec.Struct, frozen=True):
    """A key of a provider instance in the `providers` of a module call: `aws = aws.by_region[each.key]`.

    `module` is the called module; the key is evaluated in its caller, for each instance of the called module.
    """

    expression: Expression
    range: Range
    module: Module


class ResolvedProvider(msgspec.Struct, frozen=True):
    """The configuration that a name leads to, and the key chosen on the way, if any."""

    config: ConfigProviderConfig
    key: PassedKey | None = None


class ProviderTree(msgspec.Struct, frozen=True):
    """Every provider configuration by its address.

    `declared` has the blocks. `passed` has the configurations passed to modules, by the address inside the module.
    `expected` has those that the root module expects from a caller (`configuration_aliases`): it is a module for others
    to call, which can be checked, but not applied.
    """

    configuration: Configuration
    declared: Mapping[ConfigProviderConfig, ProviderBlock]
    passed: Mapping[ConfigProviderConfig, ResolvedProvider]
    expected: frozenset[ConfigProviderConfig] = frozenset()

    def exists(self, config: ConfigProviderConfig) -> bool:
        """Return whether a configuration exists: with a block, or as a default configuration of the root module."""
        return config in self.declared or (config.module.is_root and not config.alias)

    def exactly(self, config: ConfigProviderConfig) -> ResolvedProvider | None:
        """Resolve an address without inheritance, to its block or to a passed configuration; None if neither exists."""
        passed = self.passed.get(config)
        return passed or (ResolvedProvider(config) if self.exists(config) else None)

    def resolve(self, module: Module, local: LocalProviderConfig) -> ResolvedProvider | None:
        """Return the configuration that a local name in a module leads to; None if there is none.

        Default configurations are inherited from the calling modules; those with an alias are not.
        """
        provider = provider_named(self.configuration.modules[module].declarations, local.local_name)
        return None if provider is None else self.find(module, provider, local.alias)

    def find(self, module: Module, provider: Provider, alias: str) -> ResolvedProvider | None:
        """Like resolve(), for a provider and an alias."""
        found = self.exactly(ConfigProviderConfig(module, provider, alias))
        while found is None and not alias and not module.is_root:
            module = module.parent()
            found = self.exactly(ConfigProviderConfig(module, provider, alias))
        wanted = ConfigProviderConfig(module, provider, alias)
        return ResolvedProvider(wanted) if found is None and wanted in self.expected else found


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


def provider_tree(configuration: Configuration) -> ProviderTree:
    """Collect all provider configurations of a configuration, and follow those passed between its modules."""
    declared: dict[ConfigProviderConfig, ProviderBlock] = {}
    passed: dict[ConfigProviderConfig, ResolvedProvider] = {}
    tree = ProviderTree(configuration, declared, passed, frozenset(_expected(configuration.root.declarations)))
    for path, module in configuration.modules.items():
        for (name, alias), block in module.declarations.providers.items():
            provider = provider_named(module.declarations, name)
            if provider is not None:
                declared.setdefault(ConfigProviderConfig(path, provider, alias), block)
        if module.call is not None and module.call.providers is not None:
            _pass(tree, declared, passed, path, module)
    return tree


def _expected(root: Declarations) -> Iterator[ConfigProviderConfig]:
    for required in root.required_providers.values():
        provider = provider_named(root, required.name)
        for expression in required.aliases:
            alias = read_provider_reference(expression, "configuration_aliases")
            if provider is not None and not isinstance(alias, Problem):
                yield ConfigProviderConfig(Module(), provider, alias.local.alias)


def _pass(
    tree: ProviderTree,
    declared: dict[ConfigProviderConfig, ProviderBlock],
    passed: dict[ConfigProviderConfig, ResolvedProvider],
    path: Module,
    module: model.ModuleConfiguration,
) -> None:
    """Record the configurations that the call of one module passes to it."""
    assert module.call is not None and module.call.providers is not None
    for pair in module.call.providers:
        child = read_provider_reference(pair.child, "providers")
        parent = read_provider_reference(pair.parent, "providers")
        if isinstance(child, Problem) or isinstance(parent, Problem):
            continue
        provider = provider_named(module.declarations, child.local.local_name)
        if provider is None:
            continue
        inside = ConfigProviderConfig(path, provider, child.local.alias)
        block = declared.get(inside)
        if block is not None and not _is_empty(block):
            # OpenTofu refuses this ("Cannot override provider configuration"); keep the block.
            continue
        # Look up the child's provider: the caller may have another name for it.
        found = tree.find(path.parent(), provider, parent.local.alias)
        if found is None:
            continue
        declared.pop(inside, None)
        if parent.key is not None:
            found = ResolvedProvider(found.config, PassedKey(parent.key, parent.key_range or parent.range, path))
        passed[inside] = found


def _is_empty(block: ProviderBlock) -> bool:
    """Return whether a block is only a placeholder for a passed configuration, the old way to require one."""
    return block.is_empty and block.for_each is None
