"""Making values of parts, and taking them apart: types are those of the parts, marks go where cty puts them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from statefmt.golang.normalize import nfc
from statefmt.hcl.value import Part, Unknown, Value
from statefmt.model.cty import (
    BOOL,
    NUMBER,
    STRING,
    ListType,
    MapType,
    Number,
    ObjectType,
    SetType,
    TupleType,
    Type,
)
from statefmt.model.cty.data import Data as PlainData
from statefmt.model.cty.number import counted
from statefmt.model.cty.sets import make_set
from statefmt.model.cty.types import object_type

TRUE: Final = Value(BOOL, True)
FALSE: Final = Value(BOOL, False)
EMPTY_TUPLE: Final = Value(TupleType(()), ())
EMPTY_OBJECT: Final = Value(object_type({}), MappingProxyType({}))


def truth(value: bool) -> Value:
    return TRUE if value else FALSE


def text(value: str) -> Value:
    """A string, in normal form C as all of cty's are."""
    return Value(STRING, nfc(value))


def number(value: int | Number) -> Value:
    """A number; an int is one that was counted, not read from a text, which has fewer bits."""
    return Value(NUMBER, counted(value) if isinstance(value, int) else value)


def tuple_of(parts: Iterable[Part]) -> Value:
    items = tuple(parts)
    return Value(TupleType(tuple(item.type for item in items)), items)


def object_of(parts: Mapping[str, Part]) -> Value:
    ordered = _by_name(parts)
    return Value(ObjectType({name: part.type for name, part in ordered.items()}), ordered)


def list_of(element: Type, parts: Iterable[Part]) -> Value:
    """A list of parts that have the type `element` already."""
    return Value(ListType(element), tuple(parts))


def map_of(element: Type, parts: Mapping[str, Part]) -> Value:
    """A map to parts that have the type `element` already."""
    return Value(MapType(element), _by_name(parts))


def set_of(element: Type, parts: Iterable[Part]) -> Part:
    """A set of parts that have the type `element` already. With an unknown element the set is unknown.

    The marks of elements go to the set, as they have no place in it.
    """
    items = tuple(parts)
    sensitive = any(is_sensitive_within(item) for item in items)
    unknown = first_unknown(items)
    if unknown is not None:
        return replace(unknown, type=SetType(element), sensitive=sensitive or unknown.sensitive)
    plain = make_set(element, [to_plain(item) for item in items])
    return Value(SetType(element), tuple(from_plain(element, item) for item in plain), sensitive)


def _by_name(parts: Mapping[str, Part]) -> Mapping[str, Part]:
    # The order of code points is that of the UTF-8 bytes.
    return MappingProxyType({name: parts[name] for name in sorted(parts)})


def children(part: Part) -> Sequence[Part]:
    """The parts of a value, in its order; none of a null, a primitive or an unknown one."""
    if isinstance(part, Value):
        if isinstance(part.data, tuple):
            return part.data
        if isinstance(part.data, Mapping):
            return tuple(part.data.values())
    return ()


def first_unknown(parts: Iterable[Part]) -> Unknown | None:
    """The first unknown value among these or anywhere within them."""
    for part in parts:
        if isinstance(part, Unknown):
            return part
        found = first_unknown(children(part))
        if found is not None:
            return found
    return None


def is_sensitive_within(part: Part) -> bool:
    """Whether a value or anything in it is marked."""
    return part.sensitive or any(map(is_sensitive_within, children(part)))


def marked(part: Part, sensitive: bool) -> Part:
    """The value with the mark, if it is to have it."""
    if not sensitive or part.sensitive:
        return part
    if isinstance(part, Unknown):
        return replace(part, sensitive=True)
    return Value(part.type, part.data, True)


def unmarked(part: Part) -> Part:
    """The value without a mark of its own."""
    if not part.sensitive:
        return part
    if isinstance(part, Unknown):
        return replace(part, sensitive=False)
    return Value(part.type, part.data)


def unmarked_within(part: Part) -> Part:
    """The value without any mark, its parts included."""
    part = unmarked(part)
    if isinstance(part, Value):
        if isinstance(part.data, tuple):
            return Value(part.type, tuple(map(unmarked_within, part.data)))
        if isinstance(part.data, Mapping):
            return Value(part.type, _by_name({name: unmarked_within(item) for name, item in part.data.items()}))
    return part


def retyped(unknown: Unknown, of: Type) -> Unknown:
    """The same unknown value, of which the type is known."""
    return replace(unknown, type=of)


def to_plain(part: Part) -> PlainData:
    """The data of a wholly known value as `statefmt.model.cty` has it."""
    assert isinstance(part, Value)
    if isinstance(part.data, tuple):
        return tuple(map(to_plain, part.data))
    if isinstance(part.data, Mapping):
        return {name: to_plain(item) for name, item in part.data.items()}
    return part.data


def from_plain(of: Type, data: PlainData) -> Value:
    """The value of a type for data of `statefmt.model.cty`."""
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
