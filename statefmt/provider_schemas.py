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
    from statefmt.configuration.provider_schemas import SchemaSource
    from statefmt.lifecycle.schema import (
        NestedAttributes,
        NestedBlock,
        ProviderSchemas,
        SchemaAttribute,
        SchemaBlock,
        SchemaError,
        TypeSchema,
        open_schemas,
        read_provider_schemas,
    )
    from statefmt.lifecycle.schema_marks import typed_instance, typed_pair

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
        "NestedAttributes": "statefmt.lifecycle.schema",
        "NestedBlock": "statefmt.lifecycle.schema",
        "ProviderSchemas": "statefmt.lifecycle.schema",
        "SchemaAttribute": "statefmt.lifecycle.schema",
        "SchemaBlock": "statefmt.lifecycle.schema",
        "SchemaError": "statefmt.lifecycle.schema",
        "SchemaSource": "statefmt.configuration.provider_schemas",
        "TypeSchema": "statefmt.lifecycle.schema",
        "open_schemas": "statefmt.lifecycle.schema",
        "read_provider_schemas": "statefmt.lifecycle.schema",
        "typed_instance": "statefmt.lifecycle.schema_marks",
        "typed_pair": "statefmt.lifecycle.schema_marks",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
