"""Bodies in HCL's JSON syntax. Source: HCL `json/structure.go`, `json/spec.md`.

Only the caller knows whether a member is an attribute or blocks, and how many labels the blocks have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from statefmt.golang.normalize import nfc
from statefmt.hcl.source.position import Range, SourceText
from statefmt.hcl.source.problem import Problem, ProblemKind, error
from statefmt.hcl.syntax.body import Argument, Block
from statefmt.hcl.syntax.expressions import Bad, Expression, Literal, ObjectExpression, ObjectItem, TupleExpression
from statefmt.hcl.syntax.json._tree import JsonNode, JsonObject, JsonTextError, Member, NumberToken, read_json
from statefmt.hcl.syntax.native.files import read_template
from statefmt.hcl.syntax.references import calls
from statefmt.model.cty import parse_number

# A member of a body with this name is a comment.
_COMMENT = "//"
# No real configuration file is larger, in either syntax.
LARGEST_FILE = 16 * 1024 * 1024


class JsonText:
    """The text of a file in JSON syntax, with conversion from character positions to ranges."""

    def __init__(self, source: SourceText, problems: list[Problem]) -> None:
        self.source = source
        self.problems = problems
        self.text = source.content.decode("utf-8", "replace")
        self._exact = source.content.isascii()

    def offset(self, at: int) -> int:
        """Return the byte offset of a character."""
        return at if self._exact else len(self.text[:at].encode())

    def range(self, start: int, stop: int) -> Range:
        return self.source.range(self.offset(start), self.offset(stop))

    def place(self, node: JsonNode) -> Range:
        return self.range(node.start, node.stop)

    def expression(self, node: JsonNode, *, literal: bool = False) -> Expression:
        """Convert a value to an expression. Strings, including member names, are templates unless `literal`."""
        value = node.value
        if isinstance(value, str):
            return Literal(nfc(value), self.place(node)) if literal else self._string(node, value)
        if isinstance(value, NumberToken):
            number = parse_number(value.text)
            return (
                Bad("the number is invalid", self.place(node)) if number is None else Literal(number, self.place(node))
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

    def template(self, node: JsonNode, value: str) -> Expression:
        """Convert a string to an expression without reporting problems, which its use as an argument does."""
        start, stop = self.offset(node.start) + 1, self.offset(node.stop) - 1
        return read_template(self.source, start, stop, value, exact=node.plain)[0]

    def _string(self, node: JsonNode, value: str) -> Expression:
        start, stop = self.offset(node.start), self.offset(node.stop)
        if "${" not in value and "%{" not in value:
            # The range of a string without interpolations includes its quotes, as in the native syntax.
            return read_template(self.source, start, stop, value, exact=False)[0]
        found, problems = read_template(self.source, start + 1, stop - 1, value, exact=node.plain)
        self.problems += problems
        return found


def read_json_file(source: SourceText, problems: list[Problem]) -> JsonBody:
    """Read the body of a file in JSON syntax and add its problems to `problems`."""
    text = JsonText(source, problems)
    try:
        node = read_json(text.text)
    except JsonTextError as problem:
        at = text.offset(problem.at)
        problems.append(error(ProblemKind.SYNTAX, "Invalid JSON", problem.detail, source.range(at, at + 1)))
        return JsonBody(text, ())
    return JsonBody(text, _bodies(text, node))


class JsonBody:
    """One or more JSON objects that together form one body."""

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

    def functions(self) -> Iterator[tuple[str, Range]]:
        waiting = [member.value for found in self._members.values() for member in found]
        while waiting:
            node = waiting.pop()
            if isinstance(node.value, JsonObject):
                waiting += [part for member in node.value.members for part in (member.name, member.value)]
            elif isinstance(node.value, tuple):
                waiting += node.value
            elif isinstance(node.value, str) and not isinstance(node.value, NumberToken):
                for call in calls(self._text.template(node, node.value)):
                    yield call.name, call.name_range

    def _unpack(
        self, type_: str, type_range: Range, node: JsonNode, names: tuple[JsonNode, ...], labels: int
    ) -> Iterator[Block]:
        if len(names) < labels:
            for each in _bodies(self._text, node):
                assert isinstance(each.value, JsonObject)
                for member in each.value.members:
                    yield from self._unpack(type_, type_range, member.value, (*names, member.name), labels)
            return
        # null means no block.
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
    """Return the objects of a value: itself, or those of an array. Report anything else."""
    if isinstance(node.value, JsonObject):
        return (node,)
    if isinstance(node.value, tuple):
        return tuple(each for item in node.value for each in _bodies(text, item))
    detail = "A JSON object is required here for the content of a block."
    text.problems.append(error(ProblemKind.BLOCK, "Incorrect JSON value type", detail, text.place(node)))
    return ()
