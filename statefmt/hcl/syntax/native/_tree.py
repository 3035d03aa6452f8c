"""Parses HCL's native syntax with tree-sitter, and finds tokens and line breaks that only HCL refuses.

No other module imports tree-sitter. The tree is searched for a token only if a regular expression finds a candidate.
Source: HCL `hclsyntax/scan_tokens.rl`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from statefmt.hcl.source import Problem, ProblemKind, SourceText, error

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


_EXPONENT: Final = re.compile(rb"(?<![\w.])[0-9]+[eE][+-]?[0-9]+(?![\w.])")
# Nodes that may appear anywhere and have no meaning.
COMMENT: Final = "comment"


@cache
def _parser() -> Parser:
    import tree_sitter_hcl
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_hcl.language()))


def parse(content: bytes) -> Node:
    """Parse a file and return the root node; unreadable parts are error nodes or missing nodes.

    Use the positions of the nodes, not their text: tree-sitter's grammar does not know numbers like `1e3`, so they are
    replaced by as many digits before parsing.
    """
    return _parser().parse(_EXPONENT.sub(_digits, content)).root_node


def _digits(match: re.Match[bytes]) -> bytes:
    return b"0" * len(match[0])


def parts(node: Node) -> list[Node]:
    """Return the children of a node without comments."""
    return [child for child in node.children if child.type != COMMENT]


_SUSPECT: Final = re.compile(
    rb"\b[0-9]+[xX]|\.\s*[0-9]+\s*\.\s*[0-9]|::|<<-?(?:[^\w-]|[^\s\x80-\xff]*[^\w\s\x80-\xff-]|[^\s]*[^\S\r\n])"
)
_OPENING: Final = re.compile(rb"<<-?[\w\x80-\xff][\w\x80-\xff-]*\r?\n")
_NUMBER: Final = re.compile(rb"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def too_kind(source: SourceText, root: Node) -> Iterator[Problem]:
    """Yield problems of a file that tree-sitter accepts."""
    if _SUSPECT.search(source.content) is None:
        return
    waiting = [root]
    while waiting:
        node = waiting.pop()
        found = _wrong(source, node)
        if found is not None:
            start, stop = found[1], found[2]
            yield error(ProblemKind.SYNTAX, *found[0], source.range(start, stop))
        else:
            waiting += reversed(node.children)


def _wrong(source: SourceText, node: Node) -> tuple[tuple[str, str], int, int] | None:
    """Return (summary, detail), start and stop of the problem of one node, None if there is none."""
    content = source.content
    match node.type:
        case "numeric_lit" if not _NUMBER.fullmatch(content, node.start_byte, node.end_byte):
            said = (
                "Missing newline after argument",
                "Numbers have only decimal digits; the rest is not part of the number.",
            )
        case "index" if _follows_legacy_index(node):
            detail = "Chaining two indexes in the legacy syntax is not permitted. Use the proper index syntax, [0]."
            said = ("Invalid legacy index syntax", detail)
        case "variable_expr" if b"::" in content[node.start_byte : node.end_byte]:
            said = ("Missing open parenthesis", "Two colons are allowed only in the name of a function in a call.")
        case "heredoc_template" if not _OPENING.match(content, node.start_byte):
            detail = "The heredoc marker must directly follow << or <<- and end the line."
            said = ("Invalid expression", detail)
        case _:
            return None
    return said, node.start_byte, node.end_byte


def _follows_legacy_index(node: Node) -> bool:
    before = node.prev_sibling
    if before is None or not _is_legacy(node):
        return False
    # `1.0.0` is an index into a number.
    return before.type == "literal_value" or (before.type == "index" and _is_legacy(before))


def _is_legacy(node: Node) -> bool:
    return bool(node.children) and node.children[0].type == "legacy_index"


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
