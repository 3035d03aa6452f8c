"""Where the parts of a JSON text stand: members of objects, elements of arrays, without decoding any of them.

This is the exact way, for rewriting a part and keeping all other bytes, and for texts that msgspec does not
follow (half a surrogate pair in an escape) or does not tell apart (members that repeat). The text is known to be
valid JSON.
"""

from __future__ import annotations

import re
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


class Item(NamedTuple):
    """A part of an object or an array: a member (with its decoded `name`), or an element (`name` is "").

    `before` is what separates it from the part before it: white space, and the comma unless it is the first.
    `whole` is the member with its name, or the element; `value` the value alone.
    """

    name: str
    before: Span
    whole: Span
    value: Span


class Container(NamedTuple):
    """An object or an array: its items in order, and `after`, the white space before the closing bracket."""

    span: Span
    items: tuple[Item, ...]
    after: Span

    def find(self, name: str) -> Item | None:
        """The last member of that name, or of that name in another case, as Go finds it."""
        exact = [item for item in self.items if item.name == name]
        found = exact or [item for item in self.items if item.name.lower() == name]
        return found[-1] if found else None


def value_at(text: bytes, start: int = 0) -> Span:
    """The value that follows at `start`, white space before it left out."""
    start = skip_space(text, start)
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


def container_at(text: bytes, start: int = 0) -> Container:
    """The object or array that follows at `start`, with its items."""
    opening = skip_space(text, start)
    is_object = text[opening : opening + 1] == b"{"
    items: list[Item] = []
    end = opening + 1
    while True:
        position = skip_space(text, end)
        if text[position : position + 1] in (b"}", b"]"):
            return Container(Span(opening, position + 1), tuple(items), Span(end, position))
        if items:
            # Past the comma.
            position = skip_space(text, position + 1)
        before = Span(end, position)
        value = value_at(text, position)
        name = ""
        if is_object:
            name = str(loads_exact(text[value.start : value.end], replace_invalid=True))
            value = value_at(text, skip_space(text, value.end) + 1)
        items.append(Item(name, before, Span(position, value.end), value))
        end = value.end


def skip_space(text: bytes, position: int) -> int:
    """The first byte from `position` on that is not white space."""
    match = _SPACE.match(text, position)
    return match.end() if match else position


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
