"""Tables: columns as wide as their widest cell, numbers flush right, nothing changed and nothing cut."""

from __future__ import annotations

from statefmt.render.table import table
from statefmt.render.terminal import Terminal

ROWS = [["aws_instance.a", "1"], ['aws_instance.b["x y"]', "12"], ["", "007"], ["  indented", "1e3"]]


def test_columns() -> None:
    assert table(["ADDRESS", "COUNT"], ROWS, Terminal(), right="lr").splitlines() == [
        "ADDRESS                COUNT",
        "aws_instance.a             1",
        'aws_instance.b["x y"]     12',
        "                         007",
        "  indented               1e3",
    ]


def test_no_blanks_at_the_end_of_lines() -> None:
    assert table(["A", "LONG"], [["x", ""]], Terminal()).splitlines() == ["A  LONG", "x"]


def test_headings_are_bold_where_there_is_colour() -> None:
    assert table(["A"], [["x"]], Terminal(colour=True)).splitlines() == ["\x1b[1mA\x1b[0m", "x"]


def test_nothing_is_cut() -> None:
    address = "module.a" * 30
    assert address in table(["ADDRESS"], [[address]], Terminal(width=40))
