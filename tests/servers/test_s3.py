"""The servers of S3 do what a backend needs of them."""

from __future__ import annotations

import pytest

from tests.servers.s3 import S3Server, moto, seaweedfs

__all__ = ["moto", "seaweedfs"]


@pytest.fixture(params=["seaweedfs", "moto"])
def server(request: pytest.FixtureRequest) -> S3Server:
    found: S3Server = request.getfixturevalue(request.param)
    return found


@pytest.mark.parametrize("versioned", [False, True])
def test_conditional_writes(server: S3Server, versioned: bool) -> None:
    client = server.s3()
    bucket = server.new_bucket(versioned=versioned)

    def refused(**condition: str) -> None:
        with pytest.raises(client.exceptions.ClientError) as error:
            client.put_object(Bucket=bucket, Key="a/b", Body=b"2", **condition)  # type: ignore[arg-type]
        assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == 412

    etag = client.put_object(Bucket=bucket, Key="a/b", Body=b"1", IfNoneMatch="*")["ETag"]
    refused(IfNoneMatch="*")
    refused(IfMatch='"0123456789abcdef0123456789abcdef"')
    assert client.get_object(Bucket=bucket, Key="a/b")["Body"].read() == b"1"
    client.put_object(Bucket=bucket, Key="a/b", Body=b"3", IfMatch=etag)
    assert client.get_object(Bucket=bucket, Key="a/b")["Body"].read() == b"3"
    listed = client.list_object_versions(Bucket=bucket, Prefix="a/b")["Versions"]
    assert len(listed) == (2 if versioned else 1)


def test_a_table(moto: S3Server) -> None:
    client = moto.dynamodb()
    table = moto.new_table()
    item = {"LockID": {"S": "one"}}
    client.put_item(TableName=table, Item=item, ConditionExpression="attribute_not_exists(LockID)")
    with pytest.raises(client.exceptions.ConditionalCheckFailedException):
        client.put_item(TableName=table, Item=item, ConditionExpression="attribute_not_exists(LockID)")
