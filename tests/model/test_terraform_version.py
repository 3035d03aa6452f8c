"""Versions as hashicorp/go-version 1.8 reads and prints them."""

from __future__ import annotations

import pytest

from statefmt.model.snapshot import normalise_version
from tests.tables import each_row


@each_row(
    ("text", "normal"),
    [
        pytest.param("1.9.0", "1.9.0", id="as it should be"),
        pytest.param("v1.9.0", "1.9.0", id="a leading v"),
        pytest.param("1", "1.0.0", id="one number"),
        pytest.param("1.2", "1.2.0", id="two numbers"),
        pytest.param("1.2.3.4", "1.2.3.4", id="four numbers stay"),
        pytest.param("1.2.3.4.5", "1.2.3.4.5", id="five numbers stay"),
        pytest.param("01.002.0", "1.2.0", id="leading zeros"),
        pytest.param("1.9.0-dev", "1.9.0-dev", id="a pre-release"),
        pytest.param("1.9.0-rc.1", "1.9.0-rc.1", id="a pre-release with parts"),
        pytest.param("1.2.3rc1", "1.2.3-rc1", id="a pre-release without its dash"),
        pytest.param("1.2.3-0", "1.2.3-0", id="a numeric pre-release"),
        pytest.param("1.2-beta", "1.2.0-beta", id="a pre-release after two numbers"),
        pytest.param("1.2.3+build.5", "1.2.3+build.5", id="metadata"),
        pytest.param("1.2.3-beta.1+m", "1.2.3-beta.1+m", id="pre-release and metadata"),
        pytest.param("1.2.3~x", "1.2.3-~x", id="a tilde begins a pre-release"),
        pytest.param("9223372036854775807.0.0", "9223372036854775807.0.0", id="the largest number"),
        pytest.param("9223372036854775808.0.0", None, id="one more"),
        pytest.param("9" * 5_000, None, id="more digits than Python converts"),
        pytest.param("0" * 5_000 + "1", "1.0.0", id="as many zeros"),
        pytest.param("", None, id="empty"),
        pytest.param("latest", None, id="a word"),
        pytest.param("V1.2", None, id="a capital v"),
        pytest.param("1.2.x", None, id="a placeholder"),
        pytest.param("1.9.", None, id="a dot at the end"),
        pytest.param(" 1.9.4", None, id="a space before"),
        pytest.param("1.9.4 ", None, id="a space after"),
        pytest.param("1.9.4\n", None, id="a line end after"),
        pytest.param("-1.2", None, id="negative"),
        pytest.param("1.2.3+", None, id="empty metadata"),
        pytest.param("1.2.3-", "1.2.3--", id="a lone dash is a pre-release"),
        pytest.param("\u0661.\u0662.\u0663", None, id="digits of another script"),
        pytest.param(">= 1.0", None, id="a constraint"),
    ],
)
def test_normalised(text: str, normal: str | None) -> None:
    assert normalise_version(text) == normal
