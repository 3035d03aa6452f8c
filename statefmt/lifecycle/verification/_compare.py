"""Compares planned values with values in a state, as OpenTofu compares them after an apply.

Known parts must be equal; unknown parts may be any known value of the schema's type. Plans and states write values
differently: a state stores a dynamic value with its type (`{"value": …, "type": …}`), and a plan does not distinguish
sets from lists or maps from objects. Without a schema, two readings are tried, and one match is enough: then the
elements of a list may be in any order, and null equals a missing member. Source: OpenTofu
`objchange.AssertObjectCompatible`, `internal/command/jsonplan`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from statefmt.formats.versions import object_members
from statefmt.lifecycle.plan import has_true
from statefmt.lifecycle.verification._difference import (
    ABSENT,
    CONTAINERS,
    UNREADABLE,
    Absent,
    Decoded,
    Difference,
    DifferenceKind,
    PathSteps,
    converted,
    decoded,
    fits,
    identity_key,
    is_number,
    same_scalar,
    same_text,
)
from statefmt.model.cty import (
    BOOL,
    DYNAMIC,
    NUMBER,
    STRING,
    CtyTypeError,
    ListType,
    MapType,
    ObjectType,
    SetType,
    TupleType,
    Type,
    element_type,
    member_type,
    parse_type,
    type_name,
)
from statefmt.model.cty.number import Number
from statefmt.pairing import BlockPairing, PlainValue, crosses

# Old providers wrote this instead of an unknown value. Source: OpenTofu `hcl2shim.UnknownVariableValue`.
_UNKNOWN_PLACEHOLDER: Final = "74D93920-ED26-11E3-AC10-0800200C9A66"
_PLACEHOLDER: Final = _UNKNOWN_PLACEHOLDER.encode()
_NOTHING_UNKNOWN: Final = (b"{}", b"false", b"[]")
# The only attribute that is never null in an existing object; other unknown values may become null.
_ID: Final = "id"
# Elements with unknown parts are compared with each other element up to this number of pairs.
_MOST_PAIRS: Final = 100_000

# Deeper values are not compared as a whole first, to keep the time linear.
_DEEPEST_SHORTCUT: Final = 16


def compare_attributes(
    planned: Raw,
    unknown: Raw | None,
    actual: Raw,
    of: Type = DYNAMIC,
    *,
    pairing: BlockPairing | None = None,
    ignore_added: bool = False,
) -> list[Difference]:
    """Compare the attributes of an object in a state with the planned ones.

    Args:
        planned: The planned attributes, as in `after` of a change.
        unknown: The mask of unknown parts, as in `after_unknown`.
        actual: `attributes` in the state.
        of: The type of the object by the provider's schema, DYNAMIC if it is not known.
        pairing: Pairs the blocks of all lists that a run compares; without it, lists are compared by position.
        ignore_added: Ignore attributes that only the state has.

    Raises RecursionError if a value is nested too deeply.
    """
    if unknown is not None and bytes(unknown) == b"true":
        return _Comparison().value(ABSENT, True, decoded(actual), of, (), ())
    if memoryview(planned)[0] != ord("{") or memoryview(actual)[0] != ord("{"):
        return _Comparison(pairing).value(decoded(planned), None, decoded(actual), of, (), ())
    wanted = object_members(planned)
    mask = {} if unknown is None or bytes(unknown) in _NOTHING_UNKNOWN else object_members(unknown)
    found = object_members(actual)
    comparison = _Comparison(pairing)
    for name, value in found.items():
        expected, hidden = wanted.get(name), mask.get(name)
        if expected is None and hidden is None:
            if not ignore_added and bytes(value) != b"null":
                comparison.add(DifferenceKind.ADDED, (name,), (name,), ABSENT, decoded(value))
        elif hidden is not None and bytes(hidden) == b"true":
            comparison.open(name, value, member_type(of, name), typed=of is not DYNAMIC)
        elif (
            expected is None or hidden is not None or not (same_text(expected, value) or _same_inside(expected, value))
        ):
            comparison.value(
                ABSENT if expected is None else decoded(expected),
                None if hidden is None else decoded(hidden),
                decoded(value),
                member_type(of, name),
                (name,),
                (name,),
            )
    for name in wanted.keys() | mask.keys():
        if name not in found:
            comparison.absent(wanted.get(name), mask.get(name), (name,))
    return comparison.found


def compare_output(
    planned: Raw | None, unknown: Raw | None, actual: bytes, of: Type, pairing: BlockPairing | None = None
) -> list[Difference]:
    """Compare the value of an output in a state, whose type is known, with the planned value."""
    mask = None if unknown is None or bytes(unknown) in _NOTHING_UNKNOWN else decoded(unknown)
    wanted = ABSENT if planned is None and mask is not None else None if planned is None else decoded(planned)
    return _attempt(wanted, mask, decoded(actual), of, (), (), pairing, exact=True)


class _Wrapper(Struct, forbid_unknown_fields=True, gc=False):
    """A dynamic value in a state."""

    value: Raw
    type: Raw


_WRAPPER: Final = msgspec.json.Decoder(_Wrapper)


def _same_inside(planned: Raw, actual: Raw) -> bool:
    """Return whether a dynamic value in a state has the same text as the planned value."""
    if memoryview(actual)[0] != ord("{"):
        return False
    try:
        inside = _WRAPPER.decode(actual)
    except UNREADABLE:
        return False
    if memoryview(planned)[0] not in CONTAINERS or not same_text(planned, inside.value):
        return False
    try:
        return fits(decoded(inside.value), parse_type(bytes(inside.type)))
    except CtyTypeError:
        return False


class _Comparison:
    """One comparison, with its differences.

    With `exact`, the type comes from the state itself. `plain` is False if the values in the state contradict the
    types in the state: `1` as a string.
    """

    def __init__(self, pairing: BlockPairing | None = None, *, exact: bool = False, plain: bool = True) -> None:
        self.found: list[Difference] = []
        self._pairing = pairing
        self._exact = exact
        self._plain = plain

    def _surely_equal(self, planned: Decoded, actual: Decoded, path: PathSteps) -> bool:
        """Return whether two known values are equal, regardless of their type."""
        if not self._plain or len(path) > _DEEPEST_SHORTCUT or type(planned) is not type(actual) or planned != actual:
            return False
        # In Python, true equals 1; in JSON it does not.
        return not isinstance(planned, dict | list) or msgspec.json.encode(planned) == msgspec.json.encode(actual)

    def add(
        self,
        kind: DifferenceKind,
        path: PathSteps,
        tokens: PathSteps,
        planned: Decoded | Absent,
        actual: Decoded | Absent,
    ) -> None:
        self.found.append(Difference(kind, path, tokens, planned, actual))

    def open(self, name: str, actual: Raw, of: Type, *, typed: bool) -> None:
        """Compare an attribute that is unknown until apply. `typed`: a schema gives its type."""
        text = bytes(actual)
        if typed or _PLACEHOLDER in text:
            self.found += _misfits(decoded(actual), of, (name,), (name,), typed=typed)
        if name == _ID and text == b"null":
            self.add(DifferenceKind.UNKNOWN, (name,), (name,), ABSENT, None)

    def absent(self, planned: Raw | None, unknown: Raw | None, path: PathSteps) -> None:
        """Compare an attribute that the state lacks. An attribute planned as null may be missing."""
        if planned is not None and (unknown is None or bytes(unknown) != b"true"):
            if bytes(planned) != b"null":
                self.add(DifferenceKind.MISSING, path, path, decoded(planned), ABSENT)
        elif unknown is not None and has_true(decoded(unknown)):
            self.add(DifferenceKind.UNKNOWN, path, path, ABSENT, ABSENT)

    def value(
        self, planned: Decoded | Absent, unknown: Decoded, actual: Decoded, of: Type, path: PathSteps, tokens: PathSteps
    ) -> list[Difference]:
        """Compare one value, and return all differences so far."""
        if unknown is True:
            self.found += _misfits(actual, of, path, tokens, typed=of is not DYNAMIC)
            return self.found
        if of == DYNAMIC and (wrapped := _unwrapped(actual)) is not None:
            inner, inner_type = wrapped
            wrong = _attempt(planned, unknown, inner, inner_type, path, (*tokens, "value"), self._pairing, exact=True)
            if wrong and _names(planned) | _names(unknown) == {"value", "type"}:
                # An object may only look like the type of a dynamic value.
                plain = _attempt(planned, unknown, actual, _object_type(actual), path, tokens, self._pairing)
                wrong = plain if len(plain) < len(wrong) else wrong
            self.found += wrong
            return self.found
        if actual == _UNKNOWN_PLACEHOLDER and planned != actual:
            self.add(DifferenceKind.UNKNOWN, path, tokens, planned, actual)
        elif planned is ABSENT:
            # No part is known, yet not the whole is unknown: an empty part.
            if actual is not None and not isinstance(unknown, dict | list):
                self.add(DifferenceKind.ADDED, path, tokens, ABSENT, actual)
        elif isinstance(planned, dict) and isinstance(actual, dict):
            self._members(planned, unknown, actual, of, path, tokens)
        elif isinstance(planned, list) and isinstance(actual, list):
            self._elements(planned, unknown, actual, of, path, tokens)
        elif (
            isinstance(planned, dict | list)
            or isinstance(actual, dict | list)
            or not same_scalar(planned, actual, of, self._exact)
        ):
            self.add(DifferenceKind.VALUE, path, tokens, planned, actual)
        return self.found

    def _members(
        self,
        planned: Mapping[str, Decoded],
        unknown: Decoded,
        actual: Mapping[str, Decoded],
        of: Type,
        path: PathSteps,
        tokens: PathSteps,
    ) -> None:
        mask = unknown if isinstance(unknown, dict) else {}
        # In a map, null is an ordinary value; elsewhere it may stand for a missing member.
        null_counts = isinstance(of, MapType)
        for name in sorted(planned.keys() | mask.keys() | actual.keys()):
            here, there = (*path, name), (*tokens, name)
            known = name in planned or name in mask
            if known and name in actual:
                if name not in mask and self._surely_equal(planned[name], actual[name], path):
                    continue
                self.value(
                    planned.get(name, ABSENT), mask.get(name), actual[name], member_type(of, name), here, there
                )  # fmt: skip
            elif known:
                if mask.get(name) is True or (name not in planned and has_true(mask[name])):
                    self.add(DifferenceKind.UNKNOWN, here, there, ABSENT, ABSENT)
                elif name in planned and (null_counts or planned[name] is not None):
                    self.add(DifferenceKind.MISSING, here, there, planned[name], ABSENT)
            elif null_counts or actual[name] is not None:
                self.add(DifferenceKind.ADDED, here, there, ABSENT, actual[name])

    def _elements(
        self,
        planned: Sequence[Decoded],
        unknown: Decoded,
        actual: Sequence[Decoded],
        of: Type,
        path: PathSteps,
        tokens: PathSteps,
    ) -> None:
        mask = unknown if isinstance(unknown, list) else []
        masks = [mask[place] if place < len(mask) else None for place in range(len(planned))]
        if isinstance(of, SetType):
            if not _same_set(planned, masks, actual, of, self._exact):
                self.add(DifferenceKind.ELEMENTS, path, tokens, list(planned), list(actual))
            return
        if len(planned) == len(actual):
            in_order = _Comparison(exact=self._exact, plain=self._plain)
            for place, element in enumerate(planned):
                if masks[place] is None and self._surely_equal(element, actual[place], path):
                    continue
                in_order.value(
                    element, masks[place], actual[place], element_type(of, place), (*path, place), (*tokens, place)
                )  # fmt: skip
            if not in_order.found:
                return
            wrong = in_order.found
            if len(wrong) > 1 and not any(map(has_true, masks)):
                wrong = self._by_content(planned, actual, of, path, tokens, wrong)
        else:
            wrong = [Difference(DifferenceKind.LENGTH, path, tokens, list(planned), list(actual))]
        # Without a schema it may be a set.
        if isinstance(of, ListType | TupleType) or not _same_set(planned, masks, actual, of, self._exact):
            self.found += wrong

    def _by_content(
        self,
        planned: Sequence[Decoded],
        actual: Sequence[Decoded],
        of: Type,
        path: PathSteps,
        tokens: PathSteps,
        in_order: list[Difference],
    ) -> list[Difference]:
        """Return the differences of two lists of equal length, by the content of their blocks if these are fewer."""
        is_flat = not any(isinstance(each, dict | list) for each in (*planned, *actual))
        if self._pairing is None or is_flat or len(path) > _DEEPEST_SHORTCUT:
            return in_order
        found = self._pairing.every(*([_comparable(each) for each in side] for side in (planned, actual)))
        if found is None:
            return [replace(each, by_position=True) for each in in_order]
        comparison = _Comparison(self._pairing, exact=self._exact, plain=self._plain)
        for one, other in found:
            comparison.value(planned[one], None, actual[other], element_type(of, other), (*path, one), (*tokens, other))
        if crosses(found):
            comparison.add(DifferenceKind.ORDER, path, tokens, list(planned), list(actual))
        return comparison.found if len(comparison.found) < len(in_order) else in_order


def _misfits(value: Decoded, of: Type, path: PathSteps, tokens: PathSteps, *, typed: bool) -> Iterator[Difference]:
    """Yield the innermost parts of a value that were unknown in the plan and that a type does not admit.

    Strings that represent numbers and bools have these types, too. OpenTofu drops members unknown to an object type
    before it decodes an object. `typed` is False if `of` is DYNAMIC because the type is unknown: then an object may
    only look like a dynamic value.
    """
    value = converted(value, of)
    if value == _UNKNOWN_PLACEHOLDER:
        yield Difference(DifferenceKind.UNKNOWN, path, tokens, ABSENT, value)
        return
    if value is None:
        return
    if of is DYNAMIC:
        if (wrapped := _unwrapped(value)) is not None:
            inside = _misfits(*wrapped, path, (*tokens, "value"), typed=True)
            yield from (found for found in inside if typed or found.kind is DifferenceKind.UNKNOWN)
        return
    parts: list[tuple[str | int, Decoded, Type]]
    match of, value:
        case ListType() | SetType(), list():
            parts = [(place, part, element_type(of, place)) for place, part in enumerate(value)]
        case TupleType(elements), list() if len(elements) == len(value):
            parts = [(place, part, elements[place]) for place, part in enumerate(value)]
        case MapType() | ObjectType(), dict():
            parts = [(name, part, member_type(of, name)) for name, part in value.items()]
        case _:
            if not _is_scalar(value, of):
                yield Difference(DifferenceKind.TYPE, path, tokens, ABSENT, value, type_name(of))
            return
    for step, part, part_type in parts:
        yield from _misfits(part, part_type, (*path, step), (*tokens, step), typed=True)


def _is_scalar(value: Decoded, of: Type) -> bool:
    if of == NUMBER:
        return is_number(value)
    return isinstance(value, bool) if of == BOOL else of == STRING and isinstance(value, str)


def _comparable(value: Decoded) -> PlainValue:
    """Return a value with numbers in the form used for comparison by content."""
    if isinstance(value, dict):
        return {name: _comparable(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_comparable(part) for part in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return Decimal(value)
    return f"number {value.order}" if isinstance(value, Number) else value


def _names(value: object) -> set[str]:
    return set(value) if isinstance(value, dict) else set()


def _attempt(
    planned: Decoded | Absent, unknown: Decoded, actual: Decoded, of: Type, path: PathSteps, tokens: PathSteps,
    pairing: BlockPairing | None = None, *, exact: bool = False
) -> list[Difference]:  # fmt: skip
    plain = not exact or fits(actual, of)
    return _Comparison(pairing, exact=exact, plain=plain).value(planned, unknown, actual, of, path, tokens)


def _same_set(
    planned: Sequence[Decoded], masks: Sequence[Decoded], actual: Sequence[Decoded], of: Type, exact: bool
) -> bool:
    """Return whether each element has an equal one on the other side; elements with unknown parts match several.

    Elements that become equal once they are known are one element of a set, so the set may shrink, but never grow.
    Source: OpenTofu `assertSetValuesCompatible`.
    """
    if len(actual) > len(planned):
        return False
    of_element = element_type(of, 0)
    open_ones = [place for place, mask in enumerate(masks) if has_true(mask)]
    closed = Counter(identity_key(planned[place], of_element) for place in set(range(len(planned))) - set(open_ones))
    keys = [identity_key(element, of_element) for element in actual]
    if not open_ones:
        return closed == Counter(keys)
    if closed.keys() - set(keys):
        return False
    rest = [element for element, key in zip(actual, keys, strict=True) if key not in closed]
    if len(open_ones) * len(actual) > _MOST_PAIRS:
        return len(rest) <= len(open_ones)

    def completes(place: int, element: Decoded) -> bool:
        return not _attempt(planned[place], masks[place], element, of_element, (), (), exact=exact)

    return all(any(completes(place, element) for place in open_ones) for element in rest) and all(
        any(completes(place, element) for element in actual) for place in open_ones
    )


def _unwrapped(value: Decoded) -> tuple[Decoded, Type] | None:
    """Return a dynamic value and its type; None if a value does not have the form of one."""
    if not isinstance(value, dict) or len(value) != 2 or "value" not in value or "type" not in value:
        return None
    description = value["type"]
    if not isinstance(description, str | list):
        return None
    try:
        return value["value"], parse_type(msgspec.json.encode(description))
    except (CtyTypeError, TypeError):
        return None


def _object_type(value: Decoded) -> Type:
    """Return a type that prevents reading an object as a dynamic value."""
    return ObjectType(dict.fromkeys(value, DYNAMIC)) if isinstance(value, dict) else DYNAMIC
