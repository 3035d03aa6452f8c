"""Public modules whose names are imported when they are first used, and functions that check their arguments.

    with lazy_imports(globals()):
        from statefmt.analysis.moves import propose_moves as propose_moves

The imports of the block are the one table of public names: `__all__`, `dir()` and the lazy loading follow from it, and
type checkers, which read them as they are, take each `as` for a public name. A module that renames imports has its own
`__all__`, since type checkers accept no other `as` as public. So programs only load the names that they use.

Public functions refuse unknown arguments and arguments of a wrong type. A successful call costs nearly nothing: the
arguments are compared with the annotations after a failure. The exception is a string in place of bytes or of several
strings, which would not fail.
"""

from __future__ import annotations

import builtins
from _thread import allocate_lock
from importlib import import_module

# Not imported from typing, which takes longer than everything else here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterable, Mapping
    from types import FunctionType
    from typing import Any, TypeVar

    _Class = TypeVar("_Class", bound=type)
    _Function = TypeVar("_Function", bound=Callable[..., Any])

# Two threads must not replace __import__ at the same time.
_LOCK = allocate_lock()


class lazy_imports:  # noqa: N801 - used as a function is
    """Note the imports of a `with` block instead of doing them, and have the module import each name on first use.

    Functions check their arguments. `renamed` maps old names to new names; old names work with a DeprecationWarning.
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
            # Other threads import as usual.
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
    """A placeholder for a module in `from module import name`."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> _Home:
        return _Home(self._module, name)


def _current_name(module: str, name: str, new: str) -> str:
    """Warn about an old name, at the line that uses it, and return the new name."""
    import warnings

    warnings.warn(f"{module}.{name} has been renamed; use {module}.{new}", DeprecationWarning, stacklevel=3)
    return new


# CO_VARKEYWORDS and CO_GENERATOR of the module `inspect`: the function takes any keywords, or is a generator.
_ANY_KEYWORDS, _GENERATOR = 8, 32
_MADE = "_checked"
# Advice on getting the expected argument, by its type.
_WAYS = {
    "bytes": "for a file, use statefmt.open(), or pass its content: Path(…).read_bytes()",
    "Snapshot": "statefmt.read(data).snapshot and statefmt.open(path).snapshot are snapshots",
    "Criteria": "statefmt.selection.Criteria(…) makes criteria",
    "RunContext": "statefmt.run_context() makes a context",
    "Release": "statefmt.releases.parse_release(…) makes a release",
}


def refuse_unknown(kind: str, given: Iterable[str], known: Iterable[str], more: Iterable[str] = ()) -> None:
    """Raise TypeError with the nearest name if one of the `given` names is not known.

    `kind` is the kind of the names, such as "filter"; `more` are names of other kinds for suggestions.
    """
    names = [*known]
    for name in given:
        if name not in names:
            near = _nearest(name, [*names, *more])
            raise TypeError(f"unknown {kind} {name!r}{near}; the {kind}s are: {', '.join(names)}")


def checked(function: _Function, public_name: str = "") -> _Function:
    """Return a function that raises TypeError, with the expected arguments, for unknown arguments and wrong types.

    `public_name` is its name in messages, by default the name of the function.
    """
    made: Any = getattr(function, _MADE, None)
    if made is not None:
        # A function has one checked form, wherever it is imported.
        return made  # type: ignore[no-any-return]
    # A cached function wraps the one with the code.
    plain: Any = getattr(function, "__wrapped__", function)
    code, hints = plain.__code__, plain.__annotations__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    mistakable = [
        (place, name)
        for place, name in enumerate(names)
        if (hint := str(hints.get(name, ""))).startswith("bytes") or "[str]" in hint
    ]
    called = f"{public_name or plain.__name__}()"
    # A generator fails when its values are used.
    is_generator = code.co_flags & _GENERATOR

    def call(*args: Any, **kwargs: Any) -> Any:
        for place, name in mistakable:
            value = args[place] if place < len(args) else kwargs.get(name)
            if isinstance(value, str) or hasattr(value, "__fspath__"):
                _refuse(plain, args, kwargs, called)
        if is_generator:
            _refuse(plain, args, kwargs, called)
        try:
            return function(*args, **kwargs)
        except (AttributeError, AssertionError, TypeError):
            _refuse(plain, args, kwargs, called)
            raise

    for name in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
        setattr(call, name, getattr(function, name))
    call.__wrapped__ = function  # type: ignore[attr-defined]
    setattr(function, _MADE, call)
    return call  # type: ignore[return-value]


def is_checkable(value: object) -> bool:
    """Return whether a value is a function that can be checked: a plain one, or one whose results are cached."""
    is_plain = type(value) is type(is_checkable) and not hasattr(value, "__wrapped__")
    return is_plain or type(value).__name__ == "_lru_cache_wrapper"


def checked_methods(made: _Class) -> _Class:
    """Check the arguments of all public methods of a class."""
    for name, value in list(vars(made).items()):
        if not name.startswith("_") and is_checkable(value):
            setattr(made, name, checked(value))
    return made


def _refuse(function: FunctionType, args: tuple[object, ...], kwargs: Mapping[str, object], called: str) -> None:
    """Raise TypeError if a keyword is unknown, or if an argument is of none of the types of its annotation."""
    code, hints = function.__code__, function.__annotations__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if not code.co_flags & _ANY_KEYWORDS:
        for name in kwargs:
            if name not in names:
                raise TypeError(f"{called} has no argument {name!r}{_nearest(name, names)}") from None
    given = {**dict(zip(names[: code.co_argcount], args, strict=False)), **kwargs}
    for name, value in given.items():
        expected = hints.get(name)
        if isinstance(expected, str) and not _fits(value, expected, function):
            ways = [way for type_, way in _WAYS.items() if type_ in expected]
            raise TypeError(
                f"{called}: {name} must be {expected.replace(' | ', ' or ')}, not {type(value).__name__}"
                + (f"; {ways[0]}" if ways else "")
            ) from None


def _fits(value: object, expected: str, function: FunctionType) -> bool:
    """Return whether a value has one of the types of an annotation; True if unknown."""
    import ast

    return any(_is_of(value, one, function) for one in _alternatives(ast.parse(expected, mode="eval").body))


def _alternatives(annotation: ast.expr) -> Iterable[ast.expr]:
    """Return the parts of a union."""
    import ast

    if isinstance(annotation, ast.BinOp):
        return [*_alternatives(annotation.left), *_alternatives(annotation.right)]
    return [annotation]


def _is_of(value: object, annotation: ast.expr, function: FunctionType) -> bool:
    import ast

    if isinstance(annotation, ast.Constant):
        return value is None if annotation.value is None else True
    generic = isinstance(annotation, ast.Subscript)
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    name = annotation.attr if isinstance(annotation, ast.Attribute) else getattr(annotation, "id", "")
    if name == "PathLike":
        return hasattr(value, "__fspath__")
    if generic and name in ("Iterable", "Sequence", "Collection") and isinstance(value, (str, bytes)):
        # Each character would be an element.
        return False
    return _is_instance(value, _named(name, function))


def _named(name: str, function: FunctionType) -> object:
    """Return the meaning of a name in the module of a function, even if only type checkers import it."""
    import ast
    import inspect
    import sys

    for names in (function.__globals__, vars(builtins)):
        if name in names:
            return names[name]
    try:
        source = inspect.getsource(sys.modules[function.__module__])
    except OSError:
        return None
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                if name == (alias.asname or alias.name):
                    return getattr(import_module(node.module), alias.name)
    return None


def _is_instance(value: object, meant: object) -> bool:
    from types import GenericAlias, UnionType
    from typing import get_args, get_origin

    if isinstance(meant, UnionType):
        return any(_is_instance(value, one) for one in get_args(meant))
    if isinstance(meant, GenericAlias) or get_origin(meant) is not None:
        meant = get_origin(meant)
    if meant is float:
        return isinstance(value, (int, float))
    if meant is bytes:
        return isinstance(value, (bytes, bytearray, memoryview))
    if not isinstance(meant, type):
        return True
    try:
        return isinstance(value, meant)
    except TypeError:
        # A protocol.
        return True


def _nearest(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, [*known], n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""
