"""Brings a value into the form that a block decodes to. Source: OpenTofu `configschema/coerce_value.go`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from statefmt.golang import quote
from statefmt.lifecycle.schema import (
    NestedBlock,
    NestingMode,
    SchemaAttribute,
    SchemaBlock,
    decoding_type,
    implied_type,
    refuses_depth,
)
from statefmt.model.cty import DynamicType, ListType, MapType, ObjectType, PrimitiveType, SetType, Type
from statefmt.model.cty.data import CtyValue, GetAttr, Path
from statefmt.model.cty.parts import attribute, elements, is_known, is_null, marks, set_of, unknown
from statefmt.model.cty.paths import index_step
from statefmt.model.cty.unify import has_dynamic, without_optional
from statefmt.text import pattern
from tests.lifecycle.opentofu.convert import CtyConversionError, convert_value
from tests.lifecycle.opentofu.parts import list_of, map_of, null, object_of
from tests.lifecycle.opentofu.proposed_new import attribute_type, empty_nested


@refuses_depth
def coerce_value(block: SchemaBlock, value: CtyValue) -> CtyValue:
    """Convert an object to the implied type of a block: attributes convert, missing ones become null.

    Nested blocks that are missing become empty. Raises CtyConversionError with OpenTofu's message and path, also for
    blocks of one list or set that differ in type, on which OpenTofu crashes; and CtyValueError if the value is nested
    too deeply. Source: OpenTofu `Block.CoerceValue`.
    """
    return _coerced(block, value, ())


def _coerced(block: SchemaBlock, value: CtyValue, path: Path) -> CtyValue:
    wanted = decoding_type(block)
    if is_null(value):
        return null(without_optional(wanted))
    if not is_known(value):
        return unknown(without_optional(wanted))
    given = value.type
    if not isinstance(given, ObjectType):
        raise CtyConversionError(path, "an object is required")
    for name in given.attributes:
        if name not in block.attributes and name not in block.blocks:
            raise CtyConversionError(path, f"unexpected attribute {quote(name)}")
    found = _attributes(block, value, wanted, path)
    for name, nested in block.decoded_blocks():
        if name not in given.attributes:
            found[name] = _missing(nested)
            continue
        inner, below = attribute(value, name), (*path, GetAttr(name))
        if nested.nesting in ("single", "group"):
            found[name] = _coerced(nested.block, inner, below)
        elif is_null(inner) or not is_known(inner):
            of = _collection(nested)(implied_type(nested.block))
            found[name] = null(of) if is_null(inner) else unknown(of)
        else:
            found[name] = _blocks(nested, inner, path, below)
            # OpenTofu forgets to step back out of blocks, which shows in the paths of later errors.
            path = below if _has_elements(inner) else path
    return object_of(found)


def _attributes(block: SchemaBlock, value: CtyValue, wanted: ObjectType, path: Path) -> dict[str, CtyValue]:
    found: dict[str, CtyValue] = {}
    assert isinstance(value.type, ObjectType)
    for name, schema in block.attributes.items():
        of = wanted.attributes[name]
        if name in value.type.attributes:
            given = attribute(value, name)
        elif schema.computed or schema.optional:
            given = null(without_optional(of))
        else:
            raise CtyConversionError(path, f"attribute {quote(name)} is required")
        try:
            found[name] = convert_value(given, of)
        except CtyConversionError as error:
            raise CtyConversionError((*path, GetAttr(name), *error.path), error.detail) from None
    return found


def _missing(nested: NestedBlock) -> CtyValue:
    of = implied_type(nested.block)
    match nested.nesting:
        case "list":
            return list_of((), of)
        case "map":
            return map_of({}, of)
        case _:
            return empty_nested(nested)


def _blocks(nested: NestedBlock, value: CtyValue, path: Path, below: Path) -> CtyValue:
    """Convert the collection `value` of nested blocks, which is at `below` in the block at `path`."""
    if marks(value) or isinstance(value.type, (PrimitiveType, DynamicType)):
        raise CtyConversionError(path, f"must be a {nested.nesting}")
    of = implied_type(nested.block)
    if nested.nesting == "map":
        return _map(nested, value, below, of)
    found = [_coerced(nested.block, part, (*below, index_step(key))) for key, part in elements(value)]
    if any(part.type != found[0].type for part in found):
        raise CtyConversionError(below, f"inconsistent {nested.nesting} element types")
    return set_of(found, of) if nested.nesting == "set" else list_of(found, of)


def _map(nested: NestedBlock, value: CtyValue, below: Path, of: Type) -> CtyValue:
    found: dict[str, CtyValue] = {}
    for key, part in elements(value):
        name = key.data if isinstance(key, CtyValue) else key
        if not isinstance(name, str):
            raise CtyConversionError(below, "must be a map")
        found[name] = _coerced(nested.block, part, (*below, index_step(name)))
    if not found:
        return map_of({}, of)
    # Where types of elements change, the result is an object, even if they all change alike.
    own = value.type.element if isinstance(value.type, (ListType, SetType, MapType)) else None
    return map_of(found, of) if all(part.type == own for part in found.values()) else object_of(found)


def _has_elements(value: CtyValue) -> bool:
    return isinstance(value.data, (tuple, dict)) and bool(value.data)


def _collection(nested: NestedBlock) -> Callable[[Type], Type]:
    kinds: Mapping[str, Callable[[Type], Type]] = {"list": ListType, "set": SetType, "map": MapType}
    return kinds[nested.nesting]


_NAME: Final = pattern(r"[a-z0-9_]+", re.ASCII)


@refuses_depth
def internal_validate(block: SchemaBlock) -> tuple[str, ...]:
    """Return what is wrong with a schema, in OpenTofu's words, sorted: `rule.size: cannot set both …`.

    Where a missing type makes OpenTofu crash, it counts as dynamic. Raises CtyValueError if the schema is nested too
    deeply.
    """
    return tuple(sorted(_of_block(block, "")))


def _of_block(block: SchemaBlock, prefix: str) -> Iterator[str]:
    for name, declared in block.attributes.items():
        yield from _of_attribute(declared, name, prefix)
    for name, nested in block.blocks.items():
        if name in block.attributes:
            yield f"{prefix}{name}: name defined as both attribute and child block type"
        elif _NAME.fullmatch(name) is None:
            yield f"{prefix}{name}: name may contain only lowercase letters, digits and underscores"
        yield from (f"{prefix}{name}: {problem}" for problem in _of_limits(nested))
        yield from _of_block(nested.block, f"{prefix}{name}.")


def _of_limits(nested: NestedBlock) -> Iterator[str]:
    least, most = nested.min_items, nested.max_items
    if least < 0 or most < 0:
        yield "MinItems and MaxItems must both be greater than zero"
    match nested.nesting:
        case "single":
            if least != most:
                yield "MinItems and MaxItems must match in NestingSingle mode"
            elif not 0 <= least <= 1:
                yield "MinItems and MaxItems must be set to either 0 or 1 in NestingSingle mode"
        case "group":
            if least or most:
                yield "MinItems and MaxItems cannot be used in NestingGroup mode"
        case "map":
            if least or most:
                yield "MinItems and MaxItems must both be 0 in NestingMap mode"
        case "invalid":
            yield f"invalid nesting mode {_mode(nested.nesting)}"
        case "list" | "set":
            if least > most and most != 0:
                yield f"MinItems must be less than or equal to MaxItems in {_mode(nested.nesting)} mode"
            if nested.nesting == "set" and has_dynamic(implied_type(nested.block)):
                yield "NestingSet blocks may not contain attributes of cty.DynamicPseudoType"


def _of_attribute(attribute: SchemaAttribute, name: str, prefix: str) -> Iterator[str]:
    at, nested = f"{prefix}{name}", attribute.nested
    if not (attribute.optional or attribute.required or attribute.computed):
        yield f"{at}: must set Optional, Required or Computed"
    if attribute.optional and attribute.required:
        yield f"{at}: cannot set both Optional and Required"
    if attribute.computed and attribute.required:
        yield f"{at}: cannot set both Computed and Required"
    if nested is None:
        if attribute.type is None:
            yield f"{at}: either Type or NestedType must be defined"
        return
    if attribute.type is not None:
        # OpenTofu leaves out the prefix here.
        yield f"{name}: Type and NestedType cannot both be set"
    if nested.nesting == "set" and has_dynamic(attribute_type(attribute)):
        yield f"{at}: NestingSet blocks may not contain attributes of cty.DynamicPseudoType"
    if nested.nesting in ("group", "invalid"):
        yield f"{at}: invalid nesting mode {_mode(nested.nesting)}"
    for inner, schema in nested.attributes.items():
        # OpenTofu does not say in which attribute.
        yield from _of_attribute(schema, inner, prefix)


def _mode(nesting: NestingMode) -> str:
    return "nestingModeInvalid" if nesting == "invalid" else f"Nesting{nesting.capitalize()}"
