"""Resolves the destination of `mv SOURCE DESTINATION` for each instance, from an address or a pattern with `$1`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from statefmt.analysis.selection.patterns import Modules, NamedModules, invalid_address, modules_of
from statefmt.edit.arguments._captures import PLACE, captures, filled
from statefmt.edit.arguments.key_map import normal_key
from statefmt.golang import nfc
from statefmt.model.addrs import NO_KEY, AbsResourceInstance, ModuleInstance, ModuleStep
from statefmt.model.addrs.literals import quoted_literal
from statefmt.model.addrs.parsing import parse_abs_resource_instance, parse_module_instance
from statefmt.model.errors import AddressError, SurgeryError
from statefmt.text import has_wildcards

# How a destination names the root module, which has no address.
ROOT_NAMES: Final = ("root", "")


def destinations(
    found: Sequence[AbsResourceInstance], source: str, target: str
) -> dict[AbsResourceInstance, AbsResourceInstance]:
    """Return the destination of each of `found`, the instances that the selector `source` matches.

    `source` and `target` both name modules, or both a resource or an instance; if neither has a key, instances keep
    theirs. `root` or "" is the root module, as the destination of modules. If `source` is a pattern, `$1`, `$2`… in
    `target` are the matches of its wildcards in order (the whole key for `[*]`) and `$$` is a dollar sign; otherwise a
    dollar sign is literal. Raises SurgeryError if the two do not fit together.
    """
    named = Modules(modules_of(addr.module for addr in found)).named(source)
    if named is not None and named.modules:
        goals = _module_goals(named, source, target)
        return {addr: _in_module(addr, goals) for addr in found}
    if PLACE.search(target) and not _is_address(source, found):
        return {addr: _one(addr, source, filled(target, captures(source, addr))) for addr in found}
    goal = _module(target)
    if goal is not None:
        full = found[0].resource if goal.is_root else f"{target}.{found[0].resource}"
        what = "the destination is the root module" if goal.is_root else f"{target} is a module"
        raise SurgeryError(f"{what}, but {source} is not a module; give a full address: {full}", address=target)
    instance = _instance(target)
    if len({addr.containing_resource() for addr in found}) > 1:
        raise SurgeryError(
            f"{source} matches several resources, but {target} is only one; use $1, $2… in the destination",
            address=target,
        )
    if _keeps_key(source, instance):
        resource = instance.containing_resource()
        return {addr: resource.instance(addr.key) for addr in found}
    if len(found) > 1:
        raise SurgeryError(f"{source} matches {len(found)} instances, but {target} is only one", address=target)
    return {addr: _with_own_key(addr, instance, target) for addr in found}


def normalised(target: str, goes: Mapping[AbsResourceInstance, AbsResourceInstance]) -> bool:
    """Return whether a key in `target` is normalised to Unicode normal form C."""
    given = quoted_literal(target, 1, [])
    return nfc(given) != given and any(nfc(str(addr)) == str(addr) for addr in goes.values())


def _is_address(source: str, found: Sequence[AbsResourceInstance]) -> bool:
    """Return whether `source` is the address of the instances found, and not a pattern that matches them."""
    if not has_wildcards(source):
        return True
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


def _module_goals(named: NamedModules, source: str, target: str) -> dict[ModuleInstance, ModuleInstance]:
    """Return the destination of each module. Raises SurgeryError if two would become one, or one contains another."""
    goals: dict[ModuleInstance, ModuleInstance] = {}
    taken: dict[ModuleInstance, ModuleInstance] = {}
    chosen = frozenset(named.modules)
    for module in named.modules:
        outer = next((one for one in module.parent().on_the_way if one in chosen), None)
        if outer is not None:
            raise SurgeryError(
                f"{source} matches both {outer} and {module} in it; move one after the other", address=module
            )
    for module in named.modules:
        text = target
        if named.by_pattern and PLACE.search(target):
            text = filled(target, captures(source, module))
        goal = _module_goal(module, source, text)
        if goal in taken and not goal.is_root:
            way_out = "; use $1, $2… in the destination" if named.by_pattern else ""
            raise SurgeryError(
                f"{module} cannot become {goal}: {taken[goal]} would move there, too{way_out}", address=module
            )
        goals[module], taken[goal] = goal, module
    return goals


def _module_goal(module: ModuleInstance, source: str, text: str) -> ModuleInstance:
    goal = _module(text)
    if goal is None:
        _instance(text)
        raise SurgeryError(f"{source} is a module, but {text} is not", address=text)
    if goal.is_root:
        return goal
    *path, last = goal.steps
    if last.key is NO_KEY and not source.endswith("]"):
        last = ModuleStep(last.name, module.steps[-1].key)
    return ModuleInstance((*path, last))


def _in_module(addr: AbsResourceInstance, goals: Mapping[ModuleInstance, ModuleInstance]) -> AbsResourceInstance:
    """Return the address of an instance after its module, or one that contains it, has moved."""
    source = next(module for module in addr.module.on_the_way if module in goals)
    path = ModuleInstance((*goals[source].steps, *addr.module.steps[len(source.steps) :]))
    return AbsResourceInstance(path, addr.resource)


def _module(text: str) -> ModuleInstance | None:
    if text in ROOT_NAMES:
        return ModuleInstance(())
    try:
        return parse_module_instance(text)
    except AddressError:
        return None


def _instance(text: str) -> AbsResourceInstance:
    try:
        return parse_abs_resource_instance(text)
    except AddressError as error:
        if not text.strip("./"):
            raise SurgeryError(f"{text!r} is not an address; the root module is root", address=text) from error
        if has_wildcards(text):
            raise SurgeryError(
                f"{text}: a destination has no wildcards; use $1, $2… for what those of the source match", address=text
            ) from error
        raise invalid_address(text, error, selects=False) from error
