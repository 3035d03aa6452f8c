"""The seed of a run, and its counts at the end."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from tests.adversary.observed import PROPERTY, Observed
from tests.adversary.runs import Forks


@pytest.fixture(scope="session")
def run(forked: Forks) -> Forks:
    return forked


@pytest.fixture
def observed(record_property: Callable[[str, object], None]) -> Observed:
    return Observed(record_property)


@pytest.fixture
def random(request: pytest.FixtureRequest) -> Random:
    """The same for the same test and seed. The samples of `make test` have one seed, so that they do not surprise."""
    seed = os.environ.get("ADVERSARY_SEED", "1") if request.node.get_closest_marker("adversary") else "sample"
    return Random(f"{seed} {request.node.name}")


@pytest.hookimpl
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    counts: Counter[str] = Counter()
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            for name, value in report.user_properties:
                if name == PROPERTY and isinstance(value, dict):
                    counts.update(value)
    if counts and config.option.markexpr == "adversary":
        terminalreporter.section(f"adversary, seed {os.environ.get('ADVERSARY_SEED', '1')}")
        for kind, number in sorted(counts.items()):
            terminalreporter.write_line(f"{number:9,}  {kind}")
