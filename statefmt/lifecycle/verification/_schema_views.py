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
    """Return whether the schema makes a part of an object sensitive, or something around it. Positions are skipped."""
    return _walk(block, path) is None


def touches_sensitive(block: SchemaBlock, path: PathSteps) -> bool:
    """Return whether the schema makes a part of an object sensitive, something around it or something in it."""
    inside = _walk(block, path)
    return inside is None or contains_sensitive(inside)


def _walk(block: SchemaBlock, path: PathSteps) -> SchemaBlock | None:
    """Return the block or nested attributes that a path leads to, empty for a single value; None if sensitive."""
    for step in path:
        attribute, nested = block.attributes.get(str(step)), block.blocks.get(str(step))
        if isinstance(step, int):
            continue
        if attribute is not None:
            if attribute.sensitive:
                return None
            block = SchemaBlock({} if attribute.nested is None else attribute.nested.attributes)
        elif nested is not None:
            block = nested.block
        # Else a key of a map.
    return block
