"""What is wrong with bytes that are not JSON: where, and in plain words."""

from __future__ import annotations

import codecs
from typing import NamedTuple

import msgspec

from statefmt.text.pattern import pattern

# The byte at which msgspec stopped, in its message.
_OFFSET = pattern(r"^JSON is malformed: (?P<reason>.*) \(byte (?P<offset>\d+)\)$")
_CHUNK = 1 << 20


class SyntaxProblem(NamedTuple):
    """Where reading stopped (0-based byte offset; 1-based line and column in bytes) and why."""

    offset: int
    line: int
    column: int
    reason: str

    def __str__(self) -> str:
        return f"{self.reason} at line {self.line}, column {self.column} (byte {self.offset})"


def locate(data: bytes, offset: int, reason: str) -> SyntaxProblem:
    """A problem at a byte offset, with its line and column."""
    line_start = data.rfind(b"\n", 0, offset) + 1
    return SyntaxProblem(offset, data.count(b"\n", 0, offset) + 1, offset - line_start + 1, reason)


def json_problem(data: bytes, error: msgspec.DecodeError | UnicodeDecodeError) -> SyntaxProblem:
    """The problem that msgspec found in `data`."""
    if data.startswith(codecs.BOM_UTF8):
        return locate(data, 0, "a byte order mark, which JSON does not allow,")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return locate(data, 0, "the file is UTF-16 and must be UTF-8; it starts so")
    match = _OFFSET.match(str(error))
    if match is None:
        # msgspec also says "truncated" of a lone surrogate escape, in the middle of the text.
        return locate(data, len(data), "the text ends too early")
    # Of characters after the value msgspec gives the place behind the first.
    offset = int(match["offset"]) - (match["reason"] == "trailing characters")
    return locate(data, offset, match["reason"])


def utf8_problem(data: bytes) -> SyntaxProblem | None:
    """The first byte that is not UTF-8, if any; msgspec does not look inside raw parts."""
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
