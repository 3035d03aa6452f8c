"""Decodes parsed JSON into cty data by type, with the conversions and errors of go-cty's json package."""

from __future__ import annotations

from statefmt.golang import JSONValue, Members, NumberText, quote
from statefmt.golang.normalize import nfc
from statefmt.model.cty._path_error import CtyPathError
from statefmt.model.cty.data import CtyValue, Data, UnknownData
from statefmt.model.cty.element_types import common_element_type
from statefmt.model.cty.errors import CtyTypeError, CtyValueError
from statefmt.model.cty.primitives import convert_primitive
from statefmt.model.cty.sets import make_set
from statefmt.model.cty.steps import GetAttr, PathIndex
from statefmt.model.cty.types import (
    BOOL,
    NUMBER,
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    PrimitiveType,
    SetType,
    TupleType,
    Type,
    object_type,
    type_from_json,
)


def decode(node: JSONValue, of: Type) -> tuple[Type, Data]:
    """Decode one value. Returns its data and its own type: `of` with dynamic and optional parts resolved.

    Raises CtyValueError, for a part of the value CtyPathError, and RecursionError if it is nested too deeply.
    """
    if node is None:
        return of, None
    match of:
        case PrimitiveType(name):
            return of, _decode_primitive(node, name)
        case DynamicType():
            return _decode_dynamic(node)
        case ListType(element):
            found, items = _decode_items(_array(node), of)
            return of if found is element else ListType(found), tuple(items)
        case SetType(element):
            found, items = _decode_items(_array(node), of)
            return of if found is element else SetType(found), make_set(found, items)
        case MapType(element):
            return _decode_map(_members(node), of, element)
        case TupleType(elements):
            return _decode_tuple(_array(node), of, elements)
        case ObjectType():
            return _decode_object(_members(node), of)


def _decode_primitive(node: JSONValue, name: str) -> Data:
    if isinstance(node, (list, Members)):
        raise CtyValueError(f"{name} is required")
    if name == "string":
        if isinstance(node, bool):
            return "true" if node else "false"
        return nfc(str(node))
    if name == "number":
        if isinstance(node, bool):
            raise CtyValueError("number is required")
        return convert_primitive(str(node), NUMBER)
    if isinstance(node, NumberText):
        raise CtyValueError("bool is required")
    return convert_primitive(nfc(node), BOOL) if isinstance(node, str) else node


def _decode_dynamic(node: JSONValue) -> tuple[Type, Data]:
    of: Type | None = None
    body: tuple[JSONValue] | None = None
    for name, item in _members(node):
        if name == "type":
            try:
                of = type_from_json(item)
            except CtyTypeError as error:
                detail = f"failed to decode type for dynamic value: {error.detail}"
                raise CtyValueError(detail) from None
        elif name == "value":
            body = (item,)
        else:
            raise CtyValueError(f"invalid key {quote(name)} in dynamically-typed value")
    if of is None:
        raise CtyValueError("missing type in dynamically-typed value")
    if body is None:
        raise CtyValueError("missing value in dynamically-typed value")
    return decode(body[0], of)


def _decode_items(nodes: list[JSONValue], of: ListType | SetType) -> tuple[Type, list[Data]]:
    element, types, items = of.element, list[Type](), list[Data]()
    try:
        if isinstance(element, PrimitiveType):
            for node in nodes:
                items.append(None if node is None else _decode_primitive(node, element.name))
            return element, items
        for node in nodes:
            own, data = decode(node, element)
            items.append(data)
            types.append(own)
    except CtyValueError as error:
        # go-cty cannot name an element of a set that it has not read.
        key = CtyValue(element, UnknownData()) if isinstance(of, SetType) else len(items)
        raise CtyPathError.within(PathIndex(key), error) from None
    return common_element_type(types, element, "set" if isinstance(of, SetType) else "list"), items


def _decode_map(members: Members, of: MapType, element: Type) -> tuple[Type, Data]:
    pairs: dict[str, tuple[Type, Data]] = {}
    name = ""
    try:
        for name, node in members:
            pairs[name] = decode(node, element)
    except CtyValueError as error:
        raise CtyPathError.within(PathIndex(nfc(name)), error) from None
    found = common_element_type((own for own, _ in pairs.values()), element, "map")
    own = of if found is element else MapType(found)
    return own, {nfc(name): data for name, (_, data) in pairs.items()}


def _decode_tuple(nodes: list[JSONValue], of: TupleType, elements: tuple[Type, ...]) -> tuple[Type, Data]:
    pairs: list[tuple[Type, Data]] = []
    try:
        for node, element in zip(nodes, elements, strict=False):
            pairs.append(decode(node, element))
    except CtyValueError as error:
        raise CtyPathError.within(PathIndex(len(pairs)), error) from None
    if len(nodes) > len(elements):
        raise CtyValueError(f"too many tuple elements (need {len(elements)})")
    if len(nodes) < len(elements):
        # For a top-level tuple, go-cty crashes instead of reporting this.
        raise CtyValueError(f"not enough tuple elements (need {len(elements)})")
    found = tuple(own for own, _ in pairs)
    same = not of.as_null and all(own is element for own, element in zip(found, elements, strict=True))
    return of if same else TupleType(found), tuple(data for _, data in pairs)


def _decode_object(members: Members, of: ObjectType) -> tuple[Type, Data]:
    attributes = of.attributes
    pairs: dict[str, tuple[Type, Data]] = {}
    for name, node in members:
        # As in go-cty, names in the type are normalised but names in the value are not: they must already be NFC.
        attribute = attributes.get(name)
        if attribute is None:
            raise CtyValueError(f"unsupported attribute {quote(name)}")
        try:
            pairs[name] = decode(node, attribute)
        except CtyValueError as error:
            raise CtyPathError.within(GetAttr(name), error) from None
    data = {name: pairs[name][1] if name in pairs else None for name in attributes}
    if not of.optional and all(own is attributes[name] for name, (own, _) in pairs.items()):
        return of, data
    return object_type({name: pairs[name][0] if name in pairs else attributes[name] for name in attributes}), data


def _array(node: JSONValue) -> list[JSONValue]:
    if not isinstance(node, list):
        raise CtyValueError("missing expected [")
    return node


def _members(node: JSONValue) -> Members:
    if not isinstance(node, Members):
        raise CtyValueError("missing expected {")
    return node
