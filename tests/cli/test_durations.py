"""Durations and ages in the notations of the options."""

from __future__ import annotations

import pytest
import typer

from statefmt.cli.options.shared import AGE, TIMEOUT, Notation, seconds
from tests.tables import each_row


@each_row(
    ("text", "notation", "expected"),
    [
        ("0s", TIMEOUT, 0),
        ("10s", TIMEOUT, 10),
        ("500ms", TIMEOUT, 0.5),
        ("1m30s", TIMEOUT, 90),
        ("1.5h", TIMEOUT, 5400),
        ("1h1m1s1ms", TIMEOUT, 3661.001),
        ("7", TIMEOUT, 7),
        ("0h", AGE, 0),
        ("12h", AGE, 43_200),
        ("30d", AGE, 2_592_000),
        ("8w", AGE, 4_838_400),
        ("9999w", AGE, 6_047_395_200),
    ],
)
def test_a_duration(text: str, notation: Notation, expected: float) -> None:
    assert seconds(text, "--x", notation) == expected


@pytest.mark.parametrize("text", ["", "soon", "-1s", "10 s", "1d", "1S", "s", "1hm", "٣s", "9" * 400])
def test_not_a_duration(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is not a duration: write 10s, 500ms or 1m30s"):
        seconds(text, "--x")


@pytest.mark.parametrize("text", ["", "30", "30m", "30s", "1w2d", "1.5h", "d", "99999w"])
def test_not_an_age(text: str) -> None:
    """Minutes might mean months, and edits are deleted for good."""
    with pytest.raises(typer.BadParameter, match="is not an age: write 12h, 30d or 8w"):
        seconds(text, "--x", AGE)
