"""Models the results of comparing plans, and collects the objects to compare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from hashlib import blake2b
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import Raw, Struct

from statefmt.analysis.diff.model import Movable
from statefmt.analysis.moves._planned_facts import PlannedFacts
from statefmt.analysis.providers.facts import FactKind
from statefmt.golang import JSONValue, Members, NumberText, loads_exact
from statefmt.lifecycle.plan import Action, PlanError, PlannedChange, ShownPlan, has_true
from statefmt.lifecycle.schema import ProviderSchemas
from statefmt.model.addrs import AbsResourceInstance, ResourceMode
from statefmt.model.addrs.provider import parse_provider_source
from statefmt.model.addrs.traversal import is_identifier
from statefmt.model.cty import ListType, MapType, ObjectType, SetType, Type
from statefmt.model.errors import AddressError, SelectionError

if TYPE_CHECKING:
    from statefmt.configuration.provider_instances import ProviderReferences


class MoveEvidence(StrEnum):
    """The evidence that two objects are the same.

    `ATTRIBUTES`: no other object has equal attributes. `KEYS`: several objects have, but all are instances of one
    resource, which were all destroyed and created with the same keys. `MODULE`: other objects prove that the module
    of the object moved, and the new module has an object with equal attributes at the same address.
    """

    ATTRIBUTES = "attributes"
    KEYS = "keys"
    MODULE = "module"


class PlannedPlace(Struct, frozen=True):
    """The address of an object in a plan, and the name of the plan."""

    plan: str
    address: AbsResourceInstance


class MovedInstance(Struct, frozen=True):
    """An object that would be destroyed at `source` and created again at `target`.

    `attributes` are the names of the known, equal attributes that are not empty.
    """

    source: PlannedPlace
    target: PlannedPlace
    evidence: MoveEvidence
    attributes: tuple[str, ...]


class ProposedMove(Struct, frozen=True):
    """A module, a resource or an instance that moves as a whole, and its instances.

    `target_plan` differs from `source_plan` if the objects move to another state. `obstacle` is the reason why no
    `moved` block or operation can express the move; "" if one can.
    """

    source_plan: str
    source: Movable
    target_plan: str
    target: Movable
    instances: tuple[MovedInstance, ...]
    obstacle: str = ""


class AmbiguousGroup(Struct, frozen=True):
    """Objects of one type with equal attributes: each destroyed object may be any of the created ones."""

    type: str
    provider: str
    destroyed: tuple[PlannedPlace, ...]
    created: tuple[PlannedPlace, ...]


class NearlyEqual(Struct, frozen=True):
    """Two objects that are no pair only because of these attributes, by their names."""

    destroyed: PlannedPlace
    created: PlannedPlace
    attributes: tuple[str, ...]


class Proposals(Struct, frozen=True):
    """The result of propose_moves(). Moves are in the order of their plans and addresses.

    `destroyed` and `created` are the objects without a counterpart; `not_compared` are the objects of `created` that
    would take too many comparisons, as only in a malicious plan. `nearly_equal` are some pairs that differ in few
    attributes. `unused` are the ignored attributes that no destroyed or created object has.
    """

    moves: tuple[ProposedMove, ...]
    ambiguous: tuple[AmbiguousGroup, ...]
    destroyed: tuple[PlannedPlace, ...]
    created: tuple[PlannedPlace, ...]
    not_compared: tuple[PlannedPlace, ...] = ()
    nearly_equal: tuple[NearlyEqual, ...] = ()
    unused: tuple[IgnoredAttribute, ...] = ()

    @property
    def instances(self) -> tuple[MovedInstance, ...]:
        """The instances of all moves."""
        return tuple(instance for move in self.moves for instance in move.instances)

    @property
    def is_crossing(self) -> bool:
        """Whether an object moves to another state."""
        return any(move.source_plan != move.target_plan for move in self.moves)


_EVERY: Final = "*"


class IgnoredAttribute(Struct, frozen=True):
    """An attribute of a resource type that is not compared; `*` as the type is every type."""

    type: str
    attribute: str

    def __str__(self) -> str:
        return f"{self.type}.{self.attribute}"

    def applies_to(self, type_: str) -> bool:
        """Return whether objects of a type may have the attribute."""
        return self.type in (_EVERY, type_)


def parse_ignored_attribute(text: str) -> IgnoredAttribute:
    """Parse `TYPE.ATTRIBUTE`, such as `aws_instance.user_data` or `*.tags_all`. Raises SelectionError."""
    type_, dot, attribute = text.partition(".")
    if not dot or not is_identifier(attribute) or not (type_ == _EVERY or is_identifier(type_)):
        raise SelectionError(
            f"invalid attribute {text!r}: write TYPE.ATTRIBUTE, such as aws_instance.user_data, or *.ATTRIBUTE for "
            "every type; parts of an attribute cannot be ignored"
        )
    return IgnoredAttribute(type_, attribute)


# Collects the objects that plans destroy and create, with their known attributes as digests.
# Null, the empty string, and empty lists and maps are equal, since providers replace one by another. JSON objects and
# arrays in strings may differ in white space and in the order of members. If the type of a list is a set, the order
# of its elements is ignored. All else must be equal, including upper and lower case.


class Candidate:
    """An object that a plan destroys or creates. `unknown` are its unknown attributes: none if it is destroyed.

    `facts` are the account and region of a destroyed object, or of the provider of a created one.
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


def address_of(change: PlannedChange, *, in_states: bool) -> AbsResourceInstance:
    """Return the address of an object: in the state, or after the plan's own moves."""
    return change.address_before if in_states else change.address


def is_managed(change: PlannedChange) -> bool:
    """Return whether a change is of a managed resource."""
    return change.address.resource.resource.mode is ResourceMode.MANAGED


def collect(
    plans: Mapping[str, ShownPlan],
    ignored: Iterable[IgnoredAttribute],
    schemas: ProviderSchemas | None,
    references: Mapping[str, ProviderReferences],
    *,
    in_states: bool,
) -> tuple[list[Candidates], tuple[IgnoredAttribute, ...]]:
    """Collect the current objects of managed resources that plans destroy or create, by type and provider.

    Also returns the ignored attributes that none of them has.

    Raises PlanError, with a JSON pointer, for an object whose attributes are nested too deeply, and SchemaError.
    """
    rules = tuple(dict.fromkeys(ignored))
    used: set[tuple[str, str]] = set()
    kinds: dict[tuple[str, str], tuple[_Comparing, list[Candidate], list[Candidate]]] = {}
    facts = {name: PlannedFacts(plan.configuration, references.get(name)) for name, plan in plans.items()}
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
    candidates = [Candidates(*kind, destroyed, created) for kind, (_, destroyed, created) in kinds.items()]
    return candidates, tuple(rule for rule in rules if rule not in seen)


# The comparison of the objects of a type: the ignored attributes, and the types of the others.
_Comparing: TypeAlias = tuple[frozenset[str], Mapping[str, Type]]


def _comparing(
    type_: str, provider_name: str, rules: Iterable[IgnoredAttribute], schemas: ProviderSchemas | None
) -> _Comparing:
    ignored = frozenset(rule.attribute for rule in rules if rule.applies_to(type_))
    try:
        provider = parse_provider_source(provider_name) if schemas is not None else None
    except AddressError:
        provider = None
    if schemas is None or provider is None:
        return ignored, {}
    schema = schemas.schema(provider, ResourceMode.MANAGED, type_)
    return ignored, {} if schema is None else schema.type.attributes


def _changes(plans: Mapping[str, ShownPlan]) -> Iterator[tuple[str, PlannedChange]]:
    for name, plan in plans.items():
        for change in plan.resource_changes:
            if change.action in (Action.DELETE, Action.CREATE) and not change.deposed and is_managed(change):
                yield name, change


def _candidate(place: PlannedPlace, change: PlannedChange, comparing: _Comparing, facts: PlannedFacts) -> Candidate:
    details = change.change
    if change.action is Action.DELETE:
        attributes = ComparedAttributes(details.before, *comparing)
        return Candidate(place, attributes, facts=facts.of(change))
    unknown = _unknown_shape_of(details.after_unknown, comparing[0])
    if unknown is None:
        return Candidate(place, ComparedAttributes(None))
    attributes = ComparedAttributes(details.after, *comparing, created=True)
    return Candidate(place, attributes, unknown, facts.of(change))


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
        """Return the attributes without the unknown ones, according to a shape."""
        found = {name: digest for name, digest in self._digests.items() if name not in unknown}
        parts = {name: mask for name, mask in unknown.items() if mask is not True}
        # Decodes again: keeping values for the few objects that need them would take most of the memory.
        values = _decoded(self._raw) if parts else {}
        for name, mask in parts.items():
            part = _without(values.get(name), mask, created=self._created)
            if digest := _digest(part, self._types.get(name)):
                found[name] = digest
        return frozenset(found.items())

    def tells(self, names: Iterable[str]) -> bool:
        """Return whether an attribute contains a string or a number: null, true, false and 0 are no evidence."""
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
    """Return a plain string unchanged, or a digest of another value; empty for null and its equivalents."""
    if isinstance(value, str) and value[:1] not in ("{", "["):
        return value
    try:
        normal = _normal(value, of)
    except RecursionError:
        raise ValueError("the value is nested too deeply") from None
    return b"" if normal is None else blake2b(_ENCODER.encode(normal), digest_size=_DIGEST_SIZE).digest()


def _normal(value: Any, of: Type | None) -> Any:
    """Return a value with null for its equivalents, JSON in strings decoded, and sets in a fixed order."""
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
    """Return a value with a mark instead of its unknown parts. Parts that do not match the mask stay."""
    if mask is True:
        return _UNKNOWN
    if isinstance(mask, dict) and isinstance(value, dict):
        found = {name: _without(item, mask.get(name), created=created) for name, item in value.items()}
        if created:
            # The plan omits unknown parts.
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
