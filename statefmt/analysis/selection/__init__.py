"""Selects resource instances by criteria, for every command with selectors, and suggests the nearest names.

A single address is found without listing all instances.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Final, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from statefmt.model.addrs import (
    NO_KEY,
    AbsProviderInstance,
    AbsResource,
    AbsResourceInstance,
    ModuleInstance,
    ResourceMode,
)
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.model.errors import AddressError, SelectionError
from statefmt.model.snapshot import InstanceState, ObjectStatus, ResourceState, Snapshot, instances
from statefmt.text import has_wildcards, wildcard_test


class Addressed(Protocol):
    """An object with the address of an instance, such as an Instance."""

    @property
    def address(self) -> AbsResourceInstance:
        """The absolute address."""


# A string is an address or a pattern; all other types are exactly one address.
Selector: TypeAlias = str | ModuleInstance | AbsResource | AbsResourceInstance | Addressed


class Condition(Struct, frozen=True):
    """A condition on the values at a path, as given and in its parts.

    `show_sensitive` also compares hidden values; it is None if the caller has no such option.
    """

    text: str
    path: str
    operator: str
    value: str
    show_sensitive: bool | None = None


class Criteria(Struct, frozen=True):
    """Criteria that an instance must all meet; it meets a criterion by matching any of its values.

    It must meet all `conditions`. An empty criterion matches everything. `docs/selectors.md` describes the syntax; in
    short:

    - `selectors`: addresses of instances, resources and modules, and patterns of them
      (`statefmt.analysis.selection.addresses`);
    - `excluded`: selectors of instances to exclude;
    - `types`: resource types, or patterns of them: `aws_*`;
    - `modes`: managed or data;
    - `providers`: sources, configurations and instances of providers (`statefmt.analysis.selection.filters`);
    - `ids`: values of the attribute `id`, or patterns of them;
    - `conditions`: on the values of attributes (`statefmt.analysis.selection.filters`);
    - `tainted`: the current object is tainted; `deposed`: there are deposed objects.
    """

    selectors: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    modes: tuple[ResourceMode, ...] = ()
    providers: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    tainted: bool = False
    deposed: bool = False

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, (str, bytes)):
                # A string is a sequence, too: each of its characters would be a criterion.
                raise TypeError(f"Criteria: {name} must be a tuple, not {value!r}; write ({value!r},)")

    def __str__(self) -> str:
        """The criteria in words, to follow "an instance that" or the like."""
        parts = [
            ("matches", self.selectors),
            ("is of type", self.types),
            ("is", tuple(mode.value for mode in self.modes)),
            ("is bound to", self.providers),
            ("has the id", self.ids),
        ]
        words = [f"{verb} {' or '.join(values)}" for verb, values in parts if values]
        words += [f"has {condition.text}" for condition in self.conditions]
        words += ["is tainted"] * self.tainted + ["has deposed objects"] * self.deposed
        words += ["is not excluded"] * bool(self.excluded)
        return " and ".join(words)


def criteria_of(chosen: Criteria | Selector | Iterable[Selector]) -> Criteria:
    """Return criteria unchanged, or build them from one or several selectors. Raises TypeError for other types."""
    if isinstance(chosen, Criteria):
        return chosen
    several: Iterable[Any] = (chosen,) if _is_selector(chosen) or not isinstance(chosen, Iterable) else chosen
    return Criteria(selectors=tuple(map(selector_text, several)))


def selector_text(selector: Selector) -> str:
    r"""Return the selector as a string. The wildcards in the keys of a typed address are escaped: `\*`.

    Raises TypeError for anything but a selector.
    """
    if isinstance(selector, str):
        return selector
    if not _is_selector(selector):
        raise TypeError(f"a selector must be a string, an address or an Instance, not {type(selector).__name__}")
    text = str(selector)
    return text.replace("*", r"\*").replace("?", r"\?") if has_wildcards(text) else text


def _is_selector(value: object) -> bool:
    if isinstance(value, (str, ModuleInstance, AbsResource, AbsResourceInstance)):
        return True
    return isinstance(getattr(value, "address", None), AbsResourceInstance)


_MOST: Final = 3
# difflib takes a tenth of a millisecond or more for each string, and a state has tens of thousands.
_COMPARED: Final = 300
_LENGTH: Final = 3
# The maximum number of listed names if none is similar.
_LISTED: Final = 10


def nearest(text: str, known: Iterable[str]) -> list[str]:
    """Return the few strings most similar to `text`, best first; empty if none is similar."""
    # Imported late: nearly every name exists.
    from difflib import get_close_matches
    from heapq import nlargest

    # Much longer strings cannot be similar, and comparing long keys takes much longer.
    candidates = {other for other in known if len(other) <= 3 * len(text) + 16}
    if len(candidates) > _COMPARED:
        wanted = _trigrams(text)
        candidates = set(nlargest(_COMPARED, candidates, key=lambda other: (len(wanted & _trigrams(other)), other)))
    return get_close_matches(text, sorted(candidates), n=_MOST)


def suggestion(text: str, known: Iterable[str]) -> str:
    """Return the end of a message that nothing matches `text`: the nearest names, one per line; "" without any."""
    near = nearest(text, known)
    return "; the nearest are:" + "".join(f"\n  {other}" for other in near) if near else ""


def did_you_mean(text: str, known: Collection[str]) -> str:
    """Return the end of a message that `text` is unknown: the nearest names, else all names; "" if there are none."""
    near = nearest(text, known)
    if len(near) == 1:
        return f"; did you mean {near[0]}?"
    more = len(known) - _LISTED
    names = near or [*sorted(known)[:_LISTED], *([f"… and {more} more"] if more > 0 else [])]
    if not names:
        return "."
    return ("; did you mean one of these:" if near else "; there are:") + "".join(f"\n  {other}" for other in names)


def _trigrams(text: str) -> set[str]:
    """Return all runs of three characters: similar strings have many in common."""
    return {text[pos : pos + _LENGTH] for pos in range(max(1, len(text) - _LENGTH + 1))}


def select_in(
    snapshot: Snapshot, criteria: Criteria, note: Callable[[str], None] = lambda _: None
) -> list[InstanceState]:
    """Return the instances of a snapshot that meet the criteria, as select() does, with the same errors."""
    named = _named(snapshot, criteria.selectors[0]) if len(criteria.selectors) == 1 else None
    if named is None or criteria != Criteria(selectors=criteria.selectors):
        return select(instances(snapshot), criteria, note)
    return select(instances(replace(snapshot, resources=(named,))), criteria, note)


def _named(snapshot: Snapshot, selector: str) -> ResourceState | None:
    """Return the resource whose instances an address selects; None if the address needs the full search."""
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
    """Return the instances that meet the criteria, in their order; `note` receives remarks.

    Raises SelectionError if a value is invalid or, with the nearest names, matches none of `found`, and if no
    instance meets all criteria.
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
    """Return the requested ids. A sensitive id matches only as a whole, and messages never contain it."""
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
