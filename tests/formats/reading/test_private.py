"""`private` as Go's encoding/json takes a byte slice, in canonical base64."""

from __future__ import annotations

import pytest

from statefmt.formats.reading._members import canonical_private
from tests.tables import each_row


@each_row(
    ("given", "text"),
    [
        pytest.param(None, "", id="absent"),
        pytest.param("", "", id="empty"),
        pytest.param([], "", id="no bytes"),
        pytest.param("AAAA", "AAAA", id="three bytes"),
        pytest.param("AAA=", "AAA=", id="two bytes"),
        pytest.param("AA==", "AA==", id="one byte"),
        pytest.param("ab+/", "ab+/", id="the standard alphabet"),
        pytest.param("AA\nAA", "AAAA", id="a line end is skipped"),
        pytest.param("AA\r\nAA\r\n", "AAAA", id="CRLF is skipped"),
        pytest.param("AB==", "AA==", id="bits that padding leaves over are dropped"),
        pytest.param("AAB=", "AAA=", id="the same before one ="),
        pytest.param("\n", "", id="line ends alone"),
        pytest.param([0, 0, 0], "AAAA", id="a list of bytes"),
        pytest.param([255], "/w==", id="a list of one"),
    ],
)
def test_canonical(given: str | list[int] | None, text: str) -> None:
    assert canonical_private(given) == text


@pytest.mark.parametrize(
    "given",
    [
        pytest.param("AAA", id="no padding"),
        pytest.param("A===", id="too much padding"),
        pytest.param("AA=A", id="padding within"),
        pytest.param("AAAA=", id="padding too many"),
        pytest.param("ab-_", id="the alphabet for URLs"),
        pytest.param("AA AA", id="a space"),
        pytest.param("AA\tAA", id="a tab"),
        pytest.param("{}", id="no base64"),
        pytest.param("\uff41\uff41\uff41\uff41", id="wide letters"),
        pytest.param([256], id="more than a byte"),
        pytest.param([-1], id="less than a byte"),
    ],
)
def test_refused(given: str | list[int]) -> None:
    with pytest.raises(ValueError):
        canonical_private(given)
