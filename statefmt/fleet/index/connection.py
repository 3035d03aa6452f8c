"""Opens the database of an index."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from statefmt.fleet.errors import FleetError
from statefmt.fleet.tables import RUN_TABLES, STATE_TABLES, columns
from statefmt.text.pattern import pattern

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Nothing is downloaded or loaded, whatever SQL says.
_OFFLINE: Final = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    # Nor are the secrets in the home folder, nor the variables of this program, which SQL could name as tables.
    "allow_persistent_secrets": "false",
    "python_enable_replacements": "false",
}


# Raise it when columns change: an index of another version is refused.
SCHEMA_VERSION: Final = 3
KEY_BYTES: Final = 32
# With the whole names of functions, which the database may replace.
_COLUMNS: Final = """
    SELECT table_name, column_name, data_type, column_default FROM system.main.duckdb_columns()
    WHERE schema_name = 'main' AND NOT internal
        AND table_oid IN (SELECT table_oid FROM system.main.duckdb_tables() WHERE schema_name = 'main')
"""
# They would replace functions of DuckDB in every query.
_MACROS: Final = "SELECT function_name FROM system.main.duckdb_functions() WHERE NOT internal LIMIT 1"
_PROCESS: Final = pattern(r"\(PID (\d+)\)")


def open_to_write(path: Path) -> DuckDBPyConnection:
    """Open or create a database. Raises FleetError."""
    connection = _connect(path, read_only=False)
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
    try:
        refuse_others(connection, path)
    except BaseException:
        connection.close()
        raise
    if writes_to is not None:
        connection.execute("SET allowed_directories = ?", [[writes_to]])
    # A query that takes more than the memory fails; otherwise it would fill the disk beside the index.
    connection.execute("SET temp_directory = ''")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def refuse_others(connection: DuckDBPyConnection, path: Path) -> None:
    """Raise FleetError if a database is not an index of this release, as this program makes it."""
    found, expected = _definitions(connection), _expected()
    if not {"settings", "states"} <= found.keys():
        raise FleetError(f"{path}: this database is not an index; name another file")
    changed = FleetError(f"{path}: another program has changed this index; delete it and index again")
    if found["settings"] != expected["settings"] or connection.execute(_MACROS).fetchall():
        raise changed
    settings = connection.execute("SELECT schema_version, octet_length(key) FROM settings LIMIT 2").fetchall()
    if len(settings) != 1 or settings[0][1] != KEY_BYTES:
        raise changed
    if settings[0][0] != SCHEMA_VERSION:
        raise FleetError(
            f"{path}: another release of statetool made this index, with other tables; delete it and index again"
        )
    if any(found.get(name) != table for name, table in expected.items()):
        raise changed


def _expected() -> dict[str, set[tuple[str, str, None]]]:
    tables = {
        name: {(column.name, column.type, None) for column in columns(row_type)}
        for name, row_type in {**STATE_TABLES, **RUN_TABLES}.items()
    }
    return {**tables, "settings": {("schema_version", "INTEGER", None), ("key", "BLOB", None)}}


def _definitions(connection: DuckDBPyConnection) -> dict[str, set[tuple[str, str, None]]]:
    """Return the name, the type and the default or expression of each column, by tables; a view is no table."""
    found: dict[str, set[tuple[str, str, None]]] = {}
    for table, *column in connection.execute(_COLUMNS).fetchall():
        found.setdefault(table, set()).add((column[0], column[1], column[2]))
    return found


def _connect(path: Path, *, read_only: bool) -> DuckDBPyConnection:
    try:
        import duckdb
    except ModuleNotFoundError as error:
        from statefmt.installation import how_to_install

        raise FleetError(f"an index needs the package duckdb: {how_to_install('fleet')}") from error
    try:
        # Absolute, since `:memory:` and others are no files.
        return duckdb.connect(str(path.absolute()), read_only=read_only, config={**_OFFLINE})
    except duckdb.Error as error:
        raise FleetError(f"{path}: cannot open this index: {_reason(str(error))}") from error


def _reason(message: str) -> str:
    if "not a valid DuckDB database" in message:
        return "it is not a database of DuckDB; name another file"
    if "lock on file" in message:
        process = _PROCESS.search(message)
        return f"another process{f' ({process[1]})' if process else ''} uses it; try again when that has ended"
    return message.splitlines()[0]
