"""The schemas of providers, as `tofu providers schema -json` prints them: types of attributes, and which are secret.

>>> from statefmt import provider_schemas
>>> printed = b'{"format_version": "1.0", "provider_schemas": {"registry.opentofu.org/acme/cloud": {}}}'
>>> schemas = provider_schemas.read_provider_schemas(printed)
>>> [str(provider) for provider in schemas.providers]
['registry.opentofu.org/acme/cloud']
"""

from __future__ import annotations

from statefmt._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.analysis.schemas_file import open_schemas
    from statefmt.configuration.provider_schemas import SchemaSource
    from statefmt.lifecycle.schemas.block import NestedAttributes, NestedBlock, SchemaAttribute, SchemaBlock
    from statefmt.lifecycle.schemas.decode import SchemaError
    from statefmt.lifecycle.schemas.providers import ProviderSchemas, TypeSchema, read_provider_schemas
    from statefmt.lifecycle.schemas.typed import typed_instance, typed_pair

__all__ = [
    "NestedAttributes",
    "NestedBlock",
    "ProviderSchemas",
    "SchemaAttribute",
    "SchemaBlock",
    "SchemaError",
    "SchemaSource",
    "TypeSchema",
    "open_schemas",
    "read_provider_schemas",
    "typed_instance",
    "typed_pair",
]

__getattr__ = lazy_names(
    __name__,
    {
        "NestedAttributes": "statefmt.lifecycle.schemas.block",
        "NestedBlock": "statefmt.lifecycle.schemas.block",
        "ProviderSchemas": "statefmt.lifecycle.schemas.providers",
        "SchemaAttribute": "statefmt.lifecycle.schemas.block",
        "SchemaBlock": "statefmt.lifecycle.schemas.block",
        "SchemaError": "statefmt.lifecycle.schemas.decode",
        "SchemaSource": "statefmt.configuration.provider_schemas",
        "TypeSchema": "statefmt.lifecycle.schemas.providers",
        "open_schemas": "statefmt.analysis.schemas_file",
        "read_provider_schemas": "statefmt.lifecycle.schemas.providers",
        "typed_instance": "statefmt.lifecycle.schemas.typed",
        "typed_pair": "statefmt.lifecycle.schemas.typed",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
