"""A server, and clients of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from statefmt.store._http import HttpClient
from statefmt.store.backends.options import BackendOptions
from statefmt.store.backends.settings import GivenSetting, SettingSource, StatePlace, effective_settings
from statefmt.store.backends.types import BACKENDS
from statefmt.store.protocol import LockInfo
from statefmt.store.remote.client import Connection
from tests.servers.http import StateServer, state_server

# A client of the server, with more settings and with options.
MakeClient = Callable[..., HttpClient]
MINE: Final = LockInfo("1c8a", "mv", "statetool mv a b", "me@here", "1.0", "2026-11-22T03:09:42Z", "")
THEIRS: Final = LockInfo("77b0", "OperationTypeApply", "", "them@there", "1.11.4", "2026-11-22T03:09:42Z", "")


@pytest.fixture
def server() -> Iterator[StateServer]:
    with state_server() as running:
        yield running


@pytest.fixture
def notes() -> list[str]:
    """What clients noted, and what they showed for debugging."""
    return []


@pytest.fixture
def client(server: StateServer, notes: list[str]) -> Iterator[MakeClient]:
    """Make clients whose settings are the user's, and which wait for nothing."""
    made: list[HttpClient] = []

    def make(
        *,
        environment: dict[str, str] | None = None,
        options: dict[str, Any] | None = None,
        source: SettingSource = SettingSource.OPTION,
        **settings: Any,
    ) -> HttpClient:
        url = server.url
        usual = {"address": url, "lock_address": url, "unlock_address": url, "retry_wait_min": 0, "retry_wait_max": 0}
        connection = Connection(
            environment or {}, notes.append, BackendOptions(**{"debug": notes.append, **(options or {})})
        )
        made.append(HttpClient(place({**usual, **settings}, environment, source), connection))
        return made[-1]

    yield make
    for one in made:
        one.close()


def place(
    settings: dict[str, Any], environment: dict[str, str] | None = None, source: SettingSource = SettingSource.OPTION
) -> StatePlace:
    """Return the place of a state, with settings of one source."""
    given = [GivenSetting(name, value, source, "main.tf:2") for name, value in settings.items()]
    found = effective_settings(BACKENDS["http"], given, environment or {})
    values = {setting.name: setting.value for setting in found}
    return StatePlace("http", "default", BACKENDS["http"].place(values, "default", {}), found)
