"""Puts text of others into Markdown: in code, or escaped, so that none of it is markup, a link or a mention."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from statefmt.render.printable import printable
from statefmt.text.pattern import pattern

# GitHub accepts 65,536 characters in a comment; the rest is for text that a workflow adds.
MOST_CHARACTERS: Final = 65_000
_BACKTICKS: Final = pattern(r"`{3,}")


def fence_around(lines: Iterable[str]) -> str:
    """Return the fence of a code block that none of the lines can end."""
    longest = max((len(run) for line in lines for run in _BACKTICKS.findall(line)), default=2)
    return "`" * (longest + 1)


def code(text: str) -> str:
    """Return text as inline code."""
    return f"<code>{escaped(printable(text))}</code>"


def escaped(text: str) -> str:
    """Escape text so that none of it can be markup, a link or a mention."""
    return "".join([char if char.isalnum() or char in " ,-/" else f"&#{ord(char)};" for char in text])
