"""Finds how deep in a state the values stand that follow a break, from the brackets that close behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from statefmt.formats.salvage._breaks import ends_as_state
from statefmt.formats.salvage._grammar import LOOSE, STRING
from statefmt.formats.salvage._scan import ScannedValue
from statefmt.text.pattern import pattern

# Resources stand in the state and its array.
RESOURCE_LEVEL: Final = 2
# Every string is closed; the question mark keeps the search linear in any text.
_STRING: Final = pattern(STRING + b"?")


def levels(text: bytes, nodes: Sequence[ScannedValue]) -> list[int | None]:
    """Return for each value how many brackets close behind it up to the end of the state; None if that is lost.

    An object in the attributes of a torn resource may look like a resource: only its place tells.
    """
    found: list[int | None] = []
    begin, level = len(text), 0 if ends_as_state(text) else None
    for node in reversed(nodes):
        mine = _level(text, node, begin, level) if node.is_whole and level is not None else None
        found.append(mine)
        # A value that is open where the text breaks says nothing of its own place.
        begin, level = node.start, mine
    return found[::-1]


def _level(text: bytes, node: ScannedValue, end: int, level: int) -> int | None:
    between = text[node.end : end].rstrip(b"\0")
    loose = LOOSE.fullmatch(between)
    if loose is None:
        return None
    bare = _STRING.sub(b"", between)
    return level + bare.count(b"]") + bare.count(b"}") - bare.count(b"[")
