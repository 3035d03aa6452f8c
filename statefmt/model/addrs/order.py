"""Provides sort keys for OpenTofu's two orders: that of `tofu state list` and that of state files.

Strings compare by code point, which is the order of their UTF-8 bytes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, TypeAlias

from statefmt.model.addrs._module import ModuleInstance, ModuleStep
from statefmt.model.addrs._resource import AbsResource, AbsResourceInstance, Resource, ResourceMode
from statefmt.model.addrs.instance_key import InstanceKey, IntKey, StringKey

KeyOrder: TypeAlias = tuple[int, int, str]
ModuleOrder: TypeAlias = tuple[int, tuple[tuple[str, KeyOrder], ...]]
ResourceOrder: TypeAlias = tuple[int, str, str]
ListOrder: TypeAlias = tuple[ModuleOrder, ResourceOrder, KeyOrder]
ResourceFileOrder: TypeAlias = tuple[str, str, str, str]

_NO_KEY_ORDER: Final[KeyOrder] = (0, 0, "")
# Faster than `mode.value`.
_MODE_TEXTS: Final = {mode: mode.value for mode in ResourceMode}
_MODES: Final = {ResourceMode.EPHEMERAL: 0, ResourceMode.DATA: 1, ResourceMode.MANAGED: 2}


def key_order(key: InstanceKey) -> KeyOrder:
    """Sort NO_KEY first, then integers by number, then strings. Source: InstanceKeyLess."""
    if isinstance(key, IntKey):
        return 1, key.value, ""
    if isinstance(key, StringKey):
        return 2, 0, key.value
    return _NO_KEY_ORDER


def module_instance_order(module: ModuleInstance) -> ModuleOrder:
    """Sort by number of steps, then by name and key of each step. Source: ModuleInstance.Less."""
    return len(module.steps), tuple(map(_step_order, module.steps))


# Modules share most of their steps; sharing their sort keys saves memory.
@lru_cache(maxsize=4096)
def _step_order(step: ModuleStep) -> tuple[str, KeyOrder]:
    return step.name, key_order(step.key)


def resource_order(resource: Resource) -> ResourceOrder:
    """Sort by mode (ephemeral, data, managed), then by type and name. Source: Resource.Less."""
    return _MODES[resource.mode], resource.type, resource.name


def list_order(address: AbsResource | AbsResourceInstance) -> ListOrder:
    """Sort as `list` does: by module, resource and key; a resource sorts like an instance without a key.

    Sources: AbsResource.Less and AbsResourceInstance.Less; the key comes from OpenTofu's `state list`.
    """
    if isinstance(address, AbsResource):
        return module_instance_order(address.module), resource_order(address.resource), _NO_KEY_ORDER
    instance = address.resource
    return module_instance_order(address.module), resource_order(instance.resource), key_order(instance.key)


def resource_file_order(address: AbsResource) -> ResourceFileOrder:
    """Sort as `resources` in a state file: by module, mode, type and name, all as strings.

    Source: OpenTofu `internal/states/statefile/version4.go`, sortResourcesV4.
    """
    resource = address.resource
    return str(address.module), _MODE_TEXTS[resource.mode], resource.type, resource.name


def instance_file_order(key: InstanceKey) -> KeyOrder:
    """Sort as the `instances` of a resource in a state file; callers sort equal keys by deposed key.

    Source: sortInstancesV4, which leaves the order between integers and strings undefined.
    """
    return key_order(key)
