"""Functions on lists, tuples, sets, maps and objects, and conversions of types and marks.

Sources: go-cty `stdlib/collection.go`, `sequence.go`, `set.go`; OpenTofu `internal/lang/funcs/collection.go`,
`conversion.go`, `sensitive.go`.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from msgspec.structs import replace

from statefmt.golang import quote
from statefmt.hcl.functions.registry import (
    FunctionError,
    Parameter,
    function,
    is_null,
    is_sequence,
    names_of,
    text_of,
    whole_of,
)
from statefmt.hcl.operations import ConversionError, convert, equal
from statefmt.hcl.source import count_graphemes
from statefmt.hcl.value import (
    EMPTY_OBJECT,
    FALSE,
    TRUE,
    Part,
    Unknown,
    UnknownKind,
    Value,
    children,
    list_of,
    map_of,
    marked,
    number,
    object_of,
    retyped,
    set_of,
    text,
    truth,
    tuple_of,
    unmarked,
)
from statefmt.model.cty import (
    BOOL,
    DYNAMIC,
    NUMBER,
    STRING,
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    SetType,
    TupleType,
    Type,
    type_name,
)
from statefmt.model.cty.unify import can_convert, unify

_TEXTS = Parameter("list", ListType(STRING))


@function(Parameter("value", parts=True, marks=True, unknown=True), returns=NUMBER)
def length(value: Part) -> Part:
    of = value.type
    if isinstance(of, TupleType):
        return number(len(of.elements))
    if isinstance(of, ObjectType):
        return number(len(of.attributes))
    if of != STRING and not isinstance(of, (ListType, SetType, MapType, DynamicType)):
        raise FunctionError("argument must be a string, a collection type, or a structural type")
    if isinstance(value, Unknown):
        return retyped(value, NUMBER)
    if isinstance(value.data, str):
        return number(count_graphemes(value.data))
    # A set with unknown elements has no known length: it is Unknown as a whole, and returned above.
    return number(len(children(value)))


@function(rest=Parameter("seqs", parts=True, marks=True))
def concat(*sequences: Part) -> Part:
    if not sequences:
        raise FunctionError("at least one argument is required")
    if all(isinstance(each.type, ListType) for each in sequences):
        common = unify([each.type for each in sequences])
        if isinstance(common, ListType):
            converted = [convert(each, common) for each in sequences]
            return list_of(common.element, [item for each in converted for item in children(each)])
    for place, each in enumerate(sequences):
        if not isinstance(each.type, (ListType, TupleType)):
            raise FunctionError(f"all arguments must be lists or tuples; got {type_name(each.type)}", place)
    return tuple_of([item for each in sequences for item in children(each)])


@function(Parameter("list", parts=True, marks=True))
def flatten(sequence: Part) -> Part:
    if not is_sequence(sequence):
        raise FunctionError("can only flatten lists, sets and tuples")
    found: list[Part] = []
    hidden = _flatten(sequence, found)
    unknown = next((each for each in found if isinstance(each, Unknown) and _may_be_sequence(each.type)), None)
    made = tuple_of(found) if unknown is None else retyped(unknown, DYNAMIC)
    return marked(made, hidden)


def _flatten(sequence: Part, found: list[Part]) -> bool:
    """Append all nested elements to `found`, and return whether a sequence on the way was marked."""
    hidden = sequence.sensitive
    for item in children(sequence):
        if is_sequence(item) and isinstance(item, Value) and item.data is not None:
            hidden = _flatten(item, found) or hidden
        else:
            found.append(item)
    return hidden


def _may_be_sequence(of: Type) -> bool:
    return isinstance(of, (ListType, SetType, TupleType, DynamicType))


@function(rest=Parameter("sets", parts=True, marks=True))
def setproduct(*sets: Part) -> Part:
    if len(sets) < 2:
        raise FunctionError("at least two arguments are required")
    types: list[Type] = []
    for place, each in enumerate(sets):
        if isinstance(each.type, (SetType, ListType)):
            types.append(each.type.element)
        elif isinstance(each.type, TupleType):
            common = unify(each.type.elements) if each.type.elements else DYNAMIC
            if common is None:
                raise FunctionError("all elements must be of the same type", place)
            types.append(common)
        else:
            raise FunctionError("a set or a list is required", place)
    of = TupleType(tuple(types))
    columns = [[convert(item, type_) for item in children(each)] for each, type_ in zip(sets, types, strict=True)]
    rows = [Value(of, row) for row in product(*columns)]
    if any(isinstance(each.type, SetType) for each in sets):
        return set_of(of, rows)
    return list_of(of, rows)


@function(Parameter("list", ListType(DYNAMIC)))
def distinct(sequence: Part) -> Part:
    found: list[Part] = []
    for item in children(sequence):
        if not any(equal(item, other) is True for other in found):
            found.append(item)
    assert isinstance(sequence.type, ListType)
    return list_of(sequence.type.element, found)


@function(_TEXTS, returns=ListType(STRING))
def compact(sequence: Part) -> Part:
    return list_of(STRING, [item for item in children(sequence) if not is_null(item) and text_of(item)])


@function(Parameter("list", parts=True), Parameter("value", null=True, parts=True), returns=BOOL)
def contains(sequence: Part, wanted: Part) -> Part:
    if not is_sequence(sequence):
        raise FunctionError("argument must be list, tuple, or set")
    if is_null(wanted):
        return Unknown("whether contains accepts null depends on the release: older ones refuse it")
    unknown: Unknown | None = None
    for item in children(sequence):
        found = equal(wanted, item)
        if found is True:
            return TRUE
        if isinstance(found, Unknown):
            unknown = found
    return FALSE if unknown is None else retyped(unknown, BOOL)


@function(Parameter("list", parts=True), Parameter("value", parts=True), returns=NUMBER)
def index(sequence: Part, wanted: Part) -> Part:
    if not isinstance(sequence.type, (ListType, TupleType)):
        raise FunctionError("argument must be a list or tuple")
    if not children(sequence):
        raise FunctionError("cannot search an empty list")
    for place, item in enumerate(children(sequence)):
        found = equal(item, wanted)
        if isinstance(found, Unknown):
            return retyped(found, NUMBER)
        if found:
            return number(place)
    raise FunctionError("item not found")


@function(Parameter("list", parts=True, marks=True), Parameter("index", NUMBER))
def element(sequence: Part, place: Part) -> Part:
    if not isinstance(sequence.type, (ListType, TupleType)):
        raise FunctionError(f"cannot read elements from {type_name(sequence.type)}")
    found = children(sequence)
    at = whole_of(place, "invalid index: value")
    if not found:
        raise FunctionError("cannot use element function with an empty list")
    if at < 0:
        return Unknown("the result of element with a negative index depends on the release: older ones refuse it")
    return found[at % len(found)]


@function(Parameter("list", parts=True, marks=True), Parameter("start_index", NUMBER), Parameter("end_index", NUMBER))
def slice_(sequence: Part, start: Part, end: Part) -> Part:
    if not isinstance(sequence.type, (ListType, TupleType)):
        raise FunctionError("must be a list or tuple value", 0)
    items = children(sequence)
    first, last = whole_of(start, "start index"), whole_of(end, "end index")
    if not 0 <= first <= len(items):
        raise FunctionError("start index must not be less than zero or greater than the length of the list", 1)
    if not first <= last <= len(items):
        raise FunctionError("end index must not be less than the start index or greater than the length of the list", 2)
    part = items[first:last]
    return list_of(sequence.type.element, part) if isinstance(sequence.type, ListType) else tuple_of(part)


@function(Parameter("list", parts=True, marks=True))
def reverse(sequence: Part) -> Part:
    if not is_sequence(sequence):
        raise FunctionError(f"can only reverse list or tuple values, not {type_name(sequence.type)}", 0)
    items = children(sequence)[::-1]
    return list_of(sequence.type.element, items) if isinstance(sequence.type, (ListType, SetType)) else tuple_of(items)


@function(_TEXTS, returns=ListType(STRING))
def sort(sequence: Part) -> Part:
    for place, item in enumerate(children(sequence)):
        if is_null(item):
            raise FunctionError(f"given list element {place} is null; a null string cannot be sorted")
    return list_of(STRING, [text(each) for each in sorted(map(text_of, children(sequence)))])


@function(Parameter("list", ListType(DYNAMIC), parts=True, marks=True), Parameter("size", NUMBER))
def chunklist(sequence: Part, size: Part) -> Part:
    assert isinstance(sequence.type, ListType)
    items, step = children(sequence), whole_of(size, "invalid size: value")
    if step < 0:
        raise FunctionError("the size argument must be positive")
    starts = range(0, len(items), step or max(1, len(items)))
    chunks = [list_of(sequence.type.element, items[start : start + (step or len(items))]) for start in starts]
    return list_of(sequence.type, chunks)


@function(
    Parameter("values", ListType(DYNAMIC)),
    Parameter("keys", ListType(DYNAMIC)),
    Parameter("searchset", ListType(DYNAMIC)),
)
def matchkeys(parts: Part, names: Part, wanted: Part) -> Part:
    common = unify((names.type, wanted.type))
    if common is None:
        raise FunctionError("keys and searchset must be of the same type")
    if len(children(parts)) != len(children(names)):
        raise FunctionError("length of keys and values should be equal")
    searched = children(convert(wanted, common))
    pairs = zip(children(parts), children(convert(names, common)), strict=True)
    found = [part for part, name in pairs if any(equal(name, each) is True for each in searched)]
    assert isinstance(parts.type, ListType)
    return list_of(parts.type.element, found)


_SET = Parameter("sets", SetType(DYNAMIC))


def _common(sets: tuple[Part, ...]) -> Type:
    elements = [
        each.type.element
        for each in sets
        if isinstance(each.type, SetType) and (children(each) or each.type.element != DYNAMIC)
    ]
    if not elements:
        return DYNAMIC
    found = unify(elements)
    if found is None:
        raise FunctionError("given sets must all have compatible element types")
    return found


def _combine(sets: tuple[Part, ...], keep: Callable[[list[Part], tuple[Part, ...]], list[Part]]) -> Part:
    element = _common(sets)
    converted = [children(convert(each, SetType(element))) for each in sets]
    found = list(converted[0])
    for other in converted[1:]:
        found = keep(found, tuple(other))
    return set_of(element, found)


def _has(items: tuple[Part, ...], wanted: Part) -> bool:
    return any(equal(item, wanted) is True for item in items)


@function(_SET, rest=_SET, returns=SetType(DYNAMIC))
def setunion(*sets: Part) -> Part:
    return _combine(sets, lambda found, other: [*found, *other])


@function(_SET, rest=_SET, returns=SetType(DYNAMIC))
def setintersection(*sets: Part) -> Part:
    return _combine(sets, lambda found, other: [item for item in found if _has(other, item)])


@function(_SET, _SET, returns=SetType(DYNAMIC))
def setsubtract(left: Part, right: Part) -> Part:
    return _combine((left, right), lambda found, other: [item for item in found if not _has(other, item)])


_MAP = Parameter("inputMap", parts=True, marks=True)


@function(Parameter("inputMap", parts=True, marks=True, unknown=True))
def keys(mapping: Part) -> Part:
    if isinstance(mapping.type, ObjectType):
        # The type suffices, even if the value is unknown.
        return tuple_of([text(name) for name in mapping.type.attributes])
    if isinstance(mapping, Unknown):
        return replace(mapping, type=DYNAMIC, sensitive=False)
    if not isinstance(mapping.type, MapType):
        raise FunctionError("must have map or object type", 0)
    return list_of(STRING, [text(name) for name in names_of(mapping)])


@function(Parameter("mapping", parts=True, marks=True))
def values(mapping: Part) -> Part:
    if isinstance(mapping.type, MapType):
        return list_of(mapping.type.element, names_of(mapping).values())
    if isinstance(mapping.type, ObjectType):
        return tuple_of(names_of(mapping).values())
    raise FunctionError("values() requires a map as the first argument")


@function(rest=Parameter("maps", null=True, parts=True, marks=True))
def merge(*maps: Part) -> Part:
    found: dict[str, Part] = {}
    for mapping in maps:
        if not isinstance(mapping.type, (MapType, ObjectType)) and not is_null(mapping):
            raise FunctionError(f"arguments must be maps or objects, got {quote(type_name(mapping.type))}")
        if not is_null(mapping):
            found |= names_of(mapping)
    types = [EMPTY_OBJECT.type if is_null(each) and not isinstance(each.type, MapType) else each.type for each in maps]
    if types and isinstance(types[0], MapType) and all(each == types[0] for each in types):
        return map_of(types[0].element, found)
    return object_of(found)


@function(
    _MAP, Parameter("key", STRING), rest=Parameter("default", null=True, parts=True, unknown=True), own_marks=True
)
def lookup(mapping: Part, key: Part, *default: Part) -> Part:
    # An unused default does not mark the result.
    return marked(_looked_up(mapping, key, *default), mapping.sensitive or key.sensitive)


def _looked_up(mapping: Part, key: Part, *default: Part) -> Part:
    if len(default) > 1:
        raise FunctionError(f"lookup() takes two or three arguments, got {2 + len(default)}")
    if not isinstance(mapping.type, (MapType, ObjectType)):
        raise FunctionError("lookup() requires a map as the first argument", 0)
    name = text_of(key)
    found = names_of(mapping).get(name)
    if default and isinstance(mapping.type, MapType):
        try:
            fallback = convert(default[0], mapping.type.element)
        except ConversionError:
            raise FunctionError("the default value must have the same type as the map elements", 2) from None
        return fallback if found is None else found
    if found is not None:
        return found
    if default:
        return default[0]
    if isinstance(mapping.type, ObjectType):
        raise FunctionError(f"the given object has no attribute {quote(name)}", 0)
    raise FunctionError(f"lookup failed to find key {quote(name)}")


@function(Parameter("keys", ListType(STRING), marks=True), Parameter("values", parts=True, marks=True))
def zipmap(names: Part, parts: Part) -> Part:
    if not isinstance(parts.type, (ListType, TupleType)):
        raise FunctionError("values argument must be a list or tuple value")
    found, given = children(names), children(parts)
    if len(found) != len(given):
        raise FunctionError(f"number of keys ({len(found)}) does not match number of values ({len(given)})")
    for place, name in enumerate(found):
        if is_null(name):
            raise FunctionError(f"keys list has null value at index {place}")
    sensitive = any(name.sensitive for name in found)
    named = {text_of(name): part for name, part in zip(found, given, strict=True)}
    made = map_of(parts.type.element, named) if isinstance(parts.type, ListType) else object_of(named)
    return marked(made, sensitive)


@function(Parameter("values", MapType(ListType(STRING))), returns=MapType(ListType(STRING)))
def transpose(mapping: Part) -> Part:
    found: dict[str, list[str]] = {}
    for name, items in names_of(mapping).items():
        if is_null(items):
            raise FunctionError(f"cannot use null list for {name}", 0)
        for item in children(items):
            if is_null(item):
                raise FunctionError(f"cannot use null string for {name}", 0)
            found.setdefault(text_of(item), []).append(name)
    named = {name: list_of(STRING, [text(each) for each in sorted(group)]) for name, group in found.items()}
    return map_of(ListType(STRING), named)


_ANY = Parameter("v", null=True, parts=True, marks=True, unknown=True)


def _define(name: str, wanted: Type) -> None:
    @function(_ANY, returns=wanted, name=name)
    def run(value: Part) -> Part:
        try:
            return convert(value, wanted)
        except ConversionError as error:
            if isinstance(value, Value) and isinstance(value.data, str) and wanted in (BOOL, NUMBER):
                only = (
                    'only the strings "true" or "false" are allowed'
                    if wanted == BOOL
                    else "given string must be a decimal representation of a number"
                )
                raise FunctionError(f"cannot convert {quote(value.data)} to {type_name(wanted)}; {only}", 0) from None
            if can_convert(value.type, wanted):
                raise FunctionError(
                    f"cannot convert {type_name(value.type)} to {type_name(wanted, wanted=True)}: {error}", 0
                ) from None
            raise FunctionError(
                f"cannot convert {type_name(value.type)} to {type_name(wanted, wanted=True)}", 0
            ) from None


_define("tostring", STRING)
_define("tonumber", NUMBER)
_define("tobool", BOOL)
_define("tolist", ListType(DYNAMIC))
_define("toset", SetType(DYNAMIC))
_define("tomap", MapType(DYNAMIC))


_GONE = (
    'the "{0}" function was deprecated in Terraform v0.12 and is not available in OpenTofu; use to{0}({1}) syntax to'
)


@function(rest=_ANY, name="list")
def list_(*values: Part) -> Part:
    raise FunctionError(f"{_GONE.format('list', '[ ... ]')} write a literal list")


@function(rest=_ANY, name="map")
def map_(*values: Part) -> Part:
    raise FunctionError(f"{_GONE.format('map', '{ ... }')} write a literal map")


@function(_ANY, own_marks=True)
def sensitive(value: Part) -> Part:
    return marked(value, True)


@function(_ANY, own_marks=True)
def nonsensitive(value: Part) -> Part:
    return unmarked(value)


@function(_ANY, returns=BOOL, own_marks=True)
def issensitive(value: Part) -> Part:
    return truth(value.sensitive)


@function(_ANY, own_marks=True)
def ephemeralasnull(value: Part) -> Part:
    # Values of ephemeral variables are Unknown, so no known value is ephemeral.
    return replace(value, kind=UnknownKind.OTHER) if isinstance(value, Unknown) else value
