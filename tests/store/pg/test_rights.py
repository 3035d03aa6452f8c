"""The rights that docs/backends/pg.md grants are enough, and no more is needed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest
from psycopg.sql import SQL, Identifier

from statefmt.model.errors import StoreError
from tests.servers.pg import PgServer
from tests.store.pg.conftest import INFO, Rows, client_of

_PAGE: Final = (Path(__file__).parents[3] / "docs" / "backends" / "pg.md").read_text(encoding="utf-8")
_BLOCKS: Final = re.findall(r"^```sql\n(.*?)^```$", _PAGE, re.DOTALL | re.MULTILINE)
_READER, _EDITOR, _MORE, _LOCKS, _END = _BLOCKS


def _grant(rows: Rows, statements: str, database: str) -> None:
    for line in statements.splitlines():
        assert line.startswith("GRANT ")
        rows.execute(SQL(line.replace("DATABASE terraform", f'DATABASE "{database}"')))


@pytest.fixture
def roles(rows: Rows, database: str) -> Iterator[None]:
    """The roles of the page, without any right."""
    rows.execute(SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(Identifier(database)))
    for role in ("state_reader", "state_editor"):
        rows.execute(SQL("CREATE ROLE {} LOGIN PASSWORD 'x'").format(Identifier(role)))
    yield
    for role in ("state_reader", "state_editor"):
        rows.execute(SQL("DROP OWNED BY {0}; DROP ROLE {0}").format(Identifier(role)))


def test_reader(roles: None, rows: Rows, pg: PgServer, database: str, state: bytes) -> None:
    client = client_of(pg.url(database, user="state_reader", password="x"))
    with pytest.raises(StoreError, match="permission denied for database"):
        client.read()
    _grant(rows, _READER, database)
    stored = client.read()
    assert stored is not None
    assert stored.data == state
    assert client.workspaces() == ["default"]
    assert client.holder() is None
    with pytest.raises(StoreError, match="permission denied for table states"):
        client.write(b"{}", stored.version, None)
    client.close()


def test_editor(roles: None, rows: Rows, pg: PgServer, database: str, state: bytes) -> None:
    _grant(rows, _EDITOR, database)
    url = pg.url(database, user="state_editor", password="x")
    client = client_of(url)
    client.lock(INFO)
    client.write(b"{}", sha256(state).hexdigest(), INFO)
    client.unlock(INFO)
    client.close()
    client = client_of(url, workspace="new")
    client.lock(INFO)
    with pytest.raises(StoreError, match="permission denied for table states"):
        client.write(b"{}", None, INFO)
    _grant(rows, _MORE, database)
    client.write(b"{}", None, INFO)
    client.delete(sha256(b"{}").hexdigest())
    client.unlock(INFO)
    client.close()


def test_the_statements_of_the_page(rows: Rows, pg: PgServer, database: str, state: bytes) -> None:
    client = client_of(pg.url(database))
    client.lock(INFO)
    ((pid, key, user, *_),) = rows.execute(SQL(_LOCKS)).fetchall()
    assert (key, user) == (1, "tf")
    rows.execute(SQL(_END.replace("4711", str(pid))))
    client.unlock(INFO)
    client.close()
