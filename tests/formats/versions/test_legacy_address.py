"""Resource addresses of formats 1 to 3, with numbers as Go's strconv.ParseInt reads them with base 0."""

from __future__ import annotations

import pytest

from statefmt.formats.versions.v3 import parse_legacy_address
from tests.tables import each_row


@each_row(
    ("text", "address"),
    [
        pytest.param("aws_eip.nat", "aws_eip.nat", id="a resource"),
        pytest.param("aws_eip.nat.0", "aws_eip.nat[0]", id="one of several"),
        pytest.param("data.aws_ami.os", "data.aws_ami.os", id="a data source"),
        pytest.param("data.aws_ami.os.7", "data.aws_ami.os[7]", id="one of several data sources"),
        pytest.param("data.x", "data.x", id="a resource type called data"),
        pytest.param("a.b.-1", "a.b[-1]", id="negative"),
        pytest.param("a.b.+1", "a.b[1]", id="with a plus"),
        pytest.param("a.b.010", "a.b[8]", id="octal"),
        pytest.param("a.b.0o10", "a.b[8]", id="octal with an o"),
        pytest.param("a.b.0x1F", "a.b[31]", id="hexadecimal"),
        pytest.param("a.b.0b101", "a.b[5]", id="binary"),
        pytest.param("a.b.1_000", "a.b[1000]", id="an underscore between digits"),
        pytest.param("a.b.0_7", "a.b[7]", id="an underscore after the octal zero"),
        pytest.param("a.b.0x_1", "a.b[1]", id="an underscore after a prefix"),
        pytest.param("a.b.9223372036854775807", "a.b[9223372036854775807]", id="the largest"),
        pytest.param("a.b.-9223372036854775808", "a.b[-9223372036854775808]", id="the smallest"),
        pytest.param("a.", "a.", id="names are not checked"),
        pytest.param(".b", ".b", id="nor types"),
    ],
)
def test_parsed(text: str, address: str) -> None:
    assert str(parse_legacy_address(text)) == address


@each_row(
    ("text", "reason"),
    [
        pytest.param("", "invalid internal resource address format", id="empty"),
        pytest.param("a", "invalid internal resource address format", id="one part"),
        pytest.param("a.b.0.1", "invalid internal resource address format", id="four parts"),
        pytest.param("data.a.b.0.1", "invalid internal resource address format", id="five parts"),
        pytest.param("a.b.c", '"c" is not a whole number', id="a word as key"),
        pytest.param("a.b.", '"" is not a whole number', id="no key after the dot"),
        pytest.param("a.b.1.5", "invalid internal resource address format", id="a fraction"),
        pytest.param("a.b.08", '"08" is not a whole number', id="no octal digit"),
        pytest.param("a.b.0x", '"0x" is not a whole number', id="a prefix alone"),
        pytest.param("a.b.1__0", '"1__0" is not a whole number', id="two underscores"),
        pytest.param("a.b.1_", '"1_" is not a whole number', id="an underscore at the end"),
        pytest.param("a.b._1", '"_1" is not a whole number', id="an underscore before"),
        pytest.param("a.b. 1", '" 1" is not a whole number', id="a space"),
        pytest.param("a.b.٣", '"٣" is not a whole number', id="a digit of another script"),
        pytest.param("a.b.9223372036854775808", "is not a whole number", id="one too large"),
        pytest.param("a.b." + "9" * 5000, "is not a whole number", id="far too large"),
    ],
)
def test_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_legacy_address(text)
