"""The registry of functions: their parameters, result types, and treatment of unknown and marked values.

A function is a Python function with the decorator `function`, in a module that `__init__` imports. Its arguments are
converted to the types of its parameters. Unless its parameters say otherwise, they are never null, known and without
marks; the result then gets the marks of all arguments.
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
    """A call that OpenTofu would refuse; `argument` is the index of the argument at fault, if any."""

    def __init__(self, detail: str, argument: int | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.argument = argument


class Parameter(msgspec.Struct, frozen=True):
    """A parameter, and whether it accepts null, an unknown value, unknown parts, and parts with marks."""

    name: str
    type: Type = DYNAMIC
    null: bool = False
    parts: bool = False
    marks: bool = False
    unknown: bool = False


class FunctionSurroundings(msgspec.Struct, frozen=True):
    """The base of relative paths, and a function that evaluates an expression in another scope (raises Refusal)."""

    directory: Path
    evaluate: Callable[[Expression, Names], Part]


FunctionBody: TypeAlias = Callable[..., Part]


class Function(msgspec.Struct, frozen=True):
    """A registered function; `returns` is the type of an unknown result."""

    name: str
    parameters: tuple[Parameter, ...]
    rest: Parameter | None
    returns: Type
    run: FunctionBody
    surroundings: bool = False  # whether it takes FunctionSurroundings as its first argument
    own_marks: bool = False  # whether it gets arguments with marks and marks its result itself


FUNCTIONS: dict[str, Function] = {}


def function(
    *parameters: Parameter,
    rest: Parameter | None = None,
    returns: Type = DYNAMIC,
    name: str = "",
    surroundings: bool = False,
    own_marks: bool = False,
) -> Callable[[FunctionBody], FunctionBody]:
    """Register a Python function under `name`, or under its own name without a trailing underscore."""

    def register(run: FunctionBody) -> FunctionBody:
        called = name or run.__name__.rstrip("_")
        FUNCTIONS[called] = Function(
            name=called,
            parameters=parameters,
            rest=rest,
            returns=returns,
            run=run,
            surroundings=surroundings,
            own_marks=own_marks,
        )
        return run

    return register
