"""Reads the output of `providers schema -json` of OpenTofu and Terraform."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final

import msgspec
from msgspec import Raw, Struct

from statefmt.lifecycle.schemas.block import SchemaBlock
from statefmt.lifecycle.schemas.decode import SchemaError, parse_block
from statefmt.lifecycle.schemas.implied_type import implied_type
from statefmt.model.addrs import DEFAULT_HOST, TERRAFORM_HOST, Provider, ResourceMode, parse_provider_source
from statefmt.model.cty import CtyError, ObjectType
from statefmt.model.errors import AddressError

# Both engines write 1.0; a minor version may add members.
_FORMAT: Final = "1."
# The registries of the engines, which offer most providers under the same namespace and type.
_OTHER_HOST: Final = {DEFAULT_HOST: TERRAFORM_HOST, TERRAFORM_HOST: DEFAULT_HOST}
# The members by which other files are known.
_OTHERS: Final = {
    "a plan as JSON": {"planned_values", "resource_changes"},
    "a state as JSON, from show -json,": {"values"},
    "an encrypted state or plan": {"encrypted_data"},
    "a state": {"lineage", "serial", "resources", "modules"},
}
# How files in UTF-16 and UTF-8 may begin.
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
    """The schema of a resource type, or of a provider's configuration; the block is decoded when first asked for.

    `name` is what messages call it. `version` is the provider's current schema version.
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
        """The block and its type, or why it cannot be read: thousands of objects may have one broken schema."""
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
        """Return the provider whose schemas apply to one in a state, None if there is none.

        That is the provider itself or, if the file does not have it, the one of the same namespace and type in the
        other engine's registry: registry.opentofu.org/hashicorp/aws for registry.terraform.io/hashicorp/aws, and the
        other way round. Other hosts are never confused, and legacy providers (`-/aws`) have no schemas.
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

    def type_names(self, provider: Provider, mode: ResourceMode) -> tuple[str, ...]:
        """Return the sorted names of a provider's resource types; none if the file does not have the provider."""
        found = self.provider_for(provider)
        return () if found is None else tuple(sorted(self._found[found].schemas(mode)))


def read_provider_schemas(data: bytes) -> ProviderSchemas:
    """Read the output of `providers schema -json` in format 1.x.

    Decodes only as much as is needed to find the schemas; a schema that cannot be read is reported when it is used.
    Raises SchemaError, which says what the data is instead, if it can tell.
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
    """Say what the data is, if it is a known file other than provider schemas."""
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
