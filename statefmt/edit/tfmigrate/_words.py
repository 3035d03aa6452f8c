"""Splits the line of an action into words as a shell does it, without variables and substitutions.

Source: mattn/go-shellwords, which tfmigrate uses.
"""

from __future__ import annotations

from typing import Final

# What ends a line for a shell, or starts a substitution: an address has none of it outside quotes.
_SPECIAL: Final = frozenset(";&|<>()`")
_ESCAPED: Final = {"n": "\n", "t": "\t"}


def action_words(line: str) -> tuple[str, ...]:
    """Return the words of a line. Raises ValueError if a quote is open, or a character has a meaning to a shell."""
    words: list[str] = []
    word: list[str] | None = None
    quote, escaped = "", False
    for char in line:
        if escaped:
            word, escaped = [*(word or ()), _ESCAPED.get(char, char)], False
        elif char == "\\" and quote != "'":
            escaped = True
        elif quote:
            if char == quote:
                quote = ""
            elif word is not None:
                word.append(char)
        elif char in "'\"":
            quote, word = char, word or []
        elif char in " \t\r\n":
            if word is not None:
                words.append("".join(word))
            word = None
        elif char in _SPECIAL:
            raise ValueError(f"{char} has a meaning to shells; put the address in single quotes")
        else:
            word = [] if word is None else word
            word.append(char)
    if quote or escaped:
        raise ValueError("a quote is not closed" if quote else "the line ends in a backslash")
    return tuple(words if word is None else [*words, "".join(word)])
