"""Describes the places where a text stops being JSON."""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from statefmt.formats.salvage._grammar import SPACE
from statefmt.text.pattern import pattern

# How a state ends, in either layout. A state that was only cut short never ends so: an indented one has no other brace
# in the first column, a compact one no other line break.
_STATE_END: Final = pattern(rb"(?:\n|[^\s{])\}\s*\Z")
_LONGEST_END: Final = 64
_ANYTHING: Final = pattern(rb"[^\0 \r\n\t]")
# What the end of the file or a zeroed block cut off: a string, a word, a number, or a name without its value.
_CUT_OFF: Final = pattern(
    rb'(?:"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+(?:\\(?:u[0-9a-fA-F]{0,3})?|")?|[a-z0-9.+\-E]*+)'
    + SPACE
    + rb":?(?=\0|\Z)"
)


class BreakKind(Enum):
    """What is where the text stops being JSON: the end of the file, zero bytes, other text, or the end of a state."""

    END = "end"
    ZEROS = "zeros"
    TEXT = "text"
    OLD_END = "old end"

    @property
    def is_seam(self) -> bool:
        """Whether two texts meet there, or before."""
        return self in (BreakKind.TEXT, BreakKind.OLD_END)


class Break(NamedTuple):
    """The byte at which an open value stops being JSON; `element` is where the innermost open element begins."""

    position: int
    kind: BreakKind
    element: int


def kind_of_break(text: bytes, position: int) -> BreakKind:
    """Return what is at a position where an open value stops being JSON."""
    cut = _CUT_OFF.match(text, position)
    if cut is None:
        return BreakKind.TEXT
    if _ANYTHING.search(text, cut.end()):
        return BreakKind.ZEROS
    return BreakKind.OLD_END if ends_as_state(text) else BreakKind.END


def ends_as_state(text: bytes) -> bool:
    """Return whether a text ends as a state does; zeros may follow."""
    end = (text if text[-1:] != b"\0" else text.rstrip(b"\0"))[-_LONGEST_END:]
    return end.endswith(b"\n") and _STATE_END.search(end) is not None
