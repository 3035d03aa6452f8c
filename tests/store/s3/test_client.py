"""The client on a real server: reads, conditional writes, locks of each kind, workspaces, versions and deletion."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest

from statefmt.model.errors import ChangedError, StoreError
from statefmt.store import s3 as _state_object
from statefmt.store.remote.client import LockHeldError
from statefmt.store.s3._objects import ReadVersion, delete_unchanged
from tests.servers.s3 import S3Server
from tests.servers.wrong_s3 import Answer, Request, WrongServer
from tests.store.s3.connecting import KEY, Opened, client_of, new_lock

FIRST = b'{"serial":1}\n'
SECOND = b'{"serial":2}\n'


def test_written_over_what_was_read(moto: S3Server, bucket: str) -> None:
    client = client_of(moto, bucket)
    assert client.read() is None
    client.write(FIRST, None, None)
    stored = client.read()
    assert stored is not None
    assert stored.data == FIRST
    client.write(SECOND, stored.version, None)
    with pytest.raises(ChangedError):
        client.write(b"3", stored.version, None)
    with pytest.raises(ChangedError):
        client.write(b"3", None, None)
    assert moto.s3().get_object(Bucket=bucket, Key=KEY)["Body"].read() == SECOND


def test_deleted_meanwhile(moto: S3Server, bucket: str) -> None:
    client = client_of(moto, bucket)
    client.write(FIRST, None, None)
    stored = client.read()
    assert stored is not None
    moto.s3().delete_object(Bucket=bucket, Key=KEY)
    with pytest.raises(ChangedError):
        client.write(SECOND, stored.version, None)
    assert client.read() is None


def test_empty_object_is_no_state(moto: S3Server, bucket: str) -> None:
    moto.s3().put_object(Bucket=bucket, Key=KEY, Body=b"")
    client = client_of(moto, bucket)
    assert client.read() is None
    client.write(FIRST, None, None)
    stored = client.read()
    assert stored is not None
    assert stored.data == FIRST


@pytest.mark.parametrize("kind", ["file", "table", "both"])
def test_locked(moto: S3Server, bucket: str, kind: str) -> None:
    arguments: dict[str, Any] = {
        "use_lockfile": kind != "table",
        "dynamodb_table": "" if kind == "file" else moto.new_table(),
    }
    client, other = client_of(moto, bucket, **arguments), client_of(moto, bucket, **arguments)
    ours, theirs = new_lock(client), new_lock(other, "bob@ci")
    assert client.is_locking
    assert client.holder() is None
    client.lock(ours)
    # An attempt whose answer was lost meets its own lock.
    client.lock(ours)
    with pytest.raises(LockHeldError) as held:
        other.lock(theirs)
    assert held.value.holder == ours
    assert held.value.lock_id == ours.ID
    with pytest.raises(StoreError, match="not ours"):
        other.unlock(theirs)
    with pytest.raises(StoreError, match="ann@laptop"):
        other.force_unlock(theirs.ID)
    assert client.holder() == ours
    client.unlock(ours)
    assert client.holder() is None
    with pytest.raises(StoreError, match="gone"):
        client.unlock(ours)
    other.lock(theirs)
    assert client.force_unlock(theirs.ID) == theirs
    assert other.holder() is None
    with pytest.raises(StoreError, match="not locked"):
        client.force_unlock(theirs.ID)


def test_file_given_back_when_the_item_is_held(moto: S3Server, bucket: str) -> None:
    table = moto.new_table()
    with_table = client_of(moto, bucket, dynamodb_table=table)
    theirs = new_lock(with_table, "bob@ci")
    with_table.lock(theirs)
    both = client_of(moto, bucket, dynamodb_table=table, use_lockfile=True)
    with pytest.raises(LockHeldError) as held:
        both.lock(new_lock(both))
    assert held.value.holder == theirs
    assert client_of(moto, bucket, use_lockfile=True).holder() is None


def test_without_locking(moto: S3Server, bucket: str) -> None:
    client = client_of(moto, bucket)
    assert not client.is_locking
    assert client.holder() is None
    with pytest.raises(StoreError, match="does not lock"):
        client.force_unlock("x")


def test_digest(moto: S3Server, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = moto.new_table()
    client = client_of(moto, bucket, dynamodb_table=table)
    client.write(FIRST, None, None)
    item = moto.dynamodb().get_item(TableName=table, Key={"LockID": {"S": f"{bucket}/{KEY}-md5"}})["Item"]
    assert item["Digest"] == {"S": hashlib.md5(FIRST).hexdigest()}
    assert client.read() is not None
    # Somebody writes without the digest. Nobody waits for a correction here.
    moto.s3().put_object(Bucket=bucket, Key=KEY, Body=SECOND)
    monkeypatch.setattr(_state_object, "_DIGEST_TIMEOUT", 0)
    with pytest.raises(StoreError) as refused:
        client.read()
    assert hashlib.md5(FIRST).hexdigest() in str(refused.value)
    assert f"to {hashlib.md5(SECOND).hexdigest()}" in str(refused.value)
    # A state without a digest is not checked.
    moto.dynamodb().delete_item(TableName=table, Key={"LockID": {"S": f"{bucket}/{KEY}-md5"}})
    stored = client.read()
    assert stored is not None
    client.write(FIRST, stored.version, None)
    stored = client.read()
    assert stored is not None
    client.delete(stored.version)
    assert "Item" not in moto.dynamodb().get_item(TableName=table, Key={"LockID": {"S": f"{bucket}/{KEY}-md5"}})


def test_digest_of_a_missing_state(moto: S3Server, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = moto.new_table()
    client = client_of(moto, bucket, dynamodb_table=table)
    client.write(FIRST, None, None)
    moto.s3().delete_object(Bucket=bucket, Key=KEY)
    monkeypatch.setattr(_state_object, "_DIGEST_TIMEOUT", 0)
    with pytest.raises(StoreError, match="the state does not exist"):
        client.read()


def test_workspaces(moto: S3Server, bucket: str) -> None:
    assert client_of(moto, bucket).workspaces() == []
    for workspace in ("staging", "b"):
        client_of(moto, bucket, workspace=workspace).write(FIRST, None, None)
    # Those of another key and another prefix, and a lock.
    for key in ("env:/other/x.tfstate", f"envs/c/{KEY}", f"env:/d/{KEY}.tflock", f"env:/e/f/{KEY}"):
        moto.s3().put_object(Bucket=bucket, Key=key, Body=b"{}")
    assert client_of(moto, bucket).workspaces() == ["b", "staging"]
    client_of(moto, bucket).write(FIRST, None, None)
    assert client_of(moto, bucket).workspaces() == ["b", "default", "staging"]
    assert moto.s3().get_object(Bucket=bucket, Key=f"env:/b/{KEY}")["Body"].read() == FIRST
    assert client_of(moto, bucket, workspace_key_prefix="envs").workspaces() == ["c", "default"]


def test_versions(moto: S3Server) -> None:
    bucket = moto.new_bucket(versioned=True)
    client = client_of(moto, bucket)
    client.write(FIRST, None, None)
    stored = client.read()
    assert stored is not None
    client.write(SECOND, stored.version, None)
    moto.s3().put_object(Bucket=bucket, Key=f"{KEY}.tflock", Body=b"x")
    versions = client.object_versions()
    assert [version.is_current for version in versions] == [True, False]
    assert [client.read_version(version.id) for version in versions] == [SECOND, FIRST]
    assert versions[0].size == len(SECOND)
    assert versions[0].time.endswith("Z")
    with pytest.raises(StoreError, match="there is no version"):
        client.read_version("nonsense")


def test_deleted_only_as_read(moto: S3Server) -> None:
    bucket = moto.new_bucket(versioned=True)
    client = client_of(moto, bucket)
    client.write(FIRST, None, None)
    old = client.read()
    assert old is not None
    client.write(SECOND, old.version, None)
    new = client.read()
    assert new is not None
    with pytest.raises(ChangedError):
        client.delete(old.version)
    assert client.read() == new
    client.delete(new.version)
    assert client.read() is None
    # Nothing is lost in a versioned bucket.
    assert [client.read_version(version.id) for version in client.object_versions()] == [SECOND, FIRST]


def test_written_while_it_is_deleted(seaweedfs: S3Server) -> None:
    """SeaweedFS honours the condition of a deletion, which moto ignores."""
    bucket = seaweedfs.new_bucket(versioned=False)
    client = client_of(seaweedfs, bucket)
    client.write(FIRST, None, None)
    old = client.read()
    assert old is not None
    assert isinstance(old.version, ReadVersion)
    client.write(SECOND, old.version, None)
    objects = client._objects
    with pytest.raises(ChangedError):
        delete_unchanged(objects, KEY, old.version, "here")
    stored = client.read()
    assert stored is not None
    assert stored.data == SECOND


@pytest.mark.parametrize("versioned", [False, True])
def test_signed_for_a_server_that_checks(seaweedfs: S3Server, versioned: bool) -> None:
    bucket = seaweedfs.new_bucket(versioned=versioned)
    opened = Opened()
    key = "weird key+ü/it's %20 (x)!*~&=.tfstate"
    client = client_of(seaweedfs, bucket, opened=opened, key=key, use_lockfile=True)
    info = new_lock(client)
    client.lock(info)
    with pytest.raises(LockHeldError) as held:
        client.lock(new_lock(client, "bob@ci"))
    assert held.value.holder == info
    client.write(FIRST, None, info)
    stored = client.read()
    assert stored is not None
    seaweedfs.s3().put_object_tagging(Bucket=bucket, Key=key, Tagging={"TagSet": [{"Key": "a b", "Value": "é=+/@:"}]})
    client.write(SECOND, stored.version, info)
    assert seaweedfs.s3().get_object_tagging(Bucket=bucket, Key=key)["TagSet"] == [{"Key": "a b", "Value": "é=+/@:"}]
    assert seaweedfs.s3().get_object(Bucket=bucket, Key=key)["Body"].read() == SECOND
    client.unlock(info)
    assert client.holder() is None
    assert client.workspaces() == ["default"]
    assert len(client.object_versions()) == (2 if versioned else 1)


def test_stored_as_before(moto: S3Server, bucket: str) -> None:
    moto.s3().put_object(
        Bucket=bucket,
        Key=KEY,
        Body=FIRST,
        ServerSideEncryption="aws:kms",
        SSEKMSKeyId="arn:aws:kms:eu-west-1:123456789012:key/k",
        Metadata={"owner": "platform"},
        StorageClass="STANDARD_IA",
        Tagging="team=a%20b&stage=prod",
        ACL="public-read",
    )
    before = moto.s3().get_object_acl(Bucket=bucket, Key=KEY)["Grants"]
    opened = Opened()
    client = client_of(moto, bucket, opened=opened)
    stored = client.read()
    assert stored is not None
    client.write(SECOND, stored.version, None)
    found = moto.s3().get_object(Bucket=bucket, Key=KEY)
    assert found["Body"].read() == SECOND
    assert found["ServerSideEncryption"] == "aws:kms"
    assert found["SSEKMSKeyId"] == "arn:aws:kms:eu-west-1:123456789012:key/k"
    assert found["Metadata"] == {"owner": "platform"}
    assert found["StorageClass"] == "STANDARD_IA"
    assert found["ContentType"] == "application/json"
    tags = moto.s3().get_object_tagging(Bucket=bucket, Key=KEY)["TagSet"]
    assert sorted((tag["Key"], tag["Value"]) for tag in tags) == [("stage", "prod"), ("team", "a b")]
    after = moto.s3().get_object_acl(Bucket=bucket, Key=KEY)["Grants"]
    assert {str(grant) for grant in after} == {str(grant) for grant in before}
    assert len(after) == 2
    assert not any("removes" in note for note in opened.notes)


def test_stored_as_the_configuration_says(moto: S3Server, bucket: str) -> None:
    moto.s3().put_object(Bucket=bucket, Key=KEY, Body=FIRST, Tagging="team=old")
    client = client_of(
        moto, bucket, encrypt=True, kms_key_id="alias/tf", acl="private", state_tags={"team": "new + a=1"}
    )
    stored = client.read()
    assert stored is not None
    client.write(SECOND, stored.version, None)
    found = moto.s3().get_object(Bucket=bucket, Key=KEY)
    assert (found["ServerSideEncryption"], found["SSEKMSKeyId"]) == ("aws:kms", "alias/tf")
    tags = moto.s3().get_object_tagging(Bucket=bucket, Key=KEY)["TagSet"]
    assert tags == [{"Key": "team", "Value": "new + a=1"}]


def test_lock_stored_as_the_configuration_says(moto: S3Server, bucket: str) -> None:
    client = client_of(moto, bucket, use_lockfile=True, encrypt=True, lock_tags={"kind": "lock"})
    info = new_lock(client)
    client.lock(info)
    key = f"{KEY}.tflock"
    assert moto.s3().get_object(Bucket=bucket, Key=key)["ServerSideEncryption"] == "AES256"
    assert moto.s3().get_object_tagging(Bucket=bucket, Key=key)["TagSet"] == [{"Key": "kind", "Value": "lock"}]


def test_key_of_the_customer(moto: S3Server, wrong: WrongServer, bucket: str) -> None:
    key = bytes(range(32))
    text = base64.b64encode(key).decode()
    sent: list[Request] = []

    def watched(request: Request) -> Answer | None:
        sent.append(request)
        return request.forward(request)

    wrong.at(lambda request: "?" not in request.target, watched)
    opened = Opened()
    client = client_of(
        wrong.server, bucket, opened=opened, encrypt=True, use_lockfile=True, environment={"AWS_SSE_CUSTOMER_KEY": text}
    )
    info = new_lock(client)
    client.lock(info)
    client.write(FIRST, None, info)
    assert client.holder() == info
    stored = client.read()
    assert stored is not None
    client.write(SECOND, stored.version, info)
    client.unlock(info)
    # moto keeps nothing of it. A request without the key would be refused by S3, or would store in plain.
    expected = {
        "x-amz-server-side-encryption-customer-algorithm": "AES256",
        "x-amz-server-side-encryption-customer-key": text,
        "x-amz-server-side-encryption-customer-key-md5": base64.b64encode(hashlib.md5(key).digest()).decode(),
    }
    with_content = [request for request in sent if request.method in ("GET", "PUT", "HEAD")]
    assert len(with_content) > 5
    for request in with_content:
        assert expected.items() <= request.headers.items()
        assert "x-amz-server-side-encryption" not in request.headers
    assert not any(text in line for line in opened.notes + opened.requests)


def test_no_bucket(moto: S3Server) -> None:
    client = client_of(moto, "tf-states-missing")
    with pytest.raises(StoreError, match="there is no such bucket") as refused:
        client.read()
    assert moto.url.partition("://")[2] in str(refused.value)


def test_no_table(moto: S3Server, bucket: str) -> None:
    client = client_of(moto, bucket, dynamodb_table="missing")
    with pytest.raises(StoreError, match="there is no such table"):
        client.lock(new_lock(client))
