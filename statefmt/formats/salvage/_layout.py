"""Finds how a damaged state is laid out, so that the result is laid out alike."""

from __future__ import annotations

from typing import Final

from statefmt.formats.salvage.model import StateLayout
from statefmt.text.pattern import pattern

_FIRST_MEMBER: Final = pattern(rb'\{([ \t\r\n]*+)"[a-z_]++"([ \t]*+:[ \t]*+)')
_LINE: Final = pattern(rb"(\r?\n)([ \t]*+)\Z")


def layout_at(text: bytes, start: int) -> StateLayout:
    """Return the layout of the state, or of the part of a state, that begins at an offset."""
    first = _FIRST_MEMBER.match(text, start)
    if first is None:
        return StateLayout()
    line = _LINE.search(first[1])
    if line is None:
        return StateLayout(line=b"", indent=b"", colon=first[2])
    return StateLayout(line=line[1], indent=line[2] if len(line[2]) <= _WIDEST else b"  ", colon=first[2])


# A part that is not the whole state is indented more.
_WIDEST: Final = 8
