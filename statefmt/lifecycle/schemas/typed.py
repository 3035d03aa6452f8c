"""Views a state by the schemas of its providers: values in the form of their types, and what the schemas hide."""

from __future__ import annotations

from itertools import chain

from msgspec import Raw
from msgspec.structs import replace

from statefmt.lifecycle.schemas.block import NestedAttributes, SchemaBlock
from statefmt.lifecycle.schemas.flags import contains_sensitive, contains_write_only
from statefmt.lifecycle.schemas.providers import ProviderSchemas, TypeSchema
from statefmt.lifecycle.schemas.value_marks import value_marks
from statefmt.lifecycle.schemas.write_only import write_only_values
from statefmt.model.cty import CtyError, GetAttr, Path, decode_paths, encode_paths, read_value, write_value
from statefmt.model.instances import InstanceState
from statefmt.model.resources import ResourceInstanceObject, ResourceState
from statefmt.model.snapshot import Snapshot


def typed_instance(instance: InstanceState, schemas: ProviderSchemas) -> InstanceState:
    """Return an instance to show, never to write; see typed_pair()."""
    schema = _schema(instance.resource, schemas)
    if schema is None:
        return instance
    return replace(instance, objects=tuple(_object(obj, schema) for obj in instance.objects))


def typed_pair(one: Snapshot, other: Snapshot, schemas: ProviderSchemas) -> tuple[Snapshot, Snapshot]:
    """Return two snapshots to compare, never to write.

    Attributes of the provider's own schema version are in canonical form by type: sets sorted and without repetition,
    numbers as numbers. Attributes that the schema makes sensitive or write-only are marked; where they cannot be
    decoded, whole attributes are. Resources without a schema stay as they are, and so do objects that both snapshots
    have with the same attributes. Raises SchemaError.
    """
    return _typed(one, other, schemas), _typed(other, one, schemas)


def _typed(snapshot: Snapshot, unlike: Snapshot, schemas: ProviderSchemas) -> Snapshot:
    others = {resource.addr: resource for resource in unlike.resources}
    found = (_resource(resource, others.get(resource.addr), schemas) for resource in snapshot.resources)
    return replace(snapshot, resources=tuple(found))


def _resource(resource: ResourceState, other: ResourceState | None, schemas: ProviderSchemas) -> ResourceState:
    schema = _schema(resource, schemas)
    if schema is None:
        return resource
    same = other is not None and resource.provider_config == other.provider_config
    others = {(obj.key, obj.deposed): obj for obj in other.objects} if other is not None and same else {}
    objects = (
        obj if _same(obj, others.get((obj.key, obj.deposed))) else _object(obj, schema) for obj in resource.objects
    )
    return replace(resource, objects=tuple(objects))


def _schema(resource: ResourceState, schemas: ProviderSchemas) -> TypeSchema | None:
    config, addr = resource.provider_config, resource.addr.resource
    return None if config is None else schemas.schema(config.provider, addr.mode, addr.type)


def _same(one: ResourceInstanceObject, other: ResourceInstanceObject | None) -> bool:
    """Return whether two objects have the same text, and so the same form by type."""
    return (
        other is not None
        and one.schema_version == other.schema_version
        and one.sensitive_attributes == other.sensitive_attributes
        and (None if one.attributes is None else bytes(one.attributes))
        == (None if other.attributes is None else bytes(other.attributes))
    )


def _object(obj: ResourceInstanceObject, schema: TypeSchema) -> ResourceInstanceObject:
    if obj.attributes is None:
        return obj
    attributes, paths = obj.attributes, _whole_attributes(schema.block)
    if obj.schema_version == schema.version:
        try:
            value = read_value(bytes(attributes), schema.type)
            attributes = Raw(write_value(value, schema.type))
            paths = tuple(mark.path for mark in value_marks(schema.block, value) if "sensitive" in mark.marks)
            paths += write_only_values(schema.block, value)
        except CtyError:
            # A rule says what is wrong with the attributes.
            pass
    return replace(obj, attributes=attributes, sensitive_attributes=_joined(obj.sensitive_attributes, paths))


def _whole_attributes(block: SchemaBlock) -> tuple[Path, ...]:
    """Return paths to all attributes and nested blocks that are sensitive or have sensitive parts."""
    attributes = (
        name
        for name, each in block.attributes.items()
        if each.sensitive or each.write_only or (each.nested is not None and _has_secrets(each.nested))
    )
    blocks = (name for name, each in block.blocks.items() if _has_secrets(each.block))
    return tuple((GetAttr(name),) for name in chain(attributes, blocks))


def _has_secrets(schema: SchemaBlock | NestedAttributes) -> bool:
    return contains_sensitive(schema) or contains_write_only(schema)


def _joined(raw: bytes, more: tuple[Path, ...]) -> bytes:
    if not more:
        return raw
    found, problems = decode_paths(raw)
    return raw if problems else encode_paths((*found, *(path for path in more if path not in found)))
