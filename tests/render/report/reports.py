"""Makes states, and the reports on them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import statefmt
from statefmt.render.report.state_pages import state_page
from statefmt.rules import Gate
from statefmt.testing import FakeOutput, FakeResource, make_state

MADE: Final = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
SECRET: Final = "canary-7f3a"


def report_on(path: Path) -> bytes:
    """Return the report on the state in a file."""
    state = statefmt.open(path)
    return state_page(state, [Gate(statefmt.run_context()).checked(str(path), state.data, state.encryption)], MADE)


def state_of(size: int) -> bytes:
    """Return a state with so many resources in up to 50 modules, with dependencies, and a secret in each tenth."""
    resources = []
    for number in range(size):
        module, place = f"module.part_{number % 50:02}", number // 50
        before = [f"{module}.aws_instance.web_{place - 1:04}"] if place else []
        secret = number % 10 == 0
        resources.append(
            FakeResource(
                f"{module}.aws_instance.web_{place:04}",
                {"size": "x" * (number % 97), **({"password": SECRET} if secret else {})},
                provider=f'aws.by_region["{("eu-west-1", "us-east-1")[number % 2]}"]',
                dependencies=before,
                sensitive=["password"] if secret else [],
            )
        )
    outputs = {"address": "10.0.0.7", "token": FakeOutput(SECRET, sensitive=True)}
    return make_state(resources, outputs)
