"""Views a state by the schemas of its providers: values in the form of their types, and what the schemas hide."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import TypeAlias

from msgspec import Raw
from msgspec.structs import replace

from statefmt.lifecycle.schemas._hidden_paths import hidden_paths
from statefmt.lifecycle.schemas.block import NestedAttributes, SchemaBlock
from statefmt.lifecycle.schemas.flags import contains_sensitive, contains_write_only
from statefmt.lifecycle.schemas.providers import ProviderSchemas, TypeSchema
from statefmt.model.addrs import AbsResource, InstanceKey
from statefmt.model.cty import CtyError, GetAttr, Path, decode_paths, encode_paths, read_value, write_value
from statefmt.model.instances import InstanceState
from statefmt.model.resources import ResourceInstanceObject, ResourceState
from statefmt.model.snapshot import Snapshot

# An object with canonical attributes, and the paths that its schema hides.
_Typed: TypeAlias = tuple[ResourceInstanceObject, tuple[Path, ...]]
_Place: TypeAlias = tuple[AbsResource, InstanceKey, str]


def typed_instance(instance: InstanceState, schemas: ProviderSchemas) -> InstanceState:
    """Return an instance to show, never to write; see typed_pair()."""
    schema = _schema(instance.resource, schemas)
    if schema is None:
        return instance
    return replace(instance, objects=tuple(_marked(*_typed(obj, schema)) for obj in instance.objects))


def typed_pair(one: Snapshot, other: Snapshot, schemas: ProviderSchemas) -> tuple[Snapshot, Snapshot]:
    """Return two snapshots to compare, never to write.

    Attributes of the provider's own schema version are in canonical form by type: sets sorted and without repetition,
    numbers as numbers. Attributes that the schema makes sensitive or write-only are marked, in both versions of an
    object if one has them; where they cannot be decoded, whole attributes are. Resources without a schema stay as they
    are, and so do objects that both snapshots have with the same attributes. Raises SchemaError.
    """
    typed, others = _changed(one, other, schemas), _changed(other, one, schemas)
    return _viewed(one, typed, others), _viewed(other, others, typed)


def _changed(snapshot: Snapshot, unlike: Snapshot, schemas: ProviderSchemas) -> Mapping[_Place, _Typed]:
    """Return the typed form of all objects that have a schema and are not the same in the other snapshot."""
    others = {resource.addr: resource for resource in unlike.resources}
    found: dict[_Place, _Typed] = {}
    for resource in snapshot.resources:
        schema = _schema(resource, schemas)
        if schema is None:
            continue
        other = others.get(resource.addr)
        same = other is not None and resource.provider_config == other.provider_config
        objects = {(obj.key, obj.deposed): obj for obj in other.objects} if other is not None and same else {}
        for obj in resource.objects:
            if not _same(obj, objects.get((obj.key, obj.deposed))):
                found[resource.addr, obj.key, obj.deposed] = _typed(obj, schema)
    return found


def _viewed(snapshot: Snapshot, typed: Mapping[_Place, _Typed], others: Mapping[_Place, _Typed]) -> Snapshot:
    def viewed(addr: AbsResource, obj: ResourceInstanceObject) -> ResourceInstanceObject:
        place = addr, obj.key, obj.deposed
        if place not in typed:
            return obj
        other = others.get(place)
        # A part that only the other version has is no difference between the marks.
        return _marked(*typed[place], *(() if other is None else other[1]))

    return replace(
        snapshot,
        resources=tuple(
            replace(resource, objects=tuple(viewed(resource.addr, obj) for obj in resource.objects))
            for resource in snapshot.resources
        ),
    )


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


def _typed(obj: ResourceInstanceObject, schema: TypeSchema) -> _Typed:
    if obj.attributes is None:
        return obj, ()
    if obj.schema_version == schema.version:
        try:
            value = read_value(bytes(obj.attributes), schema.type)
            attributes, paths = Raw(write_value(value, schema.type)), hidden_paths(schema.block, value)
            return replace(obj, attributes=attributes), paths
        except CtyError:
            # A rule says what is wrong with the attributes.
            pass
    return obj, _whole_attributes(schema.block)


def _marked(obj: ResourceInstanceObject, paths: tuple[Path, ...], *more: Path) -> ResourceInstanceObject:
    """Return the object with more sensitive paths, each once and in an order of their own."""
    if not paths and not more:
        return obj
    own, problems = decode_paths(obj.sensitive_attributes)
    if problems:
        return obj
    encoded = {encode_paths((path,))[1:-1] for path in chain(own, paths, more)}
    return replace(obj, sensitive_attributes=b"[%b]" % b",".join(sorted(encoded)))


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
