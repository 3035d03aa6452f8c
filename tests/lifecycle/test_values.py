"""The encoding of recorded values goes there and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.lifecycle.recorded import FUNCTIONS, PLAIN, agrees, cases
from tests.lifecycle.values import decode, encode


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_go_there_and_back(name: str) -> None:
    count = 0
    for case in cases(name):
        for value in _values(case):
            decoded = decode(value)
            assert decoded is not None
            assert agrees({"output": {"result": value}}, {"result": encode(decoded)}), case["id"]
            count += 1
    assert count > 100


def _values(node: Any) -> Iterator[Any]:
    if isinstance(node, list):
        for item in node:
            yield from _values(item)
    elif isinstance(node, dict):
        if node.keys() == {"type", "value"}:
            yield node
        else:
            for name, item in node.items():
                if name not in PLAIN or (name in ("before", "after") and "fn" in node):
                    yield from _values(item)
