"""Finds the schemas for the values of a plan file: those that OpenTofu stored in it, given ones, and built-in ones."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec
from msgspec import Raw

from statefmt.lifecycle.plan import PlanError
from statefmt.lifecycle.plan_files._messages import parse_message
from statefmt.lifecycle.schema import ProviderSchemas, SchemaError, TypeSchema, read_provider_schemas
from statefmt.model.addrs import ResourceMode
from statefmt.model.addrs.provider import Provider

_NESTING: Final = {1: "single", 2: "group", 3: "list", 4: "set", 5: "map"}
_DYNAMIC: Final = {"type": "dynamic"}
# The provider inside OpenTofu and Terraform, in all releases.
_BUILT_IN: Final = {
    "terraform.io/builtin/terraform": {
        "provider": {"version": 0},
        "resource_schemas": {
            "terraform_data": {
                "version": 0,
                "block": {
                    "attributes": {
                        "id": {"type": "string"}, "input": _DYNAMIC, "output": _DYNAMIC, "triggers_replace": _DYNAMIC,
                    }
                },
            }
        },
        "data_source_schemas": {
            "terraform_remote_state": {
                "version": 0,
                "block": {
                    "attributes": {
                        "backend": {"type": "string"}, "config": _DYNAMIC, "defaults": _DYNAMIC, "outputs": _DYNAMIC,
                        "workspace": {"type": "string"},
                    }
                },
            }
        },
    }
}  # fmt: skip


class PlanSchemas:
    """The schemas of the resource types in a plan file."""

    def __init__(self, stored: bytes, given: ProviderSchemas | None) -> None:
        """`stored` is the member `tfschemas`, empty if there is none. Raises PlanError."""
        found = [_stored(stored)] if stored else []
        self._sources: Final = [*found, *([] if given is None else [given])]
        self._built_in: Final = _read(_BUILT_IN)

    def schema(self, provider: Provider, mode: ResourceMode, type_name: str) -> TypeSchema | None:
        """Return the schema of a resource type; None if it is not known."""
        for source in (*self._sources, self._built_in):
            found = source.schema(provider, mode, type_name)
            if found is not None:
                return found
        return None


def _read(providers: Any) -> ProviderSchemas:
    return read_provider_schemas(msgspec.json.encode({"format_version": "1.0", "provider_schemas": providers}))


def _stored(data: bytes) -> ProviderSchemas:
    message = parse_message("Schemas", data)
    try:
        return _read(
            {
                entry.name: {
                    "provider": _schema(entry.value.provider_config),
                    "resource_schemas": {
                        one.name: _schema(one.value.schema) for one in entry.value.managed_resource_types
                    },
                    "data_source_schemas": {one.name: _schema(one.value.schema) for one in entry.value.data_sources},
                }
                for entry in message.providers
            }
        )
    except (SchemaError, msgspec.EncodeError, RecursionError) as error:
        raise PlanError(f"the plan file contains invalid schemas: {error}") from None


def _schema(message: Any) -> dict[str, Any]:
    return {"version": message.version, "block": _block(message.block)}


def _block(message: Any) -> dict[str, Any]:
    return {
        "attributes": {one.name: _attribute(one) for one in message.attributes},
        "block_types": {
            one.type_name: {
                "nesting_mode": _NESTING.get(one.nesting, "invalid"),
                "block": _block(one.block),
                "min_items": one.min_items,
                "max_items": one.max_items,
            }
            for one in message.block_types
        },
    }


def _attribute(message: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        name: getattr(message, name) for name in ("required", "optional", "computed", "sensitive", "write_only")
    }
    if message.HasField("nested_type"):
        nested = message.nested_type
        found["nested_type"] = {
            "nesting_mode": _NESTING.get(nested.nesting, "invalid"),
            "attributes": {one.name: _attribute(one) for one in nested.attributes},
        }
    elif message.type:
        found["type"] = _raw(message.type)
    return found


def _raw(text: bytes) -> Raw:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        raise PlanError("the plan file contains invalid schemas: the type of an attribute is not JSON") from None
    return Raw(text)
