"""Texts of any size are dealt with in linear time and without recursion."""

from __future__ import annotations

import time
from typing import Final

import pytest

from statefmt.model.addrs.parsing import parse_abs_provider_instance, parse_module_instance
from statefmt.model.addrs.provider import parse_provider_source
from statefmt.model.errors import AddressError
from tests.tables import each_row

SIZE: Final = 500_000
SECONDS: Final = 20  # ten times what a slow machine needs; quadratic time would take minutes

TEXTS = {
    "a name": "a" * SIZE,
    "a name in another script": "é" * SIZE,
    "dots": "." * SIZE,
    "wrong characters": "$" * SIZE,
    "quotes": '"' * SIZE,
    "braces": "{" * SIZE,
    "templates in templates": 'a["' + '${"' * (SIZE // 3),
    "unclosed comments": "/* " * (SIZE // 3),
    "heredocs": "<<E\n" * (SIZE // 4),
    "digits": f"a[{'1' * SIZE}]",
    "a number and points": f"a[1{'.' * SIZE}]",
    "exponents": f"a[{'1e' * (SIZE // 2)}]",
    "a large exponent": f"a[1e{'9' * SIZE}]",
    "decimals": f"a[0.{'9' * SIZE}]",
    "escapes": 'a["' + "\\u12" * (SIZE // 4) + '"]',
    "marks": 'a["e' + "\u0301\u0323" * (SIZE // 2) + '"]',
    "indexes": "a" + "[0]" * (SIZE // 3),
    "modules": "module.a." * (SIZE // 9) + "b",
    "slashes": "a/" * (SIZE // 2),
    "labels": "é." * (SIZE // 2) + "a/b/c",
    "dashes": "a-" * (SIZE // 2),
}


@each_row("text", TEXTS.values(), ids=TEXTS)
def test_large_texts(text: str) -> None:
    start = time.perf_counter()
    for parse in (parse_module_instance, parse_abs_provider_instance, parse_provider_source):
        try:
            parse(text)
        except AddressError as error:
            assert error.problems
    assert time.perf_counter() - start < SECONDS


def test_a_long_path_is_read() -> None:
    text = ".".join(["module.a[0]"] * 10_000)
    assert str(parse_module_instance(text)) == text


def test_modules_around_a_deep_one_are_refused() -> None:
    """Each of them has an address of its own: together these are as long as the square of the depth."""
    assert len(parse_module_instance(".".join(["module.a"] * 200)).on_the_way) == 200
    with pytest.raises(RecursionError):
        _ = parse_module_instance(".".join(["module.a"] * 201)).on_the_way
