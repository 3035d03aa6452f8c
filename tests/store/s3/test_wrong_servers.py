"""Servers that ignore conditions, lose answers, refuse for a while, and lose rights: nothing is lost or guessed."""

from __future__ import annotations

import hashlib
from typing import Final

import pytest

from statefmt.model.errors import ChangedError, StoreError
from statefmt.store.remote.client import LockHeldError, UnknownOutcomeError
from tests.servers.s3 import S3Server
from tests.servers.wrong_s3 import Answer, Request, WrongServer, cut_after, cut_before, refused, without_conditions
from tests.store.s3.connecting import KEY, Opened, client_of, new_lock

FIRST = b'{"serial":1}\n'
SECOND = b'{"serial":2}\n'


# With it, a write asks whether the server knows conditions.
_WRONG: Final = f'"{"0" * 32}"'


def _writes_state(request: Request) -> bool:
    return request.writes_state and request.headers.get("if-match") != _WRONG


def _writes_lock(request: Request) -> bool:
    return request.writes_lock


def test_conditions_ignored(moto: S3Server, wrong: WrongServer, bucket: str) -> None:
    wrong.at(lambda request: True, without_conditions)
    client = client_of(wrong.server, bucket, use_lockfile=True)
    with pytest.raises(StoreError, match="ignores the condition If-None-Match"):
        client.lock(new_lock(client))
    assert client_of(moto, bucket, use_lockfile=True).holder() is None


def test_conditions_ignored_without_a_lock(moto: S3Server, wrong: WrongServer, bucket: str) -> None:
    """The server is found out by a write that changes nothing."""
    client_of(moto, bucket).write(FIRST, None, None)
    wrong.at(lambda request: True, without_conditions)
    client = client_of(wrong.server, bucket)
    stored = client.read()
    assert stored is not None
    with pytest.raises(StoreError, match="ignores the condition If-Match, and nothing locks this state") as error:
        client.write(SECOND, stored.version, None)
    assert not isinstance(error.value, UnknownOutcomeError)
    found = client.read()
    assert found is not None
    assert found.data == FIRST


def test_conditions_ignored_while_somebody_holds_the_lock(moto: S3Server, wrong: WrongServer, bucket: str) -> None:
    holder = client_of(moto, bucket, use_lockfile=True)
    theirs = new_lock(holder, "bob@ci")
    holder.lock(theirs)
    wrong.at(lambda request: True, without_conditions)
    client = client_of(wrong.server, bucket, use_lockfile=True)
    with pytest.raises(LockHeldError) as held:
        client.lock(new_lock(client))
    assert held.value.holder == theirs
    assert holder.holder() == theirs


def test_answer_to_a_lock_lost(wrong: WrongServer, bucket: str) -> None:
    wrong.at(_writes_lock, cut_after, times=1)
    client = client_of(wrong.server, bucket, use_lockfile=True)
    info = new_lock(client)
    with pytest.raises(UnknownOutcomeError):
        client.lock(info)
    assert client.holder() == info
    client.lock(info)
    client.unlock(info)
    assert client.holder() is None


def test_answer_to_a_lock_in_both_lost(moto: S3Server, wrong: WrongServer, bucket: str) -> None:
    wrong.at(lambda request: request.operation == "PutItem", cut_after, times=1)
    client = client_of(wrong.server, bucket, use_lockfile=True, dynamodb_table=moto.new_table())
    info = new_lock(client)
    client.lock(info)
    assert client.holder() == info
    client.unlock(info)
    assert client.holder() is None


def test_answer_to_an_unlock_in_both_lost(moto: S3Server, wrong: WrongServer, bucket: str) -> None:
    client = client_of(wrong.server, bucket, use_lockfile=True, dynamodb_table=moto.new_table())
    info = new_lock(client)
    client.lock(info)
    wrong.at(lambda request: request.operation == "DeleteItem", cut_before, times=1)
    with pytest.raises(UnknownOutcomeError):
        client.unlock(info)
    assert client.holder() == info
    client.unlock(info)
    assert client.holder() is None


@pytest.mark.parametrize("table", [False, True])
def test_answer_to_a_write_lost(moto: S3Server, wrong: WrongServer, bucket: str, table: bool) -> None:
    name = moto.new_table() if table else ""
    client = client_of(wrong.server, bucket, dynamodb_table=name)
    client.write(FIRST, None, None)
    stored = client.read()
    assert stored is not None
    wrong.at(_writes_state, cut_after, times=1)
    # Found out by reading, since a state without its digest could not be read by anybody.
    client.write(SECOND, stored.version, None)
    found = client.read()
    assert found is not None
    assert found.data == SECOND


def test_somebody_else_wrote_after_a_lost_answer(moto: S3Server, wrong: WrongServer, bucket: str) -> None:
    """It is not taken for ours, and gets no digest of ours."""
    table = moto.new_table()
    client = client_of(wrong.server, bucket, dynamodb_table=table)
    client.write(FIRST, None, None)
    stored = client.read()
    assert stored is not None
    digests = wrong.count("POST", "/")

    def overtaken(request: Request) -> Answer | None:
        request.forward(request)
        moto.s3().put_object(Bucket=bucket, Key=KEY, Body=b"3")
        return None

    wrong.at(_writes_state, overtaken, times=1)
    with pytest.raises(UnknownOutcomeError):
        client.write(SECOND, stored.version, None)
    assert moto.s3().get_object(Bucket=bucket, Key=KEY)["Body"].read() == b"3"
    item = moto.dynamodb().get_item(TableName=table, Key={"LockID": {"S": f"{bucket}/{KEY}-md5"}})["Item"]
    assert item["Digest"] == {"S": hashlib.md5(FIRST).hexdigest()}
    assert wrong.count("POST", "/") == digests


def test_deleted_only_as_read_without_conditions(wrong: WrongServer, bucket: str) -> None:
    """Many servers ignore the condition of a deletion: the state is not even asked to be deleted."""
    wrong.at(lambda request: request.method == "DELETE", without_conditions)
    client = client_of(wrong.server, bucket)
    client.write(FIRST, None, None)
    old = client.read()
    assert old is not None
    client.write(SECOND, old.version, None)
    new = client.read()
    with pytest.raises(ChangedError, match="nothing was deleted"):
        client.delete(old.version)
    assert client.read() == new
    assert wrong.count("DELETE", KEY) == 0


def test_write_that_did_not_arrive(wrong: WrongServer, bucket: str) -> None:
    client = client_of(wrong.server, bucket)
    client.write(FIRST, None, None)
    stored = client.read()
    assert stored is not None
    wrong.at(_writes_state, cut_before, times=1)
    with pytest.raises(UnknownOutcomeError):
        client.write(SECOND, stored.version, None)
    assert client.read() == stored
    # The first state, the question whether conditions count, and this write.
    assert wrong.count("PUT", KEY) == 3


def test_write_refused_for_a_while(wrong: WrongServer, bucket: str) -> None:
    wrong.at(_writes_state, refused(503, "SlowDown"), times=2)
    client = client_of(wrong.server, bucket)
    client.write(FIRST, None, None)
    assert wrong.count("PUT", KEY) == 3


def test_write_refused_for_too_long(wrong: WrongServer, bucket: str) -> None:
    wrong.at(_writes_state, refused(503, "SlowDown"))
    client = client_of(wrong.server, bucket, max_retries=1)
    with pytest.raises(StoreError, match="SlowDown") as failed:
        client.write(FIRST, None, None)
    assert not isinstance(failed.value, UnknownOutcomeError)
    assert wrong.count("PUT", KEY) == 2


def test_internal_error(wrong: WrongServer, bucket: str) -> None:
    wrong.at(_writes_state, refused(500, "InternalError"), times=1)
    client = client_of(wrong.server, bucket)
    with pytest.raises(UnknownOutcomeError):
        client.write(FIRST, None, None)
    assert wrong.count("PUT", KEY) == 1
    wrong.at(lambda request: request.method == "GET", refused(500, "InternalError"), times=2)
    assert client.read() is None


def test_always_412(moto: S3Server, wrong: WrongServer, bucket: str) -> None:
    """As Ceph does, which knows no If-Match."""
    opened = Opened()
    client = client_of(wrong.server, bucket, opened=opened, use_lockfile=True)
    client.write(FIRST, None, None)
    info = new_lock(client)
    client.lock(info)
    stored = client.read()
    assert stored is not None
    wrong.at(lambda request: request.writes_state and "if-match" in request.headers, refused(412, "PreconditionFailed"))
    with pytest.raises(StoreError, match="not locked; nothing was written"):
        client.write(SECOND, stored.version, None)
    client.write(SECOND, stored.version, info)
    found = client.read()
    assert found is not None
    assert found.data == SECOND
    assert any("knows no conditional writes" in note for note in opened.notes)
    # What really has changed is refused with the lock too.
    with pytest.raises(ChangedError):
        client.write(FIRST, stored.version, info)


def test_digest_not_written(moto: S3Server, wrong: WrongServer, bucket: str) -> None:
    table = moto.new_table()
    client = client_of(wrong.server, bucket, dynamodb_table=table, max_retries=0)
    wrong.at(lambda request: request.operation == "PutItem", refused(400, "AccessDeniedException"))
    with pytest.raises(StoreError, match="the state was written, but its digest was not") as failed:
        client.write(FIRST, None, None)
    message = str(failed.value)
    assert "dynamodb:PutItem" in message
    assert f"LockID '{bucket}/{KEY}-md5' to {hashlib.md5(FIRST).hexdigest()}" in message


def test_answer_to_a_digest_lost(moto: S3Server, wrong: WrongServer, bucket: str) -> None:
    client = client_of(wrong.server, bucket, dynamodb_table=moto.new_table())
    wrong.at(lambda request: request.operation == "PutItem", cut_before, times=1)
    client.write(FIRST, None, None)
    stored = client.read()
    assert stored is not None
    assert stored.data == FIRST


def test_digest_that_may_not_be_read(moto: S3Server, wrong: WrongServer, bucket: str) -> None:
    opened = Opened()
    client = client_of(wrong.server, bucket, opened=opened, dynamodb_table=moto.new_table())
    client.write(FIRST, None, None)
    wrong.at(lambda request: request.operation == "GetItem", refused(400, "AccessDeniedException"))
    stored = client.read()
    assert stored is not None
    assert stored.data == FIRST
    assert any("digest of the state was not checked" in note for note in opened.notes)


def test_rights_to_keep_tags_missing(moto: S3Server, wrong: WrongServer, bucket: str) -> None:
    opened = Opened()
    client = client_of(wrong.server, bucket, opened=opened)
    client.write(FIRST, None, None)
    stored = client.read()
    assert stored is not None
    wrong.at(lambda request: "?tagging" in request.target, refused(403, "AccessDenied"))
    wrong.at(lambda request: "?acl" in request.target, refused(501, "NotImplemented"))
    client.write(SECOND, stored.version, None)
    (note,) = [note for note in opened.notes if "removes tags" in note]
    assert "s3:GetObjectTagging" in note
    assert "s3:GetObjectAcl" not in note


def test_access_denied(wrong: WrongServer, bucket: str) -> None:
    wrong.at(lambda request: request.method == "GET", refused(403, "AccessDenied"))
    with pytest.raises(StoreError, match="access denied; this needs s3:GetObject, and s3:ListBucket"):
        client_of(wrong.server, bucket).read()


def test_another_region(wrong: WrongServer, bucket: str) -> None:
    wrong.at(lambda request: request.method == "GET", refused(301, "PermanentRedirect"))
    with pytest.raises(StoreError, match="another region"):
        client_of(wrong.server, bucket).read()


def test_lock_given_back_if_it_cannot_be_tried(moto: S3Server, wrong: WrongServer, bucket: str) -> None:
    seen: list[Request] = []

    def is_second(request: Request) -> bool:
        if request.writes_lock:
            seen.append(request)
        return request.writes_lock and len(seen) == 2

    wrong.at(is_second, refused(403, "AccessDenied"))
    client = client_of(wrong.server, bucket, use_lockfile=True)
    with pytest.raises(StoreError, match="access denied"):
        client.lock(new_lock(client))
    assert client.holder() is None


@pytest.mark.parametrize(
    "answer",
    [
        b"<L",
        b'<?xml version="1.0" encoding="gbk"?><L/>',
        b'<?xml version="1.0" encoding="none-such"?><L/>',
        b'<!DOCTYPE L [<!ENTITY a "a">]><L>&a;</L>',
    ],
)
def test_lists_that_are_not_those_of_s3(wrong: WrongServer, bucket: str, answer: bytes) -> None:
    wrong.at(lambda request: request.method == "GET", lambda request: Answer(200, (), answer))
    with pytest.raises(StoreError, match="is not valid XML"):
        client_of(wrong.server, bucket).workspaces()
    with pytest.raises(StoreError, match="is not valid XML"):
        client_of(wrong.server, bucket).object_versions()


@pytest.mark.parametrize(
    "answer",
    [
        b"<L><IsTruncated>true</IsTruncated><NextContinuationToken>1</NextContinuationToken></L>",
        b"<L><IsTruncated>true</IsTruncated><NextKeyMarker>%b</NextKeyMarker></L>" % KEY.encode(),
    ],
)
def test_lists_without_an_end(wrong: WrongServer, bucket: str, answer: bytes) -> None:
    wrong.at(lambda request: request.method == "GET", lambda request: Answer(200, (), answer))
    client = client_of(wrong.server, bucket)
    with pytest.raises(StoreError, match="without an end"):
        client.workspaces() if b"Token" in answer else client.object_versions()


@pytest.mark.parametrize("size", [b"-1", b"many", b"9" * 5000, b""])
def test_sizes_that_are_none(wrong: WrongServer, bucket: str, size: bytes) -> None:
    version = b"<L><Version><Key>%b</Key><VersionId>v</VersionId><Size>%b</Size></Version></L>" % (KEY.encode(), size)
    wrong.at(lambda request: request.method == "GET", lambda request: Answer(200, (), version))
    (found,) = client_of(wrong.server, bucket).object_versions()
    assert (found.id, found.size) == ("v", 0)


@pytest.mark.parametrize("answer", [b"[]", b'{"Item":' + b"[" * 100_000, b"\xff", b"<html>"])
def test_items_that_are_none(moto: S3Server, wrong: WrongServer, bucket: str, answer: bytes) -> None:
    wrong.at(lambda request: request.method == "POST", lambda request: Answer(200, (), answer))
    with pytest.raises(StoreError, match=r"the answer of .* is not valid"):
        client_of(wrong.server, bucket, dynamodb_table="t").holder()
