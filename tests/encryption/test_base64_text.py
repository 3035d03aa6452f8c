"""Base64 that is made and decoded piece by piece is what Python makes of the whole."""

from __future__ import annotations

import base64

import pytest

from statefmt.encryption._encoding import Base64Room, Base64Text, NotBase64Error
from tests.tables import each_row

_PIECE = 3 * 2**16
LENGTHS = [0, 1, 2, 3, 4, _PIECE - 1, _PIECE, _PIECE + 1, _PIECE + 2, _PIECE + 3, 3 * _PIECE, 3 * _PIECE + 5]
WHOLE = base64.b64encode(bytes(range(256)) * 2000)
PLACE = _PIECE // 3 * 4
# Padding, or something that is not of the alphabet, in the text of two and a half pieces.
BROKEN = {
    "padding at the end of a piece": WHOLE[: PLACE - 2] + b"==" + WHOLE[PLACE:],
    "one padding at the end of a piece": WHOLE[: PLACE - 1] + b"=" + WHOLE[PLACE:],
    "padding in a piece": WHOLE[:6] + b"==" + WHOLE[8:],
    "padding at the end of the last but one": WHOLE[: 2 * PLACE - 1] + b"=" + WHOLE[2 * PLACE :],
    "quotation mark": WHOLE[:PLACE] + b'"' + WHOLE[PLACE + 1 :],
    "line break": WHOLE[:PLACE] + b"\n" + WHOLE[PLACE:],
    "other alphabet": WHOLE[:9] + b"-" + WHOLE[10:],
    "one letter too few": WHOLE[:-1],
    "one letter too many": WHOLE + b"A",
    "padding too much": WHOLE + b"=",
    "padding alone": b"====",
    "one padding alone": b"=",
}


def _data(length: int) -> bytes:
    return (bytes(range(256)) * (length // 256 + 1))[:length]


@each_row("length", LENGTHS)
def test_there_and_back(length: int) -> None:
    data = _data(length)
    text = Base64Room.of(data).framed(b"<", b">")
    assert text == b"<" + base64.b64encode(data) + b">"
    read = Base64Text(memoryview(text)[1:-1])
    assert len(read) == length
    assert bytes(read) == data
    assert b"".join(read.pieces()) == data


@each_row("name", BROKEN)
def test_refuses_all_but_strict_base64(name: str) -> None:
    text = Base64Text(memoryview(BROKEN[name]))
    with pytest.raises(NotBase64Error):
        bytes(text)
    with pytest.raises(NotBase64Error):
        list(text.pieces())


@each_row("around", [0, 1, 40_000, 300_000])
@each_row("length", [0, 1, _PIECE + 1])
def test_whatever_stands_around_it(length: int, around: int) -> None:
    """Also more than there was room for."""
    text = Base64Room.of(_data(length)).framed(b"a" * around, b"b" * around)
    assert text == b"a" * around + base64.b64encode(_data(length)) + b"b" * around
