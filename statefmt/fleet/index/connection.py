"""Opens the database of an index."""

from __future__ import annotations

from collections.abc import Mapping
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
_LOCKED: Final = {"enable_external_access": "false", "lock_configuration": "true", **_OFFLINE}


def open_to_write(path: Path) -> DuckDBPyConnection:
    """Open or create a database, readable by its owner only. Raises FleetError."""
    if not path.exists():
        # DuckDB takes no mode, and an empty file for a new database only of some releases.
        connection = _connect(path, _OFFLINE)
        path.chmod(0o600)
        return connection
    return _connect(path, _OFFLINE)


def open_to_read(path: Path, *, writes_to: str | None = None) -> DuckDBPyConnection:
    """Open a database read-only, with no access to other files, to extensions and to its settings.

    `writes_to` is a folder that a query may write to. Raises FleetError.
    """
    if not path.is_file():
        raise FleetError(f"{path}: there is no such index; make one with `statetool fleet index SOURCE --into FILE`")
    return _connect(path, _LOCKED, read_only=True, folder=writes_to)


def _connect(
    path: Path, settings: Mapping[str, str], *, read_only: bool = False, folder: str | None = None
) -> DuckDBPyConnection:
    try:
        import duckdb
    except ModuleNotFoundError as error:
        raise FleetError("an index needs the package duckdb; install statetool[fleet]") from error
    more: dict[str, str | bool | int | float | list[str]] = {} if folder is None else {"allowed_directories": [folder]}
    try:
        return duckdb.connect(str(path), read_only=read_only, config={**settings, **more})
    except duckdb.Error as error:
        reason = "another process uses it" if "lock on file" in str(error) else str(error).splitlines()[0]
        raise FleetError(f"{path}: cannot open this index: {reason}") from error
