"""Where the parts of a JSON text stand: members of objects, elements of arrays, without decoding any of them.

This is the exact way, for texts that msgspec does not follow (half a surrogate pair in an escape) or does not
tell apart (members that repeat). The text is known to be valid JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from statefmt.gojson import loads_exact

_SPACE: Final = re.compile(rb"[ \t\r\n]*")
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_SCALAR: Final = re.compile(rb"[^\[\]{}\",: \t\r\n]+")
# Everything up to the next bracket, strings skipped as wholes.
_BETWEEN_BRACKETS: Final = re.compile(rb'[^"\[\]{}]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"\[\]{}]*+)*+', re.DOTALL)


class Span(NamedTuple):
    """A part of a text: from `start` up to, and without, `end`."""

    start: int
    end: int


class MemberSpan(NamedTuple):
    """A member of an object: its decoded name, and where name and value stand."""

    name: str
    key: Span
    value: Span


def value_span(text: bytes, start: int = 0) -> Span:
    """The value that follows at `start`, white space before it left out."""
    start = _skip_space(text, start)
    first = text[start : start + 1]
    if first == b'"':
        match = _STRING.match(text, start)
    elif first in (b"{", b"["):
        return Span(start, _closing_bracket(text, start))
    else:
        match = _SCALAR.match(text, start)
    if match is None:
        raise ValueError(f"no JSON value at byte {start}")
    return Span(start, match.end())


def members(text: bytes, start: int = 0) -> Iterator[MemberSpan]:
    """The members of the object at `start`, in order, repeated names included."""
    position = _skip_space(text, _skip_space(text, start) + 1)
    while text[position : position + 1] != b"}":
        key = value_span(text, position)
        value = value_span(text, _skip_space(text, key.end) + 1)
        name = loads_exact(text[key.start : key.end])
        yield MemberSpan(str(name), key, value)
        position = _next_part(text, value.end)


def elements(text: bytes, start: int = 0) -> Iterator[Span]:
    """The elements of the array at `start`, in order."""
    position = _skip_space(text, _skip_space(text, start) + 1)
    while text[position : position + 1] != b"]":
        value = value_span(text, position)
        yield value
        position = _next_part(text, value.end)


def _next_part(text: bytes, position: int) -> int:
    """Past the comma that may follow a part, and the white space."""
    position = _skip_space(text, position)
    return _skip_space(text, position + 1) if text[position : position + 1] == b"," else position


def _closing_bracket(text: bytes, start: int) -> int:
    """The byte after the bracket that closes the one at `start`."""
    depth, position = 1, start + 1
    while depth:
        match = _BETWEEN_BRACKETS.match(text, position)
        position = match.end() if match else position
        bracket = text[position : position + 1]
        if not bracket:
            raise ValueError(f"the bracket at byte {start} is never closed")
        depth += 1 if bracket in (b"{", b"[") else -1
        position += 1
    return position


def _skip_space(text: bytes, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position
