"""The text that an editor gets, and what it becomes in the file."""

from __future__ import annotations

import pytest

from statefmt.library.text_edit import is_same_json, text_of_state, text_of_value
from tests.tables import each_row

BOM = b"\xef\xbb\xbf"
INDENTED = b'{\n  "version": 4,\n  "serial": 1\n}\n'
COMPACT = b'{"version":4,"serial":1}\n'


@each_row(
    ("stored", "edited", "wanted"),
    [
        (INDENTED, INDENTED, INDENTED),
        # Editors add a BOM, change line ends, and add or drop the last newline.
        (INDENTED, BOM + INDENTED.replace(b"1", b"2"), INDENTED.replace(b"1", b"2")),
        (INDENTED, INDENTED.replace(b"\n", b"\r\n"), INDENTED),
        (INDENTED, INDENTED.rstrip().replace(b"1", b"2"), INDENTED.replace(b"1", b"2")),
        (INDENTED.rstrip(), INDENTED.replace(b"1", b"2"), INDENTED.rstrip().replace(b"1", b"2")),
        (INDENTED.rstrip(), INDENTED.replace(b"\n", b"\r\n"), INDENTED.rstrip()),
        # What the file has itself stays.
        (INDENTED.replace(b"\n", b"\r\n"), INDENTED.replace(b"\n", b"\r\n"), INDENTED.replace(b"\n", b"\r\n")),
        (INDENTED, INDENTED.replace(b"{\n", b"{\r\n"), INDENTED.replace(b"{\n", b"{\r\n")),
        (BOM + INDENTED, BOM + INDENTED, BOM + INDENTED),
        (BOM + INDENTED, INDENTED, INDENTED),
        (COMPACT, INDENTED.replace(b"1", b"2"), COMPACT.replace(b"1", b"2")),
        (COMPACT, BOM + INDENTED.replace(b"\n", b"\r\n"), COMPACT),
        (COMPACT, b'{"version": 4,', b'{"version": 4,'),
        # Numbers, escapes, order and repeated members are those of the text.
        (COMPACT, b'{"b": 1.0, "a": 1e3, "b": "\\u0041"}', b'{"b":1.0,"a":1e3,"b":"\\u0041"}\n'),
        # An emptied file is empty.
        (INDENTED, b"", b""),
        (INDENTED, b"\n", b""),
        (COMPACT, BOM + b"\r\n", b""),
    ],
)
def test_an_edited_text_gets_the_layout_of_the_file(stored: bytes, edited: bytes, wanted: bytes) -> None:
    assert text_of_state(stored).restored(edited) == wanted


@pytest.mark.parametrize("stored", [INDENTED, COMPACT, COMPACT.rstrip(), b'{"version" :4}', b"{", b"", b"\0\0"])
def test_a_text_that_is_not_edited_is_the_file(stored: bytes) -> None:
    text = text_of_state(stored)
    assert text.restored(text.shown) == stored


def test_a_state_on_one_line_is_shown_on_many() -> None:
    assert text_of_state(COMPACT).shown == INDENTED
    # It could not be restored byte for byte.
    assert text_of_state(b'{"version" :4}').shown == b'{"version" :4}'


def test_a_value_is_shown_from_the_first_column() -> None:
    raw = b'{\n            "a": 1.0\n          }'
    assert text_of_value(raw).shown == b'{\n  "a": 1.0\n}\n'


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        (INDENTED, COMPACT, True),
        (INDENTED, COMPACT.replace(b"1", b"2"), False),
        (b"1.0", b"1", False),
        (b"{", b"{", False),
    ],
)
def test_texts_that_differ_in_white_space_only(one: bytes, other: bytes, wanted: bool) -> None:
    assert is_same_json(one, other) is wanted
