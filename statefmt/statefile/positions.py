"""Where in a file a JSON pointer points."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Position(NamedTuple):
    """A place in a file: line and column, both from 1, the column in characters."""

    line: int
    column: int


def positions(data: bytes, pointers: Iterable[str]) -> dict[str, Position]:
    """The place of each pointer's value (of a member: of its name); pointers that lead nowhere are left out.

    One pass over the bytes, without decoding them.
    """
    raise NotImplementedError
