"""Text from a state, made safe to show: what a terminal or a reader could take for something else becomes visible."""

from __future__ import annotations

import re
from typing import Final

from statefmt.text.pattern import pattern

# Control characters (an escape sequence can rewrite a screen), marks that change the direction of writing, line
# separators, halves of surrogate pairs (also: bytes of a file name that are not UTF-8), and non-characters.
_UNSAFE: Final = pattern(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
# Words as addresses have them: an instance key belongs to its word, also where it has spaces in it. So does a command
# of ours in backticks: broken by the end of a line, it cannot be copied.
_COMMAND: Final = "`statetool "
_WORD: Final = pattern(r'(?:`statetool [^`\n]*`|\["(?:[^"\\\n]|\\.)*"\]|\S)+')


def printable(text: str) -> str:
    """The text in one line, with `\\x1b` and the like for every character that must not be printed as it is."""
    if text.isprintable():
        return text
    return _UNSAFE.sub(_escaped, text)


def words(text: str) -> list[str]:
    """The printable words of some prose; an address is one word, and a command of ours in backticks."""
    found = _WORD.findall(text) if '["' in text or _COMMAND in text else text.split()
    return found if text.isprintable() else [printable(word) for word in found]


def one_line(text: str) -> str:
    """Prose in one line."""
    return " ".join(words(text))


def printable_lines(text: str) -> str:
    """Text of several lines, each made printable."""
    return "\n".join(map(printable, text.split("\n")))


def _escaped(match: re.Match[str]) -> str:
    number = ord(match[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
