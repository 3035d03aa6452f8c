"""Tells which parts of a value its schema makes sensitive or deprecates. Source: OpenTofu `Block.ValueMarks`."""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.lifecycle.depth import refuses_depth
from statefmt.lifecycle.schemas.block import NestedAttributes, SchemaAttribute, SchemaBlock
from statefmt.lifecycle.schemas.contains import contains_deprecated, contains_sensitive
from statefmt.model.cty import CtyValue, GetAttr, Path
from statefmt.model.cty.parts import attribute, elements, is_known, is_null, unmarked_deep
from statefmt.model.cty.path_marks import PathMarks
from statefmt.model.cty.path_tree import index_step


@refuses_depth
def value_marks(block: SchemaBlock, value: CtyValue, *, deprecations: bool = False) -> tuple[PathMarks, ...]:
    """Return the paths into a value of a block that the schema marks as `sensitive`, each once.

    With `deprecations`, what is deprecated is marked as `deprecated`, too. The root block of an ephemeral resource
    is `ephemeral`. Attributes of the value are marked even if they are null. The value has the implied type; its own
    marks do not matter. Raises CtyValueError if it is nested too deeply.

    A map of blocks is an object if it has dynamic attributes. Its blocks have paths by key all the same, which lead
    nowhere in an object: OpenTofu does not hide what is sensitive there.
    """
    return tuple(_of_block(block, unmarked_deep(value), (), deprecations))


def _of_block(block: SchemaBlock, value: CtyValue, path: Path, deprecations: bool) -> Iterator[PathMarks]:
    own = {"ephemeral"} if block.ephemeral else set()
    if block.deprecated and deprecations:
        own.add("deprecated")
    if own:
        yield PathMarks(path, frozenset(own))
    for name, each in block.attributes.items():
        marks = _marks(each, deprecations)
        if marks:
            yield PathMarks((*path, GetAttr(name)), marks)
    if is_null(value):
        return
    for name, each in block.attributes.items():
        if each.nested is not None and _has_marks(each.nested):
            yield from _of_attributes(each.nested, attribute(value, name), (*path, GetAttr(name)), deprecations)
    for name, nested in block.blocks.items():
        if not _has_marks(nested.block):
            continue
        inner, below = attribute(value, name), (*path, GetAttr(name))
        if is_null(inner) or not is_known(inner):
            continue
        if nested.nesting in ("single", "group"):
            yield from _of_block(nested.block, inner, below, deprecations)
        else:
            for key, part in elements(inner):
                yield from _of_block(nested.block, part, (*below, index_step(key)), deprecations)


def _of_attributes(schema: NestedAttributes, value: CtyValue, path: Path, deprecations: bool) -> Iterator[PathMarks]:
    if is_null(value) or not is_known(value):
        return
    objects = [(path, value)]
    if schema.nesting != "single":
        objects = [((*path, index_step(key)), part) for key, part in elements(value) if not is_null(part)]
    for name, each in schema.attributes.items():
        marks = _marks(each, deprecations)
        for start, whole in objects:
            below = (*start, GetAttr(name))
            if marks:
                yield PathMarks(below, marks)
            elif each.nested is not None and _has_marks(each.nested):
                yield from _of_attributes(each.nested, attribute(whole, name), below, deprecations)


def _marks(schema: SchemaAttribute, deprecations: bool) -> frozenset[str]:
    found = ("sensitive",) * schema.sensitive + ("deprecated",) * (schema.deprecated and deprecations)
    return frozenset(found)


def _has_marks(schema: SchemaBlock | NestedAttributes) -> bool:
    return contains_sensitive(schema) or contains_deprecated(schema)
