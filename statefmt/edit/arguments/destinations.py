"""Where `mv SOURCE DESTINATION` sends each instance: an address, or a pattern that repeats what wildcards fitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from statefmt.edit.arguments._captures import PLACE, captures, filled
from statefmt.edit.arguments.key_map import normal_key
from statefmt.golang.normalize import nfc
from statefmt.model.addrs import (
    NO_KEY,
    AbsResourceInstance,
    ModuleInstance,
    ModuleStep,
    parse_abs_resource_instance,
    parse_module_instance,
)
from statefmt.model.addrs.literals import quoted_literal
from statefmt.model.errors import AddressError, SurgeryError
from statefmt.text.wildcards import has_wildcards


def destinations(
    found: Sequence[AbsResourceInstance], source: str, target: str
) -> dict[AbsResourceInstance, AbsResourceInstance]:
    """Where each of `found`, which are what the selector `source` fits, goes.

    `target` is the address of a module, a resource or an instance, as `source` is; a resource and a module without a
    key keep the keys. Where `source` is a pattern, `$1`, `$2`… in `target` stand for what its wildcards fit, in order:
    the whole key for `[*]`; `$$` is a dollar sign. Elsewhere a dollar sign means nothing. Raises SurgeryError where the
    two do not go together.
    """
    if PLACE.search(target) and not _is_address(source, found):
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
    return {addr: _with_own_key(addr, instance, target) for addr in found}


def normalised(target: str, goes: Mapping[AbsResourceInstance, AbsResourceInstance]) -> bool:
    """Whether a key in `target` is written in another Unicode normal form than it was given in."""
    given = quoted_literal(target, 1, [])
    return nfc(given) != given and any(nfc(str(addr)) == str(addr) for addr in goes.values())


def _is_address(source: str, found: Sequence[AbsResourceInstance]) -> bool:
    """Whether `source` is the address of what was found, and not a pattern that fits it."""
    if not has_wildcards(source):
        return True
    module = _module(source)
    if module is not None:
        return all(addr.module.steps[: len(module.steps)] == module.steps for addr in found)
    try:
        instance = parse_abs_resource_instance(source)
    except AddressError:
        return False
    return all(instance in (addr, addr.containing_resource().instance()) for addr in found)


def _one(addr: AbsResourceInstance, source: str, text: str) -> AbsResourceInstance:
    """An instance's destination by a text that may be that of its module."""
    module = _module(text)
    if module is not None:
        return AbsResourceInstance(module, addr.resource)
    instance = _instance(text)
    if _keeps_key(source, instance):
        return instance.containing_resource().instance(addr.key)
    return _with_own_key(addr, instance, text)


def _with_own_key(addr: AbsResourceInstance, target: AbsResourceInstance, text: str) -> AbsResourceInstance:
    """The target, with the very key of the instance where `text` has that one: reading an address normalises it."""
    is_own = text.endswith(str(addr.key)) and target.key == normal_key(addr.key)
    return target.containing_resource().instance(addr.key) if is_own else target


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
