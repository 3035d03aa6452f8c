"""PostgreSQL: the rows of a schema, and of all schemas of a database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from psycopg.sql import SQL, Identifier

from tests.fleet.sources.conftest import Indexer
from tests.fleet.test_index import state
from tests.servers.pg import PASSWORD, USER, PgServer

pytest.importorskip("duckdb")


class Database:
    """A database with states, and the URL of it."""

    def __init__(self, server: PgServer, name: str, index: Indexer) -> None:
        self._connection = server.connect(name)
        self.url = f"pg://{USER}@127.0.0.1:{server.port}/{name.replace(' ', '%20')}?sslmode=disable"
        index.environment["PGPASSWORD"] = PASSWORD

    def close(self) -> None:
        self._connection.close()

    def run(self, statement: str, *names: str, values: tuple[object, ...] | None = None) -> None:
        # psycopg looks for parameters in names, too.
        named = [Identifier(name.replace("%", "%%") if values else name) for name in names]
        self._connection.execute(SQL(statement).format(*named), values)

    def schema(self, name: str, **states: bytes) -> None:
        self.run("CREATE SCHEMA {}", name)
        self.run("CREATE TABLE {}.states (id bigserial PRIMARY KEY, name text UNIQUE, data text)", name)
        for workspace, content in states.items():
            self.put(name, workspace, content)

    def put(self, schema: str, workspace: str, content: bytes) -> None:
        self.run(
            "INSERT INTO {}.states (name, data) VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET data = excluded.data",
            schema,
            values=(workspace, content.decode()),
        )


@pytest.fixture
def states(pg: PgServer, database: str, index: Indexer) -> Iterator[Database]:
    found = Database(pg, database, index)
    found.schema("terraform_remote_state", default=state(1, "a"), blue=state(2, "b"))
    found.schema("Other %s \" schema", default=state(3))  # fmt: skip
    found.schema("not_states")
    found.run("ALTER TABLE not_states.states DROP COLUMN data")
    # A row that locks a state before there is one.
    found.put("terraform_remote_state", "new", b"")
    yield found
    found.close()


def test_a_database_stands_for_the_states_of_all_schemas(states: Database, index: Indexer) -> None:
    run = index(states.url)
    assert (run.states, list(run.failed), list(run.missing)) == (3, [], [])
    assert index.rows("SELECT workspace, serial, size FROM states ORDER BY serial") == [
        *(("default", 1, len(state(1, "a"))), ("blue", 2, len(state(2, "b"))), ("default", 3, len(state(3))))
    ]
    uris = [uri for (uri,) in index.rows("SELECT uri FROM states ORDER BY serial")]
    assert uris[1].endswith("?schema=terraform_remote_state&workspace=blue")
    assert all(PASSWORD not in uri and uri.isprintable() for uri in uris)


def test_a_schema_stands_for_its_workspaces_and_a_workspace_for_one(states: Database, index: Indexer) -> None:
    assert index(f"{states.url}&schema=terraform_remote_state").states == 2
    assert index(f"{states.url}&workspace=blue").states == 1
    index.environment["PG_SCHEMA_NAME"] = 'Other %s " schema'
    assert index(states.url).states == 1
    assert index.rows("SELECT count(*) FROM states") == [(3,)]


def test_a_row_that_has_not_changed_is_not_read_again(states: Database, index: Indexer) -> None:
    assert index(states.url).read == 3
    assert index(states.url).read == 0
    # Of the same length.
    states.put("terraform_remote_state", "blue", state(7, "b"))
    assert index(states.url).read == 1
    assert index.rows("SELECT serial FROM states WHERE workspace = 'blue'") == [(7,)]
    states.run("DELETE FROM terraform_remote_state.states WHERE name = 'blue'")
    assert index(states.url).removed == 1


def test_a_schema_without_the_right_to_read_is_named(states: Database, index: Indexer) -> None:
    role = f"reader_{uuid4().hex}"
    states.run(f"CREATE ROLE {{}} LOGIN PASSWORD '{PASSWORD}'", role)
    states.run("GRANT USAGE ON SCHEMA {} TO {}", "terraform_remote_state", role)
    states.run("GRANT SELECT ON {}.states TO {}", "terraform_remote_state", role)
    run = index(states.url.replace(f"{USER}@", f"{role}@"))
    assert (run.states, len(run.missing)) == (2, 0)
    (note,) = [note for note in index.notes if "no right" in note]
    assert "no right to read the states in the schema 'Other %s \" schema'" in note
    states.run("DROP OWNED BY {}", role)
    states.run("DROP ROLE {}", role)


def test_all_workspaces_of_a_folder(states: Database, index: Indexer, tmp_path: Path, pg: PgServer) -> None:
    folder = tmp_path / "root"
    (folder / ".terraform").mkdir(parents=True)
    conn_str = states.url.replace("pg://", "postgres://")
    record = {"version": 3, "backend": {"type": "pg", "config": {"conn_str": conn_str}, "hash": 1}}
    (folder / ".terraform" / "terraform.tfstate").write_text(json.dumps(record))
    # Only the folder names the host.
    assert "would be sent to 127.0.0.1" in index(str(folder)).missing[0]
    index.allowed = (f"127.0.0.1:{pg.port}",)
    assert index(str(folder)).read == 2
    assert index(str(folder)).read == 0
    # The same states as those of the database.
    index(states.url)
    assert index.rows("SELECT count(*) FROM states") == [(3,)]


def test_a_server_that_is_gone_keeps_its_states(states: Database, index: Indexer) -> None:
    index(states.url)
    states.run("DROP TABLE terraform_remote_state.states")
    states.run("DROP TABLE {}.states", 'Other %s " schema')
    run = index(states.url)
    assert (len(run.missing), run.removed) == (1, 0)
