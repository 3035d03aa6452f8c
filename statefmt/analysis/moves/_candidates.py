"""Collects the objects that plans destroy and create, with their known attributes by digests.

Null, the empty string, and empty lists and maps are equal, since providers replace one by another; so are JSON objects
and arrays in strings that differ only in white space and in the order of members. Where a type says that a list is a
set, the order of its elements does not count. Everything else must be the same, upper and lower case included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import Raw

from statefmt.analysis.moves._planned_facts import PlannedFacts
from statefmt.analysis.moves.proposals import IgnoredAttribute, PlannedPlace
from statefmt.analysis.providers.facts import FactKind
from statefmt.golang import JSONValue, Members, NumberText, loads_exact
from statefmt.lifecycle.plan import Action, PlanError, PlannedChange, ShownPlan, has_true
from statefmt.lifecycle.schema import ProviderSchemas
from statefmt.model.addrs import AbsResourceInstance, ResourceMode
from statefmt.model.addrs.provider import parse_provider_source
from statefmt.model.cty import ListType, MapType, ObjectType, SetType, Type
from statefmt.model.errors import AddressError


class Candidate:
    """An object that a plan destroys or creates. `unknown` are its unknown attributes: of a destroyed one, none.

    `facts` are the account and region of a destroyed object, and those of the provider of a created one.
    """

    def __init__(
        self,
        place: PlannedPlace,
        attributes: ComparedAttributes,
        unknown: _ValueShape = MappingProxyType({}),
        facts: Mapping[FactKind, str] = MappingProxyType({}),
    ) -> None:
        self.facts: Final = facts
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
    facts = {name: PlannedFacts(plan.configuration) for name, plan in plans.items()}
    for name, change in _changes(plans):
        kind = change.address.resource.resource.type, change.provider_name
        if kind not in kinds:
            kinds[kind] = _comparing(*kind, rules, schemas), [], []
        comparing, destroyed, created = kinds[kind]
        place = PlannedPlace(name, address_of(change, in_states=in_states))
        try:
            found = _candidate(place, change, comparing, facts[name])
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


def _candidate(place: PlannedPlace, change: PlannedChange, comparing: _Comparing, facts: PlannedFacts) -> Candidate:
    details = change.change
    if change.action is Action.DELETE:
        attributes = ComparedAttributes(details.before, *comparing)
        return Candidate(place, attributes, facts=facts.of_destroyed(change))
    unknown = _unknown_shape_of(details.after_unknown, comparing.ignored)
    if unknown is None:
        return Candidate(place, ComparedAttributes(None))
    attributes = ComparedAttributes(details.after, *comparing, created=True)
    return Candidate(place, attributes, unknown, facts.of_created(change))


# The known attributes of an object that are not empty: their names, and strings or the digests of other values.
Known: TypeAlias = frozenset[tuple[str, str | bytes]]
# The unknown attributes of an object: true, or a mask for partly unknown attributes.
_ValueShape: TypeAlias = Mapping[str, Any]
_DECODER: Final = msgspec.json.Decoder(float_hook=Decimal)
_ENCODER: Final = msgspec.json.Encoder(order="deterministic", decimal_format="number")
# No attribute has this name.
_MARK: Final = "\0"
_UNKNOWN: Final = {_MARK: "unknown"}
_DIGEST_SIZE: Final = 16


class ComparedAttributes:
    """The attributes of a destroyed or a created object. Raises ValueError if they are nested too deeply."""

    def __init__(
        self,
        raw: Raw | None,
        ignored: frozenset[str] = frozenset(),
        types: Mapping[str, Type] = MappingProxyType({}),
        *,
        created: bool = False,
    ) -> None:
        decoded = _decoded(raw)
        self.ignored: Final = ignored & decoded.keys()
        self._raw: Final = raw
        self._created: Final = created
        self._types: Final = types
        self._digests: Final = {
            name: found
            for name, value in decoded.items()
            if name not in ignored and (found := _digest(value, types.get(name)))
        }

    def known(self, unknown: _ValueShape) -> Known:
        """Return the attributes without those that a shape says are unknown."""
        found = {name: digest for name, digest in self._digests.items() if name not in unknown}
        parts = {name: mask for name, mask in unknown.items() if mask is not True}
        # Decoded again: kept for the few objects that need them, values would take most of the memory.
        values = _decoded(self._raw) if parts else {}
        for name, mask in parts.items():
            part = _without(values.get(name), mask, created=self._created)
            if digest := _digest(part, self._types.get(name)):
                found[name] = digest
        return frozenset(found.items())

    def tells(self, names: Iterable[str]) -> bool:
        """Return whether an attribute has a string or a number in it: null, true, false and 0 are no evidence."""
        values = _decoded(self._raw)
        return any(_is_telling(values.get(name)) for name in names)


def _unknown_shape_of(raw: Raw | None, ignored: frozenset[str]) -> _ValueShape | None:
    """Return the unknown attributes of an object: true, or a mask for partly unknown attributes.

    None if the object is unknown as a whole. Raises ValueError if the mask is nested too deeply.
    """
    mask = {} if raw is None else _attempt(raw)
    if not isinstance(mask, dict):
        return None if mask is True else {}
    return {name: part for name, part in mask.items() if name not in ignored and has_true(part)}


def shape_key(shape: _ValueShape) -> bytes:
    """Return a key that is equal for equal shapes."""
    return _ENCODER.encode(dict(shape))


def _decoded(raw: Raw | None) -> dict[str, Any]:
    value = None if raw is None else _attempt(raw)
    return value if isinstance(value, dict) else {}


def _attempt(raw: Raw) -> Any:
    try:
        return _DECODER.decode(raw)
    except RecursionError:
        raise ValueError("the value is nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        # Half a surrogate pair in an escape, which Go reads as U+FFFD.
        return _plain(loads_exact(bytes(raw), replace_invalid=True))


def _plain(value: JSONValue) -> Any:
    if isinstance(value, Members):
        return {name: _plain(member) for name, member in value}
    if isinstance(value, list):
        return [_plain(element) for element in value]
    return Decimal(value) if isinstance(value, NumberText) else value


def _digest(value: Any, of: Type | None) -> str | bytes:
    """Return a plain string as it is, or a digest of another value; empty for null and its equals."""
    if isinstance(value, str) and value[:1] not in ("{", "["):
        return value
    try:
        normal = _normal(value, of)
    except RecursionError:
        raise ValueError("the value is nested too deeply") from None
    return b"" if normal is None else blake2b(_ENCODER.encode(normal), digest_size=_DIGEST_SIZE).digest()


def _normal(value: Any, of: Type | None) -> Any:
    """Return a value with null in place of its equals, JSON in strings decoded, and sets in an order of their own."""
    if isinstance(value, str):
        return (_embedded(value) if value[:1] in ("{", "[") else value) or None
    if isinstance(value, dict):
        types = of.attributes if isinstance(of, ObjectType) else {}
        element = of.element if isinstance(of, MapType) else None
        parts = ((name, _normal(item, types.get(name, element))) for name, item in value.items())
        return {name: part for name, part in parts if part is not None} or None
    if isinstance(value, list):
        items = [_normal(item, of.element if isinstance(of, (ListType, SetType)) else None) for item in value]
        return (sorted(items, key=_ENCODER.encode) if isinstance(of, SetType) else items) or None
    return value


def _embedded(text: str) -> Any:
    try:
        return {_MARK: "json", "": _DECODER.decode(text)}
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return text


def _without(value: Any, mask: Any, *, created: bool) -> Any:
    """Return a value with a mark in place of its unknown parts. Parts that do not fit the mask stay."""
    if mask is True:
        return _UNKNOWN
    if isinstance(mask, dict) and isinstance(value, dict):
        found = {name: _without(item, mask.get(name), created=created) for name, item in value.items()}
        if created:
            # The plan leaves out unknown parts.
            found |= {name: _UNKNOWN for name, part in mask.items() if part is True and name not in value}
        return found
    if isinstance(mask, list) and isinstance(value, list) and len(mask) == len(value):
        return [_without(item, part, created=created) for item, part in zip(value, mask, strict=True)]
    return value


def _is_telling(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_is_telling, value.values()))
    if isinstance(value, list):
        return any(map(_is_telling, value))
    return bool(value) and value is not True
