"""Writes definitions as the code that users read: signatures, annotations and defaults."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from griffe import Attribute, Class, Expr, ExprName, Function, Parameter, ParameterKind

from docs.public_library.source import definition

_WIDTH: Final = 100
_STRING: Final = re.compile(r"'([^'\"\\]*)'")


def signature(name: str, found: Function) -> str:
    """Return a definition without its body, with its public name, on several lines if it is long."""
    shown = list(_parameters(found))
    head, end = f"{decorators(found)}def {name}(", f") -> {code(found.returns)}"
    line = f"{head}{', '.join(shown)}{end}"
    if len(line.rpartition("\n")[2]) <= _WIDTH:
        return line
    return "\n".join([head, *(f"    {one}," for one in shown), end])


def _parameters(found: Function) -> Iterator[str]:
    has_star = False
    for place, parameter in enumerate(found.parameters):
        if place == 0 and isinstance(found.parent, Class) and parameter.name in ("self", "cls"):
            continue
        kind = parameter.kind
        if kind is ParameterKind.keyword_only and not has_star:
            has_star = True
            yield "*"
        has_star |= kind is ParameterKind.var_positional
        yield _parameter(parameter)


def _parameter(parameter: Parameter) -> str:
    stars = {ParameterKind.var_positional: "*", ParameterKind.var_keyword: "**"}.get(
        parameter.kind or ParameterKind.positional_or_keyword, ""
    )
    annotation = "" if parameter.annotation is None else f": {code(parameter.annotation)}"
    end = "" if stars or parameter.default is None else f" = {default(parameter.default)}"
    return f"{stars}{parameter.name}{annotation}{end}"


def default(value: str | Expr) -> str:
    """Return a default as a call may have it: the value of a private constant instead of its name."""
    if isinstance(value, ExprName) and value.name.startswith("_"):
        constant = definition(value.canonical_path)
        assert isinstance(constant, Attribute), value
        return default(constant.value or "")
    return re.sub(r"^(?:field\(default_factory=dict\)|MappingProxyType\({}\))$", "{}", code(value))


def code(value: str | Expr | None) -> str:
    """Return an expression on one line, with strings in double quotes."""
    return _STRING.sub(r'"\1"', re.sub(r"\s+", " ", str(value)))


def decorators(found: Function) -> str:
    shown = ("classmethod", "staticmethod", "contextmanager")
    return "".join(f"@{one.value}\n" for one in found.decorators if str(one.value) in shown)
