"""The comparison that proves repairs sees every change that is not allowed: else it would prove nothing."""

from __future__ import annotations

import pytest

from tests.edit.repairs.unchanged import Path, differences
from tests.tables import each_row

_BEFORE = b' {"a": 1,\n "b": [ {"x": 1} , {"x": 2}, 3 ],  "c": {"d": "e"} }\n'


@pytest.mark.parametrize(
    ("after", "changed"),
    [
        (_BEFORE, set()),
        (_BEFORE.replace(b"1,", b"[2],"), {("a",)}),
        (_BEFORE.replace(b"1,", b"[2],"), {("A",)}),
        (_BEFORE.replace(b'{"x": 1} , ', b""), {("b", "0")}),
        (_BEFORE.replace(b' , {"x": 2}', b""), {("b", "1")}),
        (_BEFORE.replace(b"3 ]", b"3, 4 ]"), {("b", "-")}),
        (_BEFORE.replace(b'"a": 1,\n ', b""), {("a",)}),
        (_BEFORE.replace(b"1,", b'1, "z": 1,'), {("z",)}),
        (_BEFORE.replace(b'{"x": 2}', b'{"x": 7}').replace(b'{"x": 1} , ', b""), {("b", "0"), ("b", "1", "x")}),
    ],
)
def test_allowed(after: bytes, changed: set[Path]) -> None:
    assert differences(_BEFORE, after, changed) == []


@each_row(
    ("after", "changed"),
    [
        (_BEFORE.strip(), set()),
        (_BEFORE.replace(b"1,", b"2,"), set()),
        (_BEFORE.replace(b"1,", b"2,"), {("b",), ("c", "d")}),
        (_BEFORE.replace(b"1,", b"1 ,"), {("b",)}),
        (_BEFORE.replace(b'"a": 1', b'"a":1'), {("b",)}),
        (_BEFORE.replace(b" ]", b"]"), {("b", "0", "x")}),
        (_BEFORE.replace(b"} }", b"}}"), {("a",)}),
        (_BEFORE.replace(b'{"x": 1} , ', b""), {("b", "1", "x")}),
        (_BEFORE.replace(b'{"x": 2}, 3', b'3, {"x": 2}'), {("b", "0")}),
        (_BEFORE.replace(b"3 ]", b"3, 4 ]"), {("b", "0")}),
        (_BEFORE.replace(b"1,", b'1, "z": 1,'), {("a",)}),
        (_BEFORE.replace(b'{"x": 1}', b'{"x": 1.0}'), {("b", "1")}),
    ],
)
def test_not_allowed(after: bytes, changed: set[Path]) -> None:
    assert differences(_BEFORE, after, changed)
