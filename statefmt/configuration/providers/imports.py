"""Checks the `provider` argument of `import` blocks.

Sources: OpenTofu `internal/configs/import.go`; `internal/configs/config.go`, addProviderRequirements;
`internal/tofu/node_resource_abstract.go`, ProvidedBy.
"""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.configuration.model import Configuration, ImportBlock
from statefmt.configuration.provider_reference import ProviderReference, read_provider_reference
from statefmt.hcl.source.problem import Problem, ProblemKind, error
from statefmt.hcl.syntax.expressions import AttributeAccess, Expression, IndexExpression, RelativeTraversal, Traversal
from statefmt.model.addrs import ConfigResource, Module, parse_abs_resource_instance
from statefmt.model.errors import AddressError

_SUMMARY = "Invalid import provider argument"


def import_target(block: ImportBlock) -> ConfigResource | None:
    """Return the address of the resource block that an import targets, without keys; None if it is invalid."""
    names = _names(block.target)
    if names is None:
        return None
    try:
        return parse_abs_resource_instance(".".join(names)).config()
    except AddressError:
        return None


def _names(expression: Expression) -> list[str] | None:
    if isinstance(expression, IndexExpression):
        return _names(expression.collection)
    if isinstance(expression, RelativeTraversal):
        source = _names(expression.source)
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

    Without those that repeat what its block says.
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
                and not _difference(block.provider.expression, own.provider.expression)
            ):
                continue
            reference = read_provider_reference(block.provider.expression)
            if isinstance(reference, ProviderReference):
                yield ConfigResource(path, target.resource), reference


def import_problems(configuration: Configuration) -> Iterator[tuple[ConfigResource, Problem]]:
    """Yield the imports whose `provider` differs from that of the resource block, which takes precedence."""
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
                detail = _difference(block.provider.expression, None if own is None else own.expression)
            if detail:
                address = ConfigResource(Module((*path.names, *target.module.names)), target.resource)
                yield address, error(ProblemKind.BLOCK, _SUMMARY, detail, block.provider.range)


def _difference(imported: Expression, own: Expression | None) -> str:
    reference = read_provider_reference(imported)
    if isinstance(reference, Problem):
        return ""
    if own is None:
        return f"The resource block must set `provider = {reference.local}`, too."
    other = read_provider_reference(own)
    if isinstance(other, Problem) or other.local == reference.local:
        return ""
    return f"The resource block uses the provider {other.local}, but this import uses {reference.local}."
