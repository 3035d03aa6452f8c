"""Writes the CSV that statetool prints: quoted as RFC 4180 describes, in lines that end in a line feed.

The RFC ends lines in a carriage return and a line feed, which Unix programs take as part of the last cell.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from typing import Final

# Not given to the writer: before Python 3.13, it quotes a carriage return in a cell only if its own line ends have one.
_WRITTEN_END: Final = "\r\n"


def csv_text(rows: Iterable[Sequence[object]]) -> bytes:
    """Write a record for each row; None as an empty cell."""
    lines = _Lines()
    csv.writer(lines).writerows(rows)
    return "".join([line.removesuffix(_WRITTEN_END) + "\n" for line in lines]).encode()


class _Lines(list[str]):
    """A file for the writer, which writes each record at once."""

    write = list[str].append
