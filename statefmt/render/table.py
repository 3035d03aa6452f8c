"""Tables on a terminal: columns under headings, no lines drawn, nothing cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tabulate import tabulate

from statefmt.render.terminal import Terminal
from statefmt.text.pattern import pattern

# The codes of colours, which take no room. (In a cell, every other escape has been made visible.)
_CODES: Final = pattern(r"\x1b\[[0-9;]*m")


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], terminal: Terminal, *, right: str = "") -> str:
    """Rows of cells in columns two spaces apart, without a newline at the end.

    `right` has a letter for each column that is to stand flush right (`r`), and any other for the rest. Addresses
    must stay whole to be copied, so a row may be longer than the terminal is wide.
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
    """The same where it is no wider than `columns` (None for any width).

    Else the cells of the first column stand on lines of their own, each above the rows that it is the same in.
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
