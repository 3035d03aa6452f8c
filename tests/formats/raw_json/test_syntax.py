"""Where a text stops being JSON: bytes counted from 0, lines and columns from 1."""

from __future__ import annotations

import msgspec
import pytest

from statefmt.formats.raw_json import json_problem, locate, utf8_problem
from tests.tables import each_row


@each_row(
    ("data", "line", "column", "offset"),
    [
        pytest.param(b"x", 1, 1, 0, id="the first byte"),
        pytest.param(b'{"a":x}', 1, 6, 5, id="on the first line"),
        pytest.param(b'{\n  "a": x}', 2, 8, 9, id="on the second line"),
        pytest.param(b'{\r\n"a":x}', 2, 5, 7, id="after CRLF"),
        pytest.param(b'{\r"a":x}', 1, 7, 6, id="a lone CR ends no line"),
        pytest.param('{"é":x}'.encode(), 1, 7, 6, id="columns are bytes"),
        pytest.param(b'{"a":1', 1, 7, 6, id="the end of the text"),
        pytest.param(b'{"a":1,\n', 2, 1, 8, id="the end after a line end"),
        pytest.param(b'{"a":1}\n}', 2, 1, 8, id="more than one value"),
        pytest.param(b'{"a":1 "b":2}', 1, 8, 7, id="a comma missing"),
        pytest.param(b'{"a" 1}', 1, 6, 5, id="a colon missing"),
        pytest.param(b'{"a":"\n"}', 1, 7, 6, id="a line end in a string"),
        pytest.param(b'\xef\xbb\xbf{"a":x}', 1, 1, 0, id="a byte order mark, before anything else"),
    ],
)
def test_json_problem(data: bytes, line: int, column: int, offset: int) -> None:
    with pytest.raises(msgspec.DecodeError) as error:
        msgspec.json.decode(data)
    problem = json_problem(data, error.value)
    assert (problem.line, problem.column, problem.offset) == (line, column, offset)
    assert f"at line {line}, column {column} (byte {offset})" in str(problem)


_MIB = 1 << 20


@pytest.mark.parametrize(
    ("data", "offset"),
    [
        pytest.param(b"plain", None, id="ASCII"),
        pytest.param("é日😀".encode(), None, id="UTF-8"),
        pytest.param(b"ab\xff", 2, id="a byte that never occurs"),
        pytest.param("é".encode("latin-1"), 0, id="Latin-1"),
        pytest.param(b"a\xe6\x97", 1, id="cut in a character"),
        pytest.param(b"a\xc0\xaf", 1, id="longer than needed"),
        pytest.param(b"a\xed\xa0\x80", 1, id="half a surrogate pair"),
        pytest.param(b"a" * (_MIB - 1) + "é".encode() + b"a", None, id="a character across two parts"),
        pytest.param(b"a" * (_MIB - 1) + b"\xc3" + b"a", _MIB - 1, id="a broken one across two parts"),
        pytest.param("é".encode() * _MIB + b"\xff", 2 * _MIB, id="in a later part"),
    ],
)
def test_utf8_problem(data: bytes, offset: int | None) -> None:
    problem = utf8_problem(data)
    assert (problem and problem.offset) == offset


def test_locate_at_the_end_of_a_line() -> None:
    assert locate(b"ab\ncd", 2, "x")[1:3] == (1, 3)
    assert locate(b"ab\ncd", 3, "x")[1:3] == (2, 1)
