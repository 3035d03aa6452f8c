"""Tells which attributes of a resource type are sensitive by its schema, and knows the schemas of built-in types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from statefmt.lifecycle.schemas.block import SchemaAttribute, SchemaBlock
from statefmt.lifecycle.schemas.flags import contains_sensitive
from statefmt.lifecycle.verification._difference import PathSteps
from statefmt.model.cty import DYNAMIC, STRING

# Part of every release, so that no file need say it. Source: OpenTofu `internal/builtin/providers/tf`.
_ANY: Final = SchemaAttribute(type=DYNAMIC, optional=True)
_STORED: Final = SchemaAttribute(type=DYNAMIC, computed=True)
_TERRAFORM_DATA: Final = SchemaBlock({
    "id": SchemaAttribute(type=STRING, computed=True), "input": _ANY, "output": _STORED, "triggers_replace": _ANY
})  # fmt: skip
_TERRAFORM_REMOTE_STATE: Final = SchemaBlock({
    "backend": SchemaAttribute(type=STRING, required=True), "config": _ANY, "defaults": _ANY, "outputs": _STORED,
    "workspace": SchemaAttribute(type=STRING, optional=True),
})  # fmt: skip
BUILT_IN: Final[Mapping[str, SchemaBlock]] = {
    "terraform_data": _TERRAFORM_DATA, "data.terraform_remote_state": _TERRAFORM_REMOTE_STATE
}  # fmt: skip


def is_sensitive(block: SchemaBlock, path: PathSteps) -> bool:
    """Return whether the schema makes a part of an object sensitive, or something around it."""
    return _walk(block, path)[0] is None


def sensitive_depth(block: SchemaBlock, path: PathSteps) -> int | None:
    """Return how many steps lead to something sensitive by the schema, or to something around it; None if none do."""
    inside, depth = _walk(block, path)
    return depth if inside is None or contains_sensitive(inside) else None


def _walk(block: SchemaBlock, path: PathSteps) -> tuple[SchemaBlock | None, int]:
    """Return the block or nested attributes that a path leads to, and how many steps lead there.

    It is empty for a single value, and None if it is sensitive.
    """
    is_key = False
    for depth, step in enumerate(path):
        if is_key or isinstance(step, int):
            # A position, or a key of a map, which may have the name of an attribute.
            is_key = False
            continue
        attribute, nested = block.attributes.get(step), block.blocks.get(step)
        if attribute is not None:
            if attribute.sensitive:
                return None, depth + 1
            inner = attribute.nested
            block = SchemaBlock({} if inner is None else inner.attributes)
            is_key = inner is not None and inner.nesting == "map"
        elif nested is not None:
            block, is_key = nested.block, nested.nesting == "map"
        else:
            block = SchemaBlock()
    return block, len(path)
