"""Reads the schemas of providers, as `providers schema -json` of OpenTofu and Terraform prints them.

Source: OpenTofu `configschema`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, wraps
from typing import Final, Literal, ParamSpec, TypeAlias, TypeVar

import msgspec
from msgspec import Raw, Struct

from statefmt.model.addrs import ResourceMode
from statefmt.model.addrs.provider import DEFAULT_HOST, TERRAFORM_HOST, Provider, parse_provider_source
from statefmt.model.cty import (
    DYNAMIC,
    CtyError,
    CtyTypeError,
    CtyValueError,
    ListType,
    MapType,
    ObjectType,
    SetType,
    Type,
    object_type,
    parse_type,
)
from statefmt.model.cty.unify import has_dynamic, without_optional
from statefmt.model.errors import AddressError, StatetoolError, StoreError
from statefmt.store.files import read_bounded

# Both engines write 1.0; a minor version may add members.
_FORMAT: Final = "1."
# The registries of the engines, which offer most providers with the same namespace and type.
_OTHER_HOST: Final = {DEFAULT_HOST: TERRAFORM_HOST, TERRAFORM_HOST: DEFAULT_HOST}
# Members that identify other files.
_OTHERS: Final = {
    "a plan as JSON": {"planned_values", "resource_changes"},
    "a state as JSON, from show -json,": {"values"},
    "an encrypted state or plan": {"encrypted_data"},
    "a state": {"lineage", "serial", "resources", "modules"},
}
# Byte order marks of files in UTF-16 and UTF-8.
_MARKS: Final = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")
_COMMAND: Final = "the output of tofu providers schema -json"


class _Schema(Struct):
    version: int = 0
    block: Raw = Raw(b"{}")


class _Provider(Struct):
    provider: _Schema | None = None
    resource_schemas: dict[str, _Schema] | None = None
    data_source_schemas: dict[str, _Schema] | None = None
    ephemeral_resource_schemas: dict[str, _Schema] | None = None

    def schemas(self, mode: ResourceMode) -> Mapping[str, _Schema]:
        if mode is ResourceMode.MANAGED:
            return self.resource_schemas or {}
        return (self.data_source_schemas if mode is ResourceMode.DATA else self.ephemeral_resource_schemas) or {}


class _File(Struct):
    format_version: str
    provider_schemas: dict[str, _Provider] | None = None


class TypeSchema:
    """The schema of a resource type, or of a provider's configuration; the block is decoded on first use.

    `name` is its name in messages. `version` is the provider's current schema version.
    """

    def __init__(self, name: str, version: int, block: Raw, *, ephemeral: bool = False) -> None:
        self.name: Final = name
        self.version: Final = version
        self._raw: Final = block
        self._ephemeral: Final = ephemeral

    @property
    def block(self) -> SchemaBlock:
        """The attributes and nested blocks. Raises SchemaError."""
        return self._decoded[0]

    @property
    def type(self) -> ObjectType:
        """The type of its values. Raises SchemaError."""
        return self._decoded[1]

    @property
    def _decoded(self) -> tuple[SchemaBlock, ObjectType]:
        if isinstance(self._outcome, str):
            raise SchemaError(f"{self.name}: {self._outcome}")
        return self._outcome

    @cached_property
    def _outcome(self) -> tuple[SchemaBlock, ObjectType] | str:
        """The block and its type, or the error. Cached, since thousands of objects may have one broken schema."""
        try:
            block = parse_block(bytes(self._raw), self._ephemeral)
            return block, implied_type(block)
        except SchemaError as error:
            return str(error)
        except CtyError as error:
            return f"invalid schema: {error}"


class ProviderSchemas:
    """The schemas of providers, by source address."""

    def __init__(self, found: Mapping[Provider, _Provider]) -> None:
        self._found: Final = found
        self._types: Final[dict[tuple[Provider, ResourceMode, str], TypeSchema]] = {}

    @property
    def providers(self) -> tuple[Provider, ...]:
        """The providers that have schemas, in the order of the file."""
        return tuple(self._found)

    def provider_for(self, provider: Provider) -> Provider | None:
        """Return the provider whose schemas apply to a provider in a state, None if there is none.

        That is the provider itself or, if the file does not have it, the provider with the same namespace and type in
        the other engine's registry: registry.opentofu.org/hashicorp/aws for registry.terraform.io/hashicorp/aws, and
        the reverse. Other hosts are never confused, and legacy providers (`-/aws`) have no schemas.
        """
        if provider in self._found:
            return provider
        host = _OTHER_HOST.get(provider.hostname)
        other = None if host is None else Provider(host, provider.namespace, provider.type)
        return other if other in self._found else None

    def schema(self, provider: Provider, mode: ResourceMode, type_name: str) -> TypeSchema | None:
        """Return the schema of a resource type; None if the provider or the type has none."""
        found = self.provider_for(provider)
        schema = None if found is None else self._found[found].schemas(mode).get(type_name)
        if found is None or schema is None:
            return None
        key = (found, mode, type_name)
        if key not in self._types:
            name = f"{found}: {'' if mode is ResourceMode.MANAGED else mode.value + ' '}{type_name}"
            ephemeral = mode is ResourceMode.EPHEMERAL
            self._types[key] = TypeSchema(name, schema.version, schema.block, ephemeral=ephemeral)
        return self._types[key]

    def configuration(self, provider: Provider) -> TypeSchema | None:
        """Return the schema of a provider's own configuration; None if the file does not have the provider."""
        found = self.provider_for(provider)
        schema = None if found is None else self._found[found].provider
        return None if schema is None else TypeSchema(f"{found}: provider", schema.version, schema.block)


def read_provider_schemas(data: bytes) -> ProviderSchemas:
    """Read the output of `providers schema -json` in format 1.x.

    Decodes only as much as is needed to find the schemas; an unreadable schema is reported on use. Raises
    SchemaError, which names the actual kind of the data if it is known.
    """
    try:
        file = msgspec.json.decode(data, type=_File)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SchemaError(_other(data) or f"not {_COMMAND}: {error}") from None
    if file.provider_schemas is None:
        other = _other(data)
        if other is not None:
            raise SchemaError(other)
    if not file.format_version.startswith(_FORMAT):
        raise SchemaError(
            f"unsupported format {file.format_version!r} of provider schemas; {_FORMAT}x is supported: "
            "run providers schema -json with another release"
        )
    return ProviderSchemas({_source(source): found for source, found in (file.provider_schemas or {}).items()})


def _source(source: str) -> Provider:
    try:
        return parse_provider_source(source)
    except AddressError as error:
        raise SchemaError(f"invalid provider {source!r}: {error.detail}") from None


def _other(data: bytes) -> str | None:
    """Return the kind of a known file other than provider schemas."""
    wanted = f"instead of {_COMMAND}"
    if not data.strip():
        return f"empty {wanted}; that command prints its errors to standard error"
    if data.startswith(_MARKS):
        return f"text with a byte order mark, as PowerShell may write it, {wanted}; write it as UTF-8 without one"
    if data.startswith(b"PK\x03\x04"):
        return f"a saved plan {wanted}"
    try:
        members = msgspec.json.decode(data, type=dict[str, Raw]).keys()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    for name, marks in _OTHERS.items():
        if not members.isdisjoint(marks):
            return f"{name} {wanted}"
    return None


# The schemas of the largest providers take about 100 MB.
_LARGEST: Final = 1 << 30


def open_schemas(path: str) -> ProviderSchemas:
    """Read a file with the output of `providers schema -json`, which can be a pipe.

    Raises StoreError and SchemaError.
    """
    try:
        return read_provider_schemas(read_bounded(path, _LARGEST, pipes=True))
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from error
    except SchemaError as error:
        raise SchemaError(f"{path}: {error}") from None


# `invalid` stands for a missing mode: OpenTofu then decodes no such blocks.
NestingMode: TypeAlias = Literal["single", "group", "list", "set", "map", "invalid"]


class SchemaAttribute(Struct, frozen=True):
    """One attribute. It has either a type, or a nested type: attributes of its own."""

    type: Type | None = None
    nested: NestedAttributes | None = None
    required: bool = False
    optional: bool = False
    computed: bool = False
    sensitive: bool = False
    write_only: bool = False
    deprecated: bool = False
    deprecation_message: str = ""


class NestedAttributes(Struct, frozen=True):
    """The nested type of an attribute; `nesting` is never `group`."""

    attributes: Mapping[str, SchemaAttribute]
    nesting: NestingMode


class NestedBlock(Struct, frozen=True):
    """A block within a block. A limit of 0 means no limit."""

    block: SchemaBlock
    nesting: NestingMode
    min_items: int = 0
    max_items: int = 0


class SchemaBlock(Struct, frozen=True):
    """The attributes and nested blocks of a block, in bytewise order of their names.

    `ephemeral` is true for the root block of an ephemeral resource type.
    """

    attributes: Mapping[str, SchemaAttribute] = {}
    blocks: Mapping[str, NestedBlock] = {}
    deprecated: bool = False
    deprecation_message: str = ""
    ephemeral: bool = False

    def decoded_blocks(self) -> Iterator[tuple[str, NestedBlock]]:
        """Yield the nested blocks in values, by name: not those without a mode or with the name of an attribute."""
        for name, nested in self.blocks.items():
            if nested.nesting != "invalid" and name not in self.attributes:
                yield name, nested


class SchemaError(StatetoolError, ValueError):
    """A schema that cannot be read."""


# Raw admits no alternative in the types of msgspec.
_NO_TYPE: Final = Raw(b"null")


class _Attribute(Struct):
    type: Raw = _NO_TYPE
    nested_type: _NestedType | None = None
    required: bool = False
    optional: bool = False
    computed: bool = False
    sensitive: bool = False
    write_only: bool = False
    deprecated: bool = False
    deprecation_message: str = ""


class _NestedType(Struct):
    nesting_mode: NestingMode = "invalid"
    attributes: dict[str, _Attribute] = {}


class _Nested(Struct):
    nesting_mode: NestingMode = "invalid"
    block: _Block | None = None
    min_items: int = 0
    max_items: int = 0


class _Block(Struct):
    attributes: dict[str, _Attribute] = {}
    block_types: dict[str, _Nested] = {}
    deprecated: bool = False
    deprecation_message: str = ""


_DECODER = msgspec.json.Decoder(_Block)


def parse_block(raw: bytes, ephemeral: bool = False) -> SchemaBlock:
    """Parse the member `block` of a schema. Raises SchemaError with the location.

    `ephemeral` marks the schema of an ephemeral resource type.
    """
    try:
        block = _read_block(_DECODER.decode(raw), ephemeral)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SchemaError(f"invalid schema: {error}") from None
    return block


def _read_block(found: _Block, ephemeral: bool = False) -> SchemaBlock:
    blocks = {
        name: NestedBlock(_read_block(each.block or _Block()), each.nesting_mode, each.min_items, each.max_items)
        for name, each in sorted(found.block_types.items())
    }
    return SchemaBlock(
        attributes=_attributes(found.attributes),
        blocks=blocks,
        deprecated=found.deprecated,
        deprecation_message=found.deprecation_message,
        ephemeral=ephemeral,
    )


def _attributes(found: Mapping[str, _Attribute]) -> dict[str, SchemaAttribute]:
    return {name: _read_attribute(name, each) for name, each in sorted(found.items())}


def _read_attribute(name: str, found: _Attribute) -> SchemaAttribute:
    nested = found.nested_type
    return SchemaAttribute(
        type=None if bytes(found.type) == b"null" else _type(name, bytes(found.type)),
        nested=None if nested is None else NestedAttributes(_attributes(nested.attributes), nested.nesting_mode),
        required=found.required,
        optional=found.optional,
        computed=found.computed,
        sensitive=found.sensitive,
        write_only=found.write_only,
        deprecated=found.deprecated,
        deprecation_message=found.deprecation_message,
    )


def _type(name: str, raw: bytes) -> Type:
    try:
        return parse_type(raw)
    except CtyTypeError as error:
        raise SchemaError(f"invalid schema: attribute {name!r}: {error}") from None


P = ParamSpec("P")
R = TypeVar("R")


def refuses_depth(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function raise CtyValueError instead of RecursionError."""

    @wraps(function)
    def refusing(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except RecursionError:
            raise CtyValueError("the value is nested too deeply") from None

    return refusing


@refuses_depth
def implied_type(block: SchemaBlock) -> ObjectType:
    """Return the type of the object that a block decodes to.

    A list or map of blocks with a dynamic attribute has the type DYNAMIC: its values are tuples and objects. An
    attribute without a type has the type DYNAMIC, too. If a block and an attribute have the same name, the attribute
    counts. Raises CtyValueError if the schema is nested too deeply. Source: OpenTofu `Block.ImpliedType`.
    """
    found = without_optional(decoding_type(block))
    assert isinstance(found, ObjectType)
    return found


def decoding_type(block: SchemaBlock) -> ObjectType:
    """Return the type to which configuration converts: as implied_type(), but with optional nested attributes.

    Raises RecursionError if the schema is nested too deeply. Source: OpenTofu `Block.specType`.
    """
    types: dict[str, Type] = {name: _attribute(each) for name, each in block.attributes.items()}
    types.update((name, _block(nested)) for name, nested in block.decoded_blocks())
    return object_type(types)


def _attribute(attribute: SchemaAttribute) -> Type:
    if attribute.nested is None:
        return DYNAMIC if attribute.type is None else attribute.type
    inner = attribute.nested.attributes
    optional = frozenset(name for name, each in inner.items() if each.optional or each.computed)
    element = object_type({name: _attribute(each) for name, each in inner.items()}, optional)
    match attribute.nested.nesting:
        case "single":
            return element
        case "list":
            return ListType(element)
        case "map":
            return MapType(element)
        case "set":
            return SetType(element)
        case _:
            return ObjectType({})


def _block(nested: NestedBlock) -> Type:
    element = decoding_type(nested.block)
    match nested.nesting:
        case "list":
            return DYNAMIC if has_dynamic(element) else ListType(element)
        case "map":
            return DYNAMIC if has_dynamic(element) else MapType(element)
        case "set":
            return SetType(element)
        case _:
            return element
