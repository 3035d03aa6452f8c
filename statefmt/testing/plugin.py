"""The pytest plugin: prints differences between states, and writes states for tests.

pytest loads it if statetool is installed. It imports no other statetool module until a test uses one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Explain `as_state(old) == as_state(new)` with the output of `statetool diff`; ignore other comparisons."""
    # pytest calls this hook after each failed assertion; a test that never imported _states compares no states.
    if op != "==" or "statefmt.testing._states" not in sys.modules:
        return None
    from statefmt.testing._states import ComparableState, difference_lines, differences

    if not isinstance(left, ComparableState) or not isinstance(right, ComparableState):
        return None
    return [f"{left!r} == {right!r}", *difference_lines(differences(left, right))]


@pytest.fixture
def state_file(tmp_path: Path) -> Callable[..., Path]:
    """Write a state into the folder of the test and return its path.

    Accepts the arguments of `statefmt.testing.make_state`, and `name`, the name of the file (terraform.tfstate):
    `state_file(["aws_vpc.main"], serial=7, name="prod/terraform.tfstate")`.
    """
    from statefmt.testing import make_state

    def write(*arguments: object, name: str = "terraform.tfstate", **options: object) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(make_state(*arguments, **options))  # type: ignore[arg-type]  # make_state checks them
        return path

    return write
