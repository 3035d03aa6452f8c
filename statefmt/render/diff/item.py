"""What a comparison is printed from: items with lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from statefmt.analysis.diff.values import NoValue, ValueChange
from statefmt.golang import JSONValue
from statefmt.render.diff.values import Manner, cut_pair, shown
from statefmt.render.printable import printable

ADDED: Final = "+"
REMOVED: Final = "-"
CHANGED: Final = "~"
MOVED: Final = "→"


@dataclass(frozen=True, slots=True)
class Line:
    """A single difference: its label and both printable values; None on the side that does not have it."""

    sign: str
    label: str
    old: str | None = None
    new: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """The differences under one sign and title, both printable; `target` is where it moved, `note` a remark.

    With `is_back`, `target` is where it came from.
    """

    sign: str
    title: str
    lines: tuple[Line, ...] = ()
    target: str = ""
    note: str = ""
    is_back: bool = False


def side_text(side: JSONValue | NoValue, manner: Manner, is_plain: bool) -> str | None:
    """Return one side of a difference; None if it has no value. Plain text is not quoted or cut."""
    if isinstance(side, NoValue):
        return None
    return printable(side) if is_plain and isinstance(side, str) else shown(side, manner)


def value_line(label: str, old: str | None, new: str | None, manner: Manner) -> Line:
    """Return the line for a value that differs; None on the side that does not have it."""
    sign = value_sign(old, new)
    old, new = cut_pair(old or "", new or "", manner)
    return Line(sign, label, None if sign == ADDED else old, None if sign == REMOVED else new)


def remark(change: ValueChange) -> str:
    """Return what a change says of a whole list, without values; "" for any other change."""
    if change.order is not None:
        return "reordered"
    if change.by_position:
        return "compared by position: too many blocks to pair by content"
    return ""


def value_sign(old: str | None, new: str | None) -> str:
    """Return the sign of a difference; None on the side that does not have the value."""
    return ADDED if old is None else REMOVED if new is None else CHANGED
