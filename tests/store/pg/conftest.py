"""Clients of a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import psycopg
import pytest

from statefmt.store.backends.options import BackendOptions
from statefmt.store.backends.settings import GivenSetting, SettingSource, StatePlace, effective_settings
from statefmt.store.backends.types import BACKENDS
from statefmt.store.pg import PgClient
from statefmt.store.protocol import LockInfo
from statefmt.store.remote.client import Connection
from tests.servers.pg import PgServer, database, pg

__all__ = ["database", "pg"]

Rows: TypeAlias = psycopg.Connection[tuple[Any, ...]]
Clients: TypeAlias = Callable[..., PgClient]

INFO = LockInfo("9b2c", "mv", "mv a b", "ann@laptop", "1.2.3", "2026-01-02T03:04:05Z", "")


def client_of(conn_str: str | None, **settings: Any) -> PgClient:
    """A client; the settings are those of the block, but `workspace`, `environment`, `options` and `source`."""
    workspace = settings.pop("workspace", "default")
    environment = settings.pop("environment", {"HOME": "/nowhere"})
    options = settings.pop("options", BackendOptions())
    source = settings.pop("source", SettingSource.BLOCK)
    note = settings.pop("note", lambda _: None)
    values = {**({} if conn_str is None else {"conn_str": conn_str}), **settings}
    given = [GivenSetting(name, value, source, "main.tf:3") for name, value in values.items()]
    found = effective_settings(BACKENDS["pg"], given, environment)
    location = BACKENDS["pg"].place({setting.name: setting.value for setting in found}, workspace, environment)
    return PgClient(StatePlace("pg", workspace, location, found), Connection(environment, note, options))


@pytest.fixture
def clients(pg: PgServer, database: str) -> Iterator[Clients]:
    """Make clients of the database, which are closed at the end."""
    made: list[PgClient] = []

    def make(**settings: Any) -> PgClient:
        made.append(client_of(pg.url(database), **settings))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def rows(pg: PgServer, database: str) -> Iterator[Rows]:
    """Another session, to look at the database and to change it."""
    with pg.connect(database) as connection:
        yield connection


@pytest.fixture
def state(clients: Clients) -> bytes:
    """A state in the table, whose row has the ID 1."""
    content = b'{"version": 4, "serial": 1}\n'
    clients().write(content, None, None)
    return content
