"""Selects resource instances, for every command that takes selectors.

A single address is found without listing all instances.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from statefmt.analysis.selection.criteria import Criteria, suggestion
from statefmt.model.addrs import NO_KEY, AbsProviderInstance
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.model.errors import AddressError, SelectionError
from statefmt.model.snapshot import InstanceState, ObjectStatus, ResourceState, Snapshot, instances
from statefmt.text import has_wildcards, wildcard_test


def select_in(
    snapshot: Snapshot, criteria: Criteria, note: Callable[[str], None] = lambda _: None
) -> list[InstanceState]:
    """Return the instances of a snapshot that meet the criteria, as select() does, with the same errors."""
    named = _named(snapshot, criteria.selectors[0]) if len(criteria.selectors) == 1 else None
    if named is None or criteria != Criteria(selectors=criteria.selectors):
        return select(instances(snapshot), criteria, note)
    return select(instances(replace(snapshot, resources=(named,))), criteria, note)


def _named(snapshot: Snapshot, selector: str) -> ResourceState | None:
    """Return the resource whose instances an address selects; None if the address needs a closer look."""
    try:
        addr = parse_abs_resource_instance(selector)
    except AddressError:
        return None
    wanted, found = addr.containing_resource(), None
    for resource in snapshot.resources:
        declared = resource.addr.resource
        if declared.name == wanted.resource.name and resource.addr == wanted:
            if found is not None:
                return None
            found = resource
        elif "." in declared.name or "[" in declared.name or "." in declared.type:
            # Its address may look like another one.
            return None
    is_there = found is not None and any(addr.key in (NO_KEY, obj.key) for obj in found.objects)
    return found if is_there and str(addr) == selector else None


_Test: TypeAlias = Callable[[InstanceState], bool]


def select(
    found: Sequence[InstanceState], criteria: Criteria, note: Callable[[str], None] = lambda _: None
) -> list[InstanceState]:
    """Return the instances that meet the criteria, in their order; `note` takes remarks.

    Raises SelectionError if a value is invalid or, with the nearest names, matches none of `found`, and if no instance
    meets all criteria.
    """
    if criteria == Criteria():
        return list(found)
    chosen = _addressed(found, criteria)
    for test in _tests(found, criteria):
        chosen = [instance for instance in chosen if test(instance)]
    notes: list[str] = []
    for condition in criteria.conditions if chosen else ():
        from statefmt.analysis.selection.filters import meeting

        chosen, hidden = meeting(chosen, condition)
        if hidden:
            count = "1 instance" if hidden == 1 else f"{hidden:,} instances"
            way_out = "" if condition.show_sensitive is None else "; use --show-sensitive to compare all"
            notes.append(f"{count} not compared, because {condition.path} is sensitive there{way_out}")
    if not chosen:
        raise SelectionError("; ".join([f"no resource instance {criteria}", *notes]))
    for text in notes:
        note(text)
    return chosen


def _addressed(found: Sequence[InstanceState], criteria: Criteria) -> list[InstanceState]:
    """Return the instances that a selector matches and that are not excluded."""
    if not criteria.selectors and not criteria.excluded:
        return list(found)
    # Imported late, here and below, for startup time: most commands get no selector, or selectors alone.
    from statefmt.analysis.selection.addresses import Addresses

    addresses = Addresses([instance.addr for instance in found])
    selected = {place for selector in criteria.selectors for place in addresses.fitting(selector)}
    excluded = {place for selector in criteria.excluded for place in addresses.fitting(selector)}
    places = sorted(selected) if criteria.selectors else range(len(found))
    return [found[place] for place in places if place not in excluded]


def _tests(found: Sequence[InstanceState], criteria: Criteria) -> list[_Test]:
    """Return the tests of the criteria other than selectors."""
    tests: list[_Test] = []
    if criteria.modes:
        tests.append(lambda instance: instance.resource.addr.resource.mode in criteria.modes)
    if criteria.types:
        types = _fitting({_type(instance) for instance in found}, criteria.types, "resource type")
        tests.append(lambda instance: _type(instance) in types)
    if criteria.providers:
        from statefmt.analysis.selection.filters import fitting_providers

        bound = {provider for instance in found for provider in _providers(instance)}
        providers = {provider for text in criteria.providers for provider in fitting_providers(bound, text)}
        tests.append(lambda instance: not providers.isdisjoint(_providers(instance)))
    if criteria.tainted:
        tests.append(lambda instance: instance.current is not None and instance.current.status is ObjectStatus.TAINTED)
    if criteria.deposed:
        tests.append(lambda instance: bool(instance.deposed))
    if criteria.ids:
        from statefmt.analysis.object_id import object_id

        ids = _ids(found, criteria.ids)
        tests.append(lambda instance: any(object_id(obj) in ids for obj in instance.objects))
    return tests


def _fitting(known: Collection[str], texts: Sequence[str], what: str, shown: Collection[str] | None = None) -> set[str]:
    """Return the known names that each text equals or, if none does, matches as a pattern.

    `shown` are the names that a pattern may match and a message may contain, by default all.
    """
    shown = known if shown is None else shown
    found: set[str] = set()
    for text in texts:
        fits = wildcard_test(text)
        fitting = {text} if text in known else {name for name in shown if has_wildcards(text) and fits(name)}
        if not fitting:
            raise SelectionError(f"no {what} matches {text!r}{suggestion(text, shown)}")
        found |= fitting
    return found


def _ids(found: Sequence[InstanceState], texts: Sequence[str]) -> set[str]:
    """Return the requested ids. A sensitive id is matched as a whole only, and messages never contain it."""
    from statefmt.analysis.object_id import id_is_sensitive, object_id

    objects = [
        (obj, _type(instance), name)
        for instance in found
        for obj in instance.objects
        if (name := object_id(obj)) is not None
    ]
    shown = {name for obj, type_name, name in objects if not id_is_sensitive(obj, type_name)}
    return _fitting({name for _, _, name in objects}, texts, "id", shown)


def _type(instance: InstanceState) -> str:
    return instance.resource.addr.resource.type


def _providers(instance: InstanceState) -> set[AbsProviderInstance]:
    bound = {instance.provider(obj) for obj in instance.objects}
    return {provider for provider in bound if provider is not None}
