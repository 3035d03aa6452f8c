"""Checks the provider configurations that modules declare, expect and are passed.

Source: OpenTofu `internal/configs/provider_validation.go`, validateProviderConfigs. The summaries are
OpenTofu's, so that people can search for them.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from statefmt.configuration import model
from statefmt.configuration.model import Configuration, Declarations, ModuleCall, PassedProvider
from statefmt.configuration.provider_names import local_name_problem, provider_for, provider_named
from statefmt.configuration.provider_reference import ProviderReference, read_provider_reference
from statefmt.hcl.source.position import Range
from statefmt.hcl.source.problem import Problem, ProblemKind, error, warning
from statefmt.hcl.syntax.references import as_traversal
from statefmt.model.addrs import Module, Provider

_KIND = ProblemKind.BLOCK


class _Names(msgspec.Struct, frozen=True):
    """The provider configurations known in one module, by `name` or `name.alias`.

    `configured` have a block with content, `empty` one without; `aliases` are listed in `configuration_aliases`.
    """

    configured: dict[str, Range]
    empty: dict[str, Range]
    required: dict[str, Provider | None]
    aliases: dict[str, Provider | None]


def passing_problems(configuration: Configuration) -> Iterator[tuple[Module, Problem]]:
    """Yield all problems, each with the module it concerns."""
    for path, module in configuration.modules.items():
        names = _names(module.declarations)
        for (name, _), block in module.declarations.providers.items():
            wrong = local_name_problem(name, block.range)
            if wrong is not None:
                yield path, wrong
        passed = dict(_passed(module.call)) if module.call else {}
        for call in module.declarations.calls.values():
            for problem in _of_call(path, module, call, names, passed):
                yield path, problem
        if module.call is not None:
            parent = configuration.modules[path.parent()].declarations
            for problem in _of_child(configuration, path, module, names, passed, parent):
                yield path, problem


def _names(declared: Declarations) -> _Names:
    configured: dict[str, Range] = {}
    empty: dict[str, Range] = {}
    for (name, alias), block in declared.providers.items():
        if local_name_problem(name, block.range) is not None:
            continue
        (empty if block.is_empty else configured)[_name(name, alias)] = block.range
    aliases: dict[str, Provider | None] = {}
    for required in declared.required_providers.values():
        for expression in required.aliases:
            alias_of = read_provider_reference(expression, "configuration_aliases")
            if isinstance(alias_of, ProviderReference):
                aliases[str(alias_of.local)] = provider_named(declared, required.name)
    return _Names(
        configured, empty, {name: provider_named(declared, name) for name in declared.required_providers}, aliases
    )


def _name(name: str, alias: str) -> str:
    return f"{name}.{alias}" if alias else name


def _passed(call: ModuleCall) -> Iterator[tuple[str, tuple[ProviderReference, ProviderReference]]]:
    for pair in call.providers or ():
        references = _pair(pair)
        if references is not None:
            yield str(references[0].local), references


def _pair(pair: PassedProvider) -> tuple[ProviderReference, ProviderReference] | None:
    child = read_provider_reference(pair.child, "providers")
    parent = read_provider_reference(pair.parent, "providers")
    return None if isinstance(child, Problem) or isinstance(parent, Problem) else (child, parent)


def _of_call(
    path: Module,
    module: model.ModuleConfiguration,
    call: ModuleCall,
    names: _Names,
    passed_in: dict[str, tuple[ProviderReference, ProviderReference]],
) -> Iterator[Problem]:
    """Check that a module itself has the configurations that it passes on."""
    here = str(path) or "The root module"
    for _, parent in dict(_passed(call)).values():
        name = parent.local.local_name
        if parent.local.alias:
            continue
        if name not in names.configured and name not in names.required:
            yield warning(
                _KIND,
                "Reference to undefined provider",
                f'{here} has no required_providers entry "{name}", so "hashicorp/{name}" is assumed.',
                parent.range,
            )
        elif path and name not in names.configured and name not in passed_in:
            assert module.call is not None
            yield warning(
                _KIND,
                "Missing required provider configuration",
                f'{path} expects to inherit a configuration for the provider with local name "{name}", but its caller '
                "passes none under that name.",
                module.call.range,
            )


def _of_child(
    configuration: Configuration,
    path: Module,
    module: model.ModuleConfiguration,
    names: _Names,
    passed_in: dict[str, tuple[ProviderReference, ProviderReference]],
    parent: Declarations,
) -> Iterator[Problem]:
    """Check for configurations that a called module lacks, cannot accept, or should not have."""
    assert module.call is not None
    repeated = _repeated(configuration, path)
    if names.configured and repeated is not None:
        yield error(
            _KIND,
            "Module is incompatible with count, for_each, enabled and depends_on",
            f"{path} has its own provider configurations, so neither it nor a module that contains it can use these "
            "arguments.",
            repeated,
        )
    for name in names.configured:
        if name in passed_in:
            yield error(
                _KIND,
                "Cannot override provider configuration",
                f"{path} has its own configuration for {name}, so its caller cannot pass one.",
                passed_in[name][0].range,
            )
    for name, provider in names.aliases.items():
        if name not in names.configured and name not in passed_in:
            yield error(
                _KIND,
                "Missing required provider configuration",
                f"The child module requires an additional configuration for provider "
                f'{provider.display if provider else "?"}, with the local name "{name}".',
                module.call.range,
            )
    for name, (child, given) in passed_in.items():
        yield from _of_passed(path, module.declarations, names, name, child, given, parent)
    yield from _empty_blocks(path, names)


def _of_passed(
    path: Module,
    declared: Declarations,
    names: _Names,
    name: str,
    child: ProviderReference,
    given: ProviderReference,
    parent: Declarations,
) -> Iterator[Problem]:
    inside = names.aliases.get(name) or provider_for(declared, child.local.local_name)
    # If the caller requires a provider by the name used in the module, OpenTofu assumes that this one is passed.
    named = name if name in parent.required_providers else str(given.local)
    outside = provider_for(parent, named.partition(".")[0])
    if name not in names.required and name not in names.aliases and name not in names.empty:
        implied = inside is not None and inside.namespace == "hashicorp"
        make = warning if implied else error
        yield make(
            _KIND,
            "Reference to undefined provider",
            f'{path} is passed a provider with the local name "{name}", but has no required_providers entry for it.',
            child.range,
        )
    if inside is not None and outside is not None and inside != outside:
        other = next((local for local, provider in names.required.items() if provider == outside), None)
        instead = f' In that module, "{other}" is the local name for the former provider.' if other else ""
        yield error(
            _KIND,
            "Provider type mismatch",
            f'The local name "{named}" of the caller represents provider "{outside.display}", but '
            f'"{child.local}" in {path} represents "{inside.display}".{instead}',
            child.range if other else given.range,
        )


def _empty_blocks(path: Module, names: _Names) -> Iterator[Problem]:
    """Yield a warning for each provider with blocks that only declare a requirement, as before `required_providers`."""
    first: dict[str, Range] = {}
    for name, range_ in names.empty.items():
        local = name.partition(".")[0]
        if local not in first or str(range_) < str(first[local]):
            first[local] = range_
    for local, range_ in first.items():
        yield warning(
            _KIND,
            "Redundant empty provider block",
            f'An empty provider "{local}" block no longer declares a requirement of {path}. Use required_providers, '
            "with configuration_aliases for configurations with an alias.",
            range_,
        )


def _repeated(configuration: Configuration, path: Module) -> Range | None:
    """Return the range of the argument that repeats or delays a module, or the nearest module that contains it."""
    while path:
        call = configuration.modules[path].call
        assert call is not None, "only the root has none"
        repetition = call.repetition
        for argument in (repetition.count, repetition.for_each, repetition.enabled):
            if argument is not None:
                return argument.expression.range
        for needed in call.depends_on:
            if as_traversal(needed) is not None:
                return needed.range
        path = path.parent()
    return None
