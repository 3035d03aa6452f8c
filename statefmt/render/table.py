"""Prints tables: aligned columns for a terminal, and CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from typing import Final

from tabulate import tabulate

from statefmt.render.terminal import Terminal
from statefmt.text import pattern

# Colour codes, which have no width. (All other escapes in cells are already visible.)
_CODES: Final = pattern(r"\x1b\[[0-9;]*m")


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], terminal: Terminal, *, right: str = "") -> str:
    """Render rows of cells in columns two spaces apart, without a final newline.

    `right` has a letter for each column: `r` aligns it right, any other left. Addresses must stay whole for copying,
    so a row may be wider than the terminal.
    """
    aligned = ["right" if letter == "r" else "left" for letter in right.ljust(len(headings))]
    drawn = tabulate(
        [list(headings), *map(list, rows)],
        tablefmt="plain",
        colalign=aligned,
        disable_numparse=True,
        preserve_whitespace=True,
    )
    heading, *lines = [line.rstrip() for line in drawn.split("\n")]
    return "\n".join([terminal.paint(heading, "bold"), *lines])


def fitted_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], terminal: Terminal, *, columns: int | None, right: str = ""
) -> str:
    """Render a table that is no wider than `columns` if possible (None for any width).

    A wider table has the cells of its first column on separate lines, each above the rows that share it.
    """
    whole = table(headings, rows, terminal, right=right)
    if columns is None or max(len(_CODES.sub("", line)) for line in whole.split("\n")) <= columns:
        return whole
    heading, *lines = table(headings[1:], [row[1:] for row in rows], terminal, right=right[1:]).split("\n")
    stacked = [terminal.paint(headings[0], "bold"), f"  {heading}"]
    above = ""
    for (first, *_), line in zip(rows, lines, strict=True):
        stacked += ([] if first == above else [first]) + [f"  {line}"]
        above = first
    return "\n".join(stacked)


# Writes CSV: quoted according to RFC 4180, in lines that end in a line feed.
# The RFC ends lines in a carriage return and a line feed, but Unix programs treat the former as part of the last
# cell.

# The writer's default, which must stay: before Python 3.13, it quotes a carriage return in a cell only if its own line
# ends contain one.
_WRITTEN_END: Final = "\r\n"


# Prefixes of formulas, also in full width. Source: OWASP, "CSV Injection".
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def csv_text(rows: Iterable[Sequence[object]]) -> bytes:
    """Write a record for each row; None as an empty cell.

    A string that a spreadsheet would interpret as a formula is prefixed with an apostrophe: the state may be
    untrusted. Numbers stay unchanged.
    """
    lines = _Lines()
    csv.writer(lines).writerows([_harmless(cell) for cell in row] for row in rows)
    return "".join([line.removesuffix(_WRITTEN_END) + "\n" for line in lines]).encode()


def _harmless(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


class _Lines(list[str]):
    """A file for the writer, which writes each record at once."""

    write = list[str].append
