"""Wrapping, and what is printed of characters that are not to be printed."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from statefmt.render.terminal import UNLIMITED, Terminal, one_line, words
from statefmt.text import printable

# The text, its printable form.
PRINTABLE = [
    ("plain", "plain", "nothing to do"),
    ("größe 日本 😀", "größe 日本 😀", "letters of all kinds"),
    ("\x1b[31mred", r"\x1b[31mred", "an escape sequence"),
    ("a\nb\r\tc", r"a\x0ab\x0d\x09c", "white space that moves"),
    ("\x00\x7f\x85\x9f", r"\x00\x7f\x85\x9f", "control characters"),
    ("\u202eabc\u2066", r"\u202eabc\u2066", "other directions"),
    ("a\u2028b", r"a\u2028b", "a line separator"),
    ("\udcff", r"\udcff", "a byte of a file name that is not UTF-8"),
    ("\ufeff\ufffe\uffff", r"\ufeff\ufffe\uffff", "what is no character"),
    ("a\xa0b", "a\xa0b", "a space that does not break"),
]


@pytest.mark.parametrize(("text", "expected", "shows"), PRINTABLE, ids=[case[2] for case in PRINTABLE])
def test_printable(text: str, expected: str, shows: str) -> None:
    assert printable(text) == expected


WORDS = [
    ("one two\n three ", ["one", "two", "three"]),
    ('a.b["c d"].e f', ['a.b["c d"].e', "f"]),
    (r'a["x \" y"]["z  z"], b', [r'a["x \" y"]["z  z"],', "b"]),
    ('a["never closed b', ['a["never', "closed", "b"]),
    ('"quoted words" are words', ['"quoted', 'words"', "are", "words"]),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), WORDS)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


WRAPPED = [
    ("one two three", 9, "", "", "one two\nthree"),
    ("one two three", 13, "", "", "one two three"),
    ("one two three", 12, "", "", "one two\nthree"),
    ("one two three", 9, "  ", "", "  one two\n  three"),
    ("one two three", 9, " ", "  ", " one two\n   three"),
    ("one muchtoolong three", 9, "", "", "one\nmuchtoolong\nthree"),
    ("  spaces\n\nand lines ", 40, "> ", "", "> spaces and lines"),
    ('at a["b c d e f"] now', 9, "", "", 'at\na["b c d e f"]\nnow'),
    ("", 9, "  ", "", ""),
    ("one two\nthree " * 50, UNLIMITED, "  ", "    ", "  " + " ".join(["one two three"] * 50)),
    ("", UNLIMITED, "  ", "", ""),
]


@pytest.mark.parametrize(("text", "width", "indent", "hanging", "expected"), WRAPPED)
def test_wrap(text: str, width: int, indent: str, hanging: str, expected: str) -> None:
    assert Terminal(width).wrap(text, indent, hanging) == expected


@given(st.text(), st.integers(1, 60))
def test_wrapping_keeps_all_words(text: str, width: int) -> None:
    lines = Terminal(width).wrap(text, "  ").split("\n")
    assert " ".join(line[2:] for line in lines) == one_line(text)
    assert all(len(line) <= width or len(words(line)) <= 1 for line in lines)
