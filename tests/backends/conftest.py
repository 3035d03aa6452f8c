"""The kinds of places for states, each on a real server, and the real programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import quote, urlsplit
from uuid import uuid4

import pytest

from tests.backends.spots import HttpSpot, Kind, PgSpot, S3Spot
from tests.backends.trial import Obstacles
from tests.compat.conftest import real
from tests.servers.http import StateServer, state_server
from tests.servers.pg import PASSWORD, USER, PgServer, pg
from tests.servers.s3 import S3Server, moto, seaweedfs

__all__ = ["moto", "pg", "real", "seaweedfs"]

# The others run in `make slow`.
_USUAL: Final = ("http", "pg", "s3-both")
_MORE: Final = ("s3-lockfile", "s3-dynamodb", "s3-seaweedfs")
_KINDS: Final = (*_USUAL, *(pytest.param(name, marks=pytest.mark.slow) for name in _MORE))


@pytest.fixture(scope="session")
def http_server() -> Iterator[StateServer]:
    """A server for the backend `http`."""
    with state_server() as found:
        yield found


@pytest.fixture(scope="session")
def obstacles() -> Obstacles:
    """Trials, which remember how many requests an edit has."""
    return Obstacles()


@pytest.fixture(params=_KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    """A kind of place, on its server."""
    name: str = request.param
    match name:
        case "http":
            states: StateServer = request.getfixturevalue("http_server")
            return Kind(name, lambda: HttpSpot(states))
        case "pg":
            database: PgServer = request.getfixturevalue("pg")
            login = f"{USER}:{quote(PASSWORD, safe='')}"
            return Kind(name, lambda: PgSpot(("127.0.0.1", database.port), login, f"s_{uuid4().hex}"))
        case "s3-seaweedfs":
            storage: S3Server = request.getfixturevalue("seaweedfs")
        case _:
            storage = request.getfixturevalue("moto")
    server = ("127.0.0.1", urlsplit(storage.url).port or 0)
    table = storage.new_table() if name in ("s3-dynamodb", "s3-both") else ""
    bucket = storage.new_bucket(versioned=True)
    lockfile = name != "s3-dynamodb"
    return Kind(name, lambda: S3Spot(storage, server, bucket, f"{uuid4()}/terraform.tfstate", lockfile, table))
