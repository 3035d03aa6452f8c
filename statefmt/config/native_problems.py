"""What is wrong with a text of HCL's native syntax: what tree-sitter could not read, and what it reads too kindly.

Source: HCL `hclsyntax/parser.go`. tree-sitter does not mind newlines, or their absence, where HCL does.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final

from statefmt.config.native_lines import has_newline, line_problems
from statefmt.config.native_tokens import too_kind
from statefmt.config.native_tree import parts
from statefmt.config.position import Source
from statefmt.config.problem import Problem, ProblemKind, error

if TYPE_CHECKING:
    from tree_sitter import Node

# One mistake can make many errors: the first ones say it all.
_MOST: Final = 10
_SHOWN: Final = 40


def syntax_problems(source: Source, root: Node) -> list[Problem]:
    """Every problem of a text, at most ten, in the order of the text."""
    if root.has_error:
        return list(islice(_unreadable(source, root), _MOST))
    bodies = (_body(source, child) for child in root.children if child.type == "body")
    found = (_top_level(source, root), *bodies, too_kind(source, root))
    return list(islice((problem for each in found for problem in each), _MOST))


def _unreadable(source: Source, root: Node) -> Iterator[Problem]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_missing:
            place = source.range(node.start_byte, node.end_byte)
            detail = f"There is no {node.type} here, and something before it needs one."
            yield error(ProblemKind.SYNTAX, "Missing symbol", detail, place)
        elif node.is_error and not any(child.has_error for child in node.children):
            yield _unexpected(source, node)
        elif node.has_error:
            waiting += reversed(node.children)


def _unexpected(source: Source, node: Node) -> Problem:
    text = source.text(node.start_byte, min(node.end_byte, node.start_byte + 4 * _SHOWN)).split("\n", 1)[0].strip()
    shown = f"{text[:_SHOWN]}…" if len(text) > _SHOWN else text
    place = source.range(node.start_byte, node.end_byte)
    return error(ProblemKind.SYNTAX, "Invalid expression", f"This makes no sense here: {shown!r}.", place)


def _top_level(source: Source, root: Node) -> Iterator[Problem]:
    for child in parts(root):
        if child.type != "body":
            detail = "An argument or block definition is required here."
            place = source.range(child.start_byte, child.start_byte + 1)
            yield error(ProblemKind.SYNTAX, "Argument or block definition required", detail, place)


def _body(source: Source, body: Node) -> Iterator[Problem]:
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


def _redefined(source: Source, name: Node, first: Node) -> Problem:
    text = source.text(name.start_byte, name.end_byte)
    where = source.range(first.start_byte, first.end_byte)
    detail = f'The argument "{text}" was already set at {where}. Each argument may be set only once.'
    return error(ProblemKind.SYNTAX, "Attribute redefined", detail, source.range(name.start_byte, name.end_byte))


def _block(source: Source, block: Node) -> Iterator[Problem]:
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


def _label(source: Source, label: Node) -> Iterator[Problem]:
    text = source.content[label.start_byte : label.end_byte].replace(b"$${", b"   ").replace(b"%%{", b"   ")
    for mark in (b"${", b"%{"):
        at = text.find(mark)
        if at >= 0:
            detail = "Template sequences are not allowed in the label of a block."
            place = source.range(label.start_byte + at, label.start_byte + at + 2)
            yield error(ProblemKind.SYNTAX, "Invalid string literal", detail, place)


def _closing(source: Source, block: Node, body: Node, opening: Node) -> Iterator[Problem]:
    """The brace at the end stands on a line of its own, unless all of the block is on one."""
    last = parts(body)[-1:]
    if (
        last
        and opening.start_point.row != block.end_point.row
        and not has_newline(source, last[0].end_byte, block.end_byte)
    ):
        place = source.range(block.end_byte - 1, block.end_byte)
        yield error(
            ProblemKind.SYNTAX, "Missing newline after argument", "The closing brace needs its own line.", place
        )


def _one_line(source: Source, block: Node, body: Node, opening: Node) -> Iterator[Problem]:
    items = parts(body)
    if not items or items[0].start_point.row != opening.start_point.row:
        return
    if len(items) > 1 or items[0].type != "attribute" or block.end_point.row != items[0].end_point.row:
        detail = "A block on a single line can have one argument, and ends on that line."
        place = source.range(items[0].start_byte, items[0].end_byte)
        yield error(ProblemKind.SYNTAX, "Invalid single-argument block definition", detail, place)
