"""Reads from a plan which modules and resources its configuration declares."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Raw, Struct

from statefmt.model.addrs import AbsResource, Module


class _ResourceJSON(Struct, gc=False):
    address: str = ""


class _ModuleJSON(Struct, gc=False):
    resources: list[_ResourceJSON] | None = None
    module_calls: dict[str, _CallJSON] | None = None


class _CallJSON(Struct, gc=False):
    module: _ModuleJSON | None = None


class _ConfigurationJSON(Struct, gc=False):
    root_module: _ModuleJSON | None = None


class DeclaredNames:
    """The modules and the resources that a configuration declares; all, if the plan has no readable configuration."""

    def __init__(self, raw: Raw | None) -> None:
        self._modules: Final[set[tuple[str, ...]]] = set()
        self._resources: Final[set[tuple[tuple[str, ...], str]]] = set()
        try:
            document = None if raw is None else msgspec.json.decode(raw, type=_ConfigurationJSON)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            document = None
        self._is_known: Final = document is not None
        root = document and document.root_module
        waiting: list[tuple[tuple[str, ...], _ModuleJSON]] = [((), root)] if root else []
        while waiting:
            names, module = waiting.pop()
            self._modules.add(names)
            self._resources.update((names, resource.address) for resource in module.resources or ())
            waiting += [
                ((*names, name), call.module or _ModuleJSON()) for name, call in (module.module_calls or {}).items()
            ]

    def has_module(self, module: Module) -> bool:
        """Return whether a module is called, by the path without keys."""
        return not self._is_known or module.names in self._modules

    def has_resource(self, resource: AbsResource) -> bool:
        """Return whether a resource block is declared, whatever its keys are."""
        return not self._is_known or (resource.module.module().names, str(resource.resource)) in self._resources
