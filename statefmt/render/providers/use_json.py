"""Renders the provider configurations of a state and what is bound to them, as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.analysis.providers import BoundObject, ConfigurationUse, ProviderInstanceUse, by_resource
from statefmt.analysis.providers.removal import ProviderRemoval
from statefmt.model.addrs import InstanceKey, IntKey, StringKey
from statefmt.render.json_output import document


def provider_use_json(uses: Sequence[ConfigurationUse]) -> bytes:
    """Render all configurations (schema: `providers-output.schema.json`)."""
    return document({"configurations": [_configuration(use) for use in uses]})


def removal_json(found: ProviderRemoval) -> bytes:
    """Render what is bound to one of them (schema: `providers-remove-output.schema.json`)."""
    return document(
        {
            "provider": found.name,
            "provider_instances": [str(provider) for provider in found.providers],
            "in_use": [str(provider) for provider in found.used],
            "bound": [
                {
                    "address": str(obj.addr),
                    "mode": obj.addr.resource.resource.mode.value,
                    "deposed_key": obj.deposed or None,
                }
                for obj in found.objects
            ],
            "destroy": [str(addr) for addr in found.to_destroy],
        }
    )


def _configuration(use: ConfigurationUse) -> dict[str, object]:
    config = use.config
    return {
        "address": str(config),
        "source": str(config.provider),
        "module": str(config.module),
        "alias": config.alias or None,
        "instances": [_instance(instance) for instance in use.instances],
    }


def _instance(instance: ProviderInstanceUse) -> dict[str, object]:
    return {
        "address": str(instance.provider),
        "key": _key(instance.provider.key),
        "only_place": None if instance.only_place is None else str(instance.only_place),
        **_numbers(instance.objects),
        "modules": [
            {
                "module": str(module),
                **_numbers(objects),
                "resources": [_resource(str(addr), of) for addr, of in by_resource(objects).items()],
            }
            for module, objects in instance.by_module().items()
        ],
    }


def _resource(address: str, objects: Sequence[BoundObject]) -> dict[str, object]:
    return {
        "address": address,
        "objects": [{"address": str(obj.addr), "deposed_key": obj.deposed or None} for obj in objects],
    }


def _numbers(objects: Sequence[BoundObject]) -> dict[str, int]:
    deposed = sum(1 for obj in objects if obj.deposed)
    return {"resource_instances": len(objects) - deposed, "deposed_objects": deposed}


def _key(key: InstanceKey) -> int | str | None:
    return key.value if isinstance(key, (IntKey, StringKey)) else None
