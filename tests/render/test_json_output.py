"""JSON that is printed: nothing in it acts on a terminal, and it says what it would say without the escapes."""

from __future__ import annotations

import json
import re
from typing import Final

import pytest

from statefmt.golang import loads_exact
from statefmt.render.json_output import document, exact_document, fragment

UNSAFE: Final = [
    *range(0x7F, 0xA0),
    0x61C,
    0x200E,
    0x200F,
    *range(0x2028, 0x202F),
    *range(0x2066, 0x206A),
    0xFEFF,
    0xFFFE,
]
# Beside them, and in UTF-8 like them.
HARMLESS: Final = "~\u00a0ü\u061b\u200d\u2010\u2027\u202f\u2065\u206a\ufeef\ufffd→\U0001f600"


@pytest.mark.parametrize("write", [document, exact_document])
def test_what_a_terminal_acts_on_is_escaped(write: object) -> None:
    assert callable(write)
    text = "".join(map(chr, UNSAFE)) + HARMLESS
    written = write(**{text: [text]}).decode()
    assert json.loads(written)[text] == [text]
    assert not set(written) & set(map(chr, UNSAFE))
    assert set(HARMLESS) <= set(written)


def test_raw_values_of_a_state() -> None:
    value = loads_exact('{"a\x7f": ["\u202e\x9b", 1.0]}'.encode())
    written = exact_document(value=fragment(value))
    assert rb'"a\u007f"' in written
    assert rb'"\u202e\u009b"' in written
    assert re.search(rb"\b1\.0\b", written)


def test_bytes_of_a_file_name() -> None:
    written = document(path="odd-\udcff", more={"\udc80": ("\x7f\udcfe",)})
    assert json.loads(written) == {"format_version": "1.0", "path": "odd-\\udcff", "more": {"\\udc80": ["\x7f\\udcfe"]}}
