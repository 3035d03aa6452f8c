"""One state at a server, read and written without statetool: what tests put there, and what they find afterwards."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from tests.servers.cutting import Address, Serve
from tests.servers.cutting_http import http as http_requests
from tests.servers.cutting_pg import pg as pg_messages
from tests.servers.http import StateServer
from tests.servers.s3 import ACCESS_KEY, REGION, SECRET_KEY, S3Server

_OTHER: Final = {
    "ID": "00000000-0000-4000-8000-00000000feed", "Operation": "probe", "Info": "", "Who": "test", "Version": "",
    "Created": "2026-01-01T00:00:00Z", "Path": "",
}  # fmt: skip


class Spot(ABC):
    """One state, by a name of its own. `servers` are the servers that a client of it talks to."""

    backend: str
    serve: Serve
    servers: tuple[Address, ...]

    @abstractmethod
    def config(self, addresses: Sequence[Address]) -> dict[str, Any]:
        """The arguments of the backend, with the servers under other addresses."""

    @abstractmethod
    def put(self, content: bytes) -> None:
        """Put a state there, as the engine would."""

    @abstractmethod
    def stored(self) -> bytes | None:
        """The state; None if there is none. Fails if it does not agree with what goes with it, such as a digest."""

    @abstractmethod
    def locks(self) -> list[str]:
        """What is locked, in words."""

    @abstractmethod
    def held(self) -> AbstractContextManager[None]:
        """The state is locked by another client, for as long as the context is open."""


class Kind(NamedTuple):
    """A kind of place for states, by the backend, how it locks and what serves it; `spot()` is a new place."""

    name: str
    spot: Callable[[], Spot]


class HttpSpot(Spot):
    """The state of a server of the backend `http`, which has one."""

    backend = "http"
    serve = staticmethod(http_requests)

    def __init__(self, server: StateServer) -> None:
        self._url: Final = urlsplit(server.url)
        self.servers = (("127.0.0.1", self._url.port or 0),)
        self._server = server
        server.holder, server.state = None, None

    def config(self, addresses: Sequence[Address]) -> dict[str, Any]:
        """The arguments of the backend."""
        ((host, port),) = addresses
        url = f"http://{host}:{port}{self._url.path}"
        waits = {"retry_wait_min": 0, "retry_wait_max": 1}
        return {"address": url, "lock_address": url, "unlock_address": url, **waits}

    def put(self, content: bytes) -> None:
        """Put a state there."""
        self._server.state = content

    def stored(self) -> bytes | None:
        """The state."""
        return self._server.state

    def locks(self) -> list[str]:
        """Who holds the lock."""
        return [] if self._server.holder is None else [json.dumps(self._server.holder)]

    @contextmanager
    def held(self) -> Iterator[None]:
        """Locked by another."""
        self._server.holder = _OTHER
        yield
        assert self._server.holder == _OTHER
        self._server.holder = None


class PgSpot(Spot):
    """A state in a schema of its own in PostgreSQL. `login` is the user, a colon and the password."""

    backend = "pg"
    serve = staticmethod(pg_messages)
    _TABLE: Final = (
        "CREATE SEQUENCE IF NOT EXISTS public.global_states_id_seq AS bigint",
        "CREATE SCHEMA IF NOT EXISTS {0}",
        """CREATE TABLE IF NOT EXISTS {0}.states (
            id bigint NOT NULL DEFAULT nextval('public.global_states_id_seq') PRIMARY KEY, name text UNIQUE, data text
        )""",
        "CREATE UNIQUE INDEX IF NOT EXISTS states_by_name ON {0}.states (name)",
    )

    def __init__(self, server: Address, login: str, schema: str) -> None:
        self.servers = (server,)
        self._login = login
        self._schema = schema

    def config(self, addresses: Sequence[Address]) -> dict[str, Any]:
        """The arguments of the backend."""
        ((host, port),) = addresses
        url = f"postgres://{self._login}@{host}:{port}/postgres?sslmode=disable"
        return {"conn_str": url, "schema_name": self._schema}

    def put(self, content: bytes) -> None:
        """Put a state there."""
        for statement in self._TABLE:
            self._run(statement.format(self._schema))
        self._run(
            f"INSERT INTO {self._schema}.states (name, data) VALUES ('default', %s) "
            "ON CONFLICT (name) DO UPDATE SET data = EXCLUDED.data",
            content.decode(),
        )

    def stored(self) -> bytes | None:
        """The state."""
        rows = self._run(f"SELECT data FROM {self._schema}.states WHERE name = 'default'")
        return rows[0][0].encode() if rows else None

    def locks(self) -> list[str]:
        """The advisory locks that are held, on whatever state: tests have no others."""
        query = (
            "SELECT (classid::bigint << 32) | objid::bigint, pid FROM pg_locks "
            "WHERE locktype = 'advisory' AND objsubid = 1 AND granted"
        )
        return [f"{key} by {pid}" for key, pid in self._run(query)]

    @contextmanager
    def held(self) -> Iterator[None]:
        """Locked by another."""
        import psycopg

        with psycopg.connect(str(self.config(self.servers)["conn_str"]), autocommit=True) as connection:
            connection.execute(f"SELECT pg_advisory_lock(id) FROM {self._schema}.states".encode())
            yield

    def add_user(self, name: str, password: str) -> None:
        """Let another user in, who may do everything."""
        if not self._run("SELECT 1 FROM pg_roles WHERE rolname = %s", name):
            self._run(f"CREATE ROLE {name} SUPERUSER LOGIN PASSWORD '{password}'")

    def _run(self, statement: str, *values: str) -> list[Any]:
        import psycopg

        with psycopg.connect(str(self.config(self.servers)["conn_str"]), autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), values or None)
            return cursor.fetchall() if cursor.description else []


class S3Spot(Spot):
    """A state in a bucket, locked by a file, by an item in DynamoDB, or both."""

    backend = "s3"
    serve = staticmethod(http_requests)

    def __init__(self, server: S3Server, address: Address, bucket: str, key: str, lockfile: bool, table: str) -> None:
        # One server has both, and one proxy is in front of both.
        self.servers = (address,)
        self._server = server
        self._bucket = bucket
        self._key = key
        self._lockfile = lockfile
        self._table = table

    def config(self, addresses: Sequence[Address]) -> dict[str, Any]:
        """The arguments of the backend."""
        ((host, port),) = addresses
        endpoints = dict.fromkeys(("s3", "dynamodb"), f"http://{host}:{port}")
        skipped = ("skip_credentials_validation", "skip_metadata_api_check", "skip_requesting_account_id")
        return {
            "bucket": self._bucket, "key": self._key, "region": REGION, "use_path_style": True,
            "use_lockfile": self._lockfile, "dynamodb_table": self._table or None, "endpoints": endpoints,
            "access_key": ACCESS_KEY, "secret_key": SECRET_KEY, **dict.fromkeys(skipped, True),
        }  # fmt: skip

    def put(self, content: bytes) -> None:
        """Put a state there, and its digest."""
        self._s3.put_object(Bucket=self._bucket, Key=self._key, Body=content, ContentType="application/json")
        if self._table:
            digest = hashlib.md5(content, usedforsecurity=False).hexdigest()
            item = {"LockID": {"S": f"{self._id}-md5"}, "Digest": {"S": digest}}
            self._dynamo.put_item(TableName=self._table, Item=item)

    def stored(self) -> bytes | None:
        """The state. With a digest, it is that of the state."""
        if self._key not in self._keys():
            return None
        content: bytes = self._s3.get_object(Bucket=self._bucket, Key=self._key)["Body"].read()
        return content

    def set_digest(self, key: str, digest: str) -> None:
        """Set a digest, as a message says how."""
        self._dynamo.put_item(TableName=self._table, Item={"LockID": {"S": key}, "Digest": {"S": digest}})

    def digest_fits(self) -> bool:
        """Whether the digest is that of the state, so that others can read it."""
        if not self._table:
            return True
        found = self._item(f"{self._id}-md5")["Digest"]["S"]
        return bool(found == hashlib.md5(self.stored() or b"", usedforsecurity=False).hexdigest())

    def locks(self) -> list[str]:
        """The lock object and the lock item."""
        key = f"{self._key}.tflock"
        found = []
        if key in self._keys():
            found.append(self._s3.get_object(Bucket=self._bucket, Key=key)["Body"].read().decode())
        if self._table and (item := self._item(self._id)):
            found.append(item["Info"]["S"])
        return found

    @contextmanager
    def held(self) -> Iterator[None]:
        """Locked by another."""
        key = f"{self._key}.tflock"
        if self._lockfile:
            self._s3.put_object(Bucket=self._bucket, Key=key, Body=json.dumps(_OTHER).encode())
        if self._table:
            item = {"LockID": {"S": self._id}, "Info": {"S": json.dumps(_OTHER)}}
            self._dynamo.put_item(TableName=self._table, Item=item)
        yield
        self._s3.delete_object(Bucket=self._bucket, Key=key)
        if self._table:
            self._dynamo.delete_item(TableName=self._table, Key={"LockID": {"S": self._id}})

    def _keys(self) -> list[str]:
        listed = self._s3.list_objects_v2(Bucket=self._bucket, Prefix=self._key).get("Contents", [])
        return [entry["Key"] for entry in listed]

    @property
    def _id(self) -> str:
        return f"{self._bucket}/{self._key}"

    def _item(self, key: str) -> Any:
        found = self._dynamo.get_item(TableName=self._table, Key={"LockID": {"S": key}}, ConsistentRead=True)
        return found.get("Item")

    @property
    def _s3(self) -> Any:
        return self._server.s3()

    @property
    def _dynamo(self) -> Any:
        return self._server.dynamodb()


def record(spot: Spot, addresses: Sequence[Address]) -> bytes:
    """What `init` records in a folder."""
    backend = {"type": spot.backend, "config": spot.config(addresses), "hash": 1}
    return json.dumps({"version": 3, "terraform_version": "1.11.4", "backend": backend}).encode()
