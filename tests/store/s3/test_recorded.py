"""What statetool sends is what Terraform 1.11 sends, beside the conditions; what it leaves is the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest

from statefmt.store.protocol import LockInfo, read_lock_info
from tests.servers.s3 import REGION, S3Server
from tests.servers.wrong_s3 import Answer, Request, WrongServer
from tests.store.s3.connecting import client_of

BUCKET: Final = "tf-states"
TABLE: Final = "tf-locks"
RECORDED: Final = [
    json.loads(line) for line in (Path(__file__).parent / "terraform-requests.jsonl").read_text().splitlines()
]
# They say which content is sent, how, and where it is kept; the others are of the connection.
HEADERS: Final = ("content-type", "if-none-match", "x-amz-acl", "x-amz-tagging", "x-amz-target")


@pytest.fixture
def sent(wrong: WrongServer, moto: S3Server) -> Iterator[list[Request]]:
    """The requests that arrive at the server with the names of the recording."""
    with suppress(moto.s3().exceptions.BucketAlreadyOwnedByYou):
        moto.s3().create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
    with suppress(moto.dynamodb().exceptions.ResourceInUseException):
        moto.dynamodb().create_table(
            TableName=TABLE,
            AttributeDefinitions=[{"AttributeName": "LockID", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "LockID", "KeyType": "HASH"}],
            BillingMode="PAY_PER_REQUEST",
        )
    moto.s3().delete_object(Bucket=BUCKET, Key="prod/network.tfstate")
    found: list[Request] = []

    def watched(request: Request) -> Answer | None:
        found.append(request)
        return request.forward(request)

    wrong.at(lambda request: True, watched)
    yield found


def _one(recording: str, method: str, *, end: str = "", operation: str = "", says: str = "") -> dict[str, Any]:
    return next(
        each
        for each in RECORDED
        if (each["recording"], each["method"], each["operation"]) == (recording, method, operation)
        and each["path"].endswith(end)
        and says in each["body"]
    )


def _lock(recorded: dict[str, Any], *names: str) -> LockInfo:
    value: Any = json.loads(recorded["body"])
    for name in names:
        value = value[name]
    info = read_lock_info(
        (value if names else recorded["body"]).encode() if isinstance(value, str) or not names else b""
    )
    assert info is not None
    return info


def _same(request: Request, recorded: dict[str, Any]) -> None:
    names = [name for name in recorded["headers"] if name in HEADERS or "checksum" in name or "encryption" in name]
    assert {name: request.headers.get(name) for name in names} == {name: recorded["headers"][name] for name in names}
    assert request.path == recorded["path"]


def test_lock_file(wrong: WrongServer, sent: list[Request]) -> None:
    recorded = _one("s3-lockfile", "PUT", end=".tflock")
    info = _lock(recorded)
    client = client_of(wrong.server, BUCKET, use_lockfile=True, encrypt=True)
    client.lock(info)
    written = next(request for request in sent if request.writes_lock)
    _same(written, recorded)
    assert written.body.decode() == recorded["body"]
    client.unlock(info)
    deleted = next(request for request in sent if request.method == "DELETE")
    _same(deleted, _one("s3-lockfile", "DELETE", end=".tflock"))
    assert client.lock_path == info.Path


def test_state(wrong: WrongServer, sent: list[Request]) -> None:
    recorded = _one("s3-lockfile", "PUT", end=".tfstate")
    client_of(wrong.server, BUCKET, encrypt=True).write(recorded["body"].encode(), None, None)
    (written,) = [request for request in sent if request.writes_state]
    _same(written, recorded)
    assert written.body.decode() == recorded["body"]


def test_dynamodb(wrong: WrongServer, sent: list[Request]) -> None:
    recorded = _one("s3-dynamodb", "POST", operation="PutItem", says="Info")
    info = _lock(recorded, "Item", "Info", "S")
    client = client_of(wrong.server, BUCKET, dynamodb_table=TABLE)
    client.lock(info)
    (locked,) = [request for request in sent if request.operation == "PutItem"]
    _same(locked, recorded)
    assert json.loads(locked.body) == json.loads(recorded["body"])
    sent.clear()
    client.write(_one("s3-dynamodb", "PUT", end=".tfstate")["body"].encode(), None, info)
    # The program does not look in between whether the server has what it says it has.
    assert [request.operation or request.method for request in sent] == ["PUT", "HEAD", "PutItem"]
    assert json.loads(sent[-1].body) == json.loads(
        _one("s3-dynamodb", "POST", operation="PutItem", says="Digest")["body"]
    )
    sent.clear()
    client.read()
    looked = next(request for request in sent if request.operation == "GetItem")
    assert json.loads(looked.body) == json.loads(_one("s3-dynamodb", "POST", operation="GetItem")["body"])
    client.unlock(info)
    unlocked = json.loads(sent[-1].body)
    assert unlocked["Key"] == json.loads(_one("s3-dynamodb", "POST", operation="DeleteItem")["body"])["Key"]
