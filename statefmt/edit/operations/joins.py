"""Finds the resources and modules that `mv` moves to existing ones."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

from statefmt.edit.changes.resources import by_address
from statefmt.model.addrs import AbsResource, AbsResourceInstance, ModuleInstance, key_order
from statefmt.model.addrs.parsing import parse_module_instance
from statefmt.model.errors import AddressError
from statefmt.model.snapshot import Snapshot
from statefmt.text import pattern

_MOST_NAMED: Final = 5
_KEY: Final = pattern(r"\[\$(?:\d+|\{\d+\})\]", re.ASCII)
_PLACE: Final = pattern(r"\$(?:\d+|\{\d+\})", re.ASCII)


def module_depth(address: str) -> int:
    """Return the number of steps of an address that is a module, perhaps with `$1` or wildcards; else 0."""
    # Any name and any key will do.
    text = _PLACE.sub("x", _KEY.sub('["x"]', address.replace("[*]", '["x"]').replace("*", "x")))
    try:
        return len(parse_module_instance(text).steps)
    except AddressError:
        return 0


def joins(
    before: Snapshot, moved: Mapping[AbsResourceInstance, AbsResourceInstance], *, depth: int = 0
) -> tuple[str, ...]:
    """Return a sentence for each resource or module that moves to one of which something stays where it is.

    `depth` is the number of steps of the target if it is a module, else 0.
    """
    return (*_of_modules(before, moved, depth), *_of_resources(before, moved))


def _of_resources(before: Snapshot, moved: Mapping[AbsResourceInstance, AbsResourceInstance]) -> list[str]:
    sources: dict[AbsResource, dict[str, None]] = {}
    for one, other in moved.items():
        source, target = one.containing_resource(), other.containing_resource()
        if source != target:
            sources.setdefault(target, {})[str(source)] = None
    there = by_address(before)
    found = []
    for target, names in sources.items():
        if target not in there:
            continue
        stay = {obj.key for obj in there[target].objects if target.instance(obj.key) not in moved}
        if stay:
            keys = [str(key) or "an instance without a key" for key in sorted(stay, key=key_order)]
            found.append(f"{_listed(names)} {_verb(names)} {target}, which has {_listed(keys)}.")
    return found


def _of_modules(before: Snapshot, moved: Mapping[AbsResourceInstance, AbsResourceInstance], depth: int) -> list[str]:
    if not depth:
        return []
    sources: dict[ModuleInstance, dict[str, None]] = {}
    for one, other in moved.items():
        steps, target = one.module.steps, ModuleInstance(other.module.steps[:depth])
        source = ModuleInstance(steps[: len(steps) - len(other.module.steps) + depth])
        if source != target and not target.is_root:
            sources.setdefault(target, {})[str(source)] = None
    stay: dict[ModuleInstance, list[str]] = {}
    for resource in before.resources:
        module = ModuleInstance(resource.addr.module.steps[:depth])
        if module in sources and any(resource.addr.instance(obj.key) not in moved for obj in resource.objects):
            stay.setdefault(module, []).append(str(resource.addr))
    return [
        f"{_listed(sources[target])} {_verb(sources[target])} {target}, which has {_listed(names)}."
        for target, names in stay.items()
    ]


def _verb(names: Collection[str]) -> str:
    return "joins" if len(names) == 1 else "join"


def _listed(names: Collection[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(list(names)[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
