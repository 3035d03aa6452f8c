"""Makes text from a state safe to show: escapes characters that a terminal or a reader could misinterpret."""

from __future__ import annotations

import re
from typing import Final

from statefmt.text.pattern import pattern

# Control characters (an escape sequence can rewrite the screen), bidirectional controls, line separators, surrogates
# (also bytes of a file name that are not UTF-8) and noncharacters.
_UNSAFE: Final = pattern(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
# An address is one word, even if an instance key has spaces in it. So is a statetool command in backticks: it could
# not be copied if a line ended within it.
_COMMAND: Final = "`statetool "
_WORD: Final = pattern(r'(?:`statetool [^`\n]*`|\["(?:[^"\\\n]|\\.)*"\]|\S)+')


def printable(text: str) -> str:
    """Return the text in one line, with unsafe characters escaped, such as `\\x1b`."""
    if text.isprintable():
        return text
    return _UNSAFE.sub(_escaped, text)


def words(text: str) -> list[str]:
    """Split prose into printable words; an address is one word, and so is a statetool command in backticks."""
    found = _WORD.findall(text) if '["' in text or _COMMAND in text else text.split()
    return found if text.isprintable() else [printable(word) for word in found]


def one_line(text: str) -> str:
    """Join prose into one line."""
    return " ".join(words(text))


def printable_lines(text: str) -> str:
    """Make each line of a text printable."""
    return "\n".join(map(printable, text.split("\n")))


def _escaped(match: re.Match[str]) -> str:
    number = ord(match[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
