"""Makes text from a state safe to show: escapes characters that a terminal or a reader could misinterpret."""

from __future__ import annotations

from typing import Final

from statefmt.text import pattern, printable

__all__ = ["ROOT", "one_line", "printable", "printable_lines", "words"]

# Stands for the address of the root module, which is empty.
ROOT: Final = "(root)"
# An address is one word, even if an instance key has spaces in it. So is a statetool command in backticks: it could
# not be copied if a line ended within it.
_COMMAND: Final = "`statetool "
_WORD: Final = pattern(r'(?:`statetool [^`\n]*`|\["(?:[^"\\\n]|\\.)*"\]|\S)+')


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
