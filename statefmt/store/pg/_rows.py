"""The row of a state: read, written and deleted by the version that it had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from statefmt.model.errors import StoreError
from statefmt.store.pg._creation import create_row
from statefmt.store.pg._names import StateTable
from statefmt.store.pg._session import ServerError, Session
from statefmt.store.protocol import Stored

# The version is of the bytes, whatever the encoding of the database; md5() fails on a server in FIPS mode.
_VERSION: Final = "encode(sha256(convert_to(data, 'UTF8')), 'hex')"
_READ: Final = "SELECT data FROM {table} WHERE name = %s"
_NAMES: Final = "SELECT name FROM {table}"
_ID: Final = "SELECT id FROM {table} WHERE name = %s"
# Programs that create a row hold a creation lock until they have written it. Shared, and until the end of the statement
# only: that is enough to see them, and keeps out nobody else who looks.
_LOCK: Final = """
SELECT id, pg_try_advisory_lock(id),
pg_try_advisory_xact_lock_shared(%s) AND pg_try_advisory_xact_lock_shared(%s) FROM {table} WHERE name = %s
"""
_UPDATE: Final = f"UPDATE {{table}} SET data = %s WHERE name = %s AND {_VERSION} = %s"
_DELETE: Final = f"DELETE FROM {{table}} WHERE name = %s AND {_VERSION} = %s"
# A row is stored anew with each change, at another place or by another transaction. Neither reads the state.
_LISTED: Final = """
SELECT name, octet_length(data), concat_ws('-', tableoid, xmin, ctid, octet_length(data)) FROM {table}
WHERE name IS NOT NULL AND octet_length(data) > 0 ORDER BY name
"""
_SCHEMAS: Final = """
SELECT n.nspname, has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relname = %s AND c.relkind IN ('r', 'p') AND n.nspname NOT LIKE 'pg\\_%%' AND 3 = (
    SELECT count(*) FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = c.oid AND NOT a.attisdropped AND a.attname IN ('id', 'name', 'data')
) ORDER BY 1
"""
# No schema, and no table. Source: PostgreSQL, appendix "Error Codes".
_MISSING: Final = frozenset({"3F000", "42P01"})


@dataclass(frozen=True, slots=True)
class StateRow:
    """The row of one state, which need not exist. All methods raise LostError and StoreError."""

    location: str
    table: StateTable
    workspace: str

    def read(self, session: Session) -> Stored | None:
        """Return the content and its version; None if there is no schema, table or row, or the row is empty."""
        row = self._only(self._query(session, _READ, (self.workspace,)))
        if row is None or not row[0]:
            return None
        data = str(row[0]).encode()
        return Stored(data, sha256(data).hexdigest())

    def id(self, session: Session) -> int | None:
        """Return the ID, which is the key of the lock."""
        rows = self._query(session, _ID, (self.workspace,))
        return int(rows[0][0]) if rows else None

    def try_lock(self, session: Session, creation: tuple[int, int]) -> tuple[int, bool, bool] | None:
        """Lock the row, if it exists: return its ID, whether it is locked, and whether nobody creates it right now."""
        row = self._only(self._query(session, _LOCK, (*creation, self.workspace)))
        return None if row is None else (row[0], row[1], row[2])

    def write(self, session: Session, text: str, expected: object | None) -> bool:
        """Replace the content, or create the row; return False if the row does not have the expected version."""
        if expected is None:
            return create_row(session, self.table, self.location, self.workspace, text)
        return session.change(self.table.sql(_UPDATE), (text, self.workspace, expected)) == 1

    def delete(self, session: Session, expected: object) -> bool:
        """Delete the row; return False if it does not have the expected version."""
        return session.change(self.table.sql(_DELETE), (self.workspace, expected)) == 1

    def names(self, session: Session) -> list[str]:
        """Return the names of all rows of the table, sorted."""
        return sorted(str(row[0]) for row in self._query(session, _NAMES, ()) if row[0] is not None)

    def listed(self, session: Session) -> list[tuple[str, int, str]]:
        """Return the name, the size in bytes and the version of each row that has a state, sorted by name."""
        return [(str(name), int(size), str(version)) for name, size, version in self._query(session, _LISTED, ())]

    def schemas(self, session: Session) -> list[tuple[str, bool]]:
        """Return the schemas that have a table of states of this name, sorted, and whether it can be read."""
        return [(str(schema), bool(readable)) for schema, readable in session.execute(_SCHEMAS, (self.table.table,))]

    def _only(self, rows: Sequence[tuple[Any, ...]]) -> tuple[Any, ...] | None:
        if len(rows) > 1:
            raise StoreError(f"{self.location}: the table has {len(rows)} rows with the name of this workspace")
        return rows[0] if rows else None

    def _query(self, session: Session, statement: str, parameters: Sequence[object]) -> Sequence[tuple[Any, ...]]:
        """Read from the table; a table that does not exist has no rows."""
        try:
            return session.execute(self.table.sql(statement), parameters)
        except ServerError as error:
            if error.sqlstate not in _MISSING:
                raise
        return ()
