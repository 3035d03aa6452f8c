"""Finds syntax errors in HCL's native syntax, also those that tree-sitter accepts.

Source: HCL `hclsyntax/parser.go`. tree-sitter accepts misplaced and missing newlines that HCL rejects.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final

from statefmt.hcl.source import Problem, ProblemKind, SourceText, error
from statefmt.hcl.syntax.native._tree import has_newline, line_problems, parts, too_kind

if TYPE_CHECKING:
    from tree_sitter import Node

# One mistake can cause many errors; the first ones suffice.
_MOST: Final = 10
_ENDS: Final = {
    "block_start": "block_end",
    "object_start": "object_end",
    "tuple_start": "tuple_end",
    "(": ")",
    "quoted_template_start": "quoted_template_end",
    "template_interpolation_start": "template_interpolation_end",
    "template_directive_start": "template_directive_end",
}
_UNCLOSED: Final = {
    "block_start": "Unclosed configuration block",
    "quoted_template_start": "Unterminated template string",
}


def syntax_problems(source: SourceText, root: Node) -> list[Problem]:
    """Return the problems of a file in source order, at most ten."""
    if root.has_error:
        return list(islice(_unreadable(source, root), _MOST))
    bodies = (_body(source, child) for child in root.children if child.type == "body")
    found = (_top_level(source, root), *bodies, too_kind(source, root))
    return list(islice((problem for each in found for problem in each), _MOST))


def _unreadable(source: SourceText, root: Node) -> Iterator[Problem]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_missing:
            yield _missing(source, node)
        elif node.is_error and not any(child.has_error for child in node.children):
            yield _unexpected(source, node)
        elif node.has_error:
            waiting += reversed(node.children)


def _missing(source: SourceText, node: Node) -> Problem:
    """Report a missing symbol; a missing closing symbol at the opening one."""
    around = node.parent
    while around is not None and around.type in _ENDS.values():
        around = around.parent
    opening = next((child for child in around.children if child.type in _ENDS), None) if around is not None else None
    if opening is not None:
        return _without_end(source, opening)
    place = source.range(node.start_byte, node.end_byte)
    detail = f"Expected {node.type} here."
    return error(ProblemKind.SYNTAX, "Missing symbol", detail, place)


def _without_end(source: SourceText, opening: Node) -> Problem:
    place = source.range(opening.start_byte, opening.end_byte)
    detail = f"The {source.text(opening.start_byte, opening.end_byte)} opened here is never closed."
    return error(ProblemKind.SYNTAX, _UNCLOSED.get(opening.type, "Invalid expression"), detail, place)


def _unexpected(source: SourceText, node: Node) -> Problem:
    opening = _unclosed(node)
    if opening is not None and not _is_closed_later(source, opening):
        return _without_end(source, opening)
    # The last token of an unreadable stretch is nearest to the mistake.
    near = next((child for child in reversed(node.children) if child.end_byte > child.start_byte), node)
    place = source.range(near.start_byte, near.end_byte)
    # Do not quote the source: it can be a secret with broken quotes.
    return error(ProblemKind.SYNTAX, "Invalid expression", "This is not valid syntax here.", place)


def _unclosed(node: Node) -> Node | None:
    """Return the innermost opening symbol without a closing one in an unreadable stretch."""
    begun: list[Node] = []
    for child in node.children:
        if child.type in _ENDS:
            begun.append(child)
        elif begun and child.type == _ENDS[begun[-1].type]:
            begun.pop()
    return begun[-1] if begun else None


def _is_closed_later(source: SourceText, opening: Node) -> bool:
    """Return whether the text that the tree left out after a mistake closes the bracket, judging by the count."""
    bracket = source.content[opening.start_byte : opening.end_byte]
    closing = {b"{": b"}", b"[": b"]", b"(": b")"}.get(bracket)
    rest = source.content[opening.end_byte :]
    return closing is not None and rest.count(closing) > rest.count(bracket)


def _top_level(source: SourceText, root: Node) -> Iterator[Problem]:
    for child in parts(root):
        if child.type != "body":
            detail = "An argument or block definition is required here."
            place = source.range(child.start_byte, child.start_byte + 1)
            yield error(ProblemKind.SYNTAX, "Argument or block definition required", detail, place)


def _body(source: SourceText, body: Node) -> Iterator[Problem]:
    items = parts(body)
    seen: dict[bytes, Node] = {}
    for item in items:
        if item.type == "attribute":
            name = item.children[0]
            key = source.content[name.start_byte : name.end_byte]
            if key in seen:
                yield _redefined(source, name, seen[key])
            seen.setdefault(key, name)
            yield from line_problems(source, item)
        elif item.type == "block":
            yield from _block(source, item)
    for item, following in pairwise(items):
        if not has_newline(source, item.end_byte, following.start_byte):
            kind = "argument" if item.type == "attribute" else "block definition"
            article = "An" if item.type == "attribute" else "A"
            detail = f"{article} {kind}{' definition' if item.type == 'attribute' else ''} must end with a newline."
            place = source.range(following.start_byte, following.start_byte + 1)
            yield error(ProblemKind.SYNTAX, f"Missing newline after {kind}", detail, place)


def _redefined(source: SourceText, name: Node, first: Node) -> Problem:
    text = source.text(name.start_byte, name.end_byte)
    where = source.range(first.start_byte, first.end_byte)
    detail = f'The argument "{text}" was already set at {where}. Each argument may be set only once.'
    return error(ProblemKind.SYNTAX, "Attribute redefined", detail, source.range(name.start_byte, name.end_byte))


def _block(source: SourceText, block: Node) -> Iterator[Problem]:
    inside = parts(block)
    opening = next(child for child in inside if child.type == "block_start")
    if opening.start_point.row != block.start_point.row:
        place = source.range(block.start_byte, block.start_byte + 1)
        detail = "A block must have its opening brace on the line where its header starts."
        yield error(ProblemKind.SYNTAX, "Invalid block definition", detail, place)
    for child in inside:
        if child.type == "string_lit":
            yield from _label(source, child)
        elif child.type == "body":
            yield from _one_line(source, block, child, opening)
            yield from _closing(source, block, child, opening)
            yield from _body(source, child)


def _label(source: SourceText, label: Node) -> Iterator[Problem]:
    text = source.content[label.start_byte : label.end_byte].replace(b"$${", b"   ").replace(b"%%{", b"   ")
    for mark in (b"${", b"%{"):
        at = text.find(mark)
        if at >= 0:
            detail = "Template sequences are not allowed in the label of a block."
            place = source.range(label.start_byte + at, label.start_byte + at + 2)
            yield error(ProblemKind.SYNTAX, "Invalid string literal", detail, place)


def _closing(source: SourceText, block: Node, body: Node, opening: Node) -> Iterator[Problem]:
    """Check that the closing brace of a block on several lines has its own line."""
    last = parts(body)[-1:]
    if (
        last
        and opening.start_point.row != block.end_point.row
        and not has_newline(source, last[0].end_byte, block.end_byte)
    ):
        place = source.range(block.end_byte - 1, block.end_byte)
        yield error(
            ProblemKind.SYNTAX, "Missing newline after argument", "The closing brace must be on its own line.", place
        )


def _one_line(source: SourceText, block: Node, body: Node, opening: Node) -> Iterator[Problem]:
    items = parts(body)
    if not items or items[0].start_point.row != opening.start_point.row:
        return
    if len(items) > 1 or items[0].type != "attribute" or block.end_point.row != items[0].end_point.row:
        detail = "A block on a single line can have only one argument and must end on that line."
        place = source.range(items[0].start_byte, items[0].end_byte)
        yield error(ProblemKind.SYNTAX, "Invalid single-argument block definition", detail, place)
