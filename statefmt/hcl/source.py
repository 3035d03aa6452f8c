"""Defines positions in source text, problems at them, and user-perceived characters, the columns of HCL.

Sources: go-textseg v15 `grapheme_clusters.rl` (Unicode annex 29), as OpenTofu and Terraform use it; Unicode 15
`GraphemeBreakProperty.txt` and `emoji-data.txt`.
"""

from __future__ import annotations

import bisect
import re
import unicodedata
from enum import Enum
from functools import lru_cache
from typing import Final

import msgspec

from statefmt.model.findings import Severity


class Range(msgspec.Struct, frozen=True, gc=False, order=True):
    """A range within one file.

    `line` and `column` start at 1; a column is a user-perceived character (a grapheme cluster), as in HCL. The end is
    exclusive. `start` and `stop` are the byte offsets of the same range.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    start: int
    stop: int

    def __str__(self) -> str:
        """Return `main.tf:3,5-20` as OpenTofu prints it, `main.tf:3,5-4,2` for several lines."""
        end = str(self.end_column) if self.end_line == self.line else f"{self.end_line},{self.end_column}"
        return f"{self.file}:{self.line},{self.column}-{end}"

    def to(self, other: Range) -> Range:
        """Return the range from the start of this one to the end of a later one in the same file."""
        return Range(
            file=self.file,
            line=self.line,
            column=self.column,
            end_line=other.end_line,
            end_column=other.end_column,
            start=self.start,
            stop=max(self.stop, other.stop),
        )


class SourceText:
    """The content of one file, with conversion from byte offsets to lines and columns."""

    __slots__ = ("_lines", "_simple", "content", "file")

    def __init__(self, file: str, content: bytes) -> None:
        self.file = file
        self.content = content
        # Every byte is one column.
        self._simple = content.isascii() and b"\r" not in content
        self._lines: list[int] | None = None

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and column of a byte offset, both from 1."""
        if self._lines is None:
            self._lines = _line_starts(self.content)
        line = bisect.bisect_right(self._lines, offset)
        start = self._lines[line - 1]
        if self._simple:
            return line, offset - start + 1
        return line, count_graphemes(self.content[start:offset].decode("utf-8", "replace")) + 1

    def range(self, start: int, stop: int) -> Range:
        """Return the range of the bytes from `start` up to, but not including, `stop`."""
        return Range(self.file, *self.place(start), *self.place(stop), start, stop)

    def text(self, start: int, stop: int) -> str:
        """Decode these bytes; invalid UTF-8 becomes U+FFFD."""
        return self.content[start:stop].decode("utf-8", "replace")


class EmbeddedSource(SourceText):
    """A text embedded in another file, such as a JSON string, at the bytes `start` to `stop` of that file.

    The text starts at the byte `before` of `content`, which may wrap it for parsing. If `exact`, each byte of the text
    is a byte of the file; otherwise (the text had escapes) every range in it is the whole text.
    """

    __slots__ = ("_before", "_exact", "_outer", "_start", "_stop")

    def __init__(self, outer: SourceText, start: int, stop: int, content: bytes, before: int, *, exact: bool) -> None:
        super().__init__(outer.file, content)
        self._outer = outer
        self._start = start
        self._stop = stop
        self._before = before
        self._exact = exact

    def range(self, start: int, stop: int) -> Range:
        if not self._exact:
            return self._outer.range(self._start, self._stop)
        shift = self._start - self._before
        return self._outer.range(
            min(max(start + shift, self._start), self._stop), min(max(stop + shift, self._start), self._stop)
        )


def _line_starts(content: bytes) -> list[int]:
    starts = [0]
    found = content.find(b"\n")
    while found >= 0:
        starts.append(found + 1)
        found = content.find(b"\n", found + 1)
    return starts


class ProblemKind(Enum):
    """The subject of a problem; the rules assign each kind a code."""

    UNREADABLE = "unreadable"  # a file or directory that cannot be read
    SYNTAX = "syntax"  # a file that is not valid HCL or JSON
    BLOCK = "block"  # an invalid block or argument
    DUPLICATE = "duplicate"  # something declared twice
    MODULE = "module"  # a child module that is missing or calls itself
    VARIABLE = "variable"  # a value for an input variable
    PROVIDER_BLOCK = "provider block"  # a provider block with for_each and no alias, or with a reserved argument
    NO_PROVIDER = "no provider"  # a reference to a missing provider configuration
    RELEASE = "release"  # a construct that the release does not support
    EVALUATION = "evaluation"  # an expression that OpenTofu would refuse to evaluate


class Problem(msgspec.Struct, frozen=True):
    """A problem, with OpenTofu's summary if it has one. `range` is None for a whole directory."""

    kind: ProblemKind
    severity: Severity
    summary: str
    detail: str
    range: Range | None = None


def error(kind: ProblemKind, summary: str, detail: str, range_: Range | None = None) -> Problem:
    """Create a problem that makes OpenTofu stop."""
    return Problem(kind, Severity.ERROR, summary, detail, range_)


def warning(kind: ProblemKind, summary: str, detail: str, range_: Range | None = None) -> Problem:
    """Create a problem that does not stop OpenTofu, or that hides part of the configuration from statetool."""
    return Problem(kind, Severity.WARNING, summary, detail, range_)


# Patterns over the letters of `grapheme_property`, one letter per character.
_EXTENSION: Final = "(?:E|S|Z(?:XE*)?)*"
_HANGUL: Final = f"(?:L+(?:H?V+T*|JT*|H)?|HV*T*|V+T*|JT*|T+){_EXTENSION}"
_PICTURE: Final = f"XE*{_EXTENSION}"
_FLAG: Final = f"RR?{_EXTENSION}"
_JOINED: Final = "Z[ZES]*"
_OTHER: Final = "[OES][EZS]*"
_SEQUENCE: Final = f"{_HANGUL}|{_PICTURE}|{_FLAG}|{_JOINED}|{_OTHER}"
_CLUSTER: Final = re.compile(f"rn|P+(?:{_SEQUENCE})?|{_SEQUENCE}|.")


def count_graphemes(text: str) -> int:
    """Count the grapheme clusters of `text`."""
    if text.isascii():
        return len(text) - text.count("\r\n")
    return len(split_graphemes(text))


def split_graphemes(text: str) -> list[str]:
    """Split `text` into grapheme clusters."""
    if text.isascii() and "\r" not in text:
        return list(text)
    letters = "".join(map(grapheme_property, text))
    return [text[match.start() : match.end()] for match in _CLUSTER.finditer(letters)]


# Characters that extend the cluster before them without being nonspacing or enclosing marks.
_EXTENDING: Final = re.compile(
    "[\u09be\u09d7\u0b3e\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u1b35\u200c\u302e\u302f"
    "\uff9e\uff9f\U0001133e\U00011357\U000114b0\U000114bd\U000115af\U00011930\U0001d165\U0001d16e-\U0001d172"
    "\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
_SPACING: Final = re.compile("[\u0e33\u0eb3]")
# Spacing marks that do not join the cluster before them.
_APART: Final = re.compile(
    "[\u102b\u102c\u1038\u1062-\u1064\u1067-\u106d\u1083\u1087-\u108c\u108f\u109a-\u109c\u1a61\u1a63\u1a64"
    "\uaa7b\uaa7d\U00011720\U00011721]"
)
_PREPENDED: Final = re.compile(
    "[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\U000110bd\U000110cd\U000111c2\U000111c3\U0001193f\U00011941"
    "\U00011a3a\U00011a84-\U00011a89\U00011d46\U00011f02]"
)
_CONTROL: Final = re.compile(
    "[\u2065\ufff0-\ufff8\ufffd\U000e0000\U000e0002-\U000e001f\U000e0080-\U000e00ff\U000e01f0-\U000e0fff]"
)
_PICTURES: Final = re.compile(
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u2388\u23cf\u23e9-\u23f3"
    "\u23f8-\u23fa\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2605\u2607-\u2612\u2614-\u2685\u2690-\u2705"
    "\u2708-\u2712\u2714\u2716\u271d\u2721\u2728\u2733\u2734\u2744\u2747\u274c\u274e\u2753-\u2755\u2757\u2763-\u2767"
    "\u2795-\u2797\u27a1\u27b0\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001f0ff\U0001f10d-\U0001f10f\U0001f12f\U0001f16c-\U0001f171\U0001f17e\U0001f17f\U0001f18e"
    "\U0001f191-\U0001f19a\U0001f1ad-\U0001f1e5\U0001f201-\U0001f20f\U0001f21a\U0001f22f\U0001f232-\U0001f23a"
    "\U0001f23c-\U0001f23f\U0001f249-\U0001f3fa\U0001f400-\U0001f53d\U0001f546-\U0001f64f\U0001f680-\U0001f6ff"
    "\U0001f774-\U0001f77f\U0001f7d5-\U0001f7ff\U0001f80c-\U0001f80f\U0001f848-\U0001f84f\U0001f85a-\U0001f85f"
    "\U0001f888-\U0001f88f\U0001f8ae-\U0001f8ff\U0001f90c-\U0001f93a\U0001f93c-\U0001f945\U0001f947-\U0001faff"
    "\U0001fc00-\U0001fffd]"
)
_LISTED: Final = (
    (_EXTENDING, "E"),
    (_SPACING, "S"),
    (_PREPENDED, "P"),
    (_CONTROL, "C"),
    (_PICTURES, "X"),
    (_APART, "O"),
)
_CATEGORIES: Final = {"Mn": "E", "Me": "E", "Mc": "S", "Cc": "C", "Cf": "C", "Zl": "C", "Zp": "C"}
_SINGLE: Final = {"\r": "r", "\n": "n", "\u200d": "Z"}
_FIRST_SYLLABLE: Final = 0xAC00
_ENDINGS: Final = 28


@lru_cache(maxsize=4096)
def grapheme_property(char: str) -> str:
    """Return the class letter of a character.

    Carriage return (r), newline (n), control (C), prepended (P), extending (E), spacing mark (S), joiner (Z), regional
    indicator (R), picture (X), parts of Hangul syllables (L, V, T; whole syllables without and with a final consonant:
    H, J), or any other (O).
    """
    if char in _SINGLE:
        return _SINGLE[char]
    for characters, letter in _LISTED:
        if characters.match(char):
            return letter
    if "\u1100" <= char <= "\ud7fb" and (hangul := _hangul(char)):
        return hangul
    if "\U0001f1e6" <= char <= "\U0001f1ff":
        return "R"
    return _CATEGORIES.get(unicodedata.category(char), "O")


def _hangul(char: str) -> str:
    if char <= "\u115f" or "\ua960" <= char <= "\ua97c":
        return "L"
    if char <= "\u11a7" or "\ud7b0" <= char <= "\ud7c6":
        return "V"
    if char <= "\u11ff" or char >= "\ud7cb":
        return "T"
    if "\uac00" <= char <= "\ud7a3":
        return "J" if (ord(char) - _FIRST_SYLLABLE) % _ENDINGS else "H"
    return ""
