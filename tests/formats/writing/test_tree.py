"""Trees as JSON text: as Go writes strings, whichever way the text is made."""

from __future__ import annotations

import pytest
from msgspec import Raw

from statefmt.formats.writing import Tree, encode_tree
from statefmt.golang import encode_string, escape_html

# The tree, and its text.
TREES = [
    ({}, b"{}"),
    ([], b"[]"),
    ({"a": True, "b": [1, "x"], "c": Raw(b'{"z": 1.0}')}, b'{"a":true,"b":[1,"x"],"c":{"z": 1.0}}'),
    ({"b": "1", "a": "2"}, b'{"b":"1","a":"2"}'),
    (18446744073709551615, b"18446744073709551615"),
    # What msgspec does not write.
    (
        {"n": 18446744073709551616, "t": True, "l": ["x", Raw(b"1.0")]},
        b'{"n":18446744073709551616,"t":true,"l":["x",1.0]}',
    ),
    ({"half \ud800": "a \udfff"}, '{"half \ufffd":"a \ufffd"}'.encode()),
]


@pytest.mark.parametrize(("tree", "text"), TREES, ids=[str(number) for number in range(len(TREES))])
def test_text(tree: Tree, text: bytes) -> None:
    assert encode_tree(tree) == text


def test_every_character_is_escaped_as_go_does() -> None:
    characters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    assert escape_html(encode_tree(characters)) == b"[" + b",".join(map(encode_string, characters)) + b"]"
