"""The file formats of states, from bytes to a snapshot and back. This module describes the layout of a file."""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from statefmt.text import pattern

_FIRST_MEMBER = pattern(rb"[ \t\r\n]*\{[ \t\r]*\n")


class Layout(Enum):
    """A layout: indented by two spaces, or on one line."""

    INDENT = "indent"
    COMPACT = "compact"


class Style(NamedTuple):
    """A layout, and the number of newlines (1 or 2) at the end of a canonical file."""

    layout: Layout = Layout.INDENT
    newlines: int = 1


INDENTED: Final = Style()


def style_of(data: bytes) -> Style:
    """Return the canonical style closest to a file's style."""
    if not _FIRST_MEMBER.match(data):
        return Style(Layout.COMPACT)
    return Style(Layout.INDENT, 2 if data.endswith(b"}\n\n") else 1)
