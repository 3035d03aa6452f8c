"""The table of functions, and what is said of each: its parameters, its result, and how it treats unknown parts.

A function is a Python function with the decorator `function`, in a file of this folder that `__init__`
imports. Its arguments come converted to the types of its parameters, never null, known and without marks, unless its
parameters say otherwise; the result then gets the marks of all arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import msgspec

from statefmt.hcl.syntax.expressions import Expression
from statefmt.hcl.value import Part
from statefmt.hcl.values.names import Names
from statefmt.model.cty import DYNAMIC, Type


class FunctionError(ValueError):
    """A call that OpenTofu would refuse; `argument` is the place of the one to blame, if it is one's fault."""

    def __init__(self, detail: str, argument: int | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.argument = argument


class Parameter(msgspec.Struct, frozen=True):
    """One parameter. `null` may be null; with `parts` unknown parts within are welcome, with `marks` marked ones."""

    name: str
    type: Type = DYNAMIC
    null: bool = False
    parts: bool = False
    marks: bool = False
    unknown: bool = False


class FunctionSurroundings(msgspec.Struct, frozen=True):
    """Where relative paths begin, and a way to evaluate an expression with other names; it raises Refusal."""

    directory: Path
    evaluate: Callable[[Expression, Names], Part]


FunctionBody: TypeAlias = Callable[..., Part]


class Function(msgspec.Struct, frozen=True):
    """One function; `returns` is the type of its result while that is unknown."""

    name: str
    parameters: tuple[Parameter, ...]
    rest: Parameter | None
    returns: Type
    run: FunctionBody
    surroundings: bool = False  # whether it wants them as its first argument
    own_marks: bool = False  # whether it sees the marks of its arguments, and settles those of its result


FUNCTIONS: dict[str, Function] = {}


def function(
    *parameters: Parameter,
    rest: Parameter | None = None,
    returns: Type = DYNAMIC,
    name: str = "",
    surroundings: bool = False,
    own_marks: bool = False,
) -> Callable[[FunctionBody], FunctionBody]:
    """Put a Python function into the table, under its own name without the underscore that may end it."""

    def register(run: FunctionBody) -> FunctionBody:
        called = name or run.__name__.rstrip("_")
        FUNCTIONS[called] = Function(called, parameters, rest, returns, run, surroundings, own_marks)
        return run

    return register
