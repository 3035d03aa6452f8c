"""Splits a JSON text into its parts with their places, apart from everything in `statefmt`.

Works on bytes, as states may hold what is not UTF-8, and without recursion, as they may be deep.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Final

_TOKEN: Final = re.compile(rb'[ \t\r\n]*+("(?:[^"\\]|\\.)*+"|[\[\]{}:,]|[^\[\]{}",: \t\r\n]++)', re.DOTALL)


@dataclass(slots=True)
class Part:
    """A value of a text: an object or an array with its items, or anything else without.

    `start` is where its name starts if it is a member, `value` where its value does; `end` is behind the value.
    """

    text: bytes
    start: int
    value: int
    end: int = -1
    name: str = ""
    items: list[Part] = field(default_factory=list)

    @property
    def opening(self) -> bytes:
        """`{`, `[`, or the first byte of any other value."""
        return self.text[self.value : self.value + 1]

    @property
    def raw(self) -> bytes:
        """The bytes of the value."""
        return self.text[self.value : self.end]

    @property
    def head(self) -> bytes:
        """The bytes of the name, the colon and the white space around it."""
        return self.text[self.start : self.value]

    def gap(self, number: int) -> bytes:
        """The bytes before an item: white space, and a comma unless it is the first; behind the last, white space."""
        start = self.items[number - 1].end if number else self.value + 1
        return self.text[start : self.items[number].start if number < len(self.items) else self.end - 1]

    def under(self, *names: str) -> Part | None:
        """The part at a path below this one; the last one with a name, as it is or in other letters."""
        found: Part | None = self
        for name in names:
            if found is None or found.opening not in (b"{", b"["):
                return None
            found = found.item(name)
        return found

    def item(self, name: str) -> Part | None:
        """The last member with a name, else in other letters, or the element with a number."""
        if self.opening == b"[":
            number = int(name) if name.isdecimal() else len(self.items)
            return self.items[number] if number < len(self.items) else None
        exact = [item for item in self.items if item.name == name]
        alike = exact or [item for item in self.items if item.name.lower() == name.lower()]
        return alike[-1] if alike else None

    def decoded(self) -> object:
        """The value, as the standard library decodes it."""
        return json.loads(self.raw.decode("utf-8", "surrogateescape"))


def parts_of(text: bytes) -> Part:
    """Split a JSON text. Raises ValueError if it is not one."""
    top: Part | None = None
    open_: list[Part] = []
    named: tuple[int, str] | None = None
    position = 0
    while match := _TOKEN.match(text, position):
        start, position = match.start(1), match.end()
        token = match[1]
        if token in (b"}", b"]"):
            open_.pop().end = position
        elif token[:1] == b'"' and open_ and open_[-1].opening == b"{" and named is None:
            named = start, json.loads(token.decode("utf-8", "surrogateescape"), strict=False)
        elif token not in (b":", b","):
            part = Part(text, *((named[0], start) if named else (start, start)), name=named[1] if named else "")
            named = None
            if open_:
                open_[-1].items.append(part)
            elif top is None:
                top = part
            else:
                raise ValueError("two values")
            if token in (b"{", b"["):
                open_.append(part)
            else:
                part.end = position
    if top is None or open_ or text[position:].strip(b" \t\r\n"):
        raise ValueError("not JSON")
    return top
