"""Opens the database of an index."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from statefmt.fleet.errors import FleetError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Nothing is downloaded or loaded, whatever SQL says.
_OFFLINE: Final = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
}


def open_to_write(path: Path) -> DuckDBPyConnection:
    """Open or create a database, readable by its owner only. Raises FleetError."""
    is_new = not path.exists()
    connection = _connect(path, read_only=False)
    if is_new:
        # DuckDB takes no mode. As yet, the file has nothing in it.
        path.chmod(0o600)
    # More threads take more time of all processors together; the workers need them.
    connection.execute("SET threads = 1")
    # The log is written to the tables once, at the end.
    connection.execute("SET checkpoint_threshold = '1GB'")
    return connection


def open_to_read(path: Path, *, writes_to: str | None = None) -> DuckDBPyConnection:
    """Open a database read-only, with no access to other files, to extensions and to its settings.

    `writes_to` is a folder that a query may write to. Raises FleetError.
    """
    if not path.is_file():
        raise FleetError(f"{path}: there is no such index; make one with `statetool fleet index SOURCE --into FILE`")
    connection = _connect(path, read_only=True)
    if writes_to is not None:
        connection.execute("SET allowed_directories = ?", [[writes_to]])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _connect(path: Path, *, read_only: bool) -> DuckDBPyConnection:
    try:
        import duckdb
    except ModuleNotFoundError as error:
        raise FleetError("an index needs the package duckdb; install statetool[fleet]") from error
    try:
        return duckdb.connect(str(path), read_only=read_only, config={**_OFFLINE})
    except duckdb.Error as error:
        reason = "another process uses it" if "lock on file" in str(error) else str(error).splitlines()[0]
        raise FleetError(f"{path}: cannot open this index: {reason}") from error
