"""Hypothesis as all tests use it; `HYPOTHESIS_PROFILE=long` looks for longer."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.adversary.runs import Forks, forks

# No deadline: how fast an example runs says nothing on a shared machine.
settings.register_profile(
    "ci",
    max_examples=60,
    deadline=None,
    derandomize=False,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("long", settings.get_profile("ci"), max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def forked() -> Iterator[Forks]:
    """Runs commands in children of a process that has all of statetool imported."""
    with forks() as server:
        yield server
