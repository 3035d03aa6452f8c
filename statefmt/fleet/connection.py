"""Opens the database of an index, and identifies the release and the options that its rows depend on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from statefmt.fleet.tables import RUN_TABLES, STATE_TABLES, FleetError, columns
from statefmt.model.findings import Code
from statefmt.text import pattern
from statefmt.version import __version__

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


# SQL cannot download or load anything.
_OFFLINE: Final = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    # Nor read secrets in the home folder, or variables of this program, which SQL could use as tables.
    "allow_persistent_secrets": "false",
    "python_enable_replacements": "false",
}


# Increase it when columns change: an index of another version is refused.
SCHEMA_VERSION: Final = 3
KEY_BYTES: Final = 32
# With qualified names of functions, which the database may replace.
_COLUMNS: Final = """
    SELECT table_name, column_name, data_type, column_default FROM system.main.duckdb_columns()
    WHERE schema_name = 'main' AND NOT internal
        AND table_oid IN (SELECT table_oid FROM system.main.duckdb_tables() WHERE schema_name = 'main')
"""
# They would replace functions of DuckDB in every query.
_MACROS: Final = "SELECT function_name FROM system.main.duckdb_functions() WHERE NOT internal LIMIT 1"
_PROCESS: Final = pattern(r"\(PID (\d+)\)")
# DuckDB's exception classes for errors outside a statement. `Error` itself means a wrong checksum.
_OF_FILES: Final = frozenset({"Error", "IOException", "InternalException", "FatalException", "SerializationException"})
# Parts of messages about intact files.
_WHOLE: Final = ("lock on file", "Permission denied", "No space left", "Is a directory", "Read-only file system")


def open_to_write(path: Path) -> DuckDBPyConnection:
    """Open or create a database. Raises FleetError."""
    connection = _connect(path, read_only=False)
    # More threads take more CPU time in total, which the workers need.
    connection.execute("SET threads = 1")
    # Write the log to the tables once, at the end.
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
        with refusing_damage(path, "read"):
            refuse_others(connection, path)
    except BaseException:
        connection.close()
        raise
    if writes_to is not None:
        connection.execute("SET allowed_directories = ?", [[writes_to]])
    # A query that exceeds the memory fails; otherwise it would fill the disk beside the index.
    connection.execute("SET temp_directory = ''")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def refuse_others(connection: DuckDBPyConnection, path: Path) -> None:
    """Raise FleetError if a database is not an index of this release."""
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
    """Return the name, the type and the default or expression of each column, by table; omits views."""
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
    with refusing_damage(path, "open"):
        # Absolute, since `:memory:` and similar names are not files.
        return duckdb.connect(str(path.absolute()), read_only=read_only, config={**_OFFLINE})


@contextmanager
def refusing_damage(path: Path, action: str) -> Iterator[None]:
    """Turn all errors of DuckDB into FleetError: the block contains only DuckDB calls with our SQL."""
    try:
        yield
    except (FleetError, KeyboardInterrupt):
        raise
    except Exception as error:
        reason = str(error) or error.__class__.__name__
        raise FleetError(f"{path}: cannot {action} this index: {_reason(reason)}{way_out(path, error)}") from error


def is_of_file(error: Exception) -> bool:
    """Return whether an error of DuckDB is about the file; errors of other libraries count, such as invalid text."""
    module = error.__class__.__module__.partition(".")[0]
    return module not in ("duckdb", "_duckdb") or error.__class__.__name__ in _OF_FILES


def way_out(path: Path, error: Exception) -> str:
    """Return advice if an error comes from a damaged file; "" for other errors."""
    message = str(error)
    if not is_of_file(error) or "not a valid DuckDB database" in message or any(text in message for text in _WHOLE):
        return ""
    return f"; the file may be damaged: delete it and index again, with `statetool fleet index SOURCE... --into {path}`"


def _reason(message: str) -> str:
    if "not a valid DuckDB database" in message:
        return "it is not a database of DuckDB; name another file"
    if "lock on file" in message:
        process = _PROCESS.search(message)
        return f"another process{f' ({process[1]})' if process else ''} uses it; try again when that has ended"
    return message.splitlines()[0]


def made_by(*, checks: bool, attributes: bool) -> str:
    """Return the release, a hash of its rules if they run, and `attributes` if they are stored."""
    rules = sha256(" ".join(sorted(Code)).encode()).hexdigest()[:8] if checks else "no rules"
    return f"statetool {__version__}, {rules}" + (", attributes" if attributes else "")
