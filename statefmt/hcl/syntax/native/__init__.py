"""Parses HCL's native syntax with tree-sitter into bodies and expressions.

Source: HCL `hclsyntax/parser.go`, `structure.go`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from statefmt.golang import nfc
from statefmt.hcl.source import EmbeddedSource, Problem, ProblemKind, Range, SourceText, error
from statefmt.hcl.syntax import Argument, Bad, Block, Expression, Literal
from statefmt.hcl.syntax.native._expressions import ExpressionReader
from statefmt.hcl.syntax.native._tree import parse, parse_valid, parts, syntax_problems
from statefmt.hcl.value import UnknownKind

if TYPE_CHECKING:
    from tree_sitter import Node


# tree-sitter needs a second and 600 MB for a megabyte of text that is not HCL, and a tenth of that for HCL.
LARGEST_FILE: Final = 2 * 1024 * 1024


def read_file(source: SourceText, problems: list[Problem], largest: int = LARGEST_FILE) -> NativeBody:
    """Read the body of a file and add its problems to `problems`; the rest of the file is still read.

    Of a file of more than LARGEST_FILE bytes, at most `largest`, nothing is read if it is not HCL.
    """
    reader = ExpressionReader(source, problems)
    return NativeBody(reader, _parsed(source, problems, largest))


def _parsed(source: SourceText, problems: list[Problem], largest: int = LARGEST_FILE) -> Node | None:
    """Return the body of a source, None if it is empty or refused, and add its problems to `problems`."""
    refusal = _refusal(source, largest)
    if refusal is not None:
        problems.append(refusal)
        return None
    root = parse(source.content) if len(source.content) <= LARGEST_FILE else parse_valid(source.content)
    if isinstance(root, int):
        detail = "There is a syntax error at or before this place."
        problems.append(error(ProblemKind.SYNTAX, "Invalid syntax", detail, source.range(root, root + 1)))
        return None
    problems += syntax_problems(source, root)
    return next((child for child in root.children if child.type == "body"), None)


def _refusal(source: SourceText, largest: int) -> Problem | None:
    size = len(source.content)
    if size > largest:
        detail = f"{source.file} has {size:,} bytes; files larger than {largest:,} bytes are not read."
        return error(ProblemKind.UNREADABLE, "Configuration file too large", detail, source.range(0, 0))
    binary = source.content.find(b"\0")
    if binary >= 0:
        detail = "This character is not used within the language: the file is not text."
        return error(ProblemKind.SYNTAX, "Invalid character", detail, source.range(binary, binary + 1))
    return None


def read_expression(
    outer: SourceText, start: int, stop: int, text: str, *, exact: bool
) -> tuple[Expression, tuple[Problem, ...]]:
    """Read `text`, embedded in `outer` from `start` to `stop`, as an expression (see EmbeddedSource)."""
    return _read_wrapped(outer, start, stop, ("(", text, "\n)"), exact=exact)


def read_template(
    outer: SourceText, start: int, stop: int, text: str, *, exact: bool
) -> tuple[Expression, tuple[Problem, ...]]:
    """Read `text` as a template, as in a JSON string: without quotes, and backslashes are literal."""
    if "${" not in text and "%{" not in text:
        return Literal(nfc(text), outer.range(start, stop)), ()
    mark = "T"
    while mark in text:
        mark += "T"
    return _read_wrapped(outer, start, stop, (f"<<{mark}\n", text, f"\n{mark}"), exact=exact)


def _read_wrapped(
    outer: SourceText, start: int, stop: int, pieces: tuple[str, str, str], *, exact: bool
) -> tuple[Expression, tuple[Problem, ...]]:
    """Parse an attribute with the joined pieces as its value; the second piece is the text itself."""
    problems: list[Problem] = []
    before = ("_ = " + pieces[0]).encode()
    content = before + pieces[1].encode("utf-8", "replace") + (pieces[2] + "\n").encode()
    source = EmbeddedSource(outer, start, stop, content, len(before), exact=exact)
    reader = ExpressionReader(source, problems)
    bad = Bad("the expression could not be read", outer.range(start, stop))
    body = _parsed(source, problems)
    items = parts(body) if body is not None else []
    # More than one attribute, or content after the parenthesis: the text closed the wrapper.
    if problems or len(items) != 1 or items[0].type != "attribute":
        return bad, tuple(problems)
    inside = parts(parts(items[0])[-1])
    if pieces[0] == "(":
        return (reader.read(inside[1]) if len(inside) == 3 else bad), tuple(problems)
    node = parts(inside[0])[0]
    return (reader.template(node, bare=True) if node.type == "heredoc_template" else bad), tuple(problems)


class NativeBody:
    """The body of a `body` node, None if empty. Expressions are read on request: most are never needed."""

    def __init__(self, reader: ExpressionReader, node: Node | None) -> None:
        self._reader = reader
        self._node = node
        self._attributes: dict[str, Node] = {}
        self._blocks: list[tuple[str, Node]] = []
        # By number: several readers ask for the same blocks.
        self._read: dict[int, Block] = {}
        # Attributes on the line of a syntax error may be part of it.
        self._broken: set[str] = set()
        children = node.children if node is not None else []
        spoilt = {row for child in children if child.is_error for row in (child.start_point.row, child.end_point.row)}
        for child in children:
            if child.type == "attribute":
                # The first definition counts; repeated ones are reported with the syntax errors.
                name = reader.text(child.children[0])
                self._attributes.setdefault(name, child)
                if child.start_point.row in spoilt or child.end_point.row in spoilt:
                    self._broken.add(name)
            elif child.type == "block":
                self._blocks.append((reader.text(child.children[0]), child))

    def names(self) -> Sequence[str]:
        return tuple(self._attributes)

    def attribute(self, name: str, *, literal: bool = False) -> Argument | None:
        node = self._attributes.get(name)
        if node is None:
            return None
        inside = parts(node)
        broken = node.has_error or name in self._broken
        place = self._reader.range(inside[-1])
        expression = (
            Bad("there is a syntax error in it", place, UnknownKind.SYNTAX) if broken else self._reader.read(inside[-1])
        )
        return Argument(name, expression, self._reader.range(inside[0]), self._reader.range(node))

    def block_types(self) -> Mapping[str, Range]:
        first: dict[str, Node] = {}
        for name, node in self._blocks:
            first.setdefault(name, node)
        return {name: self._reader.range(parts(node)[0]) for name, node in first.items()}

    def blocks(self, type_: str, labels: int = 0) -> Sequence[Block]:
        for number, (name, node) in enumerate(self._blocks):
            if name == type_ and number not in self._read:
                self._read[number] = self._block(type_, node)
        found = [self._read[number] for number, (name, _) in enumerate(self._blocks) if name == type_]
        return [block for block in found if self._has_labels(block, labels)]

    def functions(self) -> Iterator[tuple[str, Range]]:
        waiting = [] if self._node is None else [self._node]
        while waiting:
            node = waiting.pop()
            if node.type == "function_call" and node.children:
                yield self._reader.text(node.children[0]), self._reader.range(node.children[0])
            waiting += reversed(node.children)

    def _block(self, type_: str, node: Node) -> Block:
        reader = self._reader
        inside = parts(node)
        label_nodes: list[Node] = []
        for child in inside[1:]:
            if child.type not in ("string_lit", "identifier"):
                break
            label_nodes.append(child)
        body = next((child for child in inside if child.type == "body"), None)
        opening = next((child for child in inside if child.type == "block_start"), inside[-1])
        header_end = (label_nodes[-1] if label_nodes else inside[0]).end_byte
        return Block(
            type=type_,
            labels=tuple(_label(reader, child) for child in label_nodes),
            type_range=reader.range(inside[0]),
            label_ranges=tuple(reader.range(child) for child in label_nodes),
            range=reader.source.range(node.start_byte, header_end),
            body_range=reader.source.range(opening.start_byte, node.end_byte),
            body=NativeBody(reader, body),
        )

    def _has_labels(self, block: Block, wanted: int) -> bool:
        count = len(block.labels)
        if count == wanted:
            return True
        place: Range
        if count > wanted:
            place = block.label_ranges[wanted]
            expected = "No labels are" if not wanted else f"Only {wanted} label{'s are' if wanted > 1 else ' is'}"
            summary = f"Extraneous label for {block.type}"
            detail = f"{expected} expected for {block.type} blocks."
        else:
            brace = block.body_range.start
            place = self._reader.source.range(brace, brace + 1)
            summary = f"Missing name for {block.type}"
            detail = f"All {block.type} blocks must have {wanted} label{'s' if wanted > 1 else ''}."
        self._reader.problems.append(error(ProblemKind.BLOCK, summary, detail, place))
        return False


def _label(reader: ExpressionReader, node: Node) -> str:
    if node.type == "identifier":
        return reader.text(node)
    value = getattr(reader.read(node), "value", None)
    return value if isinstance(value, str) else reader.text(node).strip('"')
