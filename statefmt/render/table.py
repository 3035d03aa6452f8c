"""Tables on a terminal: columns under headings, no lines drawn, nothing cut."""

from __future__ import annotations

from collections.abc import Sequence

from tabulate import tabulate

from statefmt.render.terminal import Terminal


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
