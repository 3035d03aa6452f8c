"""A pooler in transaction mode has no session that could hold a lock: statetool notices, and locks nothing."""

from __future__ import annotations

import pytest

from statefmt.model.errors import StoreError
from tests.servers.pg import TRUSTED, PgServer
from tests.servers.pooling_pg import pooler
from tests.store.pg.conftest import INFO, Clients, Rows, client_of


@pytest.mark.parametrize("sessions", [2, 3])
@pytest.mark.parametrize("uses_last", [True, False])
def test_refused(uses_last: bool, sessions: int, pg: PgServer, database: str, clients: Clients, state: bytes) -> None:
    with pooler(pg.port, uses_last=uses_last, sessions=sessions) as running:
        client = client_of(pg.url(database, user=TRUSTED, password="", port=running.port))
        # Reading needs no session.
        stored = client.read()
        assert stored is not None
        assert stored.data == state
        with pytest.raises(StoreError, match=r"pooler gives each transaction another session .*; nothing was locked"):
            client.lock(INFO)
        client.close()
    assert clients().holder() is None


def test_no_setting_is_left_in_a_pool(pg: PgServer, database: str, rows: Rows, state: bytes) -> None:
    with pooler(pg.port, sessions=1) as running:
        client = client_of(pg.url(database, user=TRUSTED, password="", port=running.port))
        stored = client.read()
        assert stored is not None
        client.write(b"{}", stored.version, None)
        settings = "SELECT name, setting FROM pg_settings WHERE source = 'session' AND name NOT IN ('application_name')"
        assert client._link.session is not None
        assert client._link.session.execute(settings) == []
        client.close()


def test_a_pool_of_whole_sessions(pg: PgServer, database: str, rows: Rows, state: bytes) -> None:
    with pooler(pg.port, sessions=2, whole=True) as running:
        client = client_of(pg.url(database, user=TRUSTED, password="", port=running.port))
        client.lock(INFO)
        stored = client.read()
        assert stored is not None
        client.write(b"{}", stored.version, INFO)
        client.unlock(INFO)
        client.close()
    assert rows.execute("SELECT data FROM terraform_remote_state.states").fetchall() == [("{}",)]
