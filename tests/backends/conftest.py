"""The servers that states are on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from uuid import uuid4

import pytest

from tests.backends.provisional import moto, postgres, weed
from tests.backends.spots import HttpSpot, Kind, PgSpot, S3Spot, aws_client
from tests.backends.state_server import state_server
from tests.backends.trial import Obstacles
from tests.servers.cutting import Address

_BUCKET: Final = "tf-states"
_TABLE: Final = "tf-locks"
# The others run in `make slow`.
_USUAL: Final = ("http", "pg", "s3-both")
_MORE: Final = ("s3-lockfile", "s3-dynamodb", "s3-seaweedfs")
_KINDS: Final = (*_USUAL, *(pytest.param(name, marks=pytest.mark.slow) for name in _MORE))


@pytest.fixture(scope="session")
def http_server() -> Iterator[Address]:
    """A server for the backend `http`."""
    with state_server() as found:
        yield found


@pytest.fixture(scope="session")
def pg_server() -> Iterator[Address]:
    with postgres() as found:
        yield found


@pytest.fixture(scope="session")
def moto_server() -> Iterator[Address]:
    with moto() as found:
        aws_client("s3", found).create_bucket(Bucket=_BUCKET)
        aws_client("dynamodb", found).create_table(
            TableName=_TABLE,
            KeySchema=[{"AttributeName": "LockID", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "LockID", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        yield found


@pytest.fixture(scope="session")
def weed_server() -> Iterator[Address]:
    import time

    with weed() as found:
        for i in range(100):
            try:
                aws_client("s3", found).create_bucket(Bucket=_BUCKET)
                aws_client("s3", found).put_object(Bucket=_BUCKET, Key="x", Body=b"x")
                break
            except Exception as e:
                print(e)
                time.sleep(0.2)
        yield found


@pytest.fixture(params=_KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    """Makes states with names of their own, on each kind of server."""
    name: str = request.param
    match name.split("-"):
        case "http", *_:
            http: Address = request.getfixturevalue("http_server")
            return Kind(name, lambda: HttpSpot(http, f"/{uuid4()}"))
        case "pg", *_:
            pg: Address = request.getfixturevalue("pg_server")
            return Kind(name, lambda: PgSpot(pg, "tfstate:pg-password", "postgres", f"s_{uuid4().hex}"))
    moto: Address = request.getfixturevalue("moto_server")
    s3: Address = request.getfixturevalue("weed_server") if name == "s3-seaweedfs" else moto
    table = _TABLE if name in ("s3-dynamodb", "s3-both") else ""
    lockfile = name != "s3-dynamodb"
    return Kind(
        name, lambda: S3Spot(s3, _BUCKET, f"{uuid4()}/terraform.tfstate", lockfile=lockfile, table=table, dynamodb=moto)
    )


@pytest.fixture(scope="session")
def obstacles() -> Obstacles:
    """Trials, which remember how many requests an edit has."""
    return Obstacles()
