"""The expression reader as used by steps, templates and directives, which contain expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from statefmt.hcl.source.position import Range, SourceText
from statefmt.hcl.source.problem import Problem
from statefmt.hcl.syntax.expressions import Expression

if TYPE_CHECKING:
    from tree_sitter import Node


class Reader(Protocol):
    """A reader of the expressions of one file."""

    source: SourceText
    problems: list[Problem]

    def read(self, node: Node) -> Expression: ...

    def range(self, node: Node) -> Range: ...

    def text(self, node: Node) -> str: ...

    def expression(self, node: Node) -> Expression: ...

    def for_intro(self, node: Node) -> tuple[list[str], Expression]: ...
