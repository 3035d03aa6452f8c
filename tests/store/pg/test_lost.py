"""A connection that is lost, at each step: nothing is written without the lock, and no outcome is guessed."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from hashlib import sha256
from typing import Final

import pytest

from statefmt.model.errors import StoreError
from statefmt.store.pg import PgClient
from statefmt.store.remote.client import UnknownOutcomeError
from tests.store.pg.conftest import INFO, Clients, Rows

_KILL: Final = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE application_name LIKE 'statetool%' AND datname = current_database()
"""
_LOCKS: Final = """
SELECT FROM pg_locks JOIN pg_database AS d ON d.oid = database
WHERE locktype = 'advisory' AND datname = current_database()
"""
_DATA: Final = "SELECT data FROM terraform_remote_state.states"
_SLEEPS: Final = "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
_LOST: Final = "the connection was lost, and the lock with it; nothing was written"


def _on_update(rows: Rows, statement: str, *, at_commit: bool) -> None:
    """Make the server run a statement while a state is written, or when that is committed."""
    rows.execute(f"CREATE FUNCTION happens() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN {statement}; RETURN NEW; END'")
    kind = "CONSTRAINT TRIGGER happens AFTER" if at_commit else "TRIGGER happens BEFORE"
    when = "DEFERRABLE INITIALLY DEFERRED" if at_commit else ""
    rows.execute(
        f"CREATE {kind} UPDATE ON terraform_remote_state.states {when} FOR EACH ROW EXECUTE FUNCTION happens()"
    )


def _cut(client: PgClient) -> None:
    """Cut the connection of a client at its own end."""
    assert client._link.session is not None
    with socket.socket(fileno=os.dup(client._link.session._connection.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)


def _ended(rows: Rows) -> None:
    while rows.execute(_LOCKS).fetchall():
        time.sleep(0.01)


@pytest.fixture
def locked(clients: Clients, state: bytes) -> Iterator[PgClient]:
    """A client that holds the lock."""
    client = clients()
    client.lock(INFO)
    yield client
    client.close()


def test_before_reading(clients: Clients, rows: Rows, state: bytes) -> None:
    client = clients()
    assert client.workspaces() == ["default"]
    rows.execute(_KILL)
    stored = client.read()
    assert stored is not None
    assert stored.data == state


def test_before_locking(clients: Clients, rows: Rows, state: bytes) -> None:
    client = clients()
    client.read()
    rows.execute(_KILL)
    with pytest.raises(StoreError, match="the connection was lost before the state was locked"):
        client.lock(INFO)
    assert rows.execute(_LOCKS).fetchall() == []
    client.lock(INFO)
    assert client.holder() == INFO


def test_between_locking_and_writing(locked: PgClient, rows: Rows, state: bytes) -> None:
    version = sha256(state).hexdigest()
    rows.execute(_KILL)
    with pytest.raises(StoreError, match=r"the connection was lost; nothing was written: terminating connection"):
        locked.write(b"ours", version, INFO)
    # Not even over a new connection.
    assert locked.read() == (state, version)
    assert locked.holder() is None
    for _ in range(2):
        with pytest.raises(StoreError, match=_LOST):
            locked.write(b"ours", version, INFO)
    with pytest.raises(StoreError, match=_LOST):
        locked.delete(version)
    locked.unlock(INFO)
    assert rows.execute(_DATA).fetchall() == [(state.decode(),)]


def test_while_reading_under_the_lock(locked: PgClient, rows: Rows, state: bytes) -> None:
    rows.execute(_KILL)
    stored = locked.read()
    assert stored is not None
    with pytest.raises(StoreError, match=_LOST):
        locked.write(b"ours", stored.version, INFO)


def test_while_writing(locked: PgClient, rows: Rows, state: bytes) -> None:
    _on_update(rows, "PERFORM pg_terminate_backend(pg_backend_pid())", at_commit=False)
    with pytest.raises(StoreError, match="the connection was lost; nothing was written") as lost:
        locked.write(b"ours", sha256(state).hexdigest(), INFO)
    assert not isinstance(lost.value, UnknownOutcomeError)
    assert locked.read() == (state, sha256(state).hexdigest())


def test_while_committing(locked: PgClient, rows: Rows, state: bytes) -> None:
    _on_update(rows, "PERFORM pg_terminate_backend(pg_backend_pid())", at_commit=True)
    with pytest.raises(UnknownOutcomeError, match="the connection was lost while the state was written"):
        locked.write(b"ours", sha256(state).hexdigest(), INFO)
    assert locked.read() == (state, sha256(state).hexdigest())
    locked.unlock(INFO)


@pytest.mark.parametrize("has_lock", [True, False])
def test_a_server_that_is_still_committing(has_lock: bool, clients: Clients, rows: Rows, state: bytes) -> None:
    """The server has not noticed that the connection is lost: reading now ends that session first."""
    _on_update(rows, "PERFORM pg_sleep(60)", at_commit=True)
    client = clients()
    if has_lock:
        client.lock(INFO)
    version = sha256(state).hexdigest()
    errors: list[BaseException] = []

    def write() -> None:
        try:
            client.write(b"ours", version, INFO if has_lock else None)
        except UnknownOutcomeError as error:
            errors.append(error)

    thread = threading.Thread(target=write)
    thread.start()
    while not rows.execute(_SLEEPS).fetchall():
        time.sleep(0.01)
    _cut(client)
    thread.join()
    assert len(errors) == 1
    assert rows.execute(_SLEEPS).fetchall() != []
    assert client.read() == (state, version)
    assert rows.execute(_SLEEPS).fetchall() == []
    if has_lock:
        client.unlock(INFO)
    assert rows.execute(_LOCKS).fetchall() == []


def test_somebody_else_wrote_after_a_lost_answer(clients: Clients, rows: Rows, state: bytes) -> None:
    """The write arrived, its confirmation did not: what they wrote is neither overwritten nor taken for ours."""
    _on_update(rows, "PERFORM pg_sleep(1)", at_commit=True)
    client = clients()
    version = sha256(state).hexdigest()
    errors: list[BaseException] = []

    def write() -> None:
        try:
            client.write(b"ours", version, None)
        except UnknownOutcomeError as error:
            errors.append(error)

    thread = threading.Thread(target=write)
    thread.start()
    while not rows.execute(_SLEEPS).fetchall():
        time.sleep(0.01)
    _cut(client)
    thread.join()
    assert len(errors) == 1
    while rows.execute(_DATA).fetchall() != [("ours",)]:
        time.sleep(0.01)
    rows.execute("DROP TRIGGER happens ON terraform_remote_state.states")
    rows.execute("UPDATE terraform_remote_state.states SET data = 'theirs'")
    with pytest.raises(StoreError):
        client.write(b"again", version, None)
    assert client.read() == (b"theirs", sha256(b"theirs").hexdigest())
    assert rows.execute(_DATA).fetchall() == [("theirs",)]


def test_before_unlocking(locked: PgClient, rows: Rows) -> None:
    rows.execute(_KILL)
    locked.unlock(INFO)
    _ended(rows)


def test_the_server_is_gone(locked: PgClient, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    _cut(locked)
    locked._link.parameters["port"] = "1"
    with pytest.raises(StoreError, match=r"the lock is gone as soon as the server ends the session \(pid \d+\)"):
        locked.unlock(INFO)
    _ended(rows)


def test_a_failed_write_leaves_no_transaction(locked: PgClient, rows: Rows, state: bytes) -> None:
    _on_update(rows, "RAISE EXCEPTION ''no''", at_commit=False)
    with pytest.raises(StoreError, match="the server says: no"):
        locked.write(b"ours", sha256(state).hexdigest(), INFO)
    assert locked.holder() == INFO
    rows.execute("DROP TRIGGER happens ON terraform_remote_state.states")
    locked.write(b"ours", sha256(state).hexdigest(), INFO)
    locked.unlock(INFO)
    assert rows.execute(_DATA).fetchall() == [("ours",)]
