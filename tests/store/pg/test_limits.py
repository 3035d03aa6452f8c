"""A server that takes too long: each request ends, and no lock stays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

import pytest

from statefmt.model.errors import StoreError
from statefmt.store.pg import PgClient
from tests.servers.pg import TRUSTED, PgServer
from tests.servers.stalling_pg import Freezer, Serve, dripping_row, dripping_start, greeting, silent, stalling
from tests.store.pg.conftest import INFO, Clients, Rows, client_of

_LOCKS: Final = """
SELECT FROM pg_locks JOIN pg_database AS d ON d.oid = database
WHERE locktype = 'advisory' AND datname = current_database()
"""
_DATA: Final = "SELECT data FROM terraform_remote_state.states"
_LIMIT: Final[Any] = {"HOME": "/nowhere", "STATETOOL_TIMEOUT": "0.7"}


@pytest.mark.parametrize(
    ("serve", "reason"),
    [
        (silent, "there was no connection within 0.7 s"),
        (dripping_start, "there was no connection within 0.7 s"),
        (greeting, "the answer was not complete within 0.7 s"),
        (dripping_row, "the answer was not complete within 0.7 s"),
    ],
)
@pytest.mark.parametrize("given", ["", "&connect_timeout=0&tcp_user_timeout=0&keepalives=0"])
def test_a_server_that_stalls(serve: Serve, reason: str, given: str) -> None:
    """Whatever the connection string says: it may be a stranger's."""
    with stalling(serve) as port:
        client = client_of(f"postgres://tf@127.0.0.1:{port}/x?sslmode=disable{given}", environment=_LIMIT)
        for request in (client.read, client.workspaces, lambda: client.lock(INFO)):
            with pytest.raises(StoreError) as error:
                request()
            assert f"{reason}; set STATETOOL_TIMEOUT to wait longer" in str(error.value)
            assert str(error.value).startswith(f"pg://127.0.0.1:{port}/x")
        client.close()


def test_all_hosts_share_the_time() -> None:
    with stalling(silent) as port:
        hosts = ",".join([f"127.0.0.1:{port}"] * 50)
        client = client_of(f"postgres://tf@{hosts}/x?sslmode=disable", environment=_LIMIT)
        with pytest.raises(StoreError, match=r"there was no connection within 0\.7 s"):
            client.read()


def test_one_host_has_ten_seconds_without_the_variable() -> None:
    parameters = client_of("host=a,b,c")._link.parameters
    assert (parameters["connect_timeout"], parameters["tcp_user_timeout"]) == ("10", "60000")
    parameters = client_of("host=a,b,c", environment={"STATETOOL_TIMEOUT": "12"})._link.parameters
    assert (parameters["connect_timeout"], parameters["tcp_user_timeout"]) == ("4", "12000")


@pytest.fixture
def freezer(pg: PgServer) -> Iterator[tuple[Freezer, int]]:
    """What stands between a client and the server, and its port."""
    freezer = Freezer(pg.port)
    with stalling(freezer.serve) as port:
        yield freezer, port


@pytest.fixture
def frozen(freezer: tuple[Freezer, int], pg: PgServer, database: str, state: bytes) -> Iterator[PgClient]:
    """A client that holds the lock, and whose connection stands still."""
    passing, port = freezer
    # Long enough for a busy machine to connect again.
    longer = {**_LIMIT, "STATETOOL_TIMEOUT": "4"}
    client = client_of(pg.url(database, user=TRUSTED, password="", port=port), environment=longer)
    client.lock(INFO)
    passing.freeze()
    yield client
    client.close()


def test_a_connection_that_stands_still_under_the_lock(frozen: PgClient, rows: Rows, state: bytes) -> None:
    with pytest.raises(StoreError, match="the connection was lost; nothing was written: the answer was not complete"):
        frozen.write(b"ours", sha256(state).hexdigest(), INFO)
    frozen.unlock(INFO)
    assert rows.execute(_LOCKS).fetchall() == []
    assert rows.execute(_DATA).fetchall() == [(state.decode(),)]


def test_the_lock_is_given_back_over_another_connection(frozen: PgClient, rows: Rows) -> None:
    assert len(rows.execute(_LOCKS).fetchall()) == 1
    frozen.unlock(INFO)
    assert rows.execute(_LOCKS).fetchall() == []


def test_the_server_ends_a_long_statement(clients: Clients, rows: Rows, state: bytes) -> None:
    """Before the connection is lost, so that the lock is kept, and the outcome known."""
    client = clients(environment={"HOME": "/nowhere", "STATETOOL_TIMEOUT": "2"})
    client.lock(INFO)
    rows.execute("CREATE FUNCTION waits() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); END'")
    rows.execute(
        "CREATE TRIGGER waits BEFORE UPDATE ON terraform_remote_state.states FOR EACH ROW EXECUTE FUNCTION waits()"
    )
    with pytest.raises(StoreError, match="the server says: canceling statement due to statement timeout"):
        client.write(b"ours", sha256(state).hexdigest(), INFO)
    assert client.holder() == INFO
    client.unlock(INFO)
    assert rows.execute(_LOCKS).fetchall() == []
    assert rows.execute(_DATA).fetchall() == [(state.decode(),)]


def test_a_session_with_a_lock_asks_whether_its_client_lives(clients: Clients, state: bytes) -> None:
    """So that the server frees the lock of a machine that has vanished after a minute, not after two hours."""
    client = clients(environment={"HOME": "/nowhere", "STATETOOL_TIMEOUT": "30"})
    client.lock(INFO)
    session = client._link.session
    assert session is not None
    shown = [
        session.execute(f"SHOW {name}")[0][0]
        for name in ("tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count", "statement_timeout")
    ]
    assert [re.sub(r"s\Z", "", text) for text in shown] == ["20", "10", "4", "27"]
