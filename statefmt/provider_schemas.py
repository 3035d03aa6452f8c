"""The schemas of providers, as `tofu providers schema -json` prints them: types of attributes, and which are secret.

>>> from statefmt import provider_schemas
>>> printed = b'{"format_version": "1.0", "provider_schemas": {"registry.opentofu.org/acme/cloud": {}}}'
>>> schemas = provider_schemas.read_provider_schemas(printed)
>>> [str(provider) for provider in schemas.providers]
['registry.opentofu.org/acme/cloud']
"""

from __future__ import annotations

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.configuration.provider_schemas import SchemaSource as SchemaSource
    from statefmt.lifecycle.schema import (
        NestedAttributes as NestedAttributes,
        NestedBlock as NestedBlock,
        ProviderSchemas as ProviderSchemas,
        SchemaAttribute as SchemaAttribute,
        SchemaBlock as SchemaBlock,
        SchemaError as SchemaError,
        TypeSchema as TypeSchema,
        open_schemas as open_schemas,
        read_provider_schemas as read_provider_schemas,
    )
    from statefmt.lifecycle.schema_marks import typed_instance as typed_instance, typed_pair as typed_pair
