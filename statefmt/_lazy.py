"""Public modules whose names are imported when they are first used, so that programs pay only for what they use.

    with lazy_imports(globals()):
        from statefmt.analysis.moves import propose_moves as propose_moves

The imports of the block are the one table of public names: `__all__`, `dir()` and the lazy loading follow from it, and
type checkers, which read them as they are, take each `as` for a public name. A module whose names are others elsewhere
has an `__all__` of its own, since type checkers take no other `as` for public.
"""

from __future__ import annotations

import builtins
from _thread import allocate_lock
from importlib import import_module

from statefmt._arguments import checked, is_checkable

# As in statefmt/_arguments.py: not imported from typing, which takes longer than everything else here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# Two threads must not replace __import__ at a time.
_LOCK = allocate_lock()


class lazy_imports:  # noqa: N801 - used as a function is
    """Note the imports of a `with` block instead of doing them, and have the module import each name on first use.

    Functions check their arguments. `renamed` has new names by old ones, which work with a DeprecationWarning.
    """

    def __init__(self, namespace: dict[str, Any], renamed: Mapping[str, str] | None = None) -> None:
        self._namespace = namespace
        self._renamed = {} if renamed is None else renamed
        self._import = builtins.__import__

    def __enter__(self) -> None:
        _LOCK.acquire()
        self._import = original = builtins.__import__
        namespace = self._namespace

        def noted(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:  # noqa: A002 - as of __import__
            # Other threads import as ever.
            return _Unloaded(name) if globals is namespace else original(name, globals, locals, fromlist, level)

        builtins.__import__ = noted

    def __exit__(self, *_: object) -> None:
        builtins.__import__ = self._import
        _LOCK.release()
        namespace, module = self._namespace, str(self._namespace["__name__"])
        homes = {name: value for name, value in namespace.items() if isinstance(value, _Home)}
        for name in homes:
            del namespace[name]

        def public() -> list[str]:
            # Functions that the module itself defines.
            own = {name for name, value in namespace.items() if getattr(value, "__module__", "") == module}
            return sorted({*homes, *(name for name in own if name[0] != "_"), *({"__version__"} & namespace.keys())})

        def get(name: str) -> Any:
            if name == "__all__":
                return public()
            if name in self._renamed:
                name = _current_name(module, name, self._renamed[name])
            if name not in homes:
                raise AttributeError(f"module {module!r} has no attribute {name!r}")
            home = homes[name]
            if home.module == module:
                return import_module(f"{module}.{name}")
            found = getattr(import_module(home.module), home.name)
            if not isinstance(found, type) and is_checkable(found):
                found = checked(found, name)
            namespace[name] = found
            return found

        namespace["__getattr__"] = get
        namespace["__dir__"] = lambda: sorted(namespace.get("__all__") or public())


class _Home:
    """Where a public name is defined."""

    __slots__ = ("module", "name")

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name


class _Unloaded:
    """Stands for a module in `from module import name`."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> _Home:
        return _Home(self._module, name)


def _current_name(module: str, name: str, new: str) -> str:
    """Warn about an old name, for the line that uses it, and return the new one."""
    import warnings

    warnings.warn(f"{module}.{name} has been renamed; use {module}.{new}", DeprecationWarning, stacklevel=3)
    return new
