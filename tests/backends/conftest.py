"""The servers that states are on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Final

import pytest

from tests.backends.provisional import moto, postgres, weed
from tests.backends.spots import HttpSpot, PgSpot, S3Spot, Spot, aws_client
from tests.backends.state_server import state_server
from tests.backends.trial import NewSpot
from tests.servers.cutting import Address

_BUCKET: Final = "tf-states"
_TABLE: Final = "tf-locks"
# Each kind of place for a state, by the backend and how it locks.
KINDS: Final = ("http", "pg", "s3-lockfile", "s3-dynamodb", "s3-both", "s3-seaweedfs")


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


@pytest.fixture(params=KINDS)
def new_spot(request: pytest.FixtureRequest) -> NewSpot:
    """Makes states with names of their own, on each kind of server."""
    numbers = count()
    kind: str = request.param
    own = "".join(letter if letter.isalnum() else "_" for letter in request.node.nodeid.rpartition("/")[2].lower())

    def made() -> Spot:
        name = f"{own}_{next(numbers)}"
        if kind == "http":
            return HttpSpot(request.getfixturevalue("http_server"), f"/{name}")
        if kind == "pg":
            return PgSpot(request.getfixturevalue("pg_server"), "tfstate:pg-password", "postgres", f"s_{abs(hash(name))}")
        moto_address = request.getfixturevalue("moto_server")
        s3 = request.getfixturevalue("weed_server") if kind == "s3-seaweedfs" else moto_address
        table = _TABLE if kind in ("s3-dynamodb", "s3-both") else ""
        lockfile = kind != "s3-dynamodb"
        return S3Spot(s3, _BUCKET, f"{name}/terraform.tfstate", lockfile=lockfile, table=table, dynamodb=moto_address)

    return made
