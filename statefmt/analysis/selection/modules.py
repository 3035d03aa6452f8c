"""Finds the module instances that a selector names as a whole, for commands that change modules."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from statefmt.analysis.selection.path_pattern import path_fits, split_path
from statefmt.analysis.selection.pattern_scanner import pattern_steps
from statefmt.model.addrs import ModuleInstance, ModuleStep, parse_module_instance
from statefmt.model.errors import AddressError
from statefmt.text.wildcards import has_wildcards


class NamedModules(NamedTuple):
    """The module instances that a selector names. `by_pattern` is False if it is an address."""

    modules: tuple[ModuleInstance, ...]
    by_pattern: bool


class Modules:
    """The module instances to select from."""

    def __init__(self, known: Iterable[ModuleInstance]) -> None:
        self._known = tuple(known)

    def named(self, selector: str) -> NamedModules | None:
        """Return the modules that a selector names; None unless it is an address or a pattern of modules.

        An address without a key at its end names all instances of the module. A pattern that ends in `**` names
        everything below a module, and not the module.
        """
        canonical = _canonical(selector)
        found = self._by_text.get(selector) or self._by_text.get(canonical or "")
        if found is not None:
            return NamedModules(tuple(found), False)
        if not has_wildcards(selector):
            return None if canonical is None else NamedModules((), False)
        try:
            path, rest = split_path(selector, pattern_steps(selector))
        except AddressError:
            return None
        if rest or path[-1] is None:
            return None
        return NamedModules(tuple(module for module in self._known if path_fits(path, module.steps)), True)

    @cached_property
    def _by_text(self) -> dict[str, list[ModuleInstance]]:
        """The modules by address, and by address without the last key: a table, since there may be many selectors."""
        found: dict[str, list[ModuleInstance]] = {}
        for module in self._known:
            for text in {str(module), str(module_call(module))}:
                found.setdefault(text, []).append(module)
        return found


def module_call(module: ModuleInstance) -> ModuleInstance:
    """Return the address of all instances of a module in its parent: the same without the last key."""
    return ModuleInstance((*module.steps[:-1], ModuleStep(module.steps[-1].name)))


def modules_of(modules: Iterable[ModuleInstance]) -> tuple[ModuleInstance, ...]:
    """Return the modules and all modules that contain them, each once, without the root."""
    return tuple(dict.fromkeys(outer for module in dict.fromkeys(modules) for outer in module.on_the_way))


def _canonical(selector: str) -> str | None:
    try:
        return str(parse_module_instance(selector))
    except AddressError:
        return None
