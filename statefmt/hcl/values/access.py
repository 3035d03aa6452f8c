"""Attribute and index access on values. Source: HCL `ops.go`."""

from __future__ import annotations

from collections.abc import Mapping

from statefmt.golang import quote
from statefmt.hcl.source.position import Range
from statefmt.hcl.syntax.expressions import Access, AttributeAccess
from statefmt.hcl.value import Part, Unknown, Value
from statefmt.hcl.values.construct import marked, retyped
from statefmt.hcl.values.conversion import ConversionError, convert
from statefmt.hcl.values.refusal import Refusal
from statefmt.model.cty import DYNAMIC, NUMBER, STRING, ListType, MapType, Number, ObjectType, SetType, TupleType
from statefmt.model.cty.arithmetic import is_whole
from statefmt.model.cty.type_names import type_name
from statefmt.model.cty.types import DynamicType, PrimitiveType

_NO_ELEMENT = "The given key does not identify an element in this collection value"


def step_into(part: Part, step: Access) -> Part:
    """Take one literal step into a value. Raises Refusal if there is no such element."""
    if isinstance(step, AttributeAccess):
        return get_attribute(part, step.name, step.range)
    key = Value(STRING, step.key) if isinstance(step.key, str) else Value(NUMBER, step.key)
    return get_index(part, key, step.range)


def get_attribute(part: Part, name: str, place: Range) -> Part:
    """Evaluate `part.name`. Raises Refusal."""
    if isinstance(part, Value) and part.data is None:
        detail = "This value is null, so it does not have any attributes."
        raise Refusal("Attempt to get attribute from null value", detail, place)
    of = part.type
    match of:
        case ObjectType(attributes, _):
            if name not in attributes:
                raise Refusal(
                    "Unsupported attribute", f"This object does not have an attribute named {quote(name)}.", place
                )
        case MapType():
            pass
        case DynamicType():
            assert isinstance(part, Unknown)
            return part
        case ListType(ObjectType()) | SetType(ObjectType()):
            kind = "list" if isinstance(of, ListType) else "set"
            detail = f"Can't access attributes on a {kind} of objects. Select one element, or use a splat expression."
            raise Refusal("Unsupported attribute", detail, place)
        case PrimitiveType():
            detail = f"Can't access attributes on a primitive-typed value ({type_name(of)})."
            raise Refusal("Unsupported attribute", detail, place)
        case _:
            raise Refusal("Unsupported attribute", "This value does not have any attributes.", place)
    if isinstance(part, Unknown):
        return retyped(part, of.attributes[name] if isinstance(of, ObjectType) else of.element)
    assert isinstance(part.data, Mapping)
    found = part.data.get(name)
    if found is None:
        raise Refusal("Missing map element", f"This map does not have an element with the key {quote(name)}.", place)
    return marked(found, part.sensitive)


def get_index(part: Part, key: Part, place: Range) -> Part:
    """Evaluate `part[key]`. Raises Refusal."""
    if isinstance(part, Value) and part.data is None:
        raise Refusal("Attempt to index null value", "This value is null, so it does not have any indices.", place)
    if isinstance(key, Value) and key.data is None:
        raise Refusal("Invalid index", "Can't use a null value as an indexing key.", place)
    of = part.type
    if isinstance(of, SetType):
        detail = "Elements of a set are identified only by their value and cannot be selected with an index."
        raise Refusal("Invalid index", detail, place)
    if isinstance(of, PrimitiveType):
        raise Refusal("Invalid index", "This value does not have any indices.", place)
    if isinstance(part, Unknown) and isinstance(of, DynamicType):
        return part
    wanted = NUMBER if isinstance(of, (ListType, TupleType)) else STRING
    try:
        key = convert(key, wanted)
    except ConversionError as error:
        raise Refusal("Invalid index", f"{_NO_ELEMENT}: {error}.", place) from None
    sensitive = part.sensitive or key.sensitive
    if isinstance(key, Unknown):
        return marked(retyped(key, of.element if isinstance(of, (ListType, MapType)) else DYNAMIC), sensitive)
    if isinstance(key.data, Number):
        return marked(_element(part, key.data, place), sensitive)
    assert isinstance(key.data, str)
    return marked(_member(part, key.data, place), sensitive)


def _element(part: Part, key: Number, place: Range) -> Part:
    of = part.type
    assert isinstance(of, (ListType, TupleType))
    if not is_whole(key):
        detail = "indexing a sequence requires a whole number, but the given index has a fractional part."
        raise Refusal("Invalid index", f"{_NO_ELEMENT}: {detail}", place)
    if key.negative and key.mantissa:
        raise Refusal("Invalid index", f"{_NO_ELEMENT}: a negative number is not a valid index for a sequence.", place)
    at = 0 if not key.mantissa else key.small_integer()
    if isinstance(part, Unknown):
        return retyped(part, of.element if isinstance(of, ListType) else DYNAMIC)
    assert isinstance(part.data, tuple)
    if at is None or at >= len(part.data):
        why = (
            "the collection has no elements"
            if not part.data
            else "the given index is greater than or equal to the length of the collection"
        )
        raise Refusal("Invalid index", f"{_NO_ELEMENT}: {why}.", place)
    return part.data[at]


def _member(part: Part, key: str, place: Range) -> Part:
    of = part.type
    if isinstance(of, ObjectType) and key not in of.attributes:
        raise Refusal("Invalid index", f"{_NO_ELEMENT}.", place)
    if isinstance(part, Unknown):
        return retyped(part, of.attributes[key] if isinstance(of, ObjectType) else of.element)  # type: ignore[union-attr]
    assert isinstance(part.data, Mapping)
    found = part.data.get(key)
    if found is None:
        raise Refusal("Invalid index", f"{_NO_ELEMENT}.", place)
    return found
