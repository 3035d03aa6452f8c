"""`docs/fidelity.md` lists the deviations and the numbers that the tests find."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from tests.formats.deviations import DEVIATIONS, Kind
from tests.formats.recorded import CASES

_PAGE: Final = (Path(__file__).parents[2] / "docs" / "fidelity.md").read_text(encoding="utf-8")
_CASE: Final = re.compile(r"^\| `([a-z0-9-]+/\d+[^`]*)` \|", re.MULTILINE)


def _section(title: str) -> str:
    return _PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize(
    ("kind", "title"),
    [
        pytest.param(Kind.REFUSED, "Stricter than OpenTofu", id="refused"),
        pytest.param(Kind.OWN_PROVIDER, "Each object keeps its own provider", id="own provider"),
        pytest.param(Kind.NO_NONSENSE, "No nonsense written", id="no nonsense"),
    ],
)
def test_each_deviation_is_listed_once(kind: Kind, title: str) -> None:
    assert _CASE.findall(_section(title)) == [name for name, deviation in DEVIATIONS.items() if deviation.kind is kind]


def test_nothing_else_is_listed() -> None:
    assert sorted(_CASE.findall(_PAGE)) == sorted(DEVIATIONS)


@pytest.mark.parametrize("tier", [1, 2])
def test_numbers(tier: int) -> None:
    names = {case["id"] for case in CASES if case["tier"] == tier}
    differ = len(names & set(DEVIATIONS))
    row = re.search(rf"^\| tier {tier}: .* \| (\d+) \| (\d+) \| (\d+) \|$", _PAGE, re.MULTILINE)
    assert row is not None
    assert row.groups() == (str(len(names)), str(len(names) - differ), str(differ))


def test_numbers_in_the_text() -> None:
    crashes = sum(case["outcome"] == "panic" for case in CASES)
    assert f"{len(CASES):,} state files" in _PAGE
    assert f"In tier 2, OpenTofu crashes on {crashes} cases" in _PAGE
