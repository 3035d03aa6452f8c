"""The work grows with the objects: what is equal is found in an index."""

from __future__ import annotations

import random
from typing import Any

import pytest

from statefmt.analysis import moves as _matching
from statefmt.analysis.moves.proposals import Candidate
from tests.analysis.moves.build import gone, new, proposed

_MANY = 300


def _distinct(number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    values = {"name": f"n{number}", "zone": "z", "size": number % 5}
    return gone(f"aws_x.a{number}", values), new(f"aws_x.b{number}", values)


def _same(number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    return gone(f"aws_x.a{number}", {"zone": "z"}), new(f"aws_x.b{number}", {"zone": "z"})


def _wasting(number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Each created object has other unknown attributes, and all others are alike."""
    values = {f"k{place}": "v" for place in range(20)}
    unknown = random.Random(number).sample(sorted(values), 10)
    known = {name: value for name, value in values.items() if name not in unknown}
    return gone(f"aws_x.a{number}", values), new(f"aws_x.b{number}", known, dict.fromkeys(unknown, True))


@pytest.mark.parametrize(
    ("make", "per_object", "not_compared"), [(_distinct, 1, False), (_same, 1, False), (_wasting, 20, True)]
)
def test_comparisons(make: Any, per_object: int, not_compared: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    made = 0
    real = _matching.are_equal

    def counted(destroyed: Candidate, created: Candidate) -> bool:
        nonlocal made
        made += 1
        return real(destroyed, created)

    monkeypatch.setattr(_matching, "are_equal", counted)
    found = proposed(*(change for number in range(_MANY) for change in make(number)))
    assert 0 < made <= per_object * 2 * _MANY
    assert bool(found.not_compared) is not_compared
    assert len(found.moves) == (_MANY if make is _distinct else 0)
