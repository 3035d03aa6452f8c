"""Finds the schemas of resource types in the output of `providers schema -json`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec
from msgspec import Raw, Struct

from statefmt.lifecycle.schemas.block import SchemaBlock
from statefmt.lifecycle.schemas.decode import SchemaError, parse_block
from statefmt.model.addrs import DEFAULT_HOST, TERRAFORM_HOST, Resource, ResourceMode

# Finds the schema of a resource type by the provider's source address; None if there is none.
SchemaOf: TypeAlias = Callable[[str, Resource], SchemaBlock | None]

# The registries of the engines, which offer most providers under the same namespace and type.
_OTHER_HOST: Final = {DEFAULT_HOST: TERRAFORM_HOST, TERRAFORM_HOST: DEFAULT_HOST}


class _Type(Struct, gc=False):
    block: Raw = Raw(b"{}")


class _Provider(Struct, gc=False):
    resource_schemas: dict[str, _Type] | None = None
    data_source_schemas: dict[str, _Type] | None = None


class _File(Struct, gc=False):
    format_version: str
    # Absent if the configuration has no provider.
    provider_schemas: dict[str, _Provider] | None = None


def schema_lookup(data: bytes) -> SchemaOf:
    """Return a function that finds the schema of a resource type; each is decoded when first asked for.

    Raises SchemaError if `data` is no such output. The function raises it for a schema that cannot be read.
    """
    try:
        found = msgspec.json.decode(data, type=_File).provider_schemas or {}
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SchemaError(f"not the output of providers schema -json: {error}") from None

    def lookup(provider: str, resource: Resource) -> SchemaBlock | None:
        host, _, name = provider.partition("/")
        schemas = found.get(provider) or found.get(f"{_OTHER_HOST.get(host, host)}/{name}")
        if schemas is None:
            return None
        of_mode = schemas.data_source_schemas if resource.mode is ResourceMode.DATA else schemas.resource_schemas
        schema = (of_mode or {}).get(resource.type)
        return None if schema is None else parse_block(bytes(schema.block))

    return lookup
