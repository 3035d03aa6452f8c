"""Checks the provider configurations that modules, test files and import blocks declare, require and pass.

The summaries are OpenTofu's, so that users can search for them. Sources: RFC "Static Evaluation of Provider
Iteration", on tests; OpenTofu `internal/configs`, in `provider_validation.go` (validateProviderConfigs,
validateProviderConfigsForTests), `config.go` (resolveProviderTypesForTests, getProviderConfigTransformForTest,
addProviderRequirements) and `import.go`; `internal/tofu/node_resource_abstract.go`, ProvidedBy.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from statefmt.configuration.model import (
    Configuration,
    Declarations,
    ImportBlock,
    ModuleCall,
    ModuleConfiguration,
    PassedProvider,
    ProviderBlock,
    TestFile,
)
from statefmt.configuration.provider_reference import (
    ProviderReference,
    configuration_aliases,
    local_name_problem,
    provider_for,
    provider_named,
    read_passed_references,
    read_provider_reference,
)
from statefmt.hcl.source import Problem, ProblemKind, Range, error, warning
from statefmt.hcl.syntax import AttributeAccess, Expression, IndexExpression, RelativeTraversal, Traversal, as_traversal
from statefmt.model.addrs import ConfigResource, Module, Resource
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.model.addrs.provider import Provider, implied_provider, normalize_provider_part
from statefmt.model.errors import AddressError

_KIND = ProblemKind.BLOCK
_MISMATCH = "Provider type mismatch"


class _Names(msgspec.Struct, frozen=True):
    """The provider configurations known in one module, by `name` or `name.alias`.

    `configured` have a block with content, `empty` a block without; `aliases` are listed in `configuration_aliases`;
    `passed` come from the caller, with the references of both sides.
    """

    configured: dict[str, Range]
    empty: dict[str, Range]
    required: dict[str, Provider | None]
    aliases: dict[str, Provider | None]
    passed: dict[str, tuple[ProviderReference, ProviderReference]]


def passing_problems(configuration: Configuration) -> Iterator[tuple[Module, Problem]]:
    """Yield all problems, each with the module it concerns."""
    for path, module in configuration.modules.items():
        names = _names(module)
        for (name, _), block in module.declarations.providers.items():
            wrong = local_name_problem(name, block.range)
            if wrong is not None:
                yield path, wrong
        for call in module.declarations.calls.values():
            yield from ((path, problem) for problem in _of_call(module, call, names))
        if module.call is not None:
            yield from ((path, problem) for problem in _of_child(configuration, module, module.call, names))


def _names(module: ModuleConfiguration) -> _Names:
    declared = module.declarations
    configured: dict[str, Range] = {}
    empty: dict[str, Range] = {}
    for (name, alias), block in declared.providers.items():
        if local_name_problem(name, block.range) is None:
            (empty if block.is_empty else configured)[f"{name}.{alias}" if alias else name] = block.range
    required = {name: provider_named(declared, name) for name in declared.required_providers}
    aliases = {str(alias): required[entry.name] for entry, alias in configuration_aliases(declared)}
    return _Names(configured, empty, required, aliases, {} if module.call is None else _passed(module.call))


def _passed(call: ModuleCall) -> dict[str, tuple[ProviderReference, ProviderReference]]:
    pairs = filter(None, map(read_passed_references, call.providers or ()))
    return {str(child.local): (child, parent) for child, parent in pairs}


def _of_call(module: ModuleConfiguration, call: ModuleCall, names: _Names) -> Iterator[Problem]:
    """Check that a module has the configurations that it passes on."""
    path = module.path
    for _, parent in _passed(call).values():
        name = parent.local.local_name
        if parent.local.alias:
            continue
        if name not in names.configured and name not in names.required:
            here = str(path) or "The root module"
            detail = f'{here} has no required_providers entry "{name}", so "hashicorp/{name}" is assumed.'
            yield warning(_KIND, "Reference to undefined provider", detail, parent.range)
        elif module.call is not None and name not in names.configured and name not in names.passed:
            detail = (
                f'{path} expects to inherit a configuration for the provider with local name "{name}", but its caller '
                "passes none under that name."
            )
            yield warning(_KIND, "Missing required provider configuration", detail, module.call.range)


def _of_child(
    configuration: Configuration, module: ModuleConfiguration, call: ModuleCall, names: _Names
) -> Iterator[Problem]:
    """Check for configurations that a called module lacks, cannot accept, or should not have."""
    path, parent = module.path, configuration.modules[module.path.parent()].declarations
    repeated = _repeated(configuration, path)
    if names.configured and repeated is not None:
        detail = (
            f"{path} has its own provider configurations, so neither it nor a module that contains it can use these "
            "arguments."
        )
        summary = "Module is incompatible with count, for_each, enabled and depends_on"
        yield error(_KIND, summary, detail, repeated)
    for name in names.configured:
        if name in names.passed:
            detail = f"{path} has its own configuration for {name}, so its caller cannot pass one."
            yield error(_KIND, "Cannot override provider configuration", detail, names.passed[name][0].range)
    for name, provider in names.aliases.items():
        if name not in names.configured and name not in names.passed:
            detail = (
                f"The child module requires an additional configuration for provider "
                f'{provider.display if provider else "?"}, with the local name "{name}".'
            )
            yield error(_KIND, "Missing required provider configuration", detail, call.range)
    for name, (child, given) in names.passed.items():
        inside = names.aliases.get(name) or provider_for(module.declarations, child.local.local_name)
        # If the caller requires a provider by the name used in the module, OpenTofu assumes that this provider is
        # passed.
        named = name if name in parent.required_providers else str(given.local)
        outside = provider_for(parent, named.partition(".")[0])
        if name not in names.required and name not in names.aliases and name not in names.empty:
            make = warning if inside is not None and inside.namespace == "hashicorp" else error
            detail = (
                f'{path} is passed a provider with the local name "{name}", but has no required_providers entry for it.'
            )
            yield make(_KIND, "Reference to undefined provider", detail, child.range)
        if inside is not None and outside is not None and inside != outside:
            other = next((local for local, provider in names.required.items() if provider == outside), None)
            instead = f' In that module, "{other}" is the local name for the former provider.' if other else ""
            detail = (
                f'The local name "{named}" of the caller represents provider "{outside.display}", but '
                f'"{child.local}" in {path} represents "{inside.display}".{instead}'
            )
            yield error(_KIND, _MISMATCH, detail, child.range if other else given.range)
    # Before `required_providers` existed, such blocks declared a requirement.
    first: dict[str, Range] = {}
    for name, range_ in names.empty.items():
        local = name.partition(".")[0]
        if local not in first or str(range_) < str(first[local]):
            first[local] = range_
    for local, range_ in first.items():
        detail = (
            f'An empty provider "{local}" block no longer declares a requirement of {path}. Use required_providers, '
            "with configuration_aliases for configurations with an alias."
        )
        yield warning(_KIND, "Redundant empty provider block", detail, range_)


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


_TWICE = "Duplicate required provider"


def requirement_problems(configuration: Configuration) -> Iterator[tuple[Module, Resource | None, Problem]]:
    """Yield all problems, each with the module and the resource block it concerns."""
    for path, module in configuration.modules.items():
        yield from ((path, None, problem) for problem in _of_requirements(module.declarations))
        yield from ((path, resource, problem) for resource, problem in _of_resources(module.declarations))


def _of_requirements(declared: Declarations) -> Iterator[Problem]:
    """Yield providers with two names. OpenTofu reports either entry; this function reports the later one."""
    names: dict[Provider, str] = {}
    blocks = {name for name, _ in declared.providers}
    for required in declared.required_providers.values():
        provider = provider_named(declared, required.name)
        if provider is None:
            continue
        first = names.setdefault(provider, required.name)
        if first != required.name:
            detail = f'Provider {provider.display} has the local name "{required.name}", but also "{first}".'
            yield warning(_KIND, _TWICE, detail, required.range)
        elif provider == Provider.default(provider.type) and required.name != provider.type and provider.type in blocks:
            detail = (
                f'Provider {provider.display} has the local name "{required.name}", but a provider block calls it '
                f'"{provider.type}". The block must use the name from required_providers.'
            )
            yield warning(_KIND, _TWICE, detail, required.range)


def _of_resources(declared: Declarations) -> Iterator[tuple[Resource, Problem]]:
    """Yield resources without `provider` if required_providers lacks the name that their type implies."""
    required = {name: provider_named(declared, name) for name in declared.required_providers}
    for block in declared.resources:
        if block.provider is not None:
            continue
        name = block.address.implied_provider()
        try:
            normalize_provider_part(name)
        except ValueError as reason:
            detail = f'"{name}" is an invalid implied provider local name: {reason}'
            yield block.address, error(_KIND, "Invalid provider local name", detail, block.range)
            continue
        if name in required:
            continue
        provider = implied_provider(name)
        for other in (other for other, found in required.items() if found == provider):
            detail = (
                f'{block.address} needs provider "{provider}", which required_providers calls "{other}". Use the same '
                f"name in both places, or set `provider = {other}` in the resource."
            )
            yield block.address, warning(_KIND, _TWICE, detail, block.range)


_FOR_EACH = "Provider for_each differs from the module under test"
_RUN = "Invalid run provider configuration"


def problems_of_tests(configuration: Configuration) -> Iterator[Problem]:
    """Yield the problems of every test file of the root module and of the modules that its runs call, each once."""
    seen: set[tuple[str, object]] = set()
    for problem in _problems(configuration):
        if (problem.summary, problem.range) not in seen:
            seen.add((problem.summary, problem.range))
            yield problem


def _problems(configuration: Configuration) -> Iterator[Problem]:
    root = configuration.root.declarations
    for test in root.tests:
        for block in test.providers:
            wrong = local_name_problem(block.name, block.range)
            if wrong is not None:
                yield wrong
            yield from _of_block(block, root)
        for run in test.runs:
            for pair in run.providers:
                yield from _of_pair(pair, test, root)
        yield from _mismatches(configuration, test)
    # Problems of the configuration's own modules are reported there, not for the test.
    own = {module.declarations.directory for module in configuration.modules.values()}
    for tested in configuration.tested.values():
        for path, problem in passing_problems(tested):
            caller = path if path.is_root else path.parent()
            if tested.modules[caller].declarations.directory not in own:
                yield problem
        for path, _, problem in requirement_problems(tested):
            if tested.modules[path].declarations.directory not in own:
                yield problem


def _of_block(block: ProviderBlock, root: Declarations) -> Iterator[Problem]:
    """Check that a block and the block that it replaces both have `for_each`, or neither."""
    name = f"{block.name}.{block.alias}" if block.alias else block.name
    own = root.providers.get((block.name, block.alias))
    if own is not None and own.for_each is not None:
        if block.for_each is None:
            detail = f"The provider block {name} of the root module has for_each, so this one must have it, too."
            yield error(_KIND, _FOR_EACH, detail, block.range)
    elif block.for_each is not None:
        what = "has no for_each" if own is not None else "does not exist or is passed by a caller"
        detail = f"The provider block {name} of the root module {what}, so this one must not have for_each."
        yield error(_KIND, _FOR_EACH, detail, block.for_each.expression.range)


def _of_pair(pair: PassedProvider, test: TestFile, root: Declarations) -> Iterator[Problem]:
    child = read_provider_reference(pair.child, "providers")
    parent = read_provider_reference(pair.parent, "providers")
    for reference in (child, parent):
        if isinstance(reference, Problem):
            yield reference
    if not isinstance(child, ProviderReference) or not isinstance(parent, ProviderReference):
        return
    local = parent.local
    blocks = [block for block in test.providers if (block.name, block.alias) == (local.local_name, local.alias)]
    if parent.key is not None:
        detail = "A run can only refer to provider configurations without for_each, so an instance key is not allowed."
        yield error(_KIND, _RUN, detail, parent.key_range)
    else:
        own = root.providers.get((local.local_name, local.alias))
        meant = blocks[0] if blocks else own
        if meant is not None and meant.for_each is not None:
            detail = f"{local} has for_each, but a collection of provider instances cannot be passed to a run."
            yield error(_KIND, _RUN, detail, parent.range)
    if not blocks:
        detail = "A run gets provider configurations from its test file only, and this one is missing there."
        yield error(_KIND, f"Missing provider definition for {local}", detail, parent.range)


def _mismatches(configuration: Configuration, test: TestFile) -> Iterator[Problem]:
    """Yield blocks of a test file used for different providers. The first run with a name determines its provider."""
    root = configuration.root.declarations
    blocks = {(block.name, block.alias): block for block in test.providers if not block.mock}
    names = {name for name, _ in blocks}
    types: dict[str, Provider | None] = {}
    passed: list[tuple[ProviderReference, Provider | None, ProviderReference, Provider | None]] = []
    all_blocks = False
    for run in test.runs:
        tested = configuration.tested.get((test.file, run.name))
        if tested is None and run.module_range is not None:
            # The module could not be read, and its names may determine the providers.
            return
        declared = root if tested is None else tested.root.declarations
        for child, parent in filter(None, map(read_passed_references, run.providers)):
            inside = provider_for(declared, child.local.local_name)
            given = types.get(parent.local.local_name, inside)
            if parent.local.local_name in names:
                types.setdefault(parent.local.local_name, inside)
            if tested is None:
                passed.append((child, inside, parent, given))
        if not run.providers:
            for name in names & {*declared.required_providers, *(name for name, _ in declared.providers)}:
                types.setdefault(name, provider_for(declared, name))
            all_blocks = all_blocks or tested is None
    for child, inside, parent, given in passed:
        if inside is not None and given is not None and inside != given:
            detail = (
                f'The local name "{parent.local}" in {test.file} represents provider "{given.display}", but '
                f'"{child.local}" in the root module represents "{inside.display}".'
            )
            yield error(_KIND, _MISMATCH, detail, parent.range)
    if all_blocks:
        yield from _mismatched_blocks(test, root, blocks, types)


def _mismatched_blocks(
    test: TestFile, root: Declarations, blocks: dict[tuple[str, str], ProviderBlock], types: dict[str, Provider | None]
) -> Iterator[Problem]:
    known = {(name, "") for name in root.required_providers} | root.providers.keys()
    known |= {(alias.local_name, alias.alias) for _, alias in configuration_aliases(root)}
    for (name, alias), block in blocks.items():
        # A block that no run uses belongs to the HashiCorp provider of its name.
        given, own = types[name] if name in types else provider_for(Declarations(""), name), provider_for(root, name)
        if (name, alias) in known and given is not None and own is not None and given != own:
            detail = (
                f'The provider "{name}{"." if alias else ""}{alias}" in {test.file} represents provider '
                f'"{given.display}", but "{name}" in the root module represents "{own.display}". Several runs use this '
                "block for providers of different types."
            )
            yield error(_KIND, _MISMATCH, detail, block.range)


_IMPORT_SUMMARY = "Invalid import provider argument"


def import_target(block: ImportBlock) -> ConfigResource | None:
    """Return the address of the resource block that an import targets, without keys; None if it is invalid."""
    names = _target_names(block.target)
    if names is None:
        return None
    try:
        return parse_abs_resource_instance(".".join(names)).config()
    except AddressError:
        return None


def _target_names(expression: Expression) -> list[str] | None:
    if isinstance(expression, IndexExpression):
        return _target_names(expression.collection)
    if isinstance(expression, RelativeTraversal):
        source = _target_names(expression.source)
    elif isinstance(expression, Traversal):
        source = [expression.root]
    else:
        return None
    return (
        None
        if source is None
        else source + [step.name for step in expression.steps if isinstance(step, AttributeAccess)]
    )


def import_references(configuration: Configuration) -> Iterator[tuple[ConfigResource, ProviderReference]]:
    """Yield the imports that name a provider configuration, with the address of their resource.

    Omits imports that repeat the `provider` of the resource block.
    """
    for path, module in configuration.modules.items():
        blocks = {block.address: block for block in module.declarations.resources}
        for block in module.declarations.imports:
            target = import_target(block)
            if block.provider is None or target is None or target.module:
                continue
            own = blocks.get(target.resource)
            if (
                own is not None
                and own.provider is not None
                and not _import_difference(block.provider.expression, own.provider.expression)
            ):
                continue
            reference = read_provider_reference(block.provider.expression)
            if isinstance(reference, ProviderReference):
                yield ConfigResource(path, target.resource), reference


def import_problems(configuration: Configuration) -> Iterator[tuple[ConfigResource, Problem]]:
    """Yield the imports whose `provider` differs from the resource block's, which takes precedence."""
    for path, module in configuration.modules.items():
        blocks = {block.address: block for block in module.declarations.resources}
        for block in module.declarations.imports:
            target = import_target(block)
            if block.provider is None or target is None:
                continue
            detail = ""
            if target.module:
                detail = "A resource in a module gets its provider from the providers argument of the module call."
            elif target.resource in blocks:
                own = blocks[target.resource].provider
                detail = _import_difference(block.provider.expression, None if own is None else own.expression)
            if detail:
                address = ConfigResource(Module((*path.names, *target.module.names)), target.resource)
                yield address, error(ProblemKind.BLOCK, _IMPORT_SUMMARY, detail, block.provider.range)


def _import_difference(imported: Expression, own: Expression | None) -> str:
    reference = read_provider_reference(imported)
    if isinstance(reference, Problem):
        return ""
    if own is None:
        return f"The resource block must set `provider = {reference.local}`, too."
    other = read_provider_reference(own)
    if isinstance(other, Problem) or other.local == reference.local:
        return ""
    return f"The resource block uses the provider {other.local}, but this import uses {reference.local}."
