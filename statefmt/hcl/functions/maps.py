"""Functions on maps and objects. Sources: go-cty `stdlib/collection.go`, OpenTofu `lang/funcs/collection.go`."""

from __future__ import annotations

from msgspec.structs import replace

from statefmt.golang import quote
from statefmt.hcl.functions.registry import FunctionError, Parameter, function
from statefmt.hcl.functions.shapes import is_null, names_of, text_of
from statefmt.hcl.value import Part, Unknown
from statefmt.hcl.values.construct import EMPTY_OBJECT, children, list_of, map_of, marked, object_of, text, tuple_of
from statefmt.hcl.values.conversion import ConversionError, convert
from statefmt.model.cty import DYNAMIC, STRING, ListType, MapType, ObjectType, TupleType
from statefmt.model.cty.type_names import type_name

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
