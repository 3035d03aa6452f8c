"""Every recorded state that is refused but can be parsed is mended by choices, or listed here with its reason."""

from __future__ import annotations

from typing import Any, Final

import pytest

from statefmt.edit.repairs import repaired
from statefmt.edit.repairs.find import defects, is_fatal
from statefmt.formats.reading import inspect
from tests.cli.states import SAMPLES
from tests.edit.repairs.choosing import first_choice, rounds
from tests.edit.repairs.unchanged import differences
from tests.formats.recorded import CASES, input_of
from tests.tables import each_row

# By their names, with the reason.
NOT_MENDED: Final[dict[str, str]] = {}
REFUSED: Final = [
    case
    for case in CASES
    if case["tier"] == 1 and (found := inspect(input_of(case))).version is not None and found.snapshot is None
]
NO_STATES: Final = {
    "truncated.tfstate": "it is not JSON: `salvage` mends it",
    "backend-configuration.tfstate": "it is what `init` records, and no state",
}
_BROKEN: Final = sorted(path.name for path in (SAMPLES / "broken").iterdir())
# Mending shows what could not be found before: each level of a state takes its own round.
_MOST_ROUNDS: Final = 4
each_refused: Final = each_row("case", REFUSED, ids=lambda case: case["id"])


def test_there_are_refused_states() -> None:
    assert len(REFUSED) == 336


@each_refused
def test_mended(case: dict[str, Any]) -> None:
    repair = repaired(input_of(case), first_choice)
    is_mended = inspect(repair.content).snapshot is not None
    assert is_mended == (case["id"] not in NOT_MENDED)
    assert is_mended or all(not defect.choices for defect in repair.left if is_fatal(defect))
    assert not repaired(repair.content, first_choice).mended


@each_refused
def test_all_else_is_equal_to_the_byte(case: dict[str, Any]) -> None:
    data = input_of(case)
    steps = rounds(data, first_choice)
    for step in steps:
        assert differences(step.before, step.after, step.allowed) == []
    assert len(steps) <= _MOST_ROUNDS
    assert repaired(data, first_choice).content == (steps[-1].after if steps else data)


@pytest.mark.parametrize("name", _BROKEN)
def test_samples(name: str) -> None:
    data = (SAMPLES / "broken" / name).read_bytes()
    steps = rounds(data, first_choice)
    for step in steps:
        assert differences(step.before, step.after, step.allowed) == []
    after = steps[-1].after if steps else data
    assert any(map(is_fatal, defects(after))) == (name in NO_STATES)
