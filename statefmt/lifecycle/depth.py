"""Refuses values and schemas that are nested too deeply for the recursion of Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from statefmt.model.cty.errors import CtyValueError

P = ParamSpec("P")
R = TypeVar("R")


def refuses_depth(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function raise CtyValueError where it would raise RecursionError."""

    @wraps(function)
    def refusing(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except RecursionError:
            raise CtyValueError("the value is nested too deeply") from None

    return refusing
