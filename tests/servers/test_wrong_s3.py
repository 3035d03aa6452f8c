"""The wrong server of S3 is wrong as it was told, and right otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.servers.s3 import S3Server, moto
from tests.servers.wrong_s3 import (
    Fault,
    Request,
    WrongServer,
    after_all,
    cut_after,
    cut_before,
    in_vain,
    lost,
    refused,
    too_late,
    without_conditions,
    wrong_server,
)

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

__all__ = ["moto"]


@pytest.fixture
def wrong(moto: S3Server) -> Iterator[WrongServer]:
    with wrong_server(moto) as server:
        yield server


def _write(client: S3Client, bucket: str, body: bytes) -> str:
    client.put_object(Bucket=bucket, Key="one", Body=body, IfNoneMatch="*")
    return body.decode()


def _content(client: S3Client, bucket: str) -> bytes | None:
    try:
        return client.get_object(Bucket=bucket, Key="one")["Body"].read()
    except client.exceptions.NoSuchKey:
        return None


def test_right_at_first(wrong: WrongServer, moto: S3Server) -> None:
    bucket = moto.new_bucket(versioned=False)
    client = wrong.server.s3()
    _write(client, bucket, b"1")
    with pytest.raises(client.exceptions.ClientError):
        _write(client, bucket, b"2")
    assert _content(client, bucket) == b"1"
    assert wrong.count("PUT", "/one") == 2


def test_a_condition_ignored(wrong: WrongServer, moto: S3Server) -> None:
    wrong.at(lambda request: request.writes_state, without_conditions, times=2)
    bucket = moto.new_bucket(versioned=False)
    client = wrong.server.s3()
    _write(client, bucket, b"1")
    _write(client, bucket, b"2")
    assert _content(moto.s3(), bucket) == b"2"
    with pytest.raises(client.exceptions.ClientError):
        _write(client, bucket, b"3")


@pytest.mark.parametrize(
    ("fault", "after"),
    [
        (lost, None),
        (cut_before, None),
        (cut_after, b"1"),
        (in_vain, None),
        (too_late, b"1"),
        (after_all, b"1"),
        (refused(503, "SlowDown"), None),
    ],
    ids=["lost", "cut before", "cut after", "in vain", "too late", "after all", "refused"],
)
def test_what_becomes_of_a_write(wrong: WrongServer, moto: S3Server, fault: Fault, after: bytes | None) -> None:
    from botocore.exceptions import BotoCoreError, ClientError

    bucket = moto.new_bucket(versioned=False)
    wrong.at(lambda request: request.writes_state, fault, times=1)
    client = wrong.server.s3(read_timeout=1)
    if fault is lost:
        _write(client, bucket, b"1")
    else:
        with pytest.raises((BotoCoreError, ClientError)):
            _write(client, bucket, b"1")
    wrong.settled()
    assert _content(moto.s3(), bucket) == after


def test_a_table_refuses(wrong: WrongServer, moto: S3Server) -> None:
    table = moto.new_table()
    client = wrong.server.dynamodb()

    def puts(request: Request) -> bool:
        return request.operation == "PutItem"

    wrong.at(puts, refused(400, "ThrottlingException"), times=1)
    with pytest.raises(client.exceptions.ClientError) as error:
        client.put_item(TableName=table, Item={"LockID": {"S": "one"}})
    assert error.value.response["Error"]["Code"] == "ThrottlingException"
    client.put_item(TableName=table, Item={"LockID": {"S": "one"}})
