"""All recorded answers of OpenTofu's functions."""

from __future__ import annotations

import pytest

from tests.lifecycle.recorded import ANSWERS, FUNCTIONS, agrees, answer, cases
from tests.tables import each_row

_CASES = [(name, function) for name, functions in FUNCTIONS.items() for function in functions if function in ANSWERS]


@each_row(("name", "function"), _CASES)
def test_answers_are_those_of_opentofu(name: str, function: str) -> None:
    wrong = [case["id"] for case in cases(name) if case["fn"] == function and not agrees(case, answer(case))]
    assert wrong == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_case_has_a_function(name: str) -> None:
    assert {case["fn"] for case in cases(name)} == set(FUNCTIONS[name])
