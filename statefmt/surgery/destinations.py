"""Where `mv SOURCE DESTINATION` sends each instance: an address, or a pattern that repeats what wildcards fitted."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.addrs import (
    NO_KEY,
    AbsResourceInstance,
    ModuleInstance,
    ModuleStep,
    parse_abs_resource_instance,
    parse_module_instance,
)
from statefmt.errors import AddressError, SurgeryError
from statefmt.surgery.captures import PLACE, captures, filled


def destinations(
    found: Sequence[AbsResourceInstance], source: str, target: str
) -> dict[AbsResourceInstance, AbsResourceInstance]:
    """Where each of `found`, which are what the selector `source` fits, goes.

    `target` is the address of a module, a resource or an instance, as `source` is; a resource and a module without a
    key keep the keys. Where `source` is a pattern, `$1`, `$2`… in `target` stand for what its wildcards fit, in order:
    the whole key for `[*]`. Raises SurgeryError where the two do not go together.
    """
    if PLACE.search(target):
        return {addr: _one(addr, source, filled(target, captures(source, addr))) for addr in found}
    module, goal = _module(source), _module(target)
    if module is not None and goal is not None:
        return {addr: _in_module(addr, module, goal) for addr in found}
    if module is not None:
        raise SurgeryError(f"{source} is a module, and {target} is none")
    if goal is not None:
        raise SurgeryError(f"{target} is a module, and {source} is none; say where in it: {target}.{found[0].resource}")
    instance = _instance(target)
    if len({addr.containing_resource() for addr in found}) > 1:
        raise SurgeryError(f"{source} fits several resources, and {target} is one; $1, $2… can tell them apart")
    if _keeps_key(source, instance):
        resource = instance.containing_resource()
        return {addr: resource.instance(addr.key) for addr in found}
    if len(found) > 1:
        raise SurgeryError(f"{source} fits {len(found)} instances, and {target} is one")
    return dict.fromkeys(found, instance)


def _one(addr: AbsResourceInstance, source: str, text: str) -> AbsResourceInstance:
    """An instance's destination by a text that may be that of its module."""
    module = _module(text)
    if module is not None:
        return AbsResourceInstance(module, addr.resource)
    instance = _instance(text)
    return instance.containing_resource().instance(addr.key) if _keeps_key(source, instance) else instance


def _keeps_key(source: str, target: AbsResourceInstance) -> bool:
    """Whether both speak of a resource, and not of one instance."""
    return target.key is NO_KEY and not source.endswith("]")


def _in_module(addr: AbsResourceInstance, source: ModuleInstance, target: ModuleInstance) -> AbsResourceInstance:
    *path, last = target.steps
    depth = len(source.steps)
    key = addr.module.steps[depth - 1].key
    if last.key is NO_KEY and source.steps[-1].key is NO_KEY:
        last = ModuleStep(last.name, key)
    return AbsResourceInstance(ModuleInstance((*path, last, *addr.module.steps[depth:])), addr.resource)


def _module(text: str) -> ModuleInstance | None:
    try:
        return parse_module_instance(text)
    except AddressError:
        return None


def _instance(text: str) -> AbsResourceInstance:
    try:
        return parse_abs_resource_instance(text)
    except AddressError as error:
        raise SurgeryError(f"{text!r} is no address: {error.detail} (column {error.column})") from error
