"""Quoted strings, heredocs and bare templates: their texts, interpolations and directives.

Source: HCL `hclsyntax/parser_template.go`, `scan_tokens.rl`. tree-sitter leaves white space around interpolations out
of its literals, so texts are taken from the bytes between the sequences. In a heredoc every line is a text of its own,
which is what a strip marker goes up to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from statefmt.addrs.literals import quoted_literal
from statefmt.config.expressions import (
    Bad,
    Conditional,
    Expression,
    ForExpression,
    Literal,
    Template,
    TemplateJoin,
)
from statefmt.config.graphemes import count_graphemes
from statefmt.config.native_tree import parts
from statefmt.config.position import Range
from statefmt.config.problem import ProblemKind, error
from statefmt.config.space import SPACE
from statefmt.errors import AddressProblem
from statefmt.golang.normalize import nfc

if TYPE_CHECKING:
    from tree_sitter import Node

    from statefmt.config.native_expressions import ExpressionReader

_SEQUENCES: Final = frozenset(
    {
        "template_interpolation",
        "template_if_intro",
        "template_else_intro",
        "template_if_end",
        "template_for_start",
        "template_for_end",
    }
)


class _Text:
    """A literal part, on its way to lose what strip markers and indentation take away."""

    def __init__(self, value: str, start: int, stop: int) -> None:
        self.value = value
        self.start = start
        self.stop = stop


class _Sequence(NamedTuple):
    node: Node


def read_template(reader: ExpressionReader, node: Node, *, bare: bool = False) -> tuple[tuple[Expression, ...], bool]:
    """The parts of a template, and whether it is nothing but one interpolation (and so gives its value as it is).

    With `bare` the heredoc was put around the template to read it: it is one text, without a newline at its end.
    """
    heredoc = node.type == "heredoc_template"
    start, stop = _content(reader, node) if heredoc else (node.start_byte + 1, node.end_byte - 1)
    items = _Items(reader, heredoc, bare).read(node, start, stop - bare)
    if heredoc and reader.text(node.children[0]).startswith("<<-"):
        _unindent(items)
    melded = _meld(items)
    if not melded:
        return (Literal("", reader.source.range(start, start)),), False
    if len(melded) == 1 and isinstance(melded[0], _Sequence) and melded[0].node.type == "template_interpolation":
        return (_interpolation(reader, melded[0].node),), True
    return _Directives(reader, melded).read(), False


def _content(reader: ExpressionReader, node: Node) -> tuple[int, int]:
    """Where the lines of a heredoc start and end."""
    content = reader.source.content
    names = [child for child in node.children if child.type == "heredoc_identifier"]
    if len(names) < 2:
        return node.start_byte, node.start_byte
    start = content.find(b"\n", names[0].end_byte) + 1
    return start, max(start, content.rfind(b"\n", 0, names[-1].start_byte) + 1)


class _Items:
    """Takes a template apart into texts and sequences, and applies the strip markers."""

    def __init__(self, reader: ExpressionReader, heredoc: bool, bare: bool) -> None:
        self._reader = reader
        self._heredoc = heredoc
        self._by_line = heredoc and not bare

    def read(self, node: Node, start: int, stop: int) -> list[_Text | _Sequence]:
        items: list[_Text | _Sequence] = []
        strip_next = False
        for sequence in _sequences(node):
            texts = self._texts(start, sequence.start_byte, strip_next)
            marks = [child for child in sequence.children if child.type == "strip_marker"]
            opening = sequence.start_byte + 2
            if texts and any(mark.start_byte == opening for mark in marks):
                texts[-1].value = texts[-1].value.rstrip(SPACE)
            strip_next = any(mark.start_byte != opening for mark in marks)
            items += [*texts, _Sequence(sequence)]
            start = sequence.end_byte
        return items + self._texts(start, stop, strip_next)

    def _texts(self, start: int, stop: int, strip: bool) -> list[_Text]:
        if start >= stop:
            return []
        source = self._reader.source
        pieces = source.content[start:stop].splitlines(keepends=True) if self._by_line else [source.content[start:stop]]
        texts: list[_Text] = []
        for piece in _joined(pieces):
            end = start + len(piece)
            text = piece.decode("utf-8", "replace")
            value = _unescape_heredoc(text) if self._heredoc else _unescape(self._reader, text, start, end)
            texts.append(_Text(value, start, end))
            start = end
        if strip:
            texts[0].value = texts[0].value.lstrip(SPACE)
        return texts


def _joined(pieces: list[bytes]) -> list[bytes]:
    """Lines that end with a newline: bytes are also split at carriage returns, which end no line of HCL."""
    lines: list[bytes] = []
    for piece in pieces:
        if lines and not lines[-1].endswith(b"\n"):
            lines[-1] += piece
        else:
            lines.append(piece)
    return lines


def _sequences(node: Node) -> list[Node]:
    found: list[Node] = []
    for child in node.children:
        if child.type in _SEQUENCES:
            found.append(child)
        elif child.type in ("template_directive", "template_if", "template_for"):
            found += _sequences(child)
    return found


def _unescape(reader: ExpressionReader, text: str, start: int, stop: int) -> str:
    problems: list[AddressProblem] = []
    value = quoted_literal(text, 0, problems)
    for problem in problems:
        place = start + len(text[: problem.column].encode())
        reader.problems.append(
            error(ProblemKind.SYNTAX, problem.summary, problem.detail, reader.source.range(place, min(place + 2, stop)))
        )
    return value


def _unescape_heredoc(text: str) -> str:
    return text.replace("$${", "${").replace("%%{", "%{")


def _unindent(items: list[_Text | _Sequence]) -> None:
    """Take away from every line as much white space as the line with the least of it begins with (`<<-`)."""
    least: int | None = None
    adjust: list[_Text] = []
    new_line = True
    for item in items:
        if new_line:
            new_line = False
            if not isinstance(item, _Text):
                least = 0
            elif item.value.strip(SPACE) or not item.value.endswith("\n"):
                spaces = count_graphemes(item.value[: len(item.value) - len(item.value.lstrip(SPACE))])
                least = spaces if least is None else min(least, spaces)
                adjust.append(item)
        if isinstance(item, _Text) and item.value.endswith("\n"):
            new_line = True
    for text in adjust:
        text.value = text.value[least or 0 :]


def _meld(items: list[_Text | _Sequence]) -> list[_Text | _Sequence]:
    melded: list[_Text | _Sequence] = []
    for item in items:
        if isinstance(item, _Text) and melded and isinstance(last := melded[-1], _Text):
            last.value += item.value
            last.stop = item.stop
        else:
            melded.append(item)
    return melded


def _interpolation(reader: ExpressionReader, node: Node) -> Expression:
    inside = next((child for child in parts(node) if child.type == "expression"), None)
    if inside is None:
        return Bad("the interpolation could not be read", reader.range(node))
    return reader.expression(inside)


class _Directives:
    """Makes a tree of the row of texts and sequences: `%{ if }`, `%{ else }`, `%{ for }` and their ends."""

    def __init__(self, reader: ExpressionReader, items: list[_Text | _Sequence]) -> None:
        self._reader = reader
        self._items = items
        self._at = 0

    def read(self) -> tuple[Expression, ...]:
        pieces: list[Expression] = []
        while self._at < len(self._items):
            found, end = self._until()
            pieces += found
            if end is not None:
                pieces.append(Bad("the directives of the template are unbalanced", self._reader.range(end)))
        return tuple(pieces)

    def _until(self) -> tuple[list[Expression], Node | None]:
        """The pieces up to a sequence that ends or parts a directive, and that sequence, None at the end."""
        pieces: list[Expression] = []
        while self._at < len(self._items):
            item = self._items[self._at]
            self._at += 1
            if isinstance(item, _Text):
                pieces.append(Literal(nfc(item.value), self._reader.source.range(item.start, item.stop)))
                continue
            match item.node.type:
                case "template_interpolation":
                    pieces.append(_interpolation(self._reader, item.node))
                case "template_if_intro":
                    pieces.append(self._if(item.node))
                case "template_for_start":
                    pieces.append(self._for(item.node))
                case _:
                    return pieces, item.node
        return pieces, None

    def _if(self, intro: Node) -> Expression:
        yes, end = self._until()
        no: list[Expression] = []
        if end is not None and end.type == "template_else_intro":
            no, end = self._until()
        place = self._between(intro, end)
        if end is None or end.type != "template_if_end":
            return Bad("the directives of the template are unbalanced", place)
        return Conditional(_interpolation(self._reader, intro), _template(yes, place), _template(no, place), place)

    def _for(self, intro: Node) -> Expression:
        names, collection = self._reader.for_intro(intro)
        content, end = self._until()
        place = self._between(intro, end)
        if end is None or end.type != "template_for_end":
            return Bad("the directives of the template are unbalanced", place)
        key_name = names[0] if len(names) > 1 else ""
        body = _template(content, place)
        return TemplateJoin(ForExpression(key_name, names[-1], collection, None, body, None, False, place), place)

    def _between(self, intro: Node, end: Node | None) -> Range:
        return self._reader.source.range(intro.start_byte, (end or intro).end_byte)


def _template(pieces: list[Expression], place: Range) -> Expression:
    return Template(tuple(pieces), place) if pieces else Literal("", place)
