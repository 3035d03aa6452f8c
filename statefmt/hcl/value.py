"""Defines the values of expressions (cty values with unknown or sensitive parts), builds and unpacks them.

Types come from the parts; marks follow cty's rules. An expression that OpenTofu refuses raises `Refusal` during
evaluation, and has an `Unknown` with a problem as its result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Final, TypeAlias

import msgspec
from msgspec.structs import replace

from statefmt.golang import nfc
from statefmt.hcl.source import Problem, ProblemKind, Range, error
from statefmt.model.cty import (
    BOOL,
    DYNAMIC,
    NUMBER,
    STRING,
    ListType,
    MapType,
    ObjectType,
    SetType,
    TupleType,
    Type,
    object_type,
)
from statefmt.model.cty.data import Data as PlainData, MarkedData, UnknownData, make_set
from statefmt.model.cty.number import Number, counted


class UnknownKind(Enum):
    """Why a value is unknown."""

    VARIABLE = "variable"  # an input variable without a usable value, or one that may be declared elsewhere
    EPHEMERAL = "ephemeral"  # an ephemeral variable or resource
    LOCAL = "local"  # a local value that an unreadable file may declare
    WORKSPACE = "workspace"  # the workspace, or the phase of a run
    FUNCTION = "function"  # a function that is not evaluated
    NESTING = "nesting"  # an expression that is nested too deeply
    SYNTAX = "syntax"  # an argument with a syntax error
    OTHER = "other"  # other reasons: decided by the plan, different between releases, or unreadable


class Unknown(msgspec.Struct, frozen=True):
    """A value that the configuration alone does not determine.

    `reason` completes "can't tell, because …"; `range` points at the cause (the reference to a resource, the variable
    without a value). `type` is DYNAMIC if nothing is known of the type. `problem` is set if OpenTofu would refuse the
    expression: the value is then wrong, not merely unknown. Callers decide by `kind`: only a reason of the kind OTHER
    may quote more of an expression than names of variables, local values and functions.
    """

    reason: str
    range: Range | None = None
    type: Type = DYNAMIC
    sensitive: bool = False
    problem: Problem | None = None
    kind: UnknownKind = UnknownKind.OTHER


class Value(msgspec.Struct, frozen=True):
    """A known value, possibly with unknown parts.

    `data` is None (null), bool, str, Number, a tuple of parts (list, tuple; set in cty's order) or a mapping of names
    to parts (map, object; in bytewise order of the names). `sensitive` marks the value itself; the parts have
    separate marks.
    """

    type: Type
    data: ValueData
    sensitive: bool = False

    @property
    def is_null(self) -> bool:
        return self.data is None


Part: TypeAlias = Value | Unknown
ValueData: TypeAlias = bool | str | Number | tuple[Part, ...] | Mapping[str, Part] | None


class Refusal(Exception):  # noqa: N818
    """An expression that OpenTofu would refuse. `try` and `can` catch it.

    `type` is the type that OpenTofu continues with: a failed sum is still a number, and so conflicts with a list on the
    other side of a conditional.
    """

    def __init__(self, summary: str, detail: str, place: Range | None) -> None:
        super().__init__(summary)
        self.problem = error(ProblemKind.EVALUATION, summary, detail, place)
        self.type: Type = DYNAMIC

    def of_type(self, of: Type) -> Refusal:
        """Set the type to that of an enclosing expression, and return the refusal."""
        self.type = of
        return self


def as_unknown(problem: Problem) -> Unknown:
    """Create the value of an expression that has this problem."""
    return Unknown(f"OpenTofu would refuse it: {problem.summary}", problem.range, problem=problem)


TRUE: Final = Value(BOOL, True)
FALSE: Final = Value(BOOL, False)
EMPTY_TUPLE: Final = Value(TupleType(()), ())
EMPTY_OBJECT: Final = Value(object_type({}), MappingProxyType({}))


def truth(value: bool) -> Value:
    return TRUE if value else FALSE


def text(value: str) -> Value:
    """Create a string, normalized to NFC as all cty strings are."""
    return Value(STRING, nfc(value))


def number(value: int | Number) -> Value:
    """Create a number. An int is a count: it has fewer bits of precision than a parsed number."""
    return Value(NUMBER, counted(value) if isinstance(value, int) else value)


def tuple_of(parts: Iterable[Part]) -> Value:
    items = tuple(parts)
    return Value(TupleType(tuple(item.type for item in items)), items)


def object_of(parts: Mapping[str, Part]) -> Value:
    ordered = _by_name(parts)
    return Value(ObjectType({name: part.type for name, part in ordered.items()}), ordered)


def list_of(element: Type, parts: Iterable[Part]) -> Value:
    """Create a list of parts that already have the type `element`."""
    return Value(ListType(element), tuple(parts))


def map_of(element: Type, parts: Mapping[str, Part]) -> Value:
    """Create a map of parts that already have the type `element`."""
    return Value(MapType(element), _by_name(parts))


def set_of(element: Type, parts: Iterable[Part]) -> Part:
    """Create a set of parts that already have the type `element`; Unknown if an element is unknown.

    The marks of the elements move to the set: elements of a set cannot be marked.
    """
    items = tuple(parts)
    sensitive = any(is_sensitive_within(item) for item in items)
    unknown = first_unknown(items)
    if unknown is not None:
        return replace(unknown, type=SetType(element), sensitive=sensitive or unknown.sensitive)
    plain = make_set(element, [to_plain(item) for item in items])
    return Value(SetType(element), tuple(from_plain(element, item) for item in plain), sensitive)


def _by_name(parts: Mapping[str, Part]) -> Mapping[str, Part]:
    # Code point order is the order of the UTF-8 bytes.
    return MappingProxyType({name: parts[name] for name in sorted(parts)})


def children(part: Part) -> Sequence[Part]:
    """Return the parts of a value in its order; none for null, primitive and unknown values."""
    if isinstance(part, Value):
        if isinstance(part.data, tuple):
            return part.data
        if isinstance(part.data, Mapping):
            return tuple(part.data.values())
    return ()


def first_unknown(parts: Iterable[Part]) -> Unknown | None:
    """Return the first unknown value among `parts` or nested in them, None if there is none."""
    for part in parts:
        if isinstance(part, Unknown):
            return part
        found = first_unknown(children(part))
        if found is not None:
            return found
    return None


def is_sensitive_within(part: Part) -> bool:
    """Return whether a value or anything nested in it is marked."""
    return part.sensitive or any(map(is_sensitive_within, children(part)))


def marked(part: Part, sensitive: bool) -> Part:
    """Return the value, marked if `sensitive`."""
    if not sensitive or part.sensitive:
        return part
    if isinstance(part, Unknown):
        return replace(part, sensitive=True)
    return Value(part.type, part.data, True)


def unmarked(part: Part) -> Part:
    """Return the value without its own mark."""
    if not part.sensitive:
        return part
    if isinstance(part, Unknown):
        return replace(part, sensitive=False)
    return Value(part.type, part.data)


def unmarked_within(part: Part) -> Part:
    """Return the value without marks at any depth."""
    part = unmarked(part)
    if isinstance(part, Value):
        if isinstance(part.data, tuple):
            return Value(part.type, tuple(map(unmarked_within, part.data)))
        if isinstance(part.data, Mapping):
            return Value(part.type, _by_name({name: unmarked_within(item) for name, item in part.data.items()}))
    return part


def retyped(unknown: Unknown, of: Type) -> Unknown:
    """Return the unknown value with the type `of`."""
    return replace(unknown, type=of)


def to_plain(part: Part) -> PlainData:
    """Convert a wholly known value to data of `statefmt.model.cty`."""
    assert isinstance(part, Value)
    if isinstance(part.data, tuple):
        return tuple(map(to_plain, part.data))
    if isinstance(part.data, Mapping):
        return {name: to_plain(item) for name, item in part.data.items()}
    return part.data


def from_plain(of: Type, data: PlainData) -> Value:
    """Create a value of the type `of` from wholly known data of `statefmt.model.cty`, without marks."""
    assert not isinstance(data, (MarkedData, UnknownData))
    if isinstance(data, tuple):
        if isinstance(of, TupleType):
            return Value(of, tuple(from_plain(each, item) for each, item in zip(of.elements, data, strict=True)))
        assert isinstance(of, (ListType, SetType))
        return Value(of, tuple(from_plain(of.element, item) for item in data))
    if isinstance(data, dict):
        if isinstance(of, ObjectType):
            return Value(of, _by_name({name: from_plain(of.attributes[name], item) for name, item in data.items()}))
        assert isinstance(of, MapType)
        return Value(of, _by_name({name: from_plain(of.element, item) for name, item in data.items()}))
    return Value(of, data)
