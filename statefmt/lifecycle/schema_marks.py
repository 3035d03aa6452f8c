"""Finds the values that schemas mark as sensitive or write-only, and returns states with these marks.

Source: OpenTofu `Block.ValueMarks`, `Block.WriteOnlyPaths`, `ContainsSensitive`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeAlias

from msgspec import Raw
from msgspec.structs import replace

from statefmt.lifecycle.schema import (
    NestedAttributes,
    ProviderSchemas,
    SchemaAttribute,
    SchemaBlock,
    TypeSchema,
    refuses_depth,
)
from statefmt.model.addrs import AbsResource, InstanceKey
from statefmt.model.cty import CtyError, ListType, MapType, ObjectType, SetType, TupleType, Type
from statefmt.model.cty.data import CtyValue, GetAttr, Path, PathIndex, PathStep
from statefmt.model.cty.parts import (
    PathMarks,
    attribute,
    elements,
    is_known,
    is_null,
    is_wholly_known,
    steps,
    unknown,
    unmarked_deep,
)
from statefmt.model.cty.paths import PathTree, decode_paths, encode_paths, index_step
from statefmt.model.cty.values import read_value, write_value
from statefmt.model.snapshot import InstanceState, ResourceInstanceObject, ResourceState, Snapshot

# An object with canonical attributes, and the paths that its schema hides.
_Typed: TypeAlias = tuple[ResourceInstanceObject, tuple[Path, ...]]
_Place: TypeAlias = tuple[AbsResource, InstanceKey, str]


def typed_instance(instance: InstanceState, schemas: ProviderSchemas) -> InstanceState:
    """Return an instance for display, never for writing; see typed_pair()."""
    schema = _schema(instance.resource, schemas)
    if schema is None:
        return instance
    return replace(instance, objects=tuple(_marked(*_typed(obj, schema)) for obj in instance.objects))


def typed_pair(one: Snapshot, other: Snapshot, schemas: ProviderSchemas) -> tuple[Snapshot, Snapshot]:
    """Return two snapshots for comparison, never for writing.

    Attributes of the provider's own schema version are in canonical form by type: sets sorted and without duplicates,
    numbers as numbers. Attributes that the schema makes sensitive or write-only are marked, in both versions of an
    object if either has them; if they cannot be decoded, whole attributes are marked. Resources without a schema stay
    as they are, and so do objects that both snapshots have with the same attributes. Raises SchemaError.
    """
    typed, others = _changed(one, other, schemas), _changed(other, one, schemas)
    return _viewed(one, typed, others), _viewed(other, others, typed)


def _changed(snapshot: Snapshot, unlike: Snapshot, schemas: ProviderSchemas) -> Mapping[_Place, _Typed]:
    """Return the typed form of all objects that have a schema and differ in the other snapshot."""
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
        # Mark parts that only the other version has, too: otherwise the marks would differ.
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
    """Return whether two objects have the same text, and so the same typed form."""
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
            attributes, paths = Raw(write_value(value, schema.type)), _hidden_paths(schema.block, value)
            return replace(obj, attributes=attributes), paths
        except CtyError:
            # A rule reports problems with the attributes.
            pass
    return obj, _whole_attributes(schema.block)


def _marked(obj: ResourceInstanceObject, paths: tuple[Path, ...], *more: Path) -> ResourceInstanceObject:
    """Return the object with additional sensitive paths, deduplicated and in a fixed order."""
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


def _hidden_paths(block: SchemaBlock, value: CtyValue) -> tuple[Path, ...]:
    """Return the paths of sensitive attributes, and of write-only attributes that have a value.

    Unlike value_marks(), also returns paths into maps of blocks with dynamic attributes, where OpenTofu hides
    nothing. Raises CtyValueError if the value is nested too deeply.
    """
    sensitive = (each.path for each in value_marks(block, value) if "sensitive" in each.marks)
    write_only = _leading(value.type, write_only_paths(block, value))
    return (*_leading(value.type, sensitive), *values_at(value, write_only))


def _leading(of: Type, paths: Iterable[Path]) -> Iterator[Path]:
    """Yield paths with an attribute step instead of each key that leads into an object."""
    for path in paths:
        inner, found = of, list[PathStep]()
        for given in path:
            step, inner = _next(inner, given)
            found.append(step)
        yield tuple(found)


def _next(of: Type, step: PathStep) -> tuple[PathStep, Type]:
    """Return the form of the step in a value of this type, and the type of the part."""
    match of, step:
        case ObjectType(attributes), (GetAttr(name) | PathIndex(str() as name)):
            return GetAttr(name), attributes.get(name, of)
        case TupleType(elements), PathIndex(int() as index) if index < len(elements):
            return step, elements[index]
        case ((ListType(element) | SetType(element) | MapType(element)), _):
            return step, element
        case _:
            return step, of


@refuses_depth
def value_marks(block: SchemaBlock, value: CtyValue, *, deprecations: bool = False) -> tuple[PathMarks, ...]:
    """Return the paths into a value of a block that the schema marks as `sensitive`, each once.

    With `deprecations`, deprecated parts are marked as `deprecated`, too. The root block of an ephemeral resource is
    `ephemeral`. Attributes of the value are marked even if they are null. The value has the implied type; its own
    marks are ignored. Raises CtyValueError if it is nested too deeply.

    A map of blocks is an object if it has dynamic attributes. The paths of its blocks still have keys, which match
    nothing in an object: OpenTofu does not hide sensitive values there.
    """

    def own(part: _SchemaPart) -> frozenset[str]:
        return _marks(part, deprecations)

    found = walk_block(block, unmarked_deep(value), (), lambda part: bool(own(part)), of_null=True)
    return tuple(PathMarks(path, own(part)) for path, part in found)


def _marks(part: _SchemaPart, deprecations: bool) -> frozenset[str]:
    found = ("deprecated",) if deprecations and part.deprecated else ()
    if isinstance(part, SchemaBlock):
        return frozenset((*found, "ephemeral")) if part.ephemeral else frozenset(found)
    return frozenset((*found, "sensitive")) if part.sensitive else frozenset(found)


@refuses_depth
def write_only_paths(block: SchemaBlock, value: CtyValue) -> tuple[Path, ...]:
    """Return the paths of write-only attributes in a value of the block, whether they are null or not.

    A null or unknown value has none. Raises CtyValueError if the value is nested too deeply. Source: OpenTofu
    `Block.WriteOnlyPaths`.
    """
    found = walk_block(
        block,
        unmarked_deep(value),
        (),
        lambda part: isinstance(part, SchemaAttribute) and part.write_only,
        of_null=False,
    )
    return tuple(path for path, _ in found)


@refuses_depth
def values_at(value: CtyValue, paths: Iterable[Path]) -> tuple[Path, ...]:
    """Return the paths that lead to non-null values, and all paths below an unknown value.

    Raises CtyValueError if the value is nested too deeply.
    """
    return tuple(_not_null(unmarked_deep(value), PathTree((path, path) for path in paths)))


def _not_null(value: CtyValue, tree: PathTree[Path]) -> Iterator[Path]:
    if is_null(value):
        return
    if not is_known(value):
        yield from tree.everything()
        return
    yield from tree.found
    for step, part in steps(value):
        below = tree.child(step)
        if below is not None:
            # go-cty cannot look up elements of sets with unknown parts, and treats them as unknown.
            lost = isinstance(value.type, SetType) and not is_wholly_known(part)
            yield from _not_null(unknown(part.type) if lost else part, below)


_SchemaPart: TypeAlias = SchemaBlock | SchemaAttribute


def walk_block(
    block: SchemaBlock, value: CtyValue, path: Path, wanted: Callable[[_SchemaPart], bool], *, of_null: bool
) -> Iterator[tuple[Path, _SchemaPart]]:
    """Yield the `wanted` parts of a block's schema, with the path of each occurrence in the value.

    Omits attributes within a wanted attribute of nested attributes, and nested blocks without any wanted attribute.
    With `of_null`, includes attributes of a null or unknown block. Source: OpenTofu `Block.ValueMarks`,
    `Block.WriteOnlyPaths`.
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
    schema: NestedAttributes, value: CtyValue, path: Path, wanted: Callable[[_SchemaPart], bool]
) -> Iterator[tuple[Path, _SchemaPart]]:
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


@refuses_depth
def contains_sensitive(schema: SchemaBlock | NestedAttributes) -> bool:
    """Return whether an attribute at any depth is sensitive. Raises CtyValueError if it is nested too deeply."""
    return contains(schema, lambda attribute: attribute.sensitive)


@refuses_depth
def contains_write_only(schema: SchemaBlock | NestedAttributes) -> bool:
    """Return whether an attribute at any depth is write-only."""
    return contains(schema, lambda attribute: attribute.write_only)


def contains(schema: SchemaBlock | NestedAttributes, wanted: Callable[[SchemaAttribute], bool]) -> bool:
    """Return whether an attribute at any depth is wanted."""
    if _among(schema.attributes, wanted):
        return True
    return isinstance(schema, SchemaBlock) and any(contains(each.block, wanted) for each in schema.blocks.values())


def _among(attributes: Mapping[str, SchemaAttribute], wanted: Callable[[SchemaAttribute], bool]) -> bool:
    return any(
        wanted(each) or (each.nested is not None and _among(each.nested.attributes, wanted))
        for each in attributes.values()
    )
