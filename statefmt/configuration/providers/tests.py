"""Checks the provider configurations of test files, which replace those of the root module.

Sources: RFC "Static Evaluation of Provider Iteration", on tests; OpenTofu `internal/configs/config.go`,
resolveProviderTypesForTests and getProviderConfigTransformForTest; `internal/configs/provider_validation.go`,
validateProviderConfigsForTests.
"""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.configuration.model import Configuration, Declarations, PassedProvider, ProviderBlock, TestFile
from statefmt.configuration.provider_names import local_name_problem, provider_for
from statefmt.configuration.provider_reference import ProviderReference, read_provider_reference
from statefmt.configuration.providers.passing import passing_problems
from statefmt.configuration.providers.requirements import requirement_problems
from statefmt.hcl.source.problem import Problem, ProblemKind, error
from statefmt.model.addrs import Module, Provider

_KIND = ProblemKind.BLOCK
_FOR_EACH = "Provider for_each differs from the module under test"
_RUN = "Invalid run provider configuration"
_MISMATCH = "Provider type mismatch"


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
    # Problems of modules of the configuration itself are reported there, not for the test.
    own = {module.declarations.directory for module in configuration.modules.values()}
    for tested in configuration.tested.values():
        for path, problem in passing_problems(tested):
            if tested.modules[_caller(path)].declarations.directory not in own:
                yield problem
        for path, _, problem in requirement_problems(tested):
            if tested.modules[path].declarations.directory not in own:
                yield problem


def _caller(path: Module) -> Module:
    return path if path.is_root else path.parent()


def _of_block(block: ProviderBlock, root: Declarations) -> Iterator[Problem]:
    """Check that a block and the one that it replaces both have `for_each`, or neither."""
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
    """Yield blocks of a test file used for different providers. The first run that uses a name decides its provider."""
    root = configuration.root.declarations
    blocks = {(block.name, block.alias): block for block in test.providers if not block.mock}
    names = {name for name, _ in blocks}
    types: dict[str, Provider | None] = {}
    passed: list[tuple[ProviderReference, Provider | None, ProviderReference, Provider | None]] = []
    all_blocks = False
    for run in test.runs:
        tested = configuration.tested.get((test.file, run.name))
        if tested is None and run.module_range is not None:
            # The module could not be read, and its names may decide the providers.
            return
        declared = root if tested is None else tested.root.declarations
        for pair in run.providers:
            child = read_provider_reference(pair.child, "providers")
            parent = read_provider_reference(pair.parent, "providers")
            if isinstance(child, Problem) or isinstance(parent, Problem):
                continue
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
    aliases = [read_provider_reference(alias) for each in root.required_providers.values() for alias in each.aliases]
    known = {(name, "") for name in root.required_providers} | root.providers.keys()
    known |= {(each.local.local_name, each.local.alias) for each in aliases if isinstance(each, ProviderReference)}
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
