"""The servers that states are on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from tests.backends.spots import HttpSpot
from tests.backends.state_server import state_server
from tests.backends.trial import NewSpot
from tests.servers.cutting import Address


@pytest.fixture(scope="session")
def http_server() -> Iterator[Address]:
    """A server for the backend `http`."""
    with state_server() as found:
        yield found


@pytest.fixture(params=["http"])
def new_spot(request: pytest.FixtureRequest) -> NewSpot:
    """Makes states with names of their own, on each kind of server."""
    numbers = count()
    server = request.getfixturevalue("http_server")
    return lambda: HttpSpot(server, f"/{request.node.name}/{next(numbers)}".replace("[", "-").replace("]", ""))
