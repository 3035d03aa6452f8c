"""Parses HCL's JSON syntax, with the position of every value, which Python's parser does not report.

Source: HCL `json/parser.go`, `json/scanner.go`. Numbers stay strings; repeated members are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from statefmt.golang import nfc
from statefmt.hcl.source import Problem, ProblemKind, Range, SourceText, error
from statefmt.hcl.syntax import (
    Argument,
    Bad,
    Block,
    Expression,
    Literal,
    ObjectExpression,
    ObjectItem,
    TupleExpression,
    calls,
)
from statefmt.hcl.syntax.native import read_template
from statefmt.model.cty.number import parse_number

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
        """Convert a string to an expression without reporting problems: its use as an argument reports them."""
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

    def block_types(self) -> Mapping[str, Range]:
        return {}

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
    """Return the objects of a value: itself, or the objects of an array. Report any other value."""
    if isinstance(node.value, JsonObject):
        return (node,)
    if isinstance(node.value, tuple):
        return tuple(each for item in node.value for each in _bodies(text, item))
    detail = "A JSON object is required here for the content of a block."
    text.problems.append(error(ProblemKind.BLOCK, "Incorrect JSON value type", detail, text.place(node)))
    return ()


# A string without escapes, any string, a number, a word or a punctuation mark, each after optional white space.
_TOKEN: Final = re.compile(
    r'[ \t\r\n]*+(?:("[^"\\\x00-\x1f]*+")|("(?:[^"\\\x00-\x1f]|\\.)*+")'
    r"|(-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?)"
    r"|([a-z]++)|([][{},:]))"
)
_WORDS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}
# Far below Python's recursion limit, and far above any real nesting.
_DEEPEST: Final = 100


class JsonNode(msgspec.Struct, frozen=True, gc=False):
    """A value at the characters `start` to `stop` of the text. `plain` is False for a string with escapes."""

    value: JsonData
    start: int
    stop: int
    plain: bool = True


class NumberToken(msgspec.Struct, frozen=True, gc=False):
    """A number as written."""

    text: str


class Member(msgspec.Struct, frozen=True):
    """A member of an object."""

    name: JsonNode
    value: JsonNode

    @property
    def key(self) -> str:
        assert isinstance(self.name.value, str)
        return self.name.value


class JsonObject(msgspec.Struct, frozen=True):
    """The members of an object in source order, including repeated ones."""

    members: tuple[Member, ...]


JsonData: TypeAlias = str | bool | NumberToken | tuple[JsonNode, ...] | JsonObject | None


class JsonTextError(ValueError):
    """Invalid JSON at the character `at`."""

    def __init__(self, detail: str, at: int) -> None:
        super().__init__(detail)
        self.detail = detail
        self.at = at


def read_json(text: str) -> JsonNode:
    """Parse a whole text as one value. Raises JsonTextError."""
    reader = _Reader(text)
    node = reader.value(0)
    end = _skip_space(text, reader.at)
    if end != len(text):
        raise JsonTextError("Unexpected content after the JSON value.", end)
    return node


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self.at = 0

    def _next(self) -> re.Match[str]:
        match = _TOKEN.match(self._text, self.at)
        if match is None:
            at = _skip_space(self._text, self.at)
            what = "Unexpected end of file" if at == len(self._text) else f"Unexpected {self._text[at]!r}"
            raise JsonTextError(f"{what}.", at)
        self.at = match.end()
        return match

    def _sign(self, allowed: str) -> str:
        before = self.at
        match = self._next()
        if match[5] is None or match[5] not in allowed:
            at = _skip_space(self._text, before)
            wanted = " or ".join(f'"{sign}"' for sign in allowed)
            raise JsonTextError(f"Expected {wanted} here.", at)
        return match[5]

    def value(self, depth: int) -> JsonNode:
        return self._value(self._next(), depth)

    def _value(self, match: re.Match[str], depth: int) -> JsonNode:
        group = match.lastindex
        assert group is not None
        start, stop = match.span(group)
        token = match[group]
        if depth > _DEEPEST:
            raise JsonTextError("The JSON value is nested too deeply.", start)
        if group == 1:
            return JsonNode(token[1:-1], start, stop)
        if group == 2:
            try:
                text = json.loads(token)
            except ValueError:
                raise JsonTextError("Invalid escape sequence in this JSON string.", start) from None
            return JsonNode(
                value=text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
                start=start,
                stop=stop,
                plain=False,
            )
        if group == 3:
            return JsonNode(NumberToken(token), start, stop)
        if group == 4:
            if token not in _WORDS:
                raise JsonTextError("Invalid JSON keyword; strings must be quoted.", start)
            return JsonNode(_WORDS[token], start, stop)
        if token == "[":
            return self._array(start, depth)
        if token == "{":
            return self._object(start, depth)
        raise JsonTextError(f'Expected a value, not "{token}".', start)

    def _array(self, start: int, depth: int) -> JsonNode:
        items: list[JsonNode] = []
        match = self._next()
        if match[5] != "]":
            items.append(self._value(match, depth + 1))
            while self._sign(",]") == ",":
                items.append(self.value(depth + 1))
        return JsonNode(tuple(items), start, self.at)

    def _object(self, start: int, depth: int) -> JsonNode:
        members: list[Member] = []
        match = self._next()
        if match[5] != "}":
            while True:
                if match[1] is None and match[2] is None:
                    raise JsonTextError("Expected a member name in quotes.", match.start(match.lastindex or 0))
                name = self._value(match, depth)
                self._sign(":")
                members.append(Member(name, self.value(depth + 1)))
                if self._sign(",}") == "}":
                    break
                match = self._next()
        return JsonNode(JsonObject(tuple(members)), start, self.at)
