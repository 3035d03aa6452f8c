"""Every choice of every defect of the recorded states mends it, or says why not; never anything else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from statefmt.edit.repairs import repaired
from statefmt.edit.repairs.find import defects, is_fatal
from statefmt.edit.repairs.member_choices import Choice, Defect
from statefmt.formats.reading import inspect
from statefmt.model.errors import SurgeryError
from tests.edit.repairs.choosing import only, rounds, value_for
from tests.edit.repairs.test_recorded_repairs import NOT_MENDED, each_refused
from tests.edit.repairs.unchanged import differences
from tests.formats.recorded import input_of
from tests.tables import each_row

_NO_VALUES: Final = ("", " ", "null", '"', "{", "[[[[", "1e999", '"\\ud800"', "\x00", "\x1b[2J", "a.b.c.d", "é" * 300)


def _each(data: bytes) -> Iterator[tuple[Defect, Choice]]:
    for defect in defects(data):
        for choice in defect.choices:
            yield defect, choice


@each_row("share", [3, pytest.param(1, marks=pytest.mark.slow)])
@each_refused
def test_every_choice_mends(case: dict[str, Any], share: int) -> None:
    """In `make test`, every third choice, but at least the first."""
    data = input_of(case)
    for defect, choice in list(_each(data))[::share]:
        decide = only(defect, choice, value_for(defect, choice))
        try:
            steps = rounds(data, decide)
        except SurgeryError as error:
            # A value is needed that fits this state: it says what is wrong with the one that it got.
            assert choice.value, (defect, choice)
            assert len(str(error)) > 20
            continue
        for step in steps:
            assert differences(step.before, step.after, step.allowed) == []
        if steps:
            left = [one for one in defects(steps[-1].after) if is_fatal(one) and one.choices]
            assert left == [], (defect, choice)
            assert (inspect(steps[-1].after).snapshot is not None) == (case["id"] not in NOT_MENDED)


@each_row("share", [12, pytest.param(1, marks=pytest.mark.slow)])
@each_refused
def test_values_that_no_state_has(case: dict[str, Any], share: int) -> None:
    """In `make test`, each choice gets some of the values, and each value goes to some of the choices."""
    data = input_of(case)
    for number, (defect, choice) in enumerate(_each(data)):
        for value in _NO_VALUES[number % share :: share] if choice.value else ():
            try:
                content = repaired(data, only(defect, choice, value)).content
            except SurgeryError:
                continue
            inspect(content)
