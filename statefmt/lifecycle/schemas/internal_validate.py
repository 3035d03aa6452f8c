"""Checks whether a schema is sound in itself. Source: OpenTofu `configschema/internal_validate.go`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from statefmt.lifecycle.depth import refuses_depth
from statefmt.lifecycle.schemas.block import NestedBlock, NestingMode, SchemaAttribute, SchemaBlock
from statefmt.lifecycle.schemas.implied_type import attribute_type, implied_type
from statefmt.model.cty.unify import has_dynamic
from statefmt.text.pattern import pattern

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
