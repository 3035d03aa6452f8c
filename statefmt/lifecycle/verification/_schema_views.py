"""What a provider's schema says about the attributes of a resource type: their types, and which are sensitive.

Source: OpenTofu `configschema.Block.ImpliedType`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from statefmt.lifecycle.schemas.block import NestedAttributes, NestedBlock, NestingMode, SchemaAttribute, SchemaBlock
from statefmt.lifecycle.verification._difference import PathSteps
from statefmt.model.cty import DYNAMIC, STRING, ListType, MapType, ObjectType, SetType, Type

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


def object_type(block: SchemaBlock) -> ObjectType:
    """Return the type of an object by its schema. DYNAMIC stands for what the schema leaves open."""
    members = {name: _attribute_type(attribute) for name, attribute in block.attributes.items()}
    members |= {name: _block_type(nested) for name, nested in block.blocks.items()}
    return ObjectType(members)


def is_sensitive(block: SchemaBlock, path: PathSteps) -> bool:
    """Return whether the schema makes a part of an object sensitive, or something around it. Positions are skipped."""
    return _walk(block, path) is None


def touches_sensitive(block: SchemaBlock, path: PathSteps) -> bool:
    """Return whether the schema makes a part of an object sensitive, something around it or something in it."""
    inside = _walk(block, path)
    return inside is None or _holds_sensitive(inside)


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


def _holds_sensitive(block: SchemaBlock) -> bool:
    return any(map(_attribute_holds_sensitive, block.attributes.values())) or any(
        _holds_sensitive(nested.block) for nested in block.blocks.values()
    )


def _attribute_holds_sensitive(attribute: SchemaAttribute) -> bool:
    return attribute.sensitive or (
        attribute.nested is not None and any(map(_attribute_holds_sensitive, attribute.nested.attributes.values()))
    )


def _attribute_type(attribute: SchemaAttribute) -> Type:
    return _nested_type(attribute.nested) if attribute.nested is not None else attribute.type or DYNAMIC


def _nested_type(nested: NestedAttributes) -> Type:
    members = {name: _attribute_type(attribute) for name, attribute in nested.attributes.items()}
    return _nesting(nested.nesting, ObjectType(members))


def _block_type(nested: NestedBlock) -> Type:
    return _nesting(nested.nesting, object_type(nested.block))


def _nesting(mode: NestingMode, of: ObjectType) -> Type:
    if mode in ("single", "group"):
        return of
    if mode == "set":
        return SetType(of)
    if _has_dynamic(of):
        # Such lists and maps are tuples and objects, of a type that differs from value to value.
        return DYNAMIC
    return ListType(of) if mode == "list" else MapType(of)


def _has_dynamic(of: Type) -> bool:
    if isinstance(of, ObjectType):
        return any(map(_has_dynamic, of.attributes.values()))
    return of == DYNAMIC or (isinstance(of, ListType | SetType | MapType) and _has_dynamic(of.element))
