"""Values in one line, cut where there is no room for them."""

from __future__ import annotations

import pytest

from statefmt.golang import loads_exact
from statefmt.redaction.partial import HIDDEN
from statefmt.render.diff import Manner, cut_pair, shown

# JSON, and how it is shown.
VALUES = [
    ("null", "null"),
    ("true", "true"),
    ("1.50e3", "1.50e3"),
    ('"a\\nb"', '"a\\nb"'),
    ('"\\u001b[31m"', '"\\x1b[31m"'),
    ('"\\u202e"', '"\\u202e"'),
    ("[]", "[]"),
    ("{}", "{}"),
    ('[1,["a"]]', '[1, ["a"]]'),
    ('{"b":1,"a b":{"c":null}}', '{ b = 1, "a b" = { c = null } }'),
]


@pytest.mark.parametrize(("text", "expected"), VALUES)
def test_in_one_line(text: str, expected: str) -> None:
    assert shown(loads_exact(text.encode()), Manner()) == expected


def test_hidden() -> None:
    assert shown([HIDDEN], Manner()) == "[(sensitive value)]"


def test_nested_deeper_than_python_goes() -> None:
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    assert shown(value, Manner()) == "(nested too deeply to be shown)"  # type: ignore[arg-type]


def test_full_lays_out_what_is_long() -> None:
    value = loads_exact(b'{"a":"' + b"x" * 80 + b'"}')
    assert shown(value, Manner(full=True)) == f'{{\n            a = "{"x" * 80}"\n        }}'


# Both texts, and what is left of them in a width of 40 characters.
PAIRS = [
    ("a", "b", "a", "b"),
    ("x" * 40, "y" * 40, "x" * 40, "y" * 40),
    ("x" * 41, "y", "x" * 23 + "… (41 characters)", "y"),
    ("x" * 60 + "a", "x" * 60 + "b", f"…{'x' * 22}a (61 characters)", f"…{'x' * 22}b (61 characters)"),
    ("x" * 60, "x" * 61, f"…{'x' * 22} (60 characters)", f"…{'x' * 23} (61 characters)"),
    ("x" * 60 + "a" * 60, "x" * 60 + "b", "…xxxxxxxxxxxxaaaaaaaaa… (120 characters)", "…xxxxxxxxxxxxb (61 characters)"),
    ("x" * 1234, "", "x" * 20 + "… (1,234 characters)", ""),
]


@pytest.mark.parametrize(("old", "new", "old_cut", "new_cut"), PAIRS)
def test_cut(old: str, new: str, old_cut: str, new_cut: str) -> None:
    assert cut_pair(old, new, Manner(width=40)) == (old_cut, new_cut)
    assert cut_pair(new, old, Manner(width=40)) == (new_cut, old_cut)
    assert cut_pair(old, new, Manner(width=40, full=True)) == (old, new)
