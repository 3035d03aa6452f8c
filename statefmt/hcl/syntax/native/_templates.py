"""Reads quoted strings, heredocs and bare templates: their literals, interpolations and directives.

Source: HCL `hclsyntax/parser_template.go`, `scan_tokens.rl`. tree-sitter leaves white space around interpolations out
of its literals, so literals are taken from the bytes between the sequences. In a heredoc every line is a separate
literal, which limits the effect of a strip marker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from statefmt.golang import nfc
from statefmt.hcl.source import Problem, ProblemKind, Range, SourceText, count_graphemes, error
from statefmt.hcl.syntax import SPACE, Bad, Conditional, Expression, ForExpression, Literal, Template, TemplateJoin
from statefmt.hcl.syntax.native._tree import parts
from statefmt.model.addrs.traversal import quoted_literal
from statefmt.model.errors import AddressProblem

if TYPE_CHECKING:
    from tree_sitter import Node


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


def read_template(reader: Reader, node: Node, *, bare: bool = False) -> tuple[tuple[Expression, ...], bool]:
    """Return the parts of a template, and whether it is a single interpolation (and so passes its value through).

    `bare` means that the template was wrapped in a heredoc for parsing: the final newline is not part of it.
    """
    heredoc = node.type == "heredoc_template"
    start, stop = _content(reader, node) if heredoc else (node.start_byte + 1, node.end_byte - 1)
    items = _items(reader, node, start, stop - bare, heredoc=heredoc)
    if heredoc and reader.text(node.children[0]).startswith("<<-"):
        _unindent(items)
    melded = _meld(items)
    if not melded:
        return (Literal("", reader.source.range(start, start)),), False
    if len(melded) == 1 and not isinstance(melded[0], Text) and melded[0].type == "template_interpolation":
        return (interpolation(reader, melded[0]),), True
    return Directives(reader, melded).read(), False


def _content(reader: Reader, node: Node) -> tuple[int, int]:
    """Return the start and the end of the lines of a heredoc."""
    content = reader.source.content
    names = [child for child in node.children if child.type == "heredoc_identifier"]
    if len(names) < 2:
        return node.start_byte, node.start_byte
    start = content.find(b"\n", names[0].end_byte) + 1
    return start, max(start, content.rfind(b"\n", 0, names[-1].start_byte) + 1)


def _items(reader: Reader, node: Node, start: int, stop: int, *, heredoc: bool) -> list[Text | Node]:
    """Split a template into literals and sequences, and apply strip markers."""
    items: list[Text | Node] = []
    strip_next = False
    content = reader.source.content
    for sequence in _sequences(node):
        at = sequence.start_byte
        if content[at - 1 : at] == content[at : at + 1]:
            # Not a sequence: in `$$${`, the end is the escape `$${`.
            continue
        texts = _texts(reader, start, at, strip_next, heredoc=heredoc)
        marks = [child for child in sequence.children if child.type == "strip_marker"]
        if texts and any(mark.start_byte == at + 2 for mark in marks):
            texts[-1].value = texts[-1].value.rstrip(SPACE)
        strip_next = any(mark.start_byte != at + 2 for mark in marks)
        items += [*texts, sequence]
        start = sequence.end_byte
    return items + _texts(reader, start, stop, strip_next, heredoc=heredoc)


def _texts(reader: Reader, start: int, stop: int, strip: bool, *, heredoc: bool) -> list[Text]:
    if start >= stop:
        return []
    content = reader.source.content[start:stop]
    texts: list[Text] = []
    for piece in _joined(content.splitlines(keepends=True)) if heredoc else [content]:
        end = start + len(piece)
        text = piece.decode("utf-8", "replace")
        value = text.replace("$${", "${").replace("%%{", "%{") if heredoc else _unescape(reader, text, start, end)
        texts.append(Text(value, start, end))
        start = end
    if strip:
        texts[0].value = texts[0].value.lstrip(SPACE)
    return texts


def _joined(pieces: list[bytes]) -> list[bytes]:
    """Rejoin lines that `splitlines` split at a carriage return alone, which does not end a line in HCL."""
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


def _unescape(reader: Reader, text: str, start: int, stop: int) -> str:
    problems: list[AddressProblem] = []
    value = quoted_literal(text, 0, problems)
    for problem in problems:
        place = start + len(text[: problem.column].encode())
        reader.problems.append(
            error(ProblemKind.SYNTAX, problem.summary, problem.detail, reader.source.range(place, min(place + 2, stop)))
        )
    return value


def _unindent(items: list[Text | Node]) -> None:
    """Remove the smallest indentation of any line from every line (`<<-`)."""
    least: int | None = None
    adjust: list[Text] = []
    new_line = True
    for item in items:
        if new_line:
            new_line = False
            if not isinstance(item, Text):
                least = 0
            elif item.value.strip(SPACE) or not item.value.endswith("\n"):
                spaces = count_graphemes(item.value[: len(item.value) - len(item.value.lstrip(SPACE))])
                least = spaces if least is None else min(least, spaces)
                adjust.append(item)
        if isinstance(item, Text) and item.value.endswith("\n"):
            new_line = True
    for text in adjust:
        text.value = text.value[least or 0 :]


def _meld(items: list[Text | Node]) -> list[Text | Node]:
    melded: list[Text | Node] = []
    for item in items:
        if isinstance(item, Text) and melded and isinstance(last := melded[-1], Text):
            last.value += item.value
            last.stop = item.stop
        else:
            melded.append(item)
    return melded


class Text:
    """A literal part, mutable until strip markers and indentation are removed."""

    def __init__(self, value: str, start: int, stop: int) -> None:
        self.value = value
        self.start = start
        self.stop = stop


def interpolation(reader: Reader, node: Node) -> Expression:
    inside = next((child for child in parts(node) if child.type == "expression"), None)
    if inside is None:
        return Bad("the interpolation could not be read", reader.range(node))
    return reader.expression(inside)


class Directives:
    """A parser of flat lists of literals and sequences (`%{ if }`, `%{ else }`, `%{ for }` and their ends)."""

    def __init__(self, reader: Reader, items: list[Text | Node]) -> None:
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
        """Return the pieces up to a sequence that ends or divides a directive, and this sequence (None at the end)."""
        pieces: list[Expression] = []
        while self._at < len(self._items):
            item = self._items[self._at]
            self._at += 1
            if isinstance(item, Text):
                pieces.append(Literal(nfc(item.value), self._reader.source.range(item.start, item.stop)))
                continue
            match item.type:
                case "template_interpolation":
                    pieces.append(interpolation(self._reader, item))
                case "template_if_intro":
                    pieces.append(self._if(item))
                case "template_for_start":
                    pieces.append(self._for(item))
                case _:
                    return pieces, item
        return pieces, None

    def _if(self, intro: Node) -> Expression:
        yes, end = self._until()
        no: list[Expression] = []
        if end is not None and end.type == "template_else_intro":
            no, end = self._until()
        place = self._between(intro, end)
        if end is None or end.type != "template_if_end":
            return Bad("the directives of the template are unbalanced", place)
        return Conditional(interpolation(self._reader, intro), _template(yes, place), _template(no, place), place)

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


class Reader(Protocol):
    """A reader of the expressions of one file."""

    source: SourceText
    problems: list[Problem]

    def read(self, node: Node) -> Expression: ...

    def range(self, node: Node) -> Range: ...

    def text(self, node: Node) -> str: ...

    def expression(self, node: Node) -> Expression: ...

    def for_intro(self, node: Node) -> tuple[list[str], Expression]: ...
