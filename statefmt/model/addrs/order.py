"""OpenTofu's two orders, as sort keys: that of `tofu state list`, and that of state files.

Text is compared by code point, which is the order of UTF-8 bytes.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from statefmt.model.addrs._module import ModuleInstance
from statefmt.model.addrs._resource import (
    AbsResource,
    AbsResourceInstance,
    Resource,
    ResourceMode,
)
from statefmt.model.addrs.instance_key import InstanceKey, IntKey, StringKey

KeyOrder: TypeAlias = tuple[int, int, str]
ModuleOrder: TypeAlias = tuple[int, tuple[tuple[str, KeyOrder], ...]]
ResourceOrder: TypeAlias = tuple[int, str, str]
ListOrder: TypeAlias = tuple[ModuleOrder, ResourceOrder, KeyOrder]
ResourceFileOrder: TypeAlias = tuple[str, str, str, str]

_NO_KEY_ORDER: Final[KeyOrder] = (0, 0, "")
_MODES: Final = {ResourceMode.EPHEMERAL: 0, ResourceMode.DATA: 1, ResourceMode.MANAGED: 2}


def key_order(key: InstanceKey) -> KeyOrder:
    """No key, then integers by number, then strings. Source: InstanceKeyLess."""
    if isinstance(key, IntKey):
        return 1, key.value, ""
    if isinstance(key, StringKey):
        return 2, 0, key.value
    return _NO_KEY_ORDER


def module_instance_order(module: ModuleInstance) -> ModuleOrder:
    """Fewer steps first, then step by step by name and key. Source: ModuleInstance.Less."""
    return len(module.steps), tuple([(step.name, key_order(step.key)) for step in module.steps])


def resource_order(resource: Resource) -> ResourceOrder:
    """Data before managed, then by type and name. Source: Resource.Less."""
    return _MODES[resource.mode], resource.type, resource.name


def list_order(address: AbsResource | AbsResourceInstance) -> ListOrder:
    """The order of `list`: by module, then resource, then key, a resource as an instance without a key.

    Sources: AbsResource.Less and AbsResourceInstance.Less, but for the key: OpenTofu's `state list` sorts by it, too.
    """
    if isinstance(address, AbsResource):
        return module_instance_order(address.module), resource_order(address.resource), _NO_KEY_ORDER
    instance = address.resource
    return module_instance_order(address.module), resource_order(instance.resource), key_order(instance.key)


def resource_file_order(address: AbsResource) -> ResourceFileOrder:
    """The order of `resources` in a state file.

    Source: OpenTofu `internal/states/statefile/version4.go`, sortResourcesV4: as text by module, mode, type, name.
    """
    resource = address.resource
    return str(address.module), resource.mode.value, resource.type, resource.name


def instance_file_order(key: InstanceKey) -> KeyOrder:
    """The order of the `instances` of a resource in a state file; deposed objects follow by their deposed key.

    Source: sortInstancesV4, which leaves the order of integers against strings to chance.
    """
    return key_order(key)
