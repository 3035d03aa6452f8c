"""The value of an expression in a scope, or the reason why it cannot be known."""

from __future__ import annotations

from statefmt.config.expressions import Expression
from statefmt.config.scope import Scope
from statefmt.config.values import Part


def evaluate(expression: Expression, scope: Scope) -> Part:
    """The value of an expression: a `Value` (perhaps with unknown parts), or an `Unknown` with reason and place.

    Never raises for what a configuration can hold. Where OpenTofu would refuse the expression, the result is an
    `Unknown` with a `problem` in OpenTofu's words.
    """
    raise NotImplementedError
