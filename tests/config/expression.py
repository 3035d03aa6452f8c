"""Expressions of the configuration language, from their text."""

from __future__ import annotations

from statefmt.config.expressions import Expression
from statefmt.config.native import read_expression
from statefmt.config.position import Source


def expression(text: str) -> Expression:
    """The expression that a text is, which is in order."""
    source = Source("main.tf", text.encode())
    found, problems = read_expression(source, 0, len(source.content), text, exact=True)
    assert not problems
    return found
