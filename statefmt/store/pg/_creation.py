"""Creates the row of a state, and the schema, sequence, table and index around it, as Terraform's `init` does.

Source: OpenTofu `internal/backend/remote-state/pg/backend.go` (configure).
"""

from __future__ import annotations

from typing import Final

from statefmt.model.errors import StoreError
from statefmt.store.pg._names import StateTable
from statefmt.store.pg._session import Session

_SCHEMA_EXISTS: Final = "SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = %s)"
_RELATION_EXISTS: Final = """
SELECT EXISTS (SELECT FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relname = %s)
"""
_CREATE_SEQUENCE: Final = "CREATE SEQUENCE IF NOT EXISTS public.global_states_id_seq AS bigint"
_CREATE_TABLE: Final = """
CREATE TABLE IF NOT EXISTS {table} (
id bigint NOT NULL DEFAULT nextval('public.global_states_id_seq') PRIMARY KEY, name text UNIQUE, data text)
"""
# A row without data stands for a state that does not exist.
_INSERT: Final = """
INSERT INTO {table} AS s (name, data) VALUES (%s, %s)
ON CONFLICT (name) DO UPDATE SET data = excluded.data WHERE coalesce(s.data, '') = ''
"""


def create_row(session: Session, table: StateTable, location: str, workspace: str, content: str) -> bool:
    """Create the row of a state, and what is missing around it; return False if there is a state by now.

    Raises StoreError if something is missing that must not be created, ServerError and LostError.
    """
    if not session.execute(_SCHEMA_EXISTS, (table.schema,))[0][0]:
        _require(table.skips_schema, location, f"the schema {table.schema!r}", "skip_schema_creation")
        session.execute(table.sql("CREATE SCHEMA IF NOT EXISTS {schema}"))
    if not session.execute(_RELATION_EXISTS, (table.schema, table.table))[0][0]:
        _require(table.skips_table, location, f"the table {table.table!r}", "skip_table_creation")
        session.execute(_CREATE_SEQUENCE)
        session.execute(table.sql(_CREATE_TABLE))
    if not table.skips_index and not session.execute(_RELATION_EXISTS, (table.schema, table.index))[0][0]:
        session.execute(table.sql("CREATE UNIQUE INDEX IF NOT EXISTS {index} ON {table} (name)"))
    return session.change(table.sql(_INSERT), (workspace, content)) == 1


def _require(is_skipped: bool, location: str, what: str, argument: str) -> None:
    if is_skipped:
        raise StoreError(f"{location}: {what} does not exist, and {argument} is set: create it first")
