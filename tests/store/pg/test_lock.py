"""Who is kept out by the lock, and whom it lets in; the other sessions run the statements of the real programs."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest

from statefmt.model.errors import StoreError
from statefmt.store.pg import creation_keys
from statefmt.store.pg._rows import StateTable
from statefmt.store.remote.client import LockHeldError
from tests.servers.pg import PgServer
from tests.store.pg.conftest import INFO, Clients, Rows, client_of

_RECORDED: Final = Path(__file__).with_name("recorded")
# The statements of recorded/sql-log.txt, with the key of the creation: of Terraform, and of OpenTofu from 1.10 on.
_TERRAFORM: Final = -1
_OPENTOFU: Final = -3797183428
_TRY: Final = (
    "SELECT states.id, pg_try_advisory_lock(states.id), pg_try_advisory_lock({key}) "
    "FROM \"terraform_remote_state\".states WHERE states.name = 'default'"
)
_TRY_CREATION: Final = "SELECT pg_try_advisory_lock({key})"
_UNLOCK: Final = "SELECT pg_advisory_unlock({key})"
_LOCKS: Final = """
SELECT json_agg(json_build_object('locktype', locktype, 'classid', classid::bigint, 'objid', objid::bigint,
'objsubid', objsubid, 'mode', mode, 'granted', granted, 'database_is_this_one', datname = current_database(),
'key', (classid::bigint << 32) | objid::bigint) ORDER BY objid) FROM pg_locks JOIN pg_database AS d ON d.oid = database
WHERE locktype = 'advisory' AND datname = current_database()
"""


def _run(rows: Rows, statement: str, key: int) -> list[tuple[Any, ...]]:
    return rows.execute(statement.format(key=key)).fetchall()


def _locks(rows: Rows) -> object:
    return rows.execute(_LOCKS).fetchall()[0][0]


def test_the_key_of_a_creation() -> None:
    """-3797183428 is what FNV-1 of 32 bits gives in Go for these names."""
    table = StateTable("terraform_remote_state", "states", "states_by_name", False, False, False)
    assert creation_keys(table) == (_TERRAFORM, _OPENTOFU)


def test_the_lock_is_the_one_of_terraform(clients: Clients, rows: Rows, state: bytes) -> None:
    client = clients()
    client.lock(INFO)
    assert _locks(rows) == json.loads((_RECORDED / "2-while-locked.json").read_bytes())["advisory_locks"]
    client.unlock(INFO)
    assert _locks(rows) is None


@pytest.mark.parametrize("key", [_TERRAFORM, _OPENTOFU])
def test_the_programs_are_kept_out(key: int, clients: Clients, rows: Rows, state: bytes) -> None:
    client = clients()
    client.lock(INFO)
    # The row is locked; the creation is not, so that other states can be created.
    assert _run(rows, _TRY, key) == [(1, False, True)]
    _run(rows, _UNLOCK, key)
    client.unlock(INFO)
    assert _run(rows, _TRY, key) == [(1, True, True)]


@pytest.mark.parametrize("key", [_TERRAFORM, _OPENTOFU])
def test_the_programs_are_kept_out_of_a_creation(key: int, clients: Clients, rows: Rows) -> None:
    client = clients()
    client.lock(INFO)
    assert _run(rows, _TRY_CREATION, key) == [(False,)]
    client.write(b"{}", None, INFO)
    # As with the programs, the creation stays locked, and keeps out those who lock the row.
    assert _run(rows, _TRY, key) == [(1, True, False)]
    _run(rows, _UNLOCK, 1)
    client.unlock(INFO)
    assert _locks(rows) is None


@pytest.mark.parametrize("key", [1, _TERRAFORM, _OPENTOFU])
def test_statetool_is_kept_out(key: int, clients: Clients, rows: Rows, state: bytes) -> None:
    _run(rows, _TRY_CREATION, key)
    client = clients()
    with pytest.raises(LockHeldError) as held:
        client.lock(INFO)
    pid = rows.info.backend_pid
    assert held.value.lock_id == str(pid)
    assert held.value.holder is not None
    assert held.value.holder.Who == f"tf@127.0.0.1 (pid {pid})"
    # Nothing of the attempt is left.
    _run(rows, _UNLOCK, key)
    assert _locks(rows) is None
    client.lock(INFO)


@pytest.mark.parametrize("key", [_TERRAFORM, _OPENTOFU])
def test_statetool_is_kept_out_of_a_creation(key: int, clients: Clients, rows: Rows) -> None:
    _run(rows, _TRY_CREATION, key)
    client = clients()
    with pytest.raises(LockHeldError):
        client.lock(INFO)
    holder = client.holder()
    assert holder is not None
    assert int(holder.ID) == rows.info.backend_pid
    _run(rows, _UNLOCK, key)
    assert _locks(rows) is None
    client.lock(INFO)


def test_statetool_is_kept_out_by_itself(clients: Clients, state: bytes) -> None:
    first, second = clients(), clients()
    first.lock(INFO)
    with pytest.raises(LockHeldError) as held:
        second.lock(INFO)
    assert held.value.holder == second.holder()
    assert held.value.holder is not None
    assert held.value.holder.Info == "statetool ann@laptop"
    # Its own lock is shown as it is.
    assert first.holder() == INFO
    other = clients(workspace="other")
    other.lock(INFO)
    other.unlock(INFO)
    first.unlock(INFO)
    assert first.holder() is None
    second.lock(INFO)


def test_other_tables_have_other_locks(clients: Clients, state: bytes) -> None:
    """The sequence is one for all, so that no two rows have the same ID; older programs create one at a time."""
    first, second = clients(), clients(schema_name="other")
    second.write(b"{}", None, None)
    first.lock(INFO)
    second.lock(INFO)
    assert second.holder() == INFO


def test_force_unlock_names_the_way_out(
    clients: Clients, rows: Rows, state: bytes, pg: PgServer, database: str
) -> None:
    client = clients()
    with pytest.raises(StoreError, match="nobody holds a lock"):
        client.force_unlock("1")
    _run(rows, _TRY_CREATION, 1)
    pid = rows.info.backend_pid
    with pytest.raises(
        StoreError, match=rf"the ID of this lock is {pid}, not 12. .* run `SELECT pg_terminate_backend\({pid}\)"
    ):
        client.force_unlock("12")
    with pytest.raises(StoreError, match=rf"locked by tf@127.0.0.1 \(pid {pid}\), connected since 20") as refused:
        client.force_unlock(str(pid))
    statement = str(refused.value).split("`")[1]
    with pg.connect(database) as other:
        other.execute(statement)
    # The server ends the session in its own time.
    while client.holder() is not None:
        pass
    client.lock(INFO)


def test_a_row_that_was_replaced(clients: Clients, rows: Rows, state: bytes) -> None:
    """It was deleted and created again without a lock: the new row has another ID, which is not locked."""
    client = clients()
    client.lock(INFO)
    rows.execute("DELETE FROM terraform_remote_state.states")
    rows.execute("INSERT INTO terraform_remote_state.states (name, data) VALUES ('default', %s)", (state.decode(),))
    with pytest.raises(StoreError, match="the row was replaced while it was locked; nothing was written"):
        client.write(b"ours", sha256(state).hexdigest(), INFO)
    client.unlock(INFO)
    assert client.read() == (state, sha256(state).hexdigest())


def test_a_write_needs_its_lock(clients: Clients, state: bytes) -> None:
    with pytest.raises(StoreError, match="the lock is not held; nothing was written"):
        clients().write(b"ours", sha256(state).hexdigest(), INFO)


def test_a_user_of_another_role_is_shown(rows: Rows, state: bytes, pg: PgServer, database: str) -> None:
    """The server hides the address of a session from other roles, unless they may read all statistics."""
    rows.execute("CREATE ROLE reader LOGIN PASSWORD 'reader'")
    try:
        rows.execute("GRANT USAGE ON SCHEMA terraform_remote_state TO reader")
        rows.execute("GRANT SELECT ON terraform_remote_state.states TO reader")
        _run(rows, _TRY_CREATION, 1)
        reader = client_of(pg.url(database, user="reader", password="reader"))
        found = reader.holder()
        assert found is not None
        assert (found.Who, found.Created) == (f"tf (pid {rows.info.backend_pid})", "")
        reader.close()
    finally:
        rows.execute("DROP OWNED BY reader")
        rows.execute("DROP ROLE reader")


def test_a_refused_lock_names_what_ends_it(clients: Clients, state: bytes) -> None:
    """Not `unlock`, which is refused here."""
    clients().lock(INFO)
    with pytest.raises(LockHeldError) as refused:
        clients().lock(INFO)
    assert refused.value.removal.endswith(
        f"run `SELECT pg_terminate_backend({refused.value.lock_id});` in the database"
    )
