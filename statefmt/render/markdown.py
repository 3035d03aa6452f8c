"""Puts text of others into Markdown: in code, or escaped, so that none of it is markup, a link or a mention."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from statefmt.render.printable import printable
from statefmt.text import pattern

# GitHub accepts 65,536 characters in a comment; the rest is for text that a workflow adds.
MOST_CHARACTERS: Final = 65_000
_BACKTICKS: Final = pattern(r"`{3,}")


def _fence_around(lines: Iterable[str]) -> str:
    """Return the fence of a code block that none of the lines can end."""
    longest = max((len(run) for line in lines for run in _BACKTICKS.findall(line)), default=2)
    return "`" * (longest + 1)


def cut_diff_block(head: str, lines: Sequence[str], end: str, room: int) -> tuple[str, bool]:
    """Return a `diff` code block between `head` and `end`, and whether lines were left out to fit into `room`.

    `room` is in characters; the text is empty if not even one line fits.
    """
    fence = _fence_around(lines)
    start, stop = f"{head}{fence}diff\n", f"{fence}\n{end}"
    room -= len(start) + len(stop)
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line + "\n")
    if not kept:
        return "", True
    return start + "".join(kept) + stop, len(kept) < len(lines)


def code(text: str) -> str:
    """Return text as inline code."""
    return f"<code>{escaped(printable(text))}</code>"


def escaped(text: str) -> str:
    """Escape text so that none of it can be markup, a link or a mention."""
    return "".join([char if char.isalnum() or char in " ,-/" else f"&#{ord(char)};" for char in text])
