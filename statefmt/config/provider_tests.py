"""What is wrong with the provider configurations of test files, which stand in for those of the root module.

Sources: RFC "Static Evaluation of Provider Iteration", on tests; OpenTofu `internal/configs/provider_validation.go`,
validateProviderConfigsForTests, for runs of the root module.
"""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.config.model import Configuration, Declarations, PassedProvider, ProviderBlock, TestFile
from statefmt.config.problem import Problem, ProblemKind, error
from statefmt.config.provider_names import provider_named
from statefmt.config.provider_reference import ProviderReference, read_provider_reference

_KIND = ProblemKind.BLOCK
_FOR_EACH = "Provider for_each differs from the module under test"
_RUN = "Invalid run provider configuration"


def problems_of_tests(configuration: Configuration) -> Iterator[Problem]:
    """All of it, for every test file of the root module."""
    root = configuration.root.declarations
    for test in root.tests:
        for block in test.providers:
            yield from _of_block(block, root)
        for run in test.runs:
            for pair in run.providers:
                yield from _of_pair(pair, test, root, in_root=not run.module_source)


def _of_block(block: ProviderBlock, root: Declarations) -> Iterator[Problem]:
    """A block and the one that it stands in for must both have `for_each`, or neither."""
    name = f"{block.name}.{block.alias}" if block.alias else block.name
    own = root.providers.get((block.name, block.alias))
    if own is not None and own.for_each is not None:
        if block.for_each is None:
            detail = f"The provider block {name} of the root module has for_each, so that this one must have it, too."
            yield error(_KIND, _FOR_EACH, detail, block.range)
    elif block.for_each is not None:
        what = "has no for_each" if own is not None else "is not there, or is passed by a caller"
        detail = f"The provider block {name} of the root module {what}, so that this one must not have for_each."
        yield error(_KIND, _FOR_EACH, detail, block.for_each.expression.range)


def _of_pair(pair: PassedProvider, test: TestFile, root: Declarations, *, in_root: bool) -> Iterator[Problem]:
    child = read_provider_reference(pair.child, "providers")
    parent = read_provider_reference(pair.parent, "providers")
    if not isinstance(child, ProviderReference) or not isinstance(parent, ProviderReference):
        return
    local = parent.local
    if parent.key is not None:
        detail = "A run can refer only to provider configurations without for_each, and so without an instance key."
        yield error(_KIND, _RUN, detail, parent.key_range)
    else:
        blocks = [block for block in test.providers if (block.name, block.alias) == (local.local_name, local.alias)]
        own = root.providers.get((local.local_name, local.alias))
        meant = blocks[0] if blocks else own
        if meant is not None and meant.for_each is not None:
            detail = f"{local} has for_each, and a collection of provider instances cannot be passed to a run."
            yield error(_KIND, _RUN, detail, parent.range)
    given, wanted = provider_named(root, local.local_name), provider_named(root, child.local.local_name)
    if in_root and given is not None and wanted is not None and given != wanted:
        detail = (
            f'The local name "{local.local_name}" in {test.file} represents provider "{given}", but '
            f'"{child.local.local_name}" in the root module represents "{wanted}".'
        )
        yield error(_KIND, "Provider type mismatch", detail, parent.range)
