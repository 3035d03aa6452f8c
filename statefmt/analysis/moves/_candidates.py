"""Collects the objects that plans destroy, and those that they create."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Final, NamedTuple

from statefmt.analysis.moves._values import ComparedAttributes, Known, ValueShape, unknown_shape_of
from statefmt.analysis.moves.ignored import IgnoredAttribute
from statefmt.analysis.moves.proposals import PlannedPlace
from statefmt.lifecycle.plans.action import Action
from statefmt.lifecycle.plans.errors import PlanError
from statefmt.lifecycle.plans.plan import PlannedChange, ShownPlan
from statefmt.lifecycle.schemas.providers import ProviderSchemas
from statefmt.model.addrs import AbsResourceInstance, ResourceMode, parse_provider_source
from statefmt.model.cty.types import Type
from statefmt.model.errors import AddressError


class Candidate:
    """An object that a plan destroys or creates. `unknown` are its unknown attributes: of a destroyed one, none."""

    def __init__(
        self, place: PlannedPlace, attributes: ComparedAttributes, unknown: ValueShape = MappingProxyType({})
    ) -> None:
        self.place: Final = place
        self.attributes: Final = attributes
        self.unknown: Final = unknown

    @cached_property
    def known(self) -> Known:
        """The known attributes."""
        return self.attributes.known(self.unknown)


class Candidates(NamedTuple):
    """The objects of one type and provider that plans destroy and create, in the order of the plans."""

    type: str
    provider: str
    destroyed: Sequence[Candidate]
    created: Sequence[Candidate]


class Collected(NamedTuple):
    """All candidates by type and provider, and the ignored attributes that none of them has."""

    kinds: Sequence[Candidates]
    unused: tuple[IgnoredAttribute, ...]


def address_of(change: PlannedChange, *, in_states: bool) -> AbsResourceInstance:
    """Return the address of an object: in the state, or after the moves that the plan itself makes."""
    return change.address_before if in_states else change.address


def is_managed(change: PlannedChange) -> bool:
    """Whether a change is of a managed resource."""
    return change.address.resource.resource.mode is ResourceMode.MANAGED


def collect(
    plans: Mapping[str, ShownPlan],
    ignored: Iterable[IgnoredAttribute],
    schemas: ProviderSchemas | None,
    *,
    in_states: bool,
) -> Collected:
    """Collect the current objects of managed resources that plans destroy or create.

    Raises PlanError, with a JSON pointer, for an object whose attributes are nested too deeply, and SchemaError.
    """
    rules = tuple(dict.fromkeys(ignored))
    used: set[tuple[str, str]] = set()
    kinds: dict[tuple[str, str], tuple[_Comparing, list[Candidate], list[Candidate]]] = {}
    for name, change in _changes(plans):
        kind = change.address.resource.resource.type, change.provider_name
        if kind not in kinds:
            kinds[kind] = _comparing(*kind, rules, schemas), [], []
        comparing, destroyed, created = kinds[kind]
        place = PlannedPlace(name, address_of(change, in_states=in_states))
        try:
            found = _candidate(place, change, comparing)
        except (ValueError, RecursionError):
            pointer = f"/resource_changes/{change.number}/change"
            raise PlanError(f"{place.address}: the attributes are nested too deeply to be compared", pointer) from None
        used.update((kind[0], attribute) for attribute in found.attributes.ignored)
        (destroyed if change.action is Action.DELETE else created).append(found)
    seen = {IgnoredAttribute(*one) for one in used} | {IgnoredAttribute("*", attribute) for _, attribute in used}
    return Collected(
        tuple(Candidates(*kind, destroyed, created) for kind, (_, destroyed, created) in kinds.items()),
        tuple(rule for rule in rules if rule not in seen),
    )


class _Comparing(NamedTuple):
    """How the objects of a type are compared: without these attributes, and by these types of the others."""

    ignored: frozenset[str]
    types: Mapping[str, Type]


def _comparing(
    type_: str, provider_name: str, rules: Iterable[IgnoredAttribute], schemas: ProviderSchemas | None
) -> _Comparing:
    ignored = frozenset(rule.attribute for rule in rules if rule.applies_to(type_))
    if schemas is None:
        return _Comparing(ignored, {})
    try:
        provider = parse_provider_source(provider_name)
    except AddressError:
        return _Comparing(ignored, {})
    schema = schemas.schema(provider, ResourceMode.MANAGED, type_)
    return _Comparing(ignored, {} if schema is None else schema.type.attributes)


def _changes(plans: Mapping[str, ShownPlan]) -> Iterator[tuple[str, PlannedChange]]:
    for name, plan in plans.items():
        for change in plan.resource_changes:
            if change.action in (Action.DELETE, Action.CREATE) and not change.deposed and is_managed(change):
                yield name, change


def _candidate(place: PlannedPlace, change: PlannedChange, comparing: _Comparing) -> Candidate:
    details = change.change
    if change.action is Action.DELETE:
        return Candidate(place, ComparedAttributes(details.before, *comparing))
    unknown = unknown_shape_of(details.after_unknown, comparing.ignored)
    if unknown is None:
        return Candidate(place, ComparedAttributes(None))
    return Candidate(place, ComparedAttributes(details.after, *comparing, created=True), unknown)
