"""Creates the database of an index, whole or not at all, for its owner only."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from statefmt.fleet.errors import FleetError
from statefmt.fleet.index.connection import KEY_BYTES, SCHEMA_VERSION, open_to_write
from statefmt.fleet.tables import RUN_TABLES, STATE_TABLES, columns
from statefmt.store.reading import reason_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@contextmanager
def private_files() -> Iterator[None]:
    """Let this process create files that only their owner can read; DuckDB creates some, and takes no mode."""
    mask = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(mask)


def create(path: Path) -> None:
    """Create an index without states under another name, and rename it. Raises FleetError and duckdb.Error."""
    # DuckDB cannot open what it has half written. One that was killed left it behind.
    new = path.with_name(f".{path.name}.new")
    if not path.parent.exists():
        raise FleetError(f"{path}: cannot create this index: there is no folder {path.parent}")
    try:
        new.touch(mode=0o600)
        new.unlink()
        new.with_name(f"{new.name}.wal").unlink(missing_ok=True)
        connection = open_to_write(new)
        try:
            _make_tables(connection)
            connection.execute("CHECKPOINT")
        finally:
            connection.close()
        new.rename(path)
    except OSError as error:
        raise FleetError(f"{path}: cannot create this index: {reason_of(error)}") from error


def _make_tables(connection: DuckDBPyConnection) -> None:
    connection.execute("BEGIN")
    for name, row_type in {**STATE_TABLES, **RUN_TABLES}.items():
        defined = ", ".join(f"{column.name} {column.type}" for column in columns(row_type))
        connection.execute(f"CREATE TABLE {name} ({defined})")
        for column in columns(row_type):
            about = column.description.replace("'", "''")
            connection.execute(f"COMMENT ON COLUMN {name}.{column.name} IS '{about}'")
    connection.execute("CREATE TABLE settings (schema_version INTEGER, key BLOB)")
    connection.execute("INSERT INTO settings VALUES (?, ?)", [SCHEMA_VERSION, secrets.token_bytes(KEY_BYTES)])
    connection.execute("COMMIT")
