"""Models module addresses: static paths of calls, and paths with a key at each step.

Sources: OpenTofu `internal/addrs/module.go`, `module_instance.go`. The parsers are in `_module_parsing`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec

from statefmt.model.addrs.instance_key import NO_KEY, InstanceKey

# No configuration nests modules as deeply. Work on all ancestors of a module grows with the square of its depth.
_DEEPEST: Final = 200
# Cache size for printed module instances; resources of one module usually follow each other.
_KEPT: Final = 1024


class Module(msgspec.Struct, frozen=True, gc=False):
    """A path of module calls in configuration, `module.a.module.b`; the root module has no names and prints as ""."""

    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ".".join([f"module.{name}" for name in self.names])

    def __bool__(self) -> bool:
        """False for the root module, as for any empty path."""
        return bool(self.names)

    @property
    def is_root(self) -> bool:
        """Whether this is the root module."""
        return not self.names

    def child(self, name: str) -> Module:
        """Return the module that a call in this one names."""
        return Module((*self.names, name))

    def parent(self) -> Module:
        """Return the calling module; the root module is its own parent."""
        return Module(self.names[:-1])

    def unkeyed_instance(self) -> ModuleInstance:
        """Return the instance that this path names if none of its calls uses `count` or `for_each`."""
        return ModuleInstance(tuple([ModuleStep(name) for name in self.names]))


class ModuleStep(msgspec.Struct, frozen=True, gc=False):
    """One call on the path to a module instance: `module.a["x"]`."""

    name: str
    key: InstanceKey = NO_KEY

    def __str__(self) -> str:
        return f"module.{self.name}{self.key}"


class ModuleInstance(msgspec.Struct, frozen=True, gc=False, cache_hash=True):
    """A path of module instances, `module.a["x"].module.b[0]`; the root module has no steps and prints as ""."""

    steps: tuple[ModuleStep, ...] = ()

    def __str__(self) -> str:
        return _text(self) if self.steps else ""

    def __bool__(self) -> bool:
        """False for the root module, as for any empty path."""
        return bool(self.steps)

    @property
    def is_root(self) -> bool:
        """Whether this is the root module."""
        return not self.steps

    def child(self, name: str, key: InstanceKey = NO_KEY) -> ModuleInstance:
        """Return an instance of the module that a call in this one names."""
        return ModuleInstance((*self.steps, ModuleStep(name, key)))

    def parent(self) -> ModuleInstance:
        """Return the calling module instance; the root module is its own parent."""
        return ModuleInstance(self.steps[:-1])

    def module(self) -> Module:
        """Return the static path, which all instances of a module share."""
        return Module(tuple([step.name for step in self.steps]))

    @property
    def on_the_way(self) -> tuple[ModuleInstance, ...]:
        """The ancestors of this module without the root, outermost first, and the module itself; empty for the root.

        Raises RecursionError if there are more than 200.
        """
        if len(self.steps) > _DEEPEST:
            raise RecursionError
        return tuple(ModuleInstance(self.steps[:depth]) for depth in range(1, len(self.steps) + 1))

    def contains(self, other: ModuleInstance) -> bool:
        """Return whether `other` is this module instance or one below it."""
        return other.steps[: len(self.steps)] == self.steps


@lru_cache(maxsize=_KEPT)
def _text(module: ModuleInstance) -> str:
    """Print a module instance. Cached, since the address of every resource in it starts with this string."""
    return ".".join([f"module.{step.name}{step.key}" for step in module.steps])
