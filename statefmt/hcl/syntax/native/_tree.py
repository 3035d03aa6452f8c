"""Parses HCL's native syntax with tree-sitter, and finds the syntax errors in it.

No other module imports tree-sitter. It accepts some tokens, and misplaced and missing newlines, that HCL rejects. The
tree is searched for a token only if a regular expression finds a candidate.
Sources: HCL `hclsyntax/scan_tokens.rl`, `hclsyntax/parser.go`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice, pairwise
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
    return _parser().parse(_without_exponents(content)).root_node


def parse_valid(content: bytes) -> Node | int:
    """Like parse(), but stop at an error that needs a search for a recovery, which takes memory; return the offset."""
    text, failed = _without_exponents(content), 0

    def halts(offset: int, has_error: bool) -> bool:
        nonlocal failed
        failed = offset
        return has_error

    try:
        return _parser().parse(lambda start, _: text[start : start + _CHUNK], progress_callback=halts).root_node
    except ValueError:
        # Otherwise, the next file would continue this one.
        _parser().reset()
        return min(failed, len(content) - 1)


_CHUNK: Final = 1 << 16


def _without_exponents(content: bytes) -> bytes:
    return _EXPONENT.sub(lambda number: b"0" * len(number[0]), content)


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
    """Return (summary, detail), start and stop of the problem of one node, None if it has none."""
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
            # This also allows newlines in the steps after a parenthesis, which HCL rejects; they are too rare to
            # matter.
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
    # The last token of an unreadable part is nearest to the mistake.
    near = next((child for child in reversed(node.children) if child.end_byte > child.start_byte), node)
    place = source.range(near.start_byte, near.end_byte)
    # Do not quote the source: it can be a secret with broken quotes.
    return error(ProblemKind.SYNTAX, "Invalid expression", "This is not valid syntax here.", place)


def _unclosed(node: Node) -> Node | None:
    """Return the innermost unclosed opening symbol in an unreadable part."""
    begun: list[Node] = []
    for child in node.children:
        if child.type in _ENDS:
            begun.append(child)
        elif begun and child.type == _ENDS[begun[-1].type]:
            begun.pop()
    return begun[-1] if begun else None


def _is_closed_later(source: SourceText, opening: Node) -> bool:
    """Return whether the text after a mistake that the tree omits closes the bracket, judging by the count."""
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
