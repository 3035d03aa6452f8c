"""Escapes characters that a terminal or a reader could misinterpret, in text that anybody may have written."""

from __future__ import annotations

import re
from typing import Final

from statefmt.text.pattern import pattern

# Control characters (an escape sequence can rewrite the screen), bidirectional controls, line separators, surrogates
# (also bytes of a file name that are not UTF-8) and noncharacters.
_UNSAFE: Final = pattern(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)


def printable(text: str) -> str:
    """Return the text in one line, with unsafe characters escaped, such as `\\x1b`."""
    if text.isprintable():
        return text
    return _UNSAFE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    number = ord(match[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
