"""Writes selectors for instances, so that few select what belongs together, and nothing else."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

from statefmt.model.addrs import NO_KEY, AbsResourceInstance, ModuleInstance
from statefmt.model.errors import SurgeryError

H = TypeVar("H", bound=Hashable)


def covering(homes: Mapping[AbsResourceInstance, H]) -> dict[H, tuple[str, ...]]:
    """Return selectors for the instances in each home; `homes` has all instances of a state.

    A module or a resource is one selector if all that it selects has the same home. Raises SurgeryError if the address
    of an instance selects instances of another home: one without a key selects those with keys, too.
    """
    in_modules: dict[ModuleInstance, tuple[str, ...]] = {}
    owners: dict[str, H] = {}
    mixed: set[str] = set()
    for addr, home in homes.items():
        for text in _selectors(addr, in_modules):
            if owners.setdefault(text, home) != home:
                mixed.add(text)
    found: dict[H, dict[str, None]] = {}
    for addr, home in homes.items():
        selector = next((text for text in _selectors(addr, in_modules) if text not in mixed), None)
        if selector is None:
            raise SurgeryError(
                f"{addr}: this address selects instances with keys, too, which are in other parts; give them keys or "
                "forget them first",
                address=addr,
            )
        found.setdefault(home, {})[selector] = None
    return {home: tuple(selectors) for home, selectors in found.items()}


def _selectors(addr: AbsResourceInstance, in_modules: dict[ModuleInstance, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the addresses that select an instance, the one that selects most first."""
    outer = in_modules.get(addr.module)
    if outer is None:
        texts = (
            text
            for module in addr.module.on_the_way
            for text in (str(module.parent().child(module.steps[-1].name)), str(module))
        )
        outer = in_modules[addr.module] = tuple(dict.fromkeys(texts))
    resource = str(addr.containing_resource())
    return (*outer, resource) if addr.key is NO_KEY else (*outer, resource, str(addr))
