"""What is in the table, and what creates it."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest

from statefmt.model.errors import ChangedError, StoreError
from tests.servers.pg import PgServer
from tests.store.pg.conftest import INFO, Clients, Rows, client_of

_RECORDED: Final = Path(__file__).with_name("recorded")
_SHAPE: Final = """
SELECT 'column', table_schema, table_name, column_name, data_type, column_default, is_nullable
FROM information_schema.columns WHERE table_schema = 'terraform_remote_state'
UNION ALL SELECT 'index', schemaname, tablename, indexname, indexdef, '', '' FROM pg_indexes
WHERE schemaname = 'terraform_remote_state'
UNION ALL SELECT 'constraint', '', '', conname, pg_get_constraintdef(oid), '', '' FROM pg_constraint
WHERE connamespace = 'terraform_remote_state'::regnamespace AND contype <> 'n'
UNION ALL SELECT 'sequence', schemaname, sequencename, data_type::text, increment_by::text, start_value::text, ''
FROM pg_sequences ORDER BY 1, 2, 3, 4
"""
_EVERYTHING: Final = """
SELECT nspname, relname FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace
WHERE nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') ORDER BY 1, 2
"""
_NAMES: Final = "SELECT id, name, data FROM {}.{} ORDER BY id"
ODD: Final = 'Über "x"; DROP TABLE states; -- %s {} \''


def _recorded(rows: Rows, name: str) -> list[dict[str, Any]]:
    """Put a recording into the database, and return its rows."""
    rows.execute((_RECORDED / "schema.sql").read_bytes())
    found: list[dict[str, Any]] = json.loads((_RECORDED / f"{name}.json").read_bytes())["rows"]
    for row in found:
        values = (row["id"], row["name"], row["data"])
        rows.execute("INSERT INTO terraform_remote_state.states VALUES (%s, %s, %s)", values)
        rows.execute("SELECT nextval('public.global_states_id_seq')")
    return found


@pytest.mark.parametrize("name", ["0-after-init", "1-after-apply", "2-while-locked", "8-after-destroy"])
def test_reads_what_terraform_left(name: str, clients: Clients, rows: Rows) -> None:
    expected = {row["name"]: row["data"].encode() for row in _recorded(rows, name)}
    client = clients()
    stored = client.read()
    assert ({} if stored is None else {"default": stored.data}) == expected
    assert client.workspaces() == list(expected)


def test_creates_what_terraform_creates(clients: Clients, rows: Rows, pg: PgServer) -> None:
    clients().write(b"{}", None, None)
    with pg.database() as other, pg.connect(other) as recorded:
        recorded.execute((_RECORDED / "schema.sql").read_bytes())
        expected = recorded.execute(_SHAPE).fetchall()
    assert len(expected) == 9
    assert rows.execute(_SHAPE).fetchall() == expected


def test_a_row_is_written_into_what_is_there(clients: Clients, rows: Rows) -> None:
    _recorded(rows, "1-after-apply")
    before = rows.execute(_SHAPE).fetchall()
    clients(workspace="staging").write(b"{}", None, None)
    assert rows.execute(_SHAPE).fetchall() == before
    assert clients().workspaces() == ["default", "staging"]


def test_a_reader_creates_nothing(clients: Clients, rows: Rows) -> None:
    before = rows.execute(_EVERYTHING).fetchall()
    client = clients()
    assert client.read() is None
    assert client.workspaces() == []
    assert client.holder() is None
    client.lock(INFO)
    assert client.read() is None
    client.unlock(INFO)
    assert rows.execute(_EVERYTHING).fetchall() == before == []


@pytest.mark.parametrize(
    ("skipped", "message"),
    [
        ("skip_schema_creation", "the schema 'terraform_remote_state' does not exist, and skip_schema_creation is set"),
        ("skip_table_creation", "the table 'states' does not exist, and skip_table_creation is set"),
    ],
)
def test_what_is_not_to_be_created_is_missing(skipped: str, message: str, clients: Clients, rows: Rows) -> None:
    with pytest.raises(StoreError, match=message):
        clients(**{skipped: True}).write(b"{}", None, None)
    # Nor is anything else created.
    assert rows.execute(_EVERYTHING).fetchall() == []
    assert rows.execute("SELECT FROM pg_namespace WHERE nspname = 'terraform_remote_state'").fetchall() == []


def test_no_index(clients: Clients, rows: Rows) -> None:
    clients(skip_index_creation=True).write(b"{}", None, None)
    found = rows.execute("SELECT indexname FROM pg_indexes WHERE tablename = 'states' ORDER BY 1").fetchall()
    assert found == [("states_name_key",), ("states_pkey",)]


def test_odd_names(clients: Clients, rows: Rows) -> None:
    names = {"schema_name": ODD, "table_name": f"t {ODD}", "index_name": f"i {ODD}", "workspace": f"w {ODD}"}
    client = clients(**names)
    client.lock(INFO)
    client.write(b'{"a": "\\u00e9"}', None, INFO)
    stored = client.read()
    assert stored is not None
    client.write(b"{}", stored.version, INFO)
    client.unlock(INFO)
    assert client.workspaces() == [f"w {ODD}"]
    found = rows.execute("SELECT schemaname, tablename, indexname FROM pg_indexes WHERE schemaname = %s", (ODD,))
    assert (ODD, f"t {ODD}", f"i {ODD}") in found.fetchall()


@pytest.mark.parametrize("content", [b"\xff\xfe", b'"\x00"', b'"\xed\xa0\x80"'])
def test_only_utf8_without_nul(content: bytes, clients: Clients, state: bytes) -> None:
    client = clients()
    with pytest.raises(StoreError, match="valid UTF-8 without NUL"):
        client.write(content, sha256(state).hexdigest(), None)
    assert client.read() == (state, sha256(state).hexdigest())


def test_every_character(clients: Clients) -> None:
    content = "".join(chr(code) for code in [*range(1, 0xD800), *range(0xE000, 0x10FFFF, 977)]).encode()
    client = clients()
    client.write(content, None, None)
    stored = client.read()
    assert stored is not None
    assert stored.data == content
    client.write(content + b"\n", stored.version, None)
    stored = clients().read()
    assert stored is not None
    assert stored.data == content + b"\n"


def test_a_changed_row_is_not_written(clients: Clients, rows: Rows, state: bytes) -> None:
    client = clients()
    stored = client.read()
    assert stored is not None
    rows.execute("UPDATE terraform_remote_state.states SET data = 'theirs'")
    for attempt in (stored.version, None, "0" * 64):
        with pytest.raises(ChangedError, match="has changed since it was read; nothing was written"):
            client.write(b"ours", attempt, None)
    with pytest.raises(ChangedError):
        client.delete(stored.version)
    assert client.read() == (b"theirs", sha256(b"theirs").hexdigest())


def test_a_deleted_row_is_not_written(clients: Clients, rows: Rows, state: bytes) -> None:
    client = clients()
    stored = client.read()
    assert stored is not None
    rows.execute("DELETE FROM terraform_remote_state.states")
    with pytest.raises(ChangedError):
        client.write(b"ours", stored.version, None)
    assert client.read() is None


@pytest.mark.parametrize("data", ["", None])
def test_an_empty_row_is_no_state(data: str | None, clients: Clients, rows: Rows, state: bytes) -> None:
    rows.execute("UPDATE terraform_remote_state.states SET data = %s", (data,))
    client = clients()
    assert client.read() is None
    client.write(b"ours", None, None)
    assert rows.execute("SELECT id, name, data FROM terraform_remote_state.states").fetchall() == [
        (1, "default", "ours")
    ]


def test_delete(clients: Clients, rows: Rows, state: bytes) -> None:
    clients(workspace="staging").write(b"other", None, None)
    clients().delete(sha256(state).hexdigest())
    assert rows.execute("SELECT name FROM terraform_remote_state.states").fetchall() == [("staging",)]


def test_an_edit_uses_no_number(clients: Clients, rows: Rows, state: bytes) -> None:
    """Terraform's own upserts do."""
    client = clients()
    client.write(b"1", sha256(state).hexdigest(), None)
    client.write(b"2", sha256(b"1").hexdigest(), None)
    assert rows.execute("SELECT last_value FROM public.global_states_id_seq").fetchall() == [(1,)]


def test_a_database_in_another_encoding(pg: PgServer) -> None:
    with pg.connect() as connection:
        connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    client = client_of(pg.url("latin"))
    try:
        client.write("é".encode(), None, None)
        client.write("éé".encode(), sha256("é".encode()).hexdigest(), None)
        assert client.read() == ("éé".encode(), sha256("éé".encode()).hexdigest())
        with pytest.raises(StoreError, match="no equivalent in encoding"):
            client.write("Ω".encode(), sha256("éé".encode()).hexdigest(), None)
    finally:
        client.close()
        with pg.connect() as connection:
            connection.execute("DROP DATABASE latin WITH (FORCE)")


def test_two_rows_of_one_name(clients: Clients, rows: Rows, state: bytes) -> None:
    rows.execute("DROP INDEX terraform_remote_state.states_by_name")
    rows.execute("ALTER TABLE terraform_remote_state.states DROP CONSTRAINT states_name_key")
    rows.execute("INSERT INTO terraform_remote_state.states (name, data) VALUES ('default', 'x')")
    client = clients()
    with pytest.raises(StoreError, match="2 rows with the name of this workspace"):
        client.read()
    with pytest.raises(StoreError, match="2 rows with the name of this workspace"):
        client.lock(INFO)
