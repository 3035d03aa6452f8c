"""The user whose secrets a stranger wants."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.adversary.runs import Forks
from tests.strangers.scene import User, user as user_at


@pytest.fixture
def user(tmp_path: Path, forked: Forks) -> Iterator[User]:
    with user_at(tmp_path.resolve(), forked) as found:
        yield found


@pytest.fixture
def random(request: pytest.FixtureRequest) -> Random:
    """Return a generator seeded by the name of the test, so that each run takes the same sample."""
    return Random(request.node.name)
