"""Locates the parts of JSON text without decoding values: spans, pointers, and the place of a syntax error."""

from __future__ import annotations

import codecs
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple, overload

import msgspec
from msgspec import Raw

from statefmt.golang import fold_name, loads_exact
from statefmt.pieces import Span
from statefmt.text import pattern

_SPACES: Final = b" \t\r\n"
_SPACE: Final = pattern(rb"[ \t\r\n]*")
# Strings and containers so short that this is faster than msgspec.
_SHORT: Final = pattern(rb'"[^"\\]{0,200}+"|\[[^"\[\]{}]{0,200}+\]|\{\s*\}')
_PLAIN_NAME: Final = pattern(rb'"([^"\\\x80-\xff]*+)"[ \t\r\n]*+:[ \t\r\n]*+')
# A whole member in one step, if its name is plain and its value short: with the comma, up to the next member.
SHORT_MEMBER: Final = pattern(
    rb'"([^"\\\x80-\xff]*+)"[ \t\r\n]*+:[ \t\r\n]*+'
    rb'("[^"\\]{0,200}+"|[^\[\]{}",: \t\r\n]++)[ \t\r\n]*+(?:,[ \t\r\n]*+)?'
)
_TRAILING: Final = pattern(r"trailing characters \(byte (\d+)\)")
_STRING: Final = pattern(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_SCALAR: Final = pattern(rb"[^\[\]{}\",: \t\r\n]+")
# Everything up to the next bracket outside a string.
_BETWEEN_BRACKETS: Final = pattern(rb'[^"\[\]{}]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"\[\]{}]*+)*+', re.DOTALL)


class RawItem(NamedTuple):
    """A part of an object or an array: a member (with its decoded `name`), or an element (`name` is "").

    `before` separates it from the previous part: white space, and the comma unless it is the first. `whole` is the
    member with its name, or the element; `value` is the value alone.
    """

    name: str
    before: Span
    whole: Span
    value: Span


class Container(NamedTuple):
    """An object or an array: its items in order, and `after`, the white space before the closing bracket."""

    span: Span
    items: Sequence[RawItem]
    after: Span

    def find(self, name: str) -> RawItem | None:
        """Return the last member with that name, ignoring case, as Go does."""
        return next((item for item in reversed(self.items) if fold_name(item.name) == name), None)


def value_at(text: bytes, start: int = 0) -> Span:
    """Return the span of the value at `start`, after any white space."""
    start = skip_space(text, start)
    return Span(start, value_end(text, start))


def value_end(text: bytes, start: int) -> int:
    """Return the end of the value that starts at `start`. Raises ValueError if there is none."""
    match = _SHORT.match(text, start)
    if match is not None:
        return match.end()
    first = text[start : start + 1]
    if first in (b"{", b"["):
        return _skipped(text, start) or _closing_bracket(text, start)
    if first == b'"':
        end = _skipped(text, start)
        if end:
            return end
        match = _STRING.match(text, start)
    else:
        match = _SCALAR.match(text, start)
    if match is None:
        raise ValueError(f"no JSON value at byte {start}")
    return match.end()


def container_at(text: bytes, start: int = 0, end: int | None = None) -> Container:
    """Split the object or array at `start` into items. If `end` is given, long arrays are split faster."""
    opening = skip_space(text, start)
    is_object = text[opening : opening + 1] == b"{"
    if not is_object and end is not None and (elements := _elements(text, Span(opening, end))) is not None:
        return elements
    items: list[RawItem] = []
    end = opening + 1
    while True:
        position = skip_space(text, end)
        if text[position : position + 1] in (b"}", b"]"):
            return Container(Span(opening, position + 1), tuple(items), Span(end, position))
        if items:
            position = skip_space(text, position + 1)
        before = Span(end, position)
        name, start = member_at(text, position) if is_object else ("", position)
        value = Span(start, value_end(text, start))
        items.append(RawItem(name, before, Span(position, value.end), value))
        end = value.end


def members_at(text: bytes, start: int = 0) -> list[tuple[str, int, int]]:
    """Return the name of each member of the object at `start`, and the span of its value.

    Faster than container_at(), which also returns the separators.
    """
    members = []
    position = skip_space(text, skip_space(text, start) + 1)
    while text[position : position + 1] not in (b"}", b"]"):
        if short := SHORT_MEMBER.match(text, position):
            members.append((short[1].decode("ascii"), *short.span(2)))
            position = short.end()
            continue
        name, value = member_at(text, position)
        end = value_end(text, value)
        members.append((name, value, end))
        position = skip_space(text, end)
        if text[position : position + 1] == b",":
            position = skip_space(text, position + 1)
    return members


def _elements(text: bytes, span: Span) -> Container | None:
    """Split the array in a span with msgspec; None if msgspec rejects it."""
    try:
        elements = msgspec.json.decode(memoryview(text)[span.start : span.end], type=list[Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    items = _Elements(span.start + 1)
    end, lead = span.start + 1, b""
    for element in elements:
        # The same text nearly always separates all elements.
        if lead and text.startswith(lead, end) and text[end + len(lead)] not in _SPACES:
            position = end + len(lead)
        else:
            position = skip_space(text, end)
            if len(items):
                position = skip_space(text, position + 1)
                lead = text[end:position]
        end = position + len(element)
        items.starts.append(position)
        items.ends.append(end)
    return Container(span, items, Span(end, span.end - 1))


class _Elements(Sequence[RawItem]):
    """The elements of an array. Each is created on access, because a state has many."""

    def __init__(self, opened: int) -> None:
        self._opened = opened
        self.starts = array("q")
        self.ends = array("q")

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, number: int) -> RawItem: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[RawItem]: ...

    def __getitem__(self, number: int | slice) -> RawItem | Sequence[RawItem]:
        if isinstance(number, slice):
            return [self[one] for one in range(len(self))[number]]
        number = range(len(self))[number]
        value = Span(self.starts[number], self.ends[number])
        before = Span(self.ends[number - 1] if number else self._opened, value.start)
        return RawItem("", before, value, value)


def member_at(text: bytes, start: int) -> tuple[str, int]:
    """Return the decoded name of the member that starts at `start`, and the start of its value."""
    plain = _PLAIN_NAME.match(text, start)
    if plain is not None:
        return plain[1].decode("ascii"), plain.end()
    end = value_end(text, start)
    name = str(loads_exact(text[start:end], replace_invalid=True))
    return name, skip_space(text, skip_space(text, end) + 1)


def skip_space(text: bytes, position: int) -> int:
    """Return the position of the first byte from `position` on that is not white space."""
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _skipped(text: bytes, start: int) -> int:
    """Return the end of the value that starts at `start`, found by msgspec; 0 if msgspec rejects the value.

    msgspec reads one value and then reports the offset of any trailing data, so the end of the value need not be
    known beforehand.
    """
    try:
        msgspec.json.decode(memoryview(text)[start:], type=Raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        match = _TRAILING.search(str(error))
        if match is None:
            return 0
        end = start + int(match[1]) - _trailing_shift()
    else:
        end = len(text)
    while text[end - 1] in _SPACES:
        end -= 1
    return end


@cache
def _trailing_shift() -> int:
    """Measure by how much the position of trailing data that msgspec reports exceeds the actual one."""
    try:
        msgspec.json.decode(b"[]]", type=Raw)
    except msgspec.DecodeError as error:
        match = _TRAILING.search(str(error))
        return int(match[1]) - len(b"[]") if match else 0
    return 0


def _closing_bracket(text: bytes, start: int) -> int:
    """Return the position after the closing bracket for the bracket at `start`."""
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


# Bytes of a batch: enough to make calls cheap, few enough for the processor's cache.
_BATCH: Final = 1 << 17


def starts_with(raw: Raw | bytes, text: bytes) -> bool:
    """Return whether a raw value starts with `text`, without copying the value."""
    return bytes(memoryview(raw)[: len(text)]) == text


def equals(raw: Raw | bytes, text: bytes) -> bool:
    """Return whether a raw value is exactly `text`."""
    return len(raw) == len(text) and bytes(raw) == text


def in_batches(values: Iterable[Raw | bytes]) -> Iterator[list[Raw | bytes]]:
    """Yield values in order, in batches of few bytes; only a long value makes a large batch."""
    batch: list[Raw | bytes] = []
    size = 0
    for value in values:
        batch.append(value)
        size += len(value)
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def token(name: str) -> str:
    """Return a member's name as a token of a pointer."""
    return name.replace("~", "~0").replace("/", "~1")


# The reason and the byte at which msgspec stopped, in its message.
_OFFSET = pattern(r"^JSON is malformed: (?P<reason>.*) \(byte (?P<offset>\d+)\)$")
# Bytes decoded at once. Larger strings take longer, since the system provides new memory for each.
_CHUNK = 1 << 15


class SyntaxProblem(NamedTuple):
    """The position where reading stopped (0-based byte offset; 1-based line and column in bytes), and the reason."""

    offset: int
    line: int
    column: int
    reason: str

    def __str__(self) -> str:
        return f"{self.reason} at line {self.line}, column {self.column} (byte {self.offset})"


def locate(data: bytes, offset: int, reason: str) -> SyntaxProblem:
    """Return a problem at a byte offset, with its line and column."""
    line_start = data.rfind(b"\n", 0, offset) + 1
    return SyntaxProblem(offset, data.count(b"\n", 0, offset) + 1, offset - line_start + 1, reason)


def json_problem(data: bytes, error: msgspec.DecodeError | UnicodeDecodeError) -> SyntaxProblem:
    """Return the problem that msgspec found in `data`."""
    if data.startswith(codecs.BOM_UTF8):
        return locate(data, 0, "a byte order mark, which JSON does not allow,")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return locate(data, 0, "a UTF-16 byte order mark, where JSON must be UTF-8,")
    match = _OFFSET.match(str(error))
    if match is None:
        # msgspec also reports half a surrogate pair in the middle of the text as "truncated".
        return locate(data, len(data), "unexpected end of file")
    # For trailing characters, msgspec reports the position after the first one.
    offset = int(match["offset"]) - (match["reason"] == "trailing characters")
    return locate(data, offset, match["reason"])


def utf8_problem(data: bytes) -> SyntaxProblem | None:
    """Return the first byte that is not UTF-8, if any; msgspec does not check raw parts."""
    if data.isascii():
        return None
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(data)
    for start in range(0, len(data), _CHUNK):
        held = len(decoder.getstate()[0])
        try:
            decoder.decode(view[start : start + _CHUNK], final=start + _CHUNK >= len(data))
        except UnicodeDecodeError as error:
            return locate(data, start - held + error.start, "a byte that is not UTF-8")
    return None
