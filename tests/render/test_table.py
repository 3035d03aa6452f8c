"""Tables: columns as wide as their widest cell, numbers flush right, nothing changed and nothing cut."""

from __future__ import annotations

import pytest

from statefmt.render.table import fitted_table, table
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


BOUND = [["aws.west", "1", "a.b"], ["aws.west", "12", "a.c"], ["aws", "3", "a.d"]]
STACKED = ["name", "  count  what", "aws.west", "      1  a.b", "     12  a.c", "aws", "      3  a.d"]
PLAIN = ["name      count  what", "aws.west      1  a.b", "aws.west     12  a.c", "aws           3  a.d"]


@pytest.mark.parametrize(
    ("columns", "expected"), [(None, PLAIN), (80, PLAIN), (21, PLAIN), (20, STACKED), (5, STACKED)]
)
def test_too_wide(columns: int | None, expected: list[str]) -> None:
    """Where it does not fit, what several rows begin with stands above them."""
    shown = fitted_table(["name", "count", "what"], BOUND, Terminal(), columns=columns, right=" r")
    assert shown.splitlines() == expected


@pytest.mark.parametrize(("columns", "lines"), [(5, 2), (4, 4)])
def test_colours_take_no_room(columns: int, lines: int) -> None:
    terminal = Terminal(colour=True)
    shown = fitted_table(["a", "b"], [[terminal.paint("x", "red"), "yz"]], terminal, columns=columns)
    assert len(shown.splitlines()) == lines


def test_nothing_in_it() -> None:
    assert fitted_table(["a", "b"], [], Terminal(), columns=2) == "a\n  b"
