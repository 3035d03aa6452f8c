"""`versions`, and `--version` of show, diff and undo: versions that a bucket keeps."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import resource, state
from tests.cli.test_json_output import _assert_valid
from tests.servers.s3 import S3Server, moto, seaweedfs

__all__ = ["moto", "seaweedfs"]

KEY: Final = "app/terraform.tfstate"
FIRST: Final = state(resource("terraform_data", "a"))
SECOND: Final = FIRST.replace(b'"a"', b'"b"').replace(b'"serial": 7', b'"serial": 8')
OTHER: Final = FIRST.replace(b'"lineage": "', b'"lineage": "x')


@pytest.fixture(autouse=True)
def surroundings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, moto: S3Server) -> None:
    """The client of AWS uses moto, and histories are nobody else's."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("home")))
    for name, value in moto.environment.items():
        monkeypatch.setenv(name, value)


def _put(server: S3Server, bucket: str, *contents: bytes) -> list[str]:
    """Write an object several times; the IDs of the versions."""
    client = server.s3()
    # A lock file is another object, whose key begins with that of the state.
    client.put_object(Bucket=bucket, Key=f"{KEY}.tflock", Body=b"{}")
    client.delete_object(Bucket=bucket, Key=f"{KEY}.tflock")
    return [client.put_object(Bucket=bucket, Key=KEY, Body=each).get("VersionId", "") for each in contents]


def _url(bucket: str) -> str:
    return f"s3://{bucket}/{KEY}?use_lockfile=true"


@pytest.fixture
def bucket(moto: S3Server) -> str:
    """A versioned bucket."""
    return moto.new_bucket(versioned=True)


def test_text(statetool: Statetool, moto: S3Server, bucket: str) -> None:
    first, second = _put(moto, bucket, FIRST, SECOND)
    heading, *lines = statetool("versions", _url(bucket)).text.splitlines()
    assert heading.split() == ["version", "time", "size"]
    shown = [re.fullmatch(r"([* ]) +(\S+) +(20\d\d-\d\d-\d\d \d\d:\d\d:\d\dZ) +(.+ B)", line) for line in lines]
    assert [(found[1], found[2], found[4]) for found in shown if found] == [
        ("*", second, f"{len(SECOND)} B"),
        (" ", first, f"{len(FIRST)} B"),
    ]


def test_json(statetool: Statetool, moto: S3Server, bucket: str) -> None:
    first, second = _put(moto, bucket, FIRST, SECOND)
    document = json.loads(statetool("versions", _url(bucket), "--format", "json").out)
    _assert_valid(document, "versions-output")
    assert [(one["id"], one["size"], one["current"]) for one in document["versions"]] == [
        (second, len(SECOND), True),
        (first, len(FIRST), False),
    ]
    assert document["location"].startswith(f"s3://{bucket}/{KEY}")


def test_no_earlier_versions(statetool: Statetool, moto: S3Server) -> None:
    """In a bucket without versioning there is only the current one."""
    bucket = moto.new_bucket(versioned=False)
    _put(moto, bucket, FIRST, SECOND)
    done = statetool("versions", _url(bucket))
    assert done.status == 0
    assert len(done.text.splitlines()) == 2
    assert "no earlier versions are kept" in done.err


def test_seaweedfs(statetool: Statetool, seaweedfs: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that checks signatures."""
    for name, value in seaweedfs.environment.items():
        monkeypatch.setenv(name, value)
    bucket = seaweedfs.new_bucket(versioned=True)
    first, second = _put(seaweedfs, bucket, FIRST, SECOND)
    document = json.loads(statetool("versions", _url(bucket), "--format", "json").out)
    assert [one["id"] for one in document["versions"]] == [second, first]
    assert "terraform_data.a" in statetool("show", "--state", _url(bucket), "--version", first).text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a.tfstate", "files have no versions"),
        ("-", "standard input has no versions"),
        ("git:HEAD:a.tfstate", "this is a version of a state already"),
        ("pg://127.0.0.1/db", "the backend 'pg' keeps no versions"),
    ],
)
def test_states_without_versions(name: str, said: str, statetool: Statetool) -> None:
    commands = (("versions", name), ("show", "--state", name, "--version", "1"), ("diff", name, "--version", "1"))
    for command in (*commands, ("undo", name, "--version", "1")):
        done = statetool(*command)
        assert (done.status, done.out) == (2, b"")
        assert said in " ".join(done.err.split())


def test_other_backends(statetool: Statetool, folder: Path) -> None:
    """A pipe, as for other commands, has no versions."""
    (folder / "main.tf").write_text('terraform {\n  backend "gcs" {\n    bucket = "b"\n  }\n}\n')
    for command in ("versions", "show --version 1", "diff --version 1", "undo --version 1"):
        done = statetool(*command.split())
        assert (done.status, done.out) == (2, b"")
        assert done.err.endswith("; list the versions with a program of the service\n")


def test_show(statetool: Statetool, moto: S3Server, bucket: str) -> None:
    first, _ = _put(moto, bucket, FIRST, SECOND)
    assert "terraform_data.a" in statetool("show", "--state", _url(bucket), "--version", first).text
    assert "terraform_data.b" in statetool("show", "--state", _url(bucket)).text


def test_a_deleted_state(statetool: Statetool, moto: S3Server, bucket: str, folder: Path) -> None:
    """No version is current, and one of them can be saved and copied back."""
    first, _ = _put(moto, bucket, FIRST, SECOND)
    moto.s3().delete_object(Bucket=bucket, Key=KEY)
    assert "*" not in statetool("versions", _url(bucket)).text
    refused = statetool("undo", _url(bucket), "--version", first)
    assert (refused.status, "there is no state" in refused.err) == (2, True)
    (folder / "old.tfstate").write_bytes(statetool("pull", _url(bucket), "--version", first).out)
    copied = statetool("copy", "old.tfstate", _url(bucket), "--yes")
    assert copied.status == 0, copied.err
    assert moto.s3().get_object(Bucket=bucket, Key=KEY)["Body"].read() == FIRST


def test_no_such_version(statetool: Statetool, moto: S3Server, bucket: str) -> None:
    _put(moto, bucket, FIRST)
    done = statetool("show", "--state", _url(bucket), "--version", "nonsense")
    assert (done.status, done.out) == (2, b"")
    assert "there is no version 'nonsense'" in " ".join(done.err.split())


def test_diff(statetool: Statetool, moto: S3Server, bucket: str) -> None:
    first, second = _put(moto, bucket, FIRST, SECOND)
    done = statetool("diff", _url(bucket), "--version", first)
    assert done.status == 1
    assert done.text.startswith("- terraform_data.a\n+ terraform_data.b\n")
    assert statetool("diff", _url(bucket), "--version", second).status == 0
    assert statetool("diff", _url(bucket), _url(bucket), "--version", second).status == 2
    assert statetool("diff").status == 2


def test_undo(statetool: Statetool, moto: S3Server, bucket: str) -> None:
    """The content comes back with a new serial, under the lock, and the lock is gone."""
    first, _ = _put(moto, bucket, FIRST, SECOND)
    dry = statetool("undo", _url(bucket), "--version", first, "--dry-run")
    assert (dry.status, len(_versions(statetool, bucket))) == (0, 2)
    done = statetool("undo", _url(bucket), "--version", first)
    assert done.status == 0, done.err
    assert f"content of version {first}" in done.text
    client = moto.s3()
    assert client.get_object(Bucket=bucket, Key=KEY)["Body"].read() == FIRST.replace(b'"serial": 7', b'"serial": 9')
    assert [one["Key"] for one in client.list_objects_v2(Bucket=bucket)["Contents"]] == [KEY]
    locks = client.list_object_versions(Bucket=bucket, Prefix=f"{KEY}.tflock")
    # One by _put, and one by the undo.
    assert (len(locks["Versions"]), len(locks["DeleteMarkers"])) == (2, 2)
    assert len(_versions(statetool, bucket)) == 3


def test_encrypted(statetool: Statetool, moto: S3Server, bucket: str, folder: Path) -> None:
    (folder / "key.json").write_text(json.dumps(configuration("new")))
    first, _ = _put(moto, bucket, *(encrypted(each, "new") for each in (FIRST, SECOND)))
    key = ("--encryption", "key.json")
    assert "terraform_data.a" in statetool("show", "--state", _url(bucket), "--version", first, *key).text
    assert statetool("show", "--state", _url(bucket), "--version", first).status == 2
    done = statetool("undo", _url(bucket), "--version", first, *key)
    assert done.status == 0, done.err
    assert b"encrypted_data" in moto.s3().get_object(Bucket=bucket, Key=KEY)["Body"].read()
    assert statetool("pull", _url(bucket), *key).out == FIRST.replace(b'"serial": 7', b'"serial": 9')


def test_undo_to_another_lineage(statetool: Statetool, moto: S3Server, bucket: str) -> None:
    other, _ = _put(moto, bucket, OTHER, SECOND)
    done = statetool("undo", _url(bucket), "--version", other)
    assert done.status == 2
    assert "they are not versions of one state" in " ".join(done.err.split())
    assert moto.s3().get_object(Bucket=bucket, Key=KEY)["Body"].read() == SECOND
    for option in (["--to", "1"], ["--discard-changes"]):
        assert "cannot be combined" in statetool("undo", _url(bucket), "--version", other, *option).err


def _versions(statetool: Statetool, bucket: str) -> list[object]:
    found: list[object] = json.loads(statetool("versions", _url(bucket), "--format", "json").out)["versions"]
    return found
