"""Writes the CSV that statetool prints: quoted as RFC 4180 describes, in lines that end in a line feed.

The RFC ends lines in a carriage return and a line feed, which Unix programs take as part of the last cell.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from typing import Final

# Not given to the writer: before Python 3.13, it quotes a carriage return in a cell only if its own line ends have one.
_WRITTEN_END: Final = "\r\n"


# Prefixes of formulas, also in full width. Source: OWASP, "CSV Injection".
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def csv_text(rows: Iterable[Sequence[object]]) -> bytes:
    """Write a record for each row; None as an empty cell.

    A string that a spreadsheet would take for a formula is prefixed with an apostrophe: it may come from a stranger's
    state. Numbers stay as they are.
    """
    lines = _Lines()
    csv.writer(lines).writerows([_harmless(cell) for cell in row] for row in rows)
    return "".join([line.removesuffix(_WRITTEN_END) + "\n" for line in lines]).encode()


def _harmless(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


class _Lines(list[str]):
    """A file for the writer, which writes each record at once."""

    write = list[str].append
