"""Opens the client of a backend, which is imported only then."""

from __future__ import annotations

from typing import Final

from statefmt.model.errors import StoreError
from statefmt.store.backends.place import StatePlace
from statefmt.store.backends.remote_name import RemoteName
from statefmt.store.remote.client import StateClient
from statefmt.store.remote.connection import Connection
from statefmt.store.remote.store import RemoteStore

# The backends whose states statetool reads and writes itself, beside `local`.
SUPPORTED: Final = frozenset({"http", "pg", "s3"})


def remote_store(name: RemoteName, connection: Connection) -> RemoteStore:
    """Return a state in one of the SUPPORTED backends as a store. Raises StoreError as `open_client`."""
    return RemoteStore(name.place, connection, open_client, words=name.words, is_of_folder=name.folder is not None)


def open_client(place: StatePlace, connection: Connection) -> StateClient:
    """Return a client for a state in one of the SUPPORTED backends; it connects when it is used.

    Raises StoreError if an argument is not supported, or a package is missing.
    """
    match place.type:
        case "http":
            from statefmt.store.http.client import HttpClient

            return HttpClient(place, connection)
        case "pg":
            try:
                from statefmt.store.pg.client import PgClient
            except ImportError as error:
                from statefmt.installation import how_to_install

                raise StoreError(
                    f"{place.location}: states in PostgreSQL need the package psycopg: {how_to_install('pg')}"
                ) from error
            return PgClient(place, connection)
        case "s3":
            from statefmt.store.s3.client import S3Client

            return S3Client(place, connection)
    raise ValueError(place.type)
