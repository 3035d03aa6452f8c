"""Collects the objects that plans destroy, and those that they create."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from statefmt.analysis.moves._values import ComparedAttributes, Shape, unknown_shape_of
from statefmt.analysis.moves.ignored import IgnoredAttribute
from statefmt.analysis.moves.proposals import PlannedPlace
from statefmt.lifecycle.plans.action import Action
from statefmt.lifecycle.plans.errors import PlanError
from statefmt.lifecycle.plans.plan import PlannedChange, ShownPlan
from statefmt.model.addrs import AbsResourceInstance, ResourceMode


class Candidate(Struct, frozen=True, eq=False):
    """An object that a plan destroys or creates. `unknown` are its unknown attributes: of a destroyed one, none."""

    place: PlannedPlace
    attributes: ComparedAttributes
    unknown: Shape = {}


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


def collect(plans: Mapping[str, ShownPlan], ignored: Iterable[IgnoredAttribute], *, in_states: bool) -> Collected:
    """Collect the current objects of managed resources that plans destroy or create.

    Raises PlanError, with a JSON pointer, for an object whose attributes are nested too deeply.
    """
    rules = tuple(dict.fromkeys(ignored))
    by_type: dict[str, frozenset[str]] = {}
    used: set[tuple[str, str]] = set()
    kinds: dict[tuple[str, str], Candidates] = {}
    for name, change in _changes(plans):
        type_ = change.address.resource.resource.type
        if type_ not in by_type:
            by_type[type_] = frozenset(rule.attribute for rule in rules if rule.applies_to(type_))
        try:
            found = _candidate(name, change, by_type[type_], in_states=in_states)
        except (ValueError, RecursionError):
            pointer = f"/resource_changes/{change.number}/change"
            raise PlanError("the attributes are nested too deeply to be compared", pointer) from None
        if found is not None:
            used |= {(type_, attribute) for attribute in found.attributes.ignored}
            kind = type_, change.provider_name
            group = kinds.setdefault(kind, Candidates(*kind, [], []))
            side = group.destroyed if change.action is Action.DELETE else group.created
            assert isinstance(side, list)
            side.append(found)
    seen = {IgnoredAttribute(*one) for one in used} | {IgnoredAttribute("*", attribute) for _, attribute in used}
    return Collected(tuple(kinds.values()), tuple(rule for rule in rules if rule not in seen))


def _changes(plans: Mapping[str, ShownPlan]) -> Iterator[tuple[str, PlannedChange]]:
    for name, plan in plans.items():
        for change in plan.resource_changes:
            if change.action in (Action.DELETE, Action.CREATE) and not change.deposed and is_managed(change):
                yield name, change


def _candidate(plan: str, change: PlannedChange, ignored: frozenset[str], *, in_states: bool) -> Candidate | None:
    place = PlannedPlace(plan, address_of(change, in_states=in_states))
    details = change.change
    if change.action is Action.DELETE:
        return Candidate(place, ComparedAttributes(details.before, ignored))
    unknown = unknown_shape_of(details.after_unknown, ignored)
    if unknown is None:
        return Candidate(place, ComparedAttributes(None), {})
    return Candidate(place, ComparedAttributes(details.after, ignored, created=True), unknown)
