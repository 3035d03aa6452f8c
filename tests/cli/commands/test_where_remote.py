"""`where` and `workspaces` for states in backends: what locks a state, without a connection; and all workspaces."""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from pathlib import Path

import pytest

from statefmt import StatetoolError
from statefmt.cli.completion import candidates
from tests.cli.conftest import Statetool
from tests.cli.states import resource, state
from tests.cli.test_json_output import _assert_valid
from tests.servers.pg import PgServer, database, pg

__all__ = ["database", "pg"]

_S3 = 'bucket = "b"\n key = "k"\n region = "eu-west-1"\n'
# The block, the environment, and the lock.
LOCKS = [
    (f'"s3" {{\n {_S3} use_lockfile = true\n}}', {}, ["lock file s3://b/k.tflock"]),
    (f'"s3" {{\n {_S3} dynamodb_table = "t"\n}}', {}, ["DynamoDB item b/k in the table t"]),
    (
        f'"s3" {{\n {_S3} use_lockfile = true\n dynamodb_table = "t"\n}}',
        {"TF_WORKSPACE": "dev"},
        ["lock file s3://b/env:/dev/k.tflock", "DynamoDB item b/env:/dev/k in the table t"],
    ),
    (f'"s3" {{\n {_S3}}}', {}, "none: needs use_lockfile=true or dynamodb_table"),
    (
        '"pg" {}',
        {"PG_CONN_STR": "postgres://u:secret@h/d"},
        ["advisory lock of the row, for as long as the connection is open"],
    ),
    ('"http" {\n address = "https://h/s"\n}', {}, "none: needs lock_address and unlock_address"),
    (
        '"http" {\n address = "https://h/s"\n lock_method = "PUT"\n}',
        {"TF_HTTP_LOCK_ADDRESS": "https://h/l?t=secret"},
        ["PUT https://h/l?t=…"],
    ),
]


@pytest.mark.parametrize(("block", "environment", "locks"), LOCKS)
def test_locks(
    block: str,
    environment: dict[str, str],
    locks: list[str] | str,
    statetool: Statetool,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (folder / "main.tf").write_text(f"terraform {{\nbackend {block}\n}}\n")
    for name in ("AWS_REGION", "TF_HTTP_LOCK_ADDRESS", "PG_CONN_STR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    shown = statetool("where").text
    document = json.loads(statetool("where", "--format", "json").out)
    _assert_valid(document, "where-output")
    assert document["supported"] is True
    assert document["locks"] == (locks if isinstance(locks, list) else [])
    for lock in locks if isinstance(locks, list) else [locks]:
        assert f"\n  lock       {lock}\n" in shown
    assert "secret" not in shown
    assert document["history"].startswith("/state/statetool/states/")
    assert f"\n  history    {document['history']}\n" in shown
    monkeypatch.setenv("STATETOOL_REMOTE_HISTORY", "off")
    assert json.loads(statetool("where", "--format", "json").out)["history"] is None


def test_a_url(statetool: Statetool) -> None:
    document = json.loads(statetool("where", "s3://b/k?use_lockfile=true", "--format", "json").out)
    _assert_valid(document, "where-output")
    assert document["location"].startswith("s3://b/k")
    assert (document["backend"]["source"], document["workspace"]["source"]) == ("url", "url")
    sources = {one["name"]: one["source"] for one in document["settings"]}
    assert (sources["bucket"], sources["use_lockfile"], sources["use_path_style"]) == ("url", "url", "default")
    assert "named by a URL" in statetool("where", "s3://b/k").text


def test_others_are_not_supported(statetool: Statetool, folder: Path) -> None:
    (folder / "main.tf").write_text('terraform {\nbackend "gcs" {\n bucket = "b"\n}\n}\n')
    document = json.loads(statetool("where", "--format", "json").out)
    assert (document["supported"], document["locks"], document["history"]) == (False, [], None)
    assert "only in local, http, pg and s3" in " ".join(document["notes"])


def test_workspaces_in_a_backend(
    statetool: Statetool, folder: Path, pg: PgServer, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PG_CONN_STR", pg.url(database))
    (folder / "main.tf").write_text('terraform {\nbackend "pg" {\n schema_name = "s"\n}\n}\n')
    (folder / "new.tfstate").write_bytes(state(resource("aws_instance", "a")))
    with pg.connect(database) as connection:
        connection.execute("CREATE SCHEMA s")
        connection.execute("CREATE TABLE s.states (id bigserial PRIMARY KEY, name text UNIQUE, data text)")
        for name in ("staging", "dev"):
            connection.execute("INSERT INTO s.states (name, data) VALUES (%s, '{}')", [name])
    assert statetool("workspaces").text == "* default\n  dev\n  staging\n"
    assert statetool("workspaces", "--workspace", "dev").text == "  default\n* dev\n  staging\n"
    document = json.loads(statetool("workspaces", "pg:///?schema=s&workspace=staging", "--format", "json").out)
    assert document["current"] == "staging"


@pytest.mark.parametrize("block", ['"pg" {\n conn_str = "postgres://h.invalid/d"\n}', f'"s3" {{\n {_S3}}}'])
def test_completion_connects_to_nothing(block: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []

    def connect(*address: object) -> None:
        tried.append(address)
        raise OSError

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket, "getaddrinfo", connect)
    (folder / "main.tf").write_text(f"terraform {{\nbackend {block}\n}}\n")
    for words in ("show", "list --workspace", "list --state s3://b/k --type", "rebind a --state ."):
        with suppress(StatetoolError, OSError):
            assert list(candidates(words.split(), "")) == []
    assert tried == []
