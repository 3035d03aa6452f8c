"""Decodes attributes from the flat form of states before format 4, as `upgrade --schemas` does.

OpenTofu leaves this to the provider. For attributes of its current version, the schema is enough.
"""

from __future__ import annotations

from msgspec import Raw, Struct
from msgspec.structs import replace

from statefmt.edit.changes import with_objects
from statefmt.edit.session import LoadedState, with_next_serial
from statefmt.lifecycle.schema import ProviderSchemas, SchemaError, TypeSchema, refuses_depth
from statefmt.lifecycle.schema_marks import value_marks
from statefmt.lifecycle.stored import FlatmapError, conformance, decode_flatmap, formatted_path
from statefmt.model.addrs import AbsResource, AbsResourceInstance
from statefmt.model.addrs.provider import Provider
from statefmt.model.cty import CtyError, DynamicType, ObjectType, type_name
from statefmt.model.cty.data import CtyValue
from statefmt.model.cty.parts import is_wholly_known, split_marks, with_path_marks
from statefmt.model.cty.paths import decode_paths, encode_paths, path_key
from statefmt.model.cty.values import write_value
from statefmt.model.snapshot import ResourceInstanceObject, Snapshot
from statefmt.store.reading import display_name


def flat_attributes_decoded(
    loaded: LoadedState, schemas: ProviderSchemas, *, drop_unknown: bool
) -> tuple[LoadedState, FlatDecoding]:
    """Decode flat attributes like decode_flat_attributes(), and raise the serial.

    The serial rises by one if anything was decoded, unless changed provider sources have already raised it. Raises
    StoreError if the serial is the highest possible.
    """
    decoding = decode_flat_attributes(loaded.result.snapshot, schemas, drop_unknown=drop_unknown)
    if not decoding.decoded:
        return loaded, decoding
    snapshot = decoding.snapshot
    if not loaded.sources.changed:
        snapshot = with_next_serial(snapshot, display_name(loaded.name))
    return replace(loaded, result=replace(loaded.result, snapshot=snapshot)), decoding


# The most names to list in a reason.
_MOST = 8


class FlatObject(Struct, frozen=True):
    """An object that had attributes in the flat form. `deposed` is its key, "" for the current object.

    `reason` says why the attributes stay flat, without values of the state; "" if they were decoded. `unused` are the
    keys that the schema lacks: they are the reason, or were dropped.
    """

    addr: AbsResourceInstance
    deposed: str
    reason: str = ""
    unused: tuple[str, ...] = ()


class FlatDecoding(Struct, frozen=True):
    """A snapshot with decoded attributes, and all objects that had flat attributes, in order."""

    snapshot: Snapshot
    objects: tuple[FlatObject, ...]

    @property
    def decoded(self) -> tuple[FlatObject, ...]:
        return tuple(each for each in self.objects if not each.reason)

    @property
    def kept(self) -> tuple[FlatObject, ...]:
        return tuple(each for each in self.objects if each.reason)


class _KeptError(Exception):
    """The reason why the attributes of an object stay flat."""

    def __init__(self, reason: str, unused: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.unused = unused


def decode_flat_attributes(snapshot: Snapshot, schemas: ProviderSchemas, *, drop_unknown: bool = False) -> FlatDecoding:
    """Decode the flat attributes of all objects with the schema version of their provider's schema.

    Attributes stay as they are if they are of another version, which only the provider can upgrade, if they do not
    decode by the schema or have unknown values, or if the schema lacks some of them, unless `drop_unknown`. Attributes
    that are sensitive by the schema get a mark, as their names no longer hide them. The serial stays the same. Source:
    OpenTofu `ResourceInstanceObjectSrc.Decode`.
    """
    found: list[FlatObject] = []
    providers = {
        resource.addr: None if resource.provider_config is None else resource.provider_config.provider
        for resource in snapshot.resources
    }

    def changed(addr: AbsResource, obj: ResourceInstanceObject) -> ResourceInstanceObject:
        if obj.attributes is not None or not obj.attributes_flat:
            return obj
        instance = addr.instance(obj.key)
        try:
            decoded, unused = _decoded(obj, _schema(schemas, providers[addr], addr, obj), drop_unknown)
        except SchemaError as error:
            found.append(FlatObject(instance, obj.deposed, str(error)))
            return obj
        except _KeptError as error:
            found.append(FlatObject(instance, obj.deposed, str(error), error.unused))
            return obj
        found.append(FlatObject(instance, obj.deposed, unused=unused))
        return decoded

    return FlatDecoding(with_objects(snapshot, changed), tuple(found))


def _schema(
    schemas: ProviderSchemas, provider: Provider | None, addr: AbsResource, obj: ResourceInstanceObject
) -> TypeSchema:
    if provider is None:
        raise _KeptError("the state does not name its provider")
    if provider.is_legacy:
        raise _KeptError(f"the source of its provider {provider.type} is not known")
    if schemas.provider_for(provider) is None:
        raise _KeptError(f"there is no schema of its provider {provider}")
    schema = schemas.schema(provider, addr.resource.mode, addr.resource.type)
    if schema is None:
        raise _KeptError(f"its provider {provider} has no schema for {addr.resource.type}")
    if obj.schema_version > schema.version:
        raise _KeptError(
            f"its schema version {obj.schema_version} is newer than version {schema.version} of the provider"
        )
    if obj.schema_version < schema.version:
        raise _KeptError(
            f"its schema version {obj.schema_version} is older than version {schema.version} of the provider, which "
            "upgrades it in the next plan"
        )
    return schema


def _decoded(
    obj: ResourceInstanceObject, schema: TypeSchema, drop_unknown: bool
) -> tuple[ResourceInstanceObject, tuple[str, ...]]:
    """Return the object with attributes as JSON, and the keys that were dropped."""
    of = schema.type
    try:
        decoding = decode_flatmap(obj.attributes_flat or {}, of)
        if decoding.unused and not drop_unknown:
            keys = decoding.unused
            more = f" and {len(keys) - _MOST:,} more" if len(keys) > _MOST else ""
            raise _KeptError(f"the schema does not have {', '.join(keys[:_MOST])}{more}", keys)
        attributes, marked = _encoded(decoding.value, of), _marked(obj, schema, decoding.value)
        return replace(
            obj, attributes=Raw(attributes), attributes_flat=None, sensitive_attributes=marked
        ), decoding.unused
    except FlatmapError as error:
        raise _KeptError(_undecoded(error)) from None
    except CtyError as error:
        raise _KeptError(error.detail) from None


def _undecoded(error: FlatmapError) -> str:
    """Describe a decoding error, without its message, which may show a value."""
    if not error.key:
        return str(error)
    if isinstance(error.expected, DynamicType):
        return f"{error.key} can be of any type, and the flat form does not say which"
    return f"{error.key.removesuffix('.')} does not decode: expected {type_name(error.expected)}"


@refuses_depth
def _encoded(value: CtyValue, of: ObjectType) -> bytes:
    if not is_wholly_known(value):
        raise _KeptError("it has unknown values")
    problems = conformance(value.type, of)
    if problems:
        raise _KeptError(f"{formatted_path(problems[0].path).removeprefix('.')}: {problems[0].message}")
    return write_value(value, of)


def _marked(obj: ResourceInstanceObject, schema: TypeSchema, value: CtyValue) -> bytes:
    """Add the sensitive paths of the schema: names no longer reveal secrets.

    Source: OpenTofu `ResourceInstanceObject.Encode`.
    """
    marked = with_path_marks(value, value_marks(schema.block, value))
    own, problems = decode_paths(obj.sensitive_attributes)
    known = set(map(path_key, own))
    found = tuple(each.path for each in split_marks(marked)[1] if path_key(each.path) not in known)
    return obj.sensitive_attributes if problems or not found else encode_paths((*own, *found))
