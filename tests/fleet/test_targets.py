"""Which state a `terraform_remote_state` data source reads, as its documentation says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from statefmt import run_context
from statefmt.fleet import IndexOptions, index_states, query
from statefmt.fleet._resource_rows import state_id_of
from tests.tables import each_row

pytest.importorskip("duckdb")

_S3 = {"bucket": "b", "key": "net/prod.tfstate"}
_PG = {"conn_str": "postgres://me:hunter2@db.example:5433/tf?sslmode=disable"}


def reading(backend: str, workspace: str | None, config: dict[str, Any]) -> bytes:
    attributes = {
        "backend": backend,
        "workspace": workspace,
        "config": {"value": config, "type": ["object", dict.fromkeys(config, "string")]},
    }
    instance = {"schema_version": 0, "attributes": attributes}
    resource = {
        "mode": "data",
        "type": "terraform_remote_state",
        "name": "net",
        "provider": 'provider["terraform.io/builtin/terraform"]',
        "instances": [instance],
    }
    document = {"version": 4, "terraform_version": "1.9.0", "serial": 1, "lineage": "a", "outputs": {}}
    return json.dumps({**document, "resources": [resource]}).encode()


@each_row(
    ("place", "backend", "workspace", "config", "target"),
    [
        ("a.tfstate", "s3", None, {**_S3, "region": "eu-west-1"}, "s3://b/net/prod.tfstate?region=eu-west-1"),
        ("a.tfstate", "s3", "default", {**_S3, "access_key": "AKIA"}, "s3://b/net/prod.tfstate"),
        ("a.tfstate", "s3", "blue", _S3, "s3://b/env:/blue/net/prod.tfstate"),
        ("a.tfstate", "s3", "blue", {**_S3, "workspace_key_prefix": "ws"}, "s3://b/ws/blue/net/prod.tfstate"),
        ("a.tfstate", "s3", None, {**_S3, "key": "a b?.tfstate"}, "s3://b/a%20b%3F.tfstate"),
        ("a.tfstate", "s3", None, {"bucket": "b"}, None),
        ("a.tfstate", "pg", None, _PG, "pg://db.example:5433/tf?schema=terraform_remote_state&workspace=default"),
        ("a.tfstate", "pg", "blue", {**_PG, "schema_name": "s"}, "pg://db.example:5433/tf?schema=s&workspace=blue"),
        ("a.tfstate", "gcs", None, {"bucket": "b", "prefix": "p"}, None),
        ("m/a.tfstate", "local", None, {"path": "../net/terraform.tfstate"}, "{}/net/terraform.tfstate"),
        ("m/a.tfstate", "local", None, {"path": "/net/x"}, "/net/x"),
        ("m/a.tfstate", "local", "blue", {}, "{}/m/terraform.tfstate.d/blue/terraform.tfstate"),
        ("m/terraform.tfstate.d/blue/terraform.tfstate", "local", None, {"path": "../net/x"}, "{}/net/x"),
        # What is no place, or has a password, says nothing.
        ("a.tfstate", "s3", None, {**_S3, "bucket": "me:hunter2@b"}, None),
        ("a.tfstate", "s3", None, {**_S3, "bucket": {"name": "hunter2"}}, None),
        ("a.tfstate", "local", None, {"path": ["hunter2"]}, None),
        ("a.tfstate", "local", "blue", {"workspace_dir": "https://me:hunter2@host"}, None),
        ("a.tfstate", "remote", None, {"organization": "o", "workspaces": {"name": "w", "token": "hunter2"}}, None),
        ("a.tfstate", "azurerm", None, {"key": "https://account.example/x?sig=hunter2"}, None),
    ],
)
def test_target(
    tmp_path: Path, place: str, backend: str, workspace: str | None, config: dict[str, Any], target: str | None
) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(reading(backend, workspace, config))
    index_states(run_context(), [str(path)], tmp_path / "index", IndexOptions(checks=False, workers=1))
    [(found, state_id)] = query(tmp_path / "index", "SELECT target_uri, target_state_id FROM remote_refs").rows
    wanted = None if target is None else target.replace("{}", str(tmp_path))
    assert found == wanted
    assert state_id == (None if wanted is None else state_id_of(wanted))
    assert "hunter2" not in str(query(tmp_path / "index", "SELECT * FROM remote_refs").rows)


@pytest.mark.parametrize("hidden", ["config", "workspace", None])
def test_what_is_hidden_is_no_default(hidden: str | None, tmp_path: Path) -> None:
    """Its default would lead to another state: this one."""
    document = json.loads(reading("local", "hunter2-hunter2", {"path": "x", "workspace_dir": "hunter2-hunter2"}))
    if hidden is None:
        document["outputs"] = {"o": {"value": "hunter2-hunter2", "type": "string", "sensitive": True}}
    else:
        paths = [[{"type": "get_attr", "value": hidden}]]
        document["resources"][0]["instances"][0]["sensitive_attributes"] = paths
    (tmp_path / "x").write_text(json.dumps(document))
    index_states(run_context(), [str(tmp_path / "x")], tmp_path / "index", IndexOptions(checks=False, workers=1))
    assert query(tmp_path / "index", "SELECT target_uri FROM remote_refs").rows == [(None,)]


def test_a_bucket_is_the_same_in_whatever_region_it_is_looked_for() -> None:
    assert state_id_of("s3://b/k.tfstate?region=eu-west-1") == state_id_of("s3://b/k.tfstate")
    assert state_id_of("s3://b/k.tfstate") != state_id_of("s3://b/l.tfstate")
