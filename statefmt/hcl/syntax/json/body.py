"""Bodies in HCL's JSON syntax. Source: HCL `json/structure.go`, `json/spec.md`.

What a member is, an attribute or blocks and with how many labels, only who asks for it knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from statefmt.golang.normalize import nfc
from statefmt.hcl.source.position import Range, SourceText
from statefmt.hcl.source.problem import Problem, ProblemKind, error
from statefmt.hcl.syntax.body import Argument, Block
from statefmt.hcl.syntax.expressions import (
    Bad,
    Expression,
    Literal,
    ObjectExpression,
    ObjectItem,
    TupleExpression,
)
from statefmt.hcl.syntax.json._tree import (
    JsonNode,
    JsonObject,
    JsonTextError,
    Member,
    NumberToken,
    read_json,
)
from statefmt.hcl.syntax.native.files import read_template
from statefmt.model.cty import parse_number

# A member of this name is a comment, at the level of bodies.
_COMMENT = "//"
# More than this no file of a configuration has, in either syntax.
LARGEST_FILE = 16 * 1024 * 1024


class JsonText:
    """The text of one file in JSON syntax, with the way from characters to places."""

    def __init__(self, source: SourceText, problems: list[Problem]) -> None:
        self.source = source
        self.problems = problems
        self.text = source.content.decode("utf-8", "replace")
        self._exact = source.content.isascii()

    def offset(self, at: int) -> int:
        """The byte of a character."""
        return at if self._exact else len(self.text[:at].encode())

    def range(self, start: int, stop: int) -> Range:
        return self.source.range(self.offset(start), self.offset(stop))

    def place(self, node: JsonNode) -> Range:
        return self.range(node.start, node.stop)

    def expression(self, node: JsonNode, *, literal: bool = False) -> Expression:
        """A value as an expression: strings are templates, also the names of members, unless they are `literal`."""
        value = node.value
        if isinstance(value, str):
            return Literal(nfc(value), self.place(node)) if literal else self._string(node, value)
        if isinstance(value, NumberToken):
            number = parse_number(value.text)
            return (
                Bad("the number is not one", self.place(node)) if number is None else Literal(number, self.place(node))
            )
        if isinstance(value, tuple):
            parts = [self.expression(each, literal=literal) for each in value]
            return TupleExpression(tuple(parts), self.place(node))
        if isinstance(value, JsonObject):
            items = [
                ObjectItem(self.expression(m.name, literal=literal), self.expression(m.value, literal=literal), False)
                for m in value.members
            ]
            return ObjectExpression(tuple(items), self.place(node))
        return Literal(value, self.place(node))

    def _string(self, node: JsonNode, value: str) -> Expression:
        start, stop = self.offset(node.start), self.offset(node.stop)
        if "${" not in value and "%{" not in value:
            # The place of a string without interpolations has its quotes, as in the native syntax.
            return read_template(self.source, start, stop, value, exact=False)[0]
        found, problems = read_template(self.source, start + 1, stop - 1, value, exact=node.plain)
        self.problems += problems
        return found


def read_json_file(source: SourceText, problems: list[Problem]) -> JsonBody:
    """The body of a file in JSON syntax; what is wrong with it is added to `problems`."""
    text = JsonText(source, problems)
    try:
        node = read_json(text.text)
    except JsonTextError as problem:
        at = text.offset(problem.at)
        problems.append(error(ProblemKind.SYNTAX, "Invalid JSON", problem.detail, source.range(at, at + 1)))
        return JsonBody(text, ())
    return JsonBody(text, _bodies(text, node))


class JsonBody:
    """One or more JSON objects that are one body together."""

    def __init__(self, text: JsonText, objects: Sequence[JsonNode]) -> None:
        self._text = text
        self._members: dict[str, list[Member]] = {}
        for node in objects:
            assert isinstance(node.value, JsonObject)
            for member in node.value.members:
                if member.key != _COMMENT:
                    self._members.setdefault(member.key, []).append(member)

    def names(self) -> Sequence[str]:
        return tuple(self._members)

    def attribute(self, name: str, *, literal: bool = False) -> Argument | None:
        found = self._members.get(name)
        if not found:
            return None
        text = self._text
        first = found[0]
        for again in found[1:]:
            detail = f'The argument "{name}" was already set at {text.place(first.name)}.'
            text.problems.append(error(ProblemKind.SYNTAX, "Duplicate argument", detail, text.place(again.name)))
        place = text.range(first.name.start, first.value.stop)
        return Argument(name, text.expression(first.value, literal=literal), text.place(first.name), place)

    def block_types(self) -> Sequence[str]:
        return ()

    def blocks(self, type_: str, labels: int = 0) -> Sequence[Block]:
        return [
            block
            for member in self._members.get(type_, ())
            for block in self._unpack(type_, self._text.place(member.name), member.value, (), labels)
        ]

    def _unpack(
        self, type_: str, type_range: Range, node: JsonNode, names: tuple[JsonNode, ...], labels: int
    ) -> Iterator[Block]:
        if len(names) < labels:
            for each in _bodies(self._text, node):
                assert isinstance(each.value, JsonObject)
                for member in each.value.members:
                    yield from self._unpack(type_, type_range, member.value, (*names, member.name), labels)
            return
        # null stands for no block at all.
        for each in _bodies(self._text, node) if node.value is not None else ():
            yield Block(
                type=type_,
                labels=tuple(str(name.value) for name in names),
                type_range=type_range,
                label_ranges=tuple(self._text.place(name) for name in names),
                range=self._text.range(each.start, each.start + 1),
                body_range=self._text.place(each),
                body=JsonBody(self._text, (each,)),
            )


def _bodies(text: JsonText, node: JsonNode) -> tuple[JsonNode, ...]:
    """The objects that a value has: itself, or those of an array. Anything else is a problem."""
    if isinstance(node.value, JsonObject):
        return (node,)
    if isinstance(node.value, tuple):
        return tuple(each for item in node.value for each in _bodies(text, item))
    detail = "A JSON object is required here, to be the content of a block."
    text.problems.append(error(ProblemKind.BLOCK, "Incorrect JSON value type", detail, text.place(node)))
    return ()
