"""Explains why bytes are not valid JSON or UTF-8, and where."""

from __future__ import annotations

import codecs
from typing import NamedTuple

import msgspec

from statefmt.text.pattern import pattern

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
