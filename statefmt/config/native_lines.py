"""Where an expression may go on in the next line: within brackets and templates, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from statefmt.config.native_tree import parts
from statefmt.config.position import Source
from statefmt.config.problem import Problem, ProblemKind, error

if TYPE_CHECKING:
    from tree_sitter import Node

# Within these a newline is a space; objects are not among them, since there it parts the items.
_OPEN: Final = frozenset(
    {"tuple", "function_call", "for_tuple_expr", "for_object_expr", "new_index", "template_interpolation"}
)
_QUOTED: Final = frozenset({"quoted_template", "string_lit"})


def line_problems(source: Source, attribute: Node) -> Iterator[Problem]:
    """Newlines of an attribute that HCL does not take."""
    if attribute.start_point.row != attribute.end_point.row:
        yield from _closed(source, attribute)


def _closed(source: Source, root: Node) -> Iterator[Problem]:
    # (node, whether a newline is a space there)
    waiting = [(root, False)]
    while waiting:
        node, free = waiting.pop()
        if node.start_point.row == node.end_point.row or node.type == "heredoc_template":
            continue
        if node.type in _QUOTED:
            yield from _quoted(source, node)
        children = parts(node)
        if node.type == "object":
            yield from _unparted(source, children)
            free = False
        elif node.type in _OPEN or (node.type == "expression" and children[0].type == "("):
            # The steps after a parenthesis are outside of it, which makes no difference worth the trouble.
            free = True
        elif not free and node.type not in _QUOTED:
            for before, after in pairwise(children):
                if before.end_point.row != after.start_point.row:
                    place = source.range(before.end_byte, before.end_byte + 1)
                    detail = "The expression ends with the line here. Put it into parentheses to go on in the next."
                    yield error(ProblemKind.SYNTAX, "Invalid expression", detail, place)
                    break
        waiting += [(child, free) for child in children]


def _quoted(source: Source, node: Node) -> Iterator[Problem]:
    for child in node.children:
        if child.type == "template_literal" and child.start_point.row != child.end_point.row:
            detail = "Quoted strings may not be split over multiple lines. Use the escape \\n, or a heredoc template."
            yield error(
                ProblemKind.SYNTAX, "Invalid multi-line string", detail, source.range(child.start_byte, child.end_byte)
            )
            return


def _unparted(source: Source, children: list[Node]) -> Iterator[Problem]:
    for before, after in pairwise(children):
        if before.type == after.type == "object_elem" and before.end_point.row == after.start_point.row:
            detail = "Expected a newline or comma to mark the beginning of the next attribute."
            place = source.range(after.start_byte, after.start_byte + 1)
            yield error(ProblemKind.SYNTAX, "Missing attribute separator", detail, place)
