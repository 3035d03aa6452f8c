"""The server of most tests here, and a proxy in front of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.s3 import S3Server, moto, seaweedfs
from tests.servers.wrong_s3 import WrongServer, wrong_server

__all__ = ["moto", "seaweedfs"]


@pytest.fixture
def bucket(moto: S3Server) -> str:
    return moto.new_bucket(versioned=False)


@pytest.fixture
def wrong(moto: S3Server) -> Iterator[WrongServer]:
    with wrong_server(moto) as server:
        yield server
