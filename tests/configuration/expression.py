"""Expressions of the configuration language, from their text."""

from __future__ import annotations

from statefmt.hcl.source import SourceText
from statefmt.hcl.syntax import Expression
from statefmt.hcl.syntax.native import read_expression


def expression(text: str) -> Expression:
    """The expression that a text is, which is in order."""
    source = SourceText("main.tf", text.encode())
    found, problems = read_expression(source, 0, len(source.content), text, exact=True)
    assert not problems
    return found
