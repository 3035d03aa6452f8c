"""Finds the attributes and blocks of a schema within a value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from statefmt.lifecycle.schemas._contains import contains
from statefmt.lifecycle.schemas.block import NestedAttributes, SchemaAttribute, SchemaBlock
from statefmt.model.cty import CtyValue, GetAttr, Path
from statefmt.model.cty.parts import attribute, elements, is_known, is_null
from statefmt.model.cty.path_tree import index_step

SchemaPart: TypeAlias = SchemaBlock | SchemaAttribute


def walk_block(
    block: SchemaBlock, value: CtyValue, path: Path, wanted: Callable[[SchemaPart], bool], *, of_null: bool
) -> Iterator[tuple[Path, SchemaPart]]:
    """Yield what is `wanted` of a block's schema and its attributes, with the path of each place in the value.

    Attributes within a wanted attribute of nested attributes are left out, and nested blocks without any wanted
    attribute. With `of_null`, attributes of a block that is null or unknown are yielded, too. Source: OpenTofu
    `Block.ValueMarks`, `Block.WriteOnlyPaths`.
    """
    has_value = not is_null(value) and is_known(value)
    if not (has_value or of_null):
        return
    if wanted(block):
        yield path, block
    for name, each in block.attributes.items():
        if wanted(each):
            yield (*path, GetAttr(name)), each
    if not has_value:
        return
    for name, each in block.attributes.items():
        if each.nested is not None and contains(each.nested, wanted):
            yield from _walk_attributes(each.nested, attribute(value, name), (*path, GetAttr(name)), wanted)
    for name, nested in block.decoded_blocks():
        if not contains(nested.block, wanted):
            continue
        inner, below = attribute(value, name), (*path, GetAttr(name))
        if is_null(inner) or not is_known(inner):
            continue
        if nested.nesting in ("single", "group"):
            yield from walk_block(nested.block, inner, below, wanted, of_null=of_null)
        else:
            for key, part in elements(inner):
                yield from walk_block(nested.block, part, (*below, index_step(key)), wanted, of_null=of_null)


def _walk_attributes(
    schema: NestedAttributes, value: CtyValue, path: Path, wanted: Callable[[SchemaPart], bool]
) -> Iterator[tuple[Path, SchemaPart]]:
    if is_null(value) or not is_known(value):
        return
    objects = [(path, value)]
    if schema.nesting != "single":
        objects = [((*path, index_step(key)), part) for key, part in elements(value) if not is_null(part)]
    for name, each in schema.attributes.items():
        for start, whole in objects:
            below = (*start, GetAttr(name))
            if wanted(each):
                yield below, each
            elif each.nested is not None and contains(each.nested, wanted):
                yield from _walk_attributes(each.nested, attribute(whole, name), below, wanted)
