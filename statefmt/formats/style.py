"""How a state file is laid out, apart from what it says.

Terraform, OpenTofu up to 1.7, and OpenTofu from 1.12 on (local files) indent by two spaces; OpenTofu 1.8 to
1.11, and later releases for remote states, write one line. OpenTofu 1.12 ends indented files with two newlines.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from statefmt.text.pattern import pattern

_FIRST_MEMBER = pattern(rb"[ \t\r\n]*\{[ \t\r]*\n")


class Layout(Enum):
    """Indented by two spaces, or on one line."""

    INDENT = "indent"
    COMPACT = "compact"


class Style(NamedTuple):
    """A layout, and the number of newlines at the end (1 or 2) that a canonical file of this style has."""

    layout: Layout = Layout.INDENT
    newlines: int = 1


INDENTED: Final = Style()


def style_of(data: bytes) -> Style:
    """The canonical style that is nearest to a file's own."""
    if not _FIRST_MEMBER.match(data):
        return Style(Layout.COMPACT)
    return Style(Layout.INDENT, 2 if data.endswith(b"}\n\n") else 1)
