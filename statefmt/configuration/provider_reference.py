"""Parses references to provider configurations, and resolves the local names of providers in a module.

A reference is `aws`, `aws.west` or `aws.by_region[each.key]`. Sources: OpenTofu `internal/configs`, in `resource.go`
(decodeProviderConfigRef), `module.go` (ImpliedProviderForUnqualifiedType, ProviderForLocalConfig) and `provider.go`
(checkProviderNameNormalized).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from statefmt.configuration.model import Declarations, PassedProvider, RequiredProvider
from statefmt.hcl.source import Problem, ProblemKind, Range, error
from statefmt.hcl.syntax import (
    AttributeAccess,
    Expression,
    IndexAccess,
    IndexExpression,
    Literal,
    Template,
    as_traversal,
)
from statefmt.model.addrs import LocalProviderConfig
from statefmt.model.addrs.provider import Provider, implied_provider, normalize_provider_part, parse_provider_source
from statefmt.model.errors import AddressError

_SUMMARY: Final = "Invalid provider configuration reference"
_QUOTED: Final = "A provider configuration reference must not be given in quotes."
_ALIAS: Final = "Provider name must either stand alone or be followed by a period and then a configuration alias."
_NO_ALIAS: Final = (
    "Provider assignment requires an alias when specifying an instance key, in the form of provider.name[instance_key]"
)
_FORM: Final = (
    "The {argument} argument requires a provider type name, optionally followed by a period and then a configuration "
    "alias and optional instance key."
)


class ProviderReference(msgspec.Struct, frozen=True):
    """A provider configuration as named within one module, with the key of one of its instances if given.

    `range` covers the name, `key_range` the key.
    """

    local: LocalProviderConfig
    range: Range
    key: Expression | None = None
    key_range: Range | None = None


def read_provider_reference(expression: Expression, argument: str = "provider") -> ProviderReference | Problem:
    """Parse an expression as a provider reference; return a problem in OpenTofu's wording if it is not one.

    `argument` is the name of the argument that contains the expression.
    """
    key: Expression | None = None
    longest = 3
    if isinstance(expression, IndexExpression):
        key, expression, longest = expression.key, expression.collection, 2
    traversal = as_traversal(expression)
    if traversal is None or len(traversal.steps) >= longest:
        quoted = isinstance(expression, Template) or (
            isinstance(expression, Literal) and isinstance(expression.value, str)
        )
        return error(
            ProblemKind.BLOCK, _SUMMARY, _QUOTED if quoted else _FORM.format(argument=argument), expression.range
        )
    wrong = local_name_problem(traversal.root, traversal.root_range)
    if wrong is not None:
        return wrong
    steps = traversal.steps
    if steps and not isinstance(steps[0], AttributeAccess):
        return error(ProblemKind.BLOCK, _SUMMARY, _ALIAS, steps[0].range)
    alias = steps[0].name if steps and isinstance(steps[0], AttributeAccess) else ""
    key_range = key.range if key is not None else None
    if len(steps) > 1:
        last = steps[1]
        if not isinstance(last, IndexAccess):
            return error(ProblemKind.BLOCK, _SUMMARY, _ALIAS, last.range)
        # OpenTofu gives such a key the range of the whole reference.
        key, key_range = Literal(last.key, last.range), traversal.range
    if key is not None and not alias:
        return error(ProblemKind.BLOCK, _SUMMARY, _NO_ALIAS, traversal.range)
    return ProviderReference(LocalProviderConfig(traversal.root, alias), traversal.root_range, key, key_range)


def read_passed_references(pair: PassedProvider) -> tuple[ProviderReference, ProviderReference] | None:
    """Parse both sides of an entry of `providers`, child and parent; None if either is invalid."""
    child = read_provider_reference(pair.child, "providers")
    parent = read_provider_reference(pair.parent, "providers")
    return None if isinstance(child, Problem) or isinstance(parent, Problem) else (child, parent)


def configuration_aliases(declarations: Declarations) -> Iterator[tuple[RequiredProvider, LocalProviderConfig]]:
    """Yield the valid configurations that a module expects from its callers, each with its required provider."""
    for required in declarations.required_providers.values():
        for expression in required.aliases:
            alias = read_provider_reference(expression, "configuration_aliases")
            if isinstance(alias, ProviderReference):
                yield required, alias.local


def provider_named(declarations: Declarations, name: str) -> Provider | None:
    """Return the provider that `required_providers` gives for a local name, else the provider that the name implies.

    None if the name or the source is invalid.
    """
    required = declarations.required_providers.get(name)
    try:
        return parse_provider_source(required.source) if required and required.source else implied_provider(name)
    except (AddressError, ValueError):
        return None


def provider_for(declarations: Declarations, name: str) -> Provider | None:
    """Return the provider of a local name in a `provider` block or reference; `hashicorp/` if not required.

    That includes `terraform`, unlike names implied by resource types. Source: resolveProviderTypes.
    """
    if name in declarations.required_providers:
        return provider_named(declarations, name)
    try:
        return Provider.default(name)
    except ValueError:
        return None


def local_name_of(declarations: Declarations, provider: Provider) -> str:
    """Return the local name of a provider in a module: its name in `required_providers`, else its type."""
    for name in declarations.required_providers:
        if provider_named(declarations, name) == provider:
            return name
    return provider.type


def local_name_problem(name: str, place: Range, *, any_form: bool = False) -> Problem | None:
    """Return why a word is not a valid local name of a provider; None if it is.

    Names must be normalized, unless `any_form` is set.
    """
    try:
        normal = normalize_provider_part(name)
    except ValueError as reason:
        detail = f"{name} is an invalid provider local name: {reason}"
    else:
        if any_form or normal == name:
            return None
        detail = f'Provider names must be normalized. Replace "{name}" with "{normal}" to fix this error.'
    return error(ProblemKind.BLOCK, "Invalid provider local name", detail, place)
