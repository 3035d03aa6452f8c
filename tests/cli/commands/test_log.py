"""`log` and `blame`, and `diff --backup` and `--head`, on real git repositories, histories and buckets."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.encrypted import encrypted
from tests.cli.states import resource, state
from tests.cli.test_json_output import _assert_valid
from tests.servers.s3 import S3Server, moto, seaweedfs

__all__ = ["moto", "seaweedfs"]


def _state(serial: int, **attributes: object) -> bytes:
    content = state(resource("aws_vpc", "a", {"attributes": {"id": "vpc-1", **attributes}}))
    return content.replace(b'"serial": 7', b'"serial": %d' % serial)


@pytest.fixture
def repository(folder: Path) -> Path:
    """A repository with three commits of `s`, by two authors."""
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    commits = ((1, "one", "Ann"), (2, "two", "Bob"), (5, "two", "Ann"))
    for day, (serial, name, author) in enumerate(commits, start=1):
        content = _state(serial, name=name, size=serial)
        (folder / "s").write_bytes(content)
        subprocess.run(["git", "add", "s"], cwd=folder, check=True)
        settings = ["-c", f"user.name={author}", "-c", "user.email=e"]
        date = {"GIT_COMMITTER_DATE": f"2026-01-0{day}T12:00:00Z", "PATH": "/usr/bin:/bin:/usr/local/bin"}
        subprocess.run(["git", *settings, "commit", "--quiet", "-m", name], cwd=folder, check=True, env=date)
    return folder / "s"


def _changes(text: str) -> list[str]:
    """The lines without their commits."""
    return [" ".join(word for word in line.split() if not word.startswith("e>")) for line in text.splitlines()[1:]]


def _log(statetool: Statetool, *options: str) -> list[tuple[int, list[str]]]:
    document = json.loads(statetool("log", "--state", "s", "--format", "json", *options).out)
    _assert_valid(document, "log-output")
    return [
        (one["serial"], [path for event in one["events"] for path in event["paths"]]) for one in document["versions"]
    ]


def test_lines(repository: Path, statetool: Statetool) -> None:
    lines = statetool("log", "--state", "s").text.splitlines()
    assert lines[0].split() == ["time", "serial", "version", "who", "release", "change"]
    assert [line.split()[:2] for line in lines[1:] if line.startswith("20")] == [
        ["2026-01-03", "12:00:00Z"],
        ["2026-01-02", "12:00:00Z"],
    ]
    assert [line.split("  ")[-1].strip() for line in lines[1:]] == [
        "aws_vpc.a changed: size",
        "versions between these serials are not available",
        "aws_vpc.a changed: name, size",
    ]


def test_filters(repository: Path, statetool: Statetool) -> None:
    assert _log(statetool) == [(5, ["size"]), (2, ["name", "size"])]
    assert _log(statetool, "--by", "bob") == [(2, ["name", "size"])]
    assert _log(statetool, "--since", "2026-01-03") == [(5, ["size"])]
    assert _log(statetool, "--type", "aws_vpc", "--attr", "name", "--only", "changed")[-1] == (2, ["name", "size"])
    assert _log(statetool, "aws_vpc.a")[-1] == (1, [])
    gone = statetool("log", "--state", "s", "aws_vpc.b")
    assert (gone.status, "aws_vpc.a" in gone.err) == (2, True)


def test_patch_hides_secrets(repository: Path, statetool: Statetool) -> None:
    secret = resource(
        "aws_vpc", "a",
        {"attributes": {"id": "vpc-1", "password": "hunter2"},
         "sensitive_attributes": [[{"type": "get_attr", "value": "password"}]]},
    )  # fmt: skip
    repository.write_bytes(state(secret))
    done = statetool("log", "--state", "s", "-p")
    assert "+ password: (sensitive value)" in done.text
    assert "hunter2" not in done.text + done.err
    assert '~ name: "one" → "two"' in done.text


def test_blame(repository: Path, statetool: Statetool) -> None:
    done = statetool("blame", "--state", "s", "aws_vpc.a", "--format", "json")
    document = json.loads(done.out)
    _assert_valid(document, "blame-output")
    assert [(one["path"], one["event"]["kind"], one["version"]["serial"]) for one in document["attributes"]] == [
        ("id", "present", 1),
        ("name", "changed", 2),
        ("size", "changed", 5),
    ]
    assert (
        "changed, here or in a version since serial 3" in statetool("blame", "--state", "s", "aws_vpc.a", "size").text
    )
    assert statetool("blame", "--state", "s", "aws_vpc.a", "nope").status == 2


def test_blame_of_a_state_that_was_put_back(repository: Path, statetool: Statetool) -> None:
    repository.write_bytes(_state(2, name="two", size=2))
    done = statetool("blame", "--state", "s", "aws_vpc.a", "size", "--format", "json")
    assert json.loads(done.out)["attributes"][0]["version"]["serial"] == 2
    assert "at serial 2 again" in statetool("log", "--state", "s").err


def test_encrypted_without_a_key(repository: Path, statetool: Statetool) -> None:
    repository.with_name("s.backup").write_bytes(encrypted(_state(3), "old"))
    done = statetool("log", "--state", "s")
    assert done.status == 0
    assert "cannot be read" in done.text


def test_edits_of_statetool(folder: Path, statetool: Statetool) -> None:
    Path("s").write_bytes(_state(1, size=1))
    assert statetool("mv", "-y", "--state", "s", "aws_vpc.a", "aws_vpc.b").status == 0
    assert statetool("taint", "-y", "--state", "s", "aws_vpc.b").status == 0
    document = json.loads(statetool("log", "--state", "s", "--format", "json").out)
    _assert_valid(document, "log-output")
    found = [(one["origins"][0]["message"].split()[0], one["events"][0]["kind"]) for one in document["versions"]]
    assert found == [("taint", "tainted"), ("mv", "moved")]


def test_versions_of_a_bucket(
    statetool: Statetool, moto: S3Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for name, value in moto.environment.items():
        monkeypatch.setenv(name, value)
    bucket, client = moto.new_bucket(versioned=True), moto.s3()
    for size in (1, 2):
        client.put_object(Bucket=bucket, Key="s", Body=_state(size, size=size))
    document = json.loads(statetool("log", "--state", f"s3://{bucket}/s?use_lockfile=true", "--format", "json").out)
    (version,) = document["versions"]
    assert (version["origins"][0]["kind"], version["events"][0]["paths"]) == ("service", ["size"])


def test_blame_of_a_damaged_state(repository: Path, statetool: Statetool) -> None:
    repository.write_bytes(b"<<<<<<< HEAD\n" + repository.read_bytes())
    done = statetool("blame", "--state", "s", "aws_vpc.a")
    assert (done.status, done.text) == (2, "")


def test_a_new_lineage(repository: Path, statetool: Statetool) -> None:
    assert statetool("new-lineage", "-y", "--state", "s").status == 0
    assert "the lineage changes at serial" in statetool("log", "--state", "s").err


def test_a_revision_and_a_shallow_clone(
    repository: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(statetool("log", "--state", "git:HEAD~1:s").text.splitlines()) == 2
    missing = statetool("log", "--state", "git:HEAD:t")
    assert (missing.status, "no commit" in missing.err) == (2, True)
    source = f"file://{repository.parent.absolute()}"
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", source, "clone"], check=True)
    monkeypatch.chdir("clone")
    done = statetool("log", "--state", "s")
    assert (done.status, "shallow" in done.err) == (0, True)


def test_diff_with_head_and_backup(repository: Path, statetool: Statetool) -> None:
    assert statetool("diff", "--head", "s").text == "no differences\n"
    assert "no backups" in statetool("diff", "--backup", "s").err
    assert statetool("taint", "-y", "--state", "s", "aws_vpc.a").status == 0
    for option in ("--head", "--backup"):
        done = statetool("diff", option, "s")
        assert (done.status, done.text.splitlines()[:2]) == (1, ["~ aws_vpc.a", "    + tainted"])
    assert statetool("diff", "--head", "s", "s").status == 2
    assert statetool("diff", "--head", "--backup", "s").status == 2
