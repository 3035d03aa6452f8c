"""Resolves the destination of `mv SOURCE DESTINATION` for each instance, from an address or a pattern with `$1`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from statefmt.analysis.selection.invalid import invalid_address
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
    """Return the destination of each of `found`, the instances that the selector `source` matches.

    `source` and `target` are both addresses of a module, or both of a resource or an instance; if neither has a key,
    instances keep theirs. If `source` is a pattern, `$1`, `$2`… in `target` are the matches of its wildcards in order
    (the whole key for `[*]`) and `$$` is a dollar sign; otherwise a dollar sign is literal. Raises SurgeryError if the
    two do not fit together.
    """
    if PLACE.search(target) and not _is_address(source, found):
        return {addr: _one(addr, source, filled(target, captures(source, addr))) for addr in found}
    module, goal = _module(source), _module(target)
    if module is not None and goal is not None:
        return {addr: _in_module(addr, module, goal) for addr in found}
    if module is not None:
        raise SurgeryError(f"{source} is a module, but {target} is not")
    if goal is not None:
        raise SurgeryError(
            f"{target} is a module, but {source} is not; give a full address: {target}.{found[0].resource}"
        )
    instance = _instance(target)
    if len({addr.containing_resource() for addr in found}) > 1:
        raise SurgeryError(
            f"{source} matches several resources, but {target} is only one; use $1, $2… in the destination"
        )
    if _keeps_key(source, instance):
        resource = instance.containing_resource()
        return {addr: resource.instance(addr.key) for addr in found}
    if len(found) > 1:
        raise SurgeryError(f"{source} matches {len(found)} instances, but {target} is only one")
    return {addr: _with_own_key(addr, instance, target) for addr in found}


def normalised(target: str, goes: Mapping[AbsResourceInstance, AbsResourceInstance]) -> bool:
    """Return whether a key in `target` is normalised to Unicode normal form C."""
    given = quoted_literal(target, 1, [])
    return nfc(given) != given and any(nfc(str(addr)) == str(addr) for addr in goes.values())


def _is_address(source: str, found: Sequence[AbsResourceInstance]) -> bool:
    """Return whether `source` is the address of the instances found, and not a pattern that matches them."""
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
    """Return the destination of an instance; `text` is an address, or that of a module that it moves to."""
    module = _module(text)
    if module is not None:
        return AbsResourceInstance(module, addr.resource)
    instance = _instance(text)
    if _keeps_key(source, instance):
        return instance.containing_resource().instance(addr.key)
    return _with_own_key(addr, instance, text)


def _with_own_key(addr: AbsResourceInstance, target: AbsResourceInstance, text: str) -> AbsResourceInstance:
    """Return the target, with the instance's own key if `text` contains exactly that: parsing normalises keys."""
    is_own = text.endswith(str(addr.key)) and target.key == normal_key(addr.key)
    return target.containing_resource().instance(addr.key) if is_own else target


def _keeps_key(source: str, target: AbsResourceInstance) -> bool:
    """Return whether source and target both name a resource, not an instance."""
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
        raise invalid_address(text, error, selects=False) from error
