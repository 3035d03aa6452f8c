"""Recognises objects and resource types of providers that were written with the old SDK."""

from __future__ import annotations

import binascii
from functools import lru_cache
from typing import Final

import msgspec

from statefmt.lifecycle.schema import SchemaBlock
from statefmt.model.cty import STRING
from statefmt.model.cty.unify import has_dynamic

# The SDK stores these members in the private data of an object: `null`, or its metadata.
# Source: terraform-plugin-sdk `schema.InstanceState.Meta`, `schema.TimeoutKey`.
_META_NAMES: Final = frozenset({"schema_version", "e2bfb730-ecaa-11e6-8f88-34363bc7c4c0"})


@lru_cache(maxsize=1024)
def is_legacy(private: str) -> bool:
    """Return whether the private data of an object comes from the old SDK, which has the legacy type system."""
    if not private:
        return False
    try:
        data = msgspec.json.decode(binascii.a2b_base64(private))
    except (ValueError, RecursionError):
        return False
    return data is None or (isinstance(data, dict) and not _META_NAMES.isdisjoint(data))


def has_legacy_schema(block: SchemaBlock) -> bool:
    """Return whether a resource type has the form that the old SDK gives to all of its resource types.

    It adds an `id` that is optional and computed, and knows neither nested attributes nor dynamic types. Source:
    terraform-plugin-sdk `Resource.CoreConfigSchema`.
    """
    given = block.attributes.get("id")
    return (
        given is not None
        and given.type == STRING
        and given.optional
        and given.computed
        and not any(each.type is None or has_dynamic(each.type) for each in block.attributes.values())
    )
