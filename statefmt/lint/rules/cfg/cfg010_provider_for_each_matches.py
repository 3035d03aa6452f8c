"""A resource or module has the same for_each as its provider

## What it does
Reports, with `--config`, a resource or a module whose `for_each` is too similar to that of the provider
configuration it uses: the same expression over the same source, whatever its value.

## Why is this bad?
Removing an element removes the provider instance and its resource instances in one step, and the next plan fails
("Provider instance not present"): a provider instance must outlive its resources by one apply.

## Example
```hcl
provider "aws" {
  alias    = "by_region"
  for_each = var.regions
}

resource "aws_vpc" "main" {
  for_each = var.regions
  provider = aws.by_region[each.key]
}
```

## What to do
Let the `for_each` of the resource skip elements by a flag in the value:
`{ for name, region in var.regions : name => region if region.enabled }`. Then disable an element first, apply, and
remove it afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from statefmt.configuration.model import Declarations
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.configuration.provider_reference import ProviderReference, read_provider_reference
from statefmt.hcl.syntax import (
    Argument,
    AttributeAccess,
    Binary,
    Call,
    Conditional,
    Expression,
    ForExpression,
    IndexAccess,
    IndexExpression,
    Literal,
    ObjectExpression,
    ObjectItem,
    Parentheses,
    RelativeTraversal,
    Template,
    Traversal,
    TupleExpression,
    Unary,
    references,
)
from statefmt.lint.configurations import place
from statefmt.lint.rule import Rule
from statefmt.model.addrs import ConfigResource, ResourceMode
from statefmt.model.cty.number import Number
from statefmt.model.findings import Code, Finding


def _check(references: ProviderReferences) -> Iterable[Finding]:
    for path, module in references.configuration.modules.items():
        declared = module.declarations
        for block in declared.resources:
            # Data and ephemeral resources are not destroyed, so they do not need their provider afterwards.
            if block.mode is ResourceMode.MANAGED and block.provider is not None:
                address = str(ConfigResource(path, block.address))
                yield from _of(declared, block.provider.expression, block.repetition.for_each, "resource", address)
        for call in declared.calls.values():
            for pair in call.providers or ():
                address = str(path.child(call.name))
                yield from _of(declared, pair.parent, call.repetition.for_each, "module", address)


def _of(
    declared: Declarations, expression: Expression, for_each: Argument | None, kind: str, address: str
) -> Iterable[Finding]:
    reference = read_provider_reference(expression)
    if not isinstance(reference, ProviderReference) or reference.key is None or for_each is None:
        return
    block = declared.providers.get((reference.local.local_name, reference.local.alias))
    if block is None or block.for_each is None or not too_similar(for_each.expression, block.for_each.expression):
        return
    yield Code.PROVIDER_FOR_EACH_MATCHES.finding(
        f"Provider configuration for_each matches {kind}",
        f"{address} and its provider configuration {reference.local} have the same for_each expression, so "
        "removing an element removes the provider instance before it can destroy anything.",
        address,
        fix=f"Let the for_each of the {kind} skip elements by a flag in their values, as in "
        "{ for k, v in SOURCE : k => v if v.enabled }. Then disable an element first, apply, and remove it afterwards.",
        place=place(for_each.expression.range),
    )


# The members that decide whether two expressions of one kind are alike, with the members of their parts. `a.b` and
# `a["b"]` differ. All other kinds of expressions are never alike.
# Sources: RFC "Static Evaluation of Provider Iteration" (the meaning of "too similar"); OpenTofu
# `internal/configs/provider_validation.go`, providerIterationIdentical.
_COMPARED: Final[Mapping[type, tuple[str, ...]]] = {
    AttributeAccess: ("name",),
    Binary: ("operator", "left", "right"),
    Call: ("name", "arguments"),
    Conditional: ("condition", "yes", "no"),
    ForExpression: ("key_name", "value_name", "group", "collection", "key", "value", "condition"),
    IndexAccess: ("key",),
    IndexExpression: ("collection", "key"),
    Literal: ("value",),
    ObjectExpression: ("items",),
    ObjectItem: ("key", "value"),
    RelativeTraversal: ("steps", "source"),
    Template: ("parts",),
    Traversal: ("root", "steps"),
    TupleExpression: ("items",),
    Unary: ("operator", "operand"),
}


def too_similar(one: Expression, other: Expression) -> bool:
    """Return whether both get their elements from the same source. Without references, an expression has no source."""
    return next(references(one), None) is not None and next(references(other), None) is not None and _alike(one, other)


def _alike(one: object, other: object) -> bool:
    while isinstance(one, Parentheses):
        one = one.inner
    while isinstance(other, Parentheses):
        other = other.inner
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, (str, bool, Number)) or one is None:
        return one == other
    members = _COMPARED.get(type(one), ())
    return bool(members) and all(_alike(getattr(one, name), getattr(other, name)) for name in members)


RULE = Rule(Code.PROVIDER_FOR_EACH_MATCHES, check_configuration=_check)
