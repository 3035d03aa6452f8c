"""No message, representation, traceback or log has a password or a state."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from hashlib import sha256
from urllib.parse import quote

import pytest

from statefmt.model.errors import StoreError
from statefmt.store.backends.options import BackendOptions
from statefmt.store.pg import PgClient
from statefmt.store.remote.client import LockHeldError
from tests.servers.pg import PASSWORD, PgServer
from tests.store.pg.conftest import INFO, Clients, Rows, client_of

_SECRETS = (PASSWORD, quote(PASSWORD, safe=""), "hunter2")


def _all_of(error: BaseException) -> str:
    return "".join(traceback.format_exception(error)) + repr(error) + str(error)


def _assert_clean(*texts: str) -> None:
    for text in texts:
        for secret in _SECRETS:
            assert secret not in text


def _failing(action: Callable[[], object]) -> str:
    with pytest.raises((StoreError, LockHeldError)) as error:
        action()
    text = _all_of(error.value)
    assert error.value.__cause__ is None
    return text


def test_errors(pg: PgServer, database: str, clients: Clients, rows: Rows, state: bytes) -> None:
    secret = b'"hunter2"'
    version = sha256(state).hexdigest()
    wrong = PASSWORD + "hunter2"
    client = clients()
    _assert_clean(
        repr(client),
        client.location,
        _failing(client_of(pg.url(database, password=wrong)).read),
        _failing(client_of(pg.url("missing")).read),
        _failing(client_of(pg.url(database, user="missing")).read),
        _failing(client_of(pg.url(database, port=1)).read),
        _failing(client_of(pg.url(database).replace("127.0.0.1", "name.invalid")).read),
        _failing(client_of(pg.url(database).replace("=disable", "=hunter")).read),
        _failing(lambda: client.write(secret, "0", None)),
        _failing(lambda: client.write(secret + b"\0", version, None)),
    )
    other = clients()
    other.lock(INFO)
    assert other._link.session is not None
    _assert_clean(
        repr(other._link.session),
        repr(other._link.session._connection),
        _failing(lambda: client.lock(INFO)),
        repr(client.holder()),
    )
    other_pid = other._link.session.identify().pid
    ((name,),) = rows.execute("SELECT application_name FROM pg_stat_activity WHERE pid = %s", (other_pid,))
    assert name == "statetool ann@laptop"
    rows.execute("SELECT pg_terminate_backend(%s, 10000)", (other_pid,))
    _assert_clean(_failing(lambda: other.write(secret, version, INFO)))
    rows.execute("ALTER TABLE terraform_remote_state.states ADD CHECK (data NOT LIKE '%hunter2%')")
    _assert_clean(_failing(lambda: client.write(secret, version, None)))


def test_a_refused_login_is_not_repeated(pg: PgServer, database: str) -> None:
    lines: list[str] = []
    client = client_of(pg.url(database, password="hunter2"), options=BackendOptions(debug=lines.append))
    assert "password authentication failed" in _failing(client.read)
    assert len(lines) == 1


def test_the_log(pg: PgServer, database: str, clients: Clients, state: bytes) -> None:
    lines: list[str] = []
    client = clients(options=BackendOptions(debug=lines.append))
    client.lock(INFO)
    client.write(b'"hunter2"', sha256(state).hexdigest(), INFO)
    client.unlock(INFO)
    assert any("UPDATE" in line for line in lines)
    _assert_clean(*lines)


def test_a_server_that_echoes(pg: PgServer, database: str, clients: Clients, rows: Rows, state: bytes) -> None:
    """A server knows the password if it asked for it in clear text."""
    rows.execute("CREATE FUNCTION echo() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''no %%: %'', TG_NAME; END'")
    rows.execute(f'CREATE TRIGGER "{PASSWORD}" BEFORE UPDATE ON terraform_remote_state.states EXECUTE FUNCTION echo()')
    client: PgClient = clients()
    text = _failing(lambda: client.write(b"{}", sha256(state).hexdigest(), None))
    assert "no %: (sensitive value)" in text
