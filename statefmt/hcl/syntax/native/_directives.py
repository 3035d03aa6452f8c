"""Builds expressions from the directives of templates, `%{ if }` and `%{ for }`.

Source: HCL `hclsyntax/parser_template.go` (templateParser).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from statefmt.golang.normalize import nfc
from statefmt.hcl.source.position import Range
from statefmt.hcl.syntax.expressions import Bad, Conditional, Expression, ForExpression, Literal, Template, TemplateJoin
from statefmt.hcl.syntax.native._tree import parts

if TYPE_CHECKING:
    from tree_sitter import Node

    from statefmt.hcl.syntax.native._reader import Reader


class Text:
    """A literal part, mutable until strip markers and indentation are removed."""

    def __init__(self, value: str, start: int, stop: int) -> None:
        self.value = value
        self.start = start
        self.stop = stop


class Sequence(NamedTuple):
    node: Node


def interpolation(reader: Reader, node: Node) -> Expression:
    inside = next((child for child in parts(node) if child.type == "expression"), None)
    if inside is None:
        return Bad("the interpolation could not be read", reader.range(node))
    return reader.expression(inside)


class Directives:
    """A parser of flat lists of literals and sequences (`%{ if }`, `%{ else }`, `%{ for }` and their ends)."""

    def __init__(self, reader: Reader, items: list[Text | Sequence]) -> None:
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
        """Return the pieces up to a sequence that ends or divides a directive, and that sequence (None at the end)."""
        pieces: list[Expression] = []
        while self._at < len(self._items):
            item = self._items[self._at]
            self._at += 1
            if isinstance(item, Text):
                pieces.append(Literal(nfc(item.value), self._reader.source.range(item.start, item.stop)))
                continue
            match item.node.type:
                case "template_interpolation":
                    pieces.append(interpolation(self._reader, item.node))
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
