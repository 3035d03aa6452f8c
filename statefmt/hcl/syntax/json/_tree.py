"""Parses JSON with the position of every value, which Python's parser does not report.

Source: HCL `json/parser.go`, `json/scanner.go`. Numbers stay strings; repeated members are kept.
"""

from __future__ import annotations

import json
import re
from typing import Final, TypeAlias

import msgspec

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
