"""Reads cty values from msgpack, by type as far as it is known.

Numbers that are no float64 are strings. A value of a dynamic type is an array of its type, as JSON in binary, and the
value. Source: go-cty `cty/msgpack`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from statefmt.lifecycle.plan import PlanError
from statefmt.model.cty import (
    BOOL,
    DYNAMIC,
    NUMBER,
    STRING,
    CtyError,
    CtyValueError,
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    PrimitiveType,
    SetType,
    TupleType,
    Type,
    common_element_type,
    object_type,
    parse_type,
)
from statefmt.model.cty.data import CtyValue, Data, UnknownData, convert_primitive
from statefmt.model.cty.number import from_float, from_int


def _extension(code: int, data: memoryview) -> UnknownData:
    # 0 is an unknown value, 12 one with refinements, which JSON does not show. go-cty takes all others as unknown, too.
    return UnknownData()


_DECODER: Final = msgspec.msgpack.Decoder(ext_hook=_extension)
_DYNAMIC_PARTS: Final = 2


def read_msgpack(data: bytes, of: Type | None = None) -> CtyValue:
    """Read a value by its type; without one, arrays become tuples and maps objects, as in JSON.

    Raises PlanError if the value is invalid or does not conform to the type.
    """
    try:
        node = decode(data)
        return CtyValue(*(_implied(node) if of is None else _typed(node, of)))
    except RecursionError:
        raise _too_deep() from None
    except CtyError as error:
        raise PlanError(f"the plan file contains an invalid value: {error}") from None


def decode(data: bytes) -> Any:
    """Decode msgpack, with UnknownData for unknown values. Raises PlanError."""
    try:
        return _DECODER.decode(data)
    except RecursionError:
        raise _too_deep() from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PlanError(f"the plan file is damaged: it contains an invalid value: {error}") from None


def _too_deep() -> PlanError:
    return PlanError("the plan file contains a value that is nested too deeply")


def _implied(node: Any) -> tuple[Type, Data]:
    match node:
        case None | UnknownData():
            return DYNAMIC, node
        case bool():
            return BOOL, node
        case str():
            return STRING, node
        case int():
            return NUMBER, from_int(node)
        case float() if node == node:
            return NUMBER, from_float(node)
        case [bytes(), _]:
            return _dynamic(node)
        case list():
            pairs = [_implied(item) for item in node]
            return TupleType(tuple(own for own, _ in pairs)), tuple(data for _, data in pairs)
        case dict():
            found = {_name(name): _implied(item) for name, item in node.items()}
            of = object_type({name: own for name, (own, _) in found.items()})
            return of, {name: found[name][1] for name in of.attributes}
    raise CtyValueError(f"a value of the kind {type(node).__name__}")


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise CtyValueError("a name must be a string")
    return name


def _dynamic(node: Any) -> tuple[Type, Data]:
    if not (isinstance(node, list) and len(node) == _DYNAMIC_PARTS and isinstance(node[0], bytes)):
        raise CtyValueError("a value of a dynamic type needs its type")
    return _typed(node[1], parse_type(node[0]))


def _typed(node: Any, of: Type) -> tuple[Type, Data]:
    if node is None or isinstance(node, UnknownData):
        return of, node
    match of:
        case DynamicType():
            return _dynamic(node)
        case PrimitiveType():
            return of, _primitive(node, of)
        case TupleType(elements):
            items = _list(node)
            if len(items) != len(elements):
                raise CtyValueError(f"a tuple of {len(elements)} elements is required")
            pairs = [_typed(item, element) for item, element in zip(items, elements, strict=True)]
            return TupleType(tuple(own for own, _ in pairs)), tuple(data for _, data in pairs)
        case ListType(element) | SetType(element):
            pairs = [_typed(item, element) for item in _list(node)]
            kind = "set" if isinstance(of, SetType) else "list"
            # Sets are stored in cty's order.
            return type(of)(common_element_type((own for own, _ in pairs), element, kind)), tuple(
                data for _, data in pairs
            )
        case MapType(element):
            found = {_name(name): _typed(item, element) for name, item in _map(node).items()}
            own = common_element_type((each for each, _ in found.values()), element, "map")
            return MapType(own), {name: data for name, (_, data) in found.items()}
        case ObjectType(attributes):
            members = _map(node)
            if members.keys() - attributes.keys():
                raise CtyValueError(f"unsupported attribute {min(map(str, members.keys() - attributes.keys()))!r}")
            pairs_by_name = {name: _typed(members.get(name), each) for name, each in attributes.items()}
            return object_type({name: each for name, (each, _) in pairs_by_name.items()}), {
                name: data for name, (_, data) in pairs_by_name.items()
            }


def _primitive(node: Any, of: PrimitiveType) -> Data:
    match node:
        case bool() if of == BOOL:
            return node
        case str() if of == STRING:
            return node
        case str() if of == NUMBER:
            return convert_primitive(node, NUMBER)
        case bool():
            pass
        case int() if of == NUMBER:
            return from_int(node)
        case float() if of == NUMBER and node == node:
            return from_float(node)
    raise CtyValueError(f"{of.name} is required")


def _list(node: Any) -> Sequence[Any]:
    if not isinstance(node, list):
        raise CtyValueError("a list is required")
    return node


def _map(node: Any) -> dict[Any, Any]:
    if not isinstance(node, dict):
        raise CtyValueError("an object is required")
    return node
