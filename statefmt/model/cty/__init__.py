"""Models the types of cty values, reads and writes their JSON descriptions, and infers them where none were stored.

The package implements the part of go-cty needed to write output values and sensitive paths as OpenTofu does.

CtyError
├── CtyTypeError     an invalid type description
└── CtyValueError    a value that does not conform to its type
    ├── CtyPathError     the same, with the path to the part (`statefmt.model.cty.data`)
    └── CtyEncodeError   a value that can be read but not written as JSON
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct

from statefmt.golang import (
    JSONValue,
    Members,
    NumberText,
    encode_string,
    encode_value,
    kind_name,
    loads_exact,
    nfc,
    quote,
)
from statefmt.model.errors import StatetoolError


class CtyError(StatetoolError, ValueError):
    """Base class of the errors of this package. `detail` is go-cty's wording if go-cty reports the case."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class CtyTypeError(CtyError):
    """An invalid type description ("Invalid output value type in state")."""


class CtyValueError(CtyError):
    """A value that does not conform to its type ("Invalid output value saved in state")."""


class CtyEncodeError(CtyValueError):
    """A value that can be read but not written ("Failed to serialize output value in state")."""


class PrimitiveType(Struct, frozen=True):
    """A bool, number or string type; use the constants BOOL, NUMBER and STRING."""

    name: str


class DynamicType(Struct, frozen=True):
    """Any type, and the type of an untyped null; use the constant DYNAMIC."""


class ListType(Struct, frozen=True):
    """A sequence of values of one type."""

    element: Type


class SetType(Struct, frozen=True):
    """A set of values of one type."""

    element: Type


class MapType(Struct, frozen=True):
    """A map from strings to values of one type."""

    element: Type


class ObjectType(Struct, frozen=True):
    """Fixed attributes, each with its own type.

    `attributes` has NFC names in bytewise order; `optional` names attributes that may be missing in a conversion.
    """

    attributes: Mapping[str, Type]
    optional: frozenset[str] = frozenset()

    def __hash__(self) -> int:
        # A mapping has no hash.
        return hash(self.optional)


class TupleType(Struct, frozen=True):
    """A fixed number of elements, each with its own type.

    `as_null` is True if the description had null in place of the list of types, which go-cty reads as the empty
    tuple and writes as null again.
    """

    elements: tuple[Type, ...]
    as_null: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TupleType) and self.elements == other.elements

    def __hash__(self) -> int:
        return hash(self.elements)


Type: TypeAlias = PrimitiveType | DynamicType | ListType | SetType | MapType | ObjectType | TupleType

BOOL = PrimitiveType("bool")
NUMBER = PrimitiveType("number")
STRING = PrimitiveType("string")
DYNAMIC = DynamicType()

_NAMED: dict[str, Type] = {"bool": BOOL, "number": NUMBER, "string": STRING, "dynamic": DYNAMIC}
_COLLECTIONS: dict[str, type[ListType] | type[SetType] | type[MapType]] = {
    "list": ListType, "set": SetType, "map": MapType
}  # fmt: skip
_COLLECTION_NAMES = {collection: name for name, collection in _COLLECTIONS.items()}


def object_type(attributes: Mapping[str, Type], optional: frozenset[str] = frozenset()) -> ObjectType:
    """Make an object type from `attributes`, normalising and sorting the names as cty does."""
    by_name = {nfc(name): attribute for name, attribute in attributes.items()}
    return ObjectType({name: by_name[name] for name in sorted(by_name)}, optional)


@lru_cache(maxsize=256)
def parse_type(raw: bytes | None) -> Type:
    """Parse a type description (`"string"`, `["list","string"]`, `["object",{"a":"bool"}]`…).

    `raw` is valid JSON; None or empty if missing. Raises CtyTypeError with go-cty's detail, also for an undeclared
    optional attribute, on which go-cty crashes. Source: go-cty `Type.UnmarshalJSON`.
    """
    if not raw:
        raise CtyTypeError("EOF")
    try:
        return type_from_json(loads_exact(raw, replace_invalid=True))
    except CtyTypeError:
        raise
    except ValueError as error:
        raise CtyTypeError(str(error)) from None
    except RecursionError:
        raise CtyTypeError("the type is nested too deeply") from None


def type_from_json(node: JSONValue) -> Type:
    """Convert a type description from parsed JSON. Raises CtyTypeError, as `parse_type` does."""
    if isinstance(node, list):
        return _complex_type(node)
    if isinstance(node, Members):
        raise CtyTypeError("invalid complex type description")
    if isinstance(node, str) and not isinstance(node, NumberText):
        if node not in _NAMED:
            raise CtyTypeError(f"invalid primitive type name {quote(node)}")
        return _NAMED[node]
    raise CtyTypeError("invalid type description")


def _complex_type(parts: list[JSONValue]) -> Type:
    kind = parts[0] if parts else None
    if not isinstance(kind, str) or isinstance(kind, NumberText) or kind not in (*_COLLECTIONS, "object", "tuple"):
        raise CtyTypeError("invalid complex type kind name")
    if len(parts) < 2:
        # The error of Go's decoder when it reads past the last element.
        raise CtyTypeError("expected comma after array element")
    result: Type
    if kind == "object":
        result = _object_type(parts[1], parts[2:3])
    elif kind == "tuple":
        result = _tuple_type(parts[1])
    else:
        result = _COLLECTIONS[kind](type_from_json(parts[1]))
    if len(parts) > (3 if kind == "object" else 2):
        raise CtyTypeError("unexpected extra data in type description")
    return result


def _object_type(attributes: JSONValue, optional: list[JSONValue]) -> ObjectType:
    # Go decodes null into an empty map, and into an empty list for `optional`.
    if attributes is not None and not isinstance(attributes, Members):
        raise CtyTypeError(_go_mismatch(attributes, "map[string]cty.Type"))
    by_name = object_type({name: type_from_json(node) for name, node in attributes or ()}).attributes
    names = _optional_names(optional[0]) if optional else frozenset()
    for name in sorted(names):
        if name not in by_name:
            raise CtyTypeError(f"optional contains undeclared attribute {quote(name)}")
    return ObjectType(by_name, names)


def _optional_names(node: JSONValue) -> frozenset[str]:
    if node is not None and not isinstance(node, list):
        raise CtyTypeError(_go_mismatch(node, "[]string"))
    names: list[str] = []
    for name in node or ():
        if name is not None and (not isinstance(name, str) or isinstance(name, NumberText)):
            raise CtyTypeError(_go_mismatch(name, "string"))
        names.append(nfc(name or ""))
    return frozenset(names)


def _tuple_type(elements: JSONValue) -> TupleType:
    if elements is None:
        return TupleType((), as_null=True)
    if not isinstance(elements, list):
        raise CtyTypeError(_go_mismatch(elements, "[]cty.Type"))
    return TupleType(tuple(type_from_json(node) for node in elements))


def _go_mismatch(node: JSONValue, wanted: str) -> str:
    return f"json: cannot unmarshal {kind_name(node)} into Go value of type {wanted}"


def encode_type(of: Type) -> bytes:
    """Encode a type as its compact JSON description, with sorted attributes, as go-cty's MarshalJSON does.

    Raises CtyTypeError if the type is nested too deeply.
    """
    try:
        return _encode(of)
    except RecursionError:
        raise CtyTypeError("the type is nested too deeply") from None


def _encode(of: Type) -> bytes:
    match of:
        case PrimitiveType(name):
            return b'"%b"' % name.encode("ascii")
        case DynamicType():
            return b'"dynamic"'
        case ListType(element) | SetType(element) | MapType(element):
            return b'["%b",%b]' % (collection_name(of).encode(), _encode(element))
        case TupleType(elements):
            return b'["tuple",%b]' % (b"null" if of.as_null else _array(map(_encode, elements)))
        case ObjectType(attributes, optional):
            members = b",".join(encode_string(name) + b":" + _encode(attributes[name]) for name in attributes)
            tail = b"," + _array(map(encode_string, sorted(optional))) if optional else b""
            return b'["object",{%b}%b]' % (members, tail)


def _array(items: Iterable[bytes]) -> bytes:
    return b"[%b]" % b",".join(items)


def member_type(of: Type, name: str) -> Type:
    """Return the type of a member of an object or a map; DYNAMIC if it is unknown."""
    if isinstance(of, ObjectType):
        return of.attributes.get(name, DYNAMIC)
    return of.element if isinstance(of, MapType) else DYNAMIC


def element_type(of: Type, place: int) -> Type:
    """Return the type of an element of a list, a set or a tuple; DYNAMIC if it is unknown."""
    if isinstance(of, ListType | SetType):
        return of.element
    if isinstance(of, TupleType) and place < len(of.elements):
        return of.elements[place]
    return DYNAMIC


def type_name(of: Type, *, wanted: bool = False) -> str:
    """Return `string`, `list of number`, `object`. With `wanted`, name a requirement: `any type`."""
    match of:
        case PrimitiveType(name):
            return name
        case DynamicType():
            return "any type" if wanted else "dynamic"
        case ListType(element) | SetType(element) | MapType(element):
            is_any = wanted and isinstance(element, DynamicType)
            return f"{collection_name(of)} of {'any single type' if is_any else type_name(element, wanted=wanted)}"
        case ObjectType():
            return "object"
        case TupleType():
            return "tuple"


def collection_name(of: ListType | SetType | MapType) -> str:
    """Return `list`, `set` or `map`."""
    return _COLLECTION_NAMES[type(of)]


def common_element_type(types: Iterable[Type], declared: Type, kind: str) -> Type:
    """Return the element type of a collection: the first that is not dynamic; `declared` if there are no elements.

    `types` are the types of the elements, `kind` is list, set or map. Raises CtyValueError if they are not all equal or
    dynamic, for which go-cty crashes.
    """
    found: Type | None = None
    for own in types:
        if found is None or isinstance(found, DynamicType):
            found = own
        elif own is not found and not isinstance(own, DynamicType) and own != found:
            names = " then ".join(encode_type(each).decode("utf-8") for each in (found, own))
            raise CtyValueError(f"inconsistent {kind} element types ({names})")
    return declared if found is None else found


def implied_type(value: JSONValue) -> Type:
    """Infer the type of a JSON value as go-cty's json.ImpliedType does: tuples and objects; DYNAMIC for null.

    Raises CtyTypeError if a repeated member has values of different types.
    """
    if value is None:
        return DYNAMIC
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, NumberText):
        return NUMBER
    if isinstance(value, str):
        return STRING
    if isinstance(value, list):
        return TupleType(tuple(implied_type(item) for item in value))
    attributes: dict[str, Type] = {}
    for name, item in value:
        found = implied_type(item)
        if attributes.setdefault(name, found) != found:
            raise CtyTypeError(f"duplicate {quote(name)} property in JSON object")
    return object_type(attributes)


def simplify(of: Type) -> Type:
    """Turn tuples into lists and objects into maps if all parts have one type, as OpenTofu's v3 upgrade does."""
    if isinstance(of, TupleType) and of.elements:
        first = of.elements[0]
        return ListType(simplify(first)) if all(other == first for other in of.elements) else of
    if isinstance(of, ObjectType) and of.attributes:
        first = next(iter(of.attributes.values()))
        return MapType(simplify(first)) if all(other == first for other in of.attributes.values()) else of
    return of


def upgrade_output(value: JSONValue) -> tuple[bytes, bytes]:
    """Return the members `value` and `type` in the v4 form of a v3 output value.

    The value is encoded as from Go's interface{} (numbers become float64, members are sorted) and not yet
    canonical. Raises ValueError for numbers out of range and values nested too deeply.
    """
    encoded = encode_value(value)
    try:
        return encoded, encode_type(simplify(implied_type(loads_exact(encoded))))
    except RecursionError:
        raise CtyTypeError("the value is nested too deeply") from None
