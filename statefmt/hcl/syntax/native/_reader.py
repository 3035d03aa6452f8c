"""What the parts of the native reader need of the whole: expressions inside of steps, templates and directives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from statefmt.hcl.source.position import Range, SourceText
from statefmt.hcl.source.problem import Problem
from statefmt.hcl.syntax.expressions import Expression

if TYPE_CHECKING:
    from tree_sitter import Node


class Reader(Protocol):
    """Reads the expressions of one file."""

    source: SourceText
    problems: list[Problem]

    def read(self, node: Node) -> Expression: ...

    def range(self, node: Node) -> Range: ...

    def text(self, node: Node) -> str: ...

    def expression(self, node: Node) -> Expression: ...

    def for_intro(self, node: Node) -> tuple[list[str], Expression]: ...
