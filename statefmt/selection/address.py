"""Which addresses one selector fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches

from statefmt.addrs import (
    NO_KEY,
    AbsResourceInstance,
    ModuleInstance,
    parse_abs_resource,
    parse_abs_resource_instance,
    parse_module_instance,
)
from statefmt.errors import AddressError, SelectionError

_Matcher = Callable[[AbsResourceInstance], bool]


def fitting(addrs: Sequence[AbsResourceInstance], selector: str) -> list[AbsResourceInstance]:
    """Those of `addrs` that a selector fits, in their order.

    A selector is the address of an instance, of a resource (all its instances) or of a module (everything
    below it). Raises SelectionError for one that is no address or fits nothing, with the nearest addresses.
    """
    fits = _matcher(selector)
    matched = [addr for addr in addrs if fits(addr)]
    if not matched:
        raise SelectionError(_no_match(selector, addrs))
    return matched


def _matcher(selector: str) -> _Matcher:
    try:
        module = parse_module_instance(selector)
        return lambda addr: _is_within(addr.module, module)
    except AddressError:
        pass
    try:
        resource = parse_abs_resource(selector)
        return lambda addr: addr.containing_resource() == resource
    except AddressError:
        pass
    try:
        instance = parse_abs_resource_instance(selector)
    except AddressError as error:
        raise SelectionError(f"{selector!r} is no address: {error.detail} (column {error.column})") from error
    return lambda addr: addr == instance


def _is_within(module: ModuleInstance, selected: ModuleInstance) -> bool:
    """Whether a selected module holds another; without a key at its end, all instances of it do.

    Source: OpenTofu `internal/addrs/module_instance.go` (TargetContains).
    """
    *path, last = selected.steps
    if last.key is not NO_KEY:
        return selected.contains(module)
    depth = len(path)
    return [*module.steps[:depth]] == path and len(module.steps) > depth and module.steps[depth].name == last.name


def _no_match(selector: str, addrs: Sequence[AbsResourceInstance]) -> str:
    near = get_close_matches(selector, [str(addr) for addr in addrs], n=3, cutoff=0.6)
    hint = "".join(f"\n  {addr}" for addr in near)
    return f"no resource instance fits {selector!r}" + (f"; the nearest are:{hint}" if near else "")
