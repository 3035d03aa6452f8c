"""The proxy that cuts connections to PostgreSQL: what the server does, and what the client learns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from tests.servers.cutting import Cut, Line, proxied
from tests.servers.cutting_pg import pg as pg_messages
from tests.servers.pg import PgServer, database, pg

__all__ = ["database", "pg"]

_INSERT = "INSERT INTO t VALUES (%s)"


@contextmanager
def _client(server: PgServer, name: str, line: Line) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with proxied(("127.0.0.1", server.port), pg_messages, line) as (_, port):
        client = psycopg.connect(server.url(name, port=port), autocommit=True)
        try:
            yield client
        finally:
            client.close()


@pytest.fixture
def table(pg: PgServer, database: str) -> str:
    """A database with an empty table."""
    with pg.connect(database) as connection:
        connection.execute("CREATE TABLE t (n int)")
    return database


def _rows(server: PgServer, name: str) -> int:
    with server.connect(name) as connection:
        return len(connection.execute("SELECT n FROM t").fetchall())


def test_all_pass(pg: PgServer, table: str) -> None:
    line = Line()
    with _client(pg, table, line) as client:
        client.execute(_INSERT, (1,))
    # Two passwords: the first and the last message of SCRAM.
    messages = [
        "Startup",
        "Password",
        "Password",
        f"Parse {_INSERT.replace('%s', '$1')}",
        "Bind",
        "Describe",
        "Execute",
    ]
    assert line.requests == [*messages, "Sync", "Terminate"]
    assert _rows(pg, table) == 1


# The fourth to the eighth message; without the last one, the server does not commit.
@pytest.mark.parametrize("cut", Cut)
@pytest.mark.parametrize("at", range(4, 9))
def test_cut(cut: Cut, at: int, pg: PgServer, table: str) -> None:
    with _client(pg, table, Line(at=at, cut=cut)) as client, pytest.raises(psycopg.OperationalError):
        client.execute(_INSERT, (1,))
    assert _rows(pg, table) == (1 if (at, cut) == (8, Cut.AFTER) else 0)


@pytest.mark.parametrize("cut", Cut)
def test_cut_while_connecting(cut: Cut, pg: PgServer, table: str) -> None:
    for at in (1, 2, 3):
        with pytest.raises(psycopg.OperationalError), _client(pg, table, Line(at=at, cut=cut)):
            pass
