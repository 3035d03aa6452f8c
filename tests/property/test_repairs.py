"""Repairs by first choices: the result can be read, all else is equal to the byte, and no order matters."""

from __future__ import annotations

from random import Random

from hypothesis import given, strategies as st

from statefmt.edit.repairs import DecisionIndex, parse_decisions, repaired
from statefmt.edit.repairs.find import defects, is_fatal
from statefmt.formats.reading import inspect
from tests.edit.repairs.choosing import Decider, first_choice, rounds
from tests.edit.repairs.unchanged import differences
from tests.property.breakages import broken_states

# Levels of a state, each of which shows when the one above can be read, and objects that stop the reader one by one.
_MOST_ROUNDS = 8


@given(state=broken_states())
def test_first_choices_mend_defects_and_nothing_else(state: bytes) -> None:
    steps = rounds(state, first_choice)
    for step in steps:
        assert differences(step.before, step.after, step.allowed) == []
    content = steps[-1].after if steps else state
    assert inspect(content).snapshot is not None
    assert not any(map(is_fatal, defects(content)))
    assert len(steps) <= _MOST_ROUNDS
    assert repaired(state, first_choice).content == content


@given(state=broken_states(), seed=st.integers(0, 2**32))
def test_decisions_in_any_order_give_the_same(state: bytes, seed: int) -> None:
    """A decision for each defect that is found at first; what shows later is left."""
    lines = [
        f"{defect.finding.code} {defect.finding.pointer} {choice.label}"
        for defect in defects(state)
        if (choice := first_choice(defect)) is not None
    ]
    in_order = repaired(state, _by(lines))
    Random(seed).shuffle(lines)
    shuffled = repaired(state, _by(lines))
    assert shuffled.content == in_order.content
    assert [defect.finding for defect in shuffled.left] == [defect.finding for defect in in_order.left]


def _by(lines: list[str]) -> Decider:
    return DecisionIndex(parse_decisions("\n".join(lines))).decided
