"""Checks line breaks in expressions: HCL allows them only inside brackets and templates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from statefmt.hcl.source.position import SourceText
from statefmt.hcl.source.problem import Problem, ProblemKind, error
from statefmt.hcl.syntax.native._tree import parts

if TYPE_CHECKING:
    from tree_sitter import Node

# Inside these a newline is white space. In objects it separates items.
_OPEN: Final = frozenset(
    {"tuple", "function_call", "for_tuple_expr", "for_object_expr", "new_index", "template_interpolation"}
)
_SEQUENCES: Final = frozenset({"template_interpolation", "template_directive"})
# A newline in a comment does not end a line.
_COMMENT: Final = re.compile(rb"/\*.*?\*/", re.DOTALL)
_QUOTED: Final = frozenset({"quoted_template", "string_lit"})


def has_newline(source: SourceText, start: int, stop: int) -> bool:
    """Return whether a line ends between two offsets; newlines inside a multi-line comment do not count."""
    between = source.content[start:stop]
    return b"\n" in (_COMMENT.sub(b"", between) if b"/*" in between else between)


def line_problems(source: SourceText, attribute: Node) -> Iterator[Problem]:
    """Yield newlines in an attribute that HCL rejects, and newlines missing between the items of an object."""
    over_lines = attribute.start_point.row != attribute.end_point.row
    if over_lines or source.content.find(b"{", attribute.start_byte, attribute.end_byte) >= 0:
        yield from _closed(source, attribute)


def _closed(source: SourceText, root: Node) -> Iterator[Problem]:
    # (node, whether a newline is white space in it)
    waiting = [(root, False)]
    while waiting:
        node, free = waiting.pop()
        if node.type == "heredoc_template":
            waiting += [(child, True) for child in node.children if child.type == "template_interpolation"]
            continue
        if not node.child_count:
            continue
        children = parts(node)
        if node.type == "template_interpolation" and all(child.type != "expression" for child in children):
            place = source.range(node.start_byte, node.end_byte)
            yield error(ProblemKind.SYNTAX, "Invalid expression", "There is no expression between these braces.", place)
        if node.start_point.row == node.end_point.row:
            if node.type == "object":
                yield from _unparted(source, children)
            waiting += [(child, free) for child in children]
            continue
        if node.type in _QUOTED:
            yield from _quoted(source, node)
        if node.type == "function_call" and not free and children[0].end_point.row != children[1].start_point.row:
            yield _ended(source, children[0])
        if node.type == "object":
            yield from _unparted(source, children)
            free = False
        elif node.type in _OPEN or (node.type == "expression" and children[0].type == "("):
            # This also allows newlines in the steps after a parenthesis, which HCL rejects: too rare to matter.
            free = True
        elif not free and node.type not in _QUOTED:
            for before, after in pairwise(children):
                if before.end_point.row != after.start_point.row:
                    yield _ended(source, before)
                    break
        waiting += [(child, free) for child in children]


def _ended(source: SourceText, before: Node) -> Problem:
    place = source.range(before.end_byte, before.end_byte + 1)
    detail = "The expression ends with this line. Put it in parentheses to continue it on the next line."
    return error(ProblemKind.SYNTAX, "Invalid expression", detail, place)


def _quoted(source: SourceText, node: Node) -> Iterator[Problem]:
    """Report a newline in a quoted string; newlines inside interpolations are allowed."""
    start = node.start_byte
    for child in (*(child for child in node.children if child.type in _SEQUENCES), None):
        stop = node.end_byte if child is None else child.start_byte
        at = source.content.find(b"\n", start, stop)
        if at >= 0:
            detail = "Quoted strings may not be split over multiple lines. Use the escape \\n, or a heredoc template."
            yield error(ProblemKind.SYNTAX, "Invalid multi-line string", detail, source.range(at, at + 1))
            return
        start = stop if child is None else child.end_byte


def _unparted(source: SourceText, children: list[Node]) -> Iterator[Problem]:
    for before, after in pairwise(children):
        parted = has_newline(source, before.end_byte, after.start_byte)
        if before.type == "object_elem" and after.type == "," and parted:
            detail = "The newline before this comma already ended the attribute."
            yield error(
                ProblemKind.SYNTAX, "Invalid expression", detail, source.range(after.start_byte, after.end_byte)
            )
        if before.type == after.type == "object_elem" and not parted:
            detail = "Expected a newline or comma to mark the beginning of the next attribute."
            place = source.range(after.start_byte, after.start_byte + 1)
            yield error(ProblemKind.SYNTAX, "Missing attribute separator", detail, place)
