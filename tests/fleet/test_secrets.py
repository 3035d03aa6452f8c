"""No planted secret is in an index, in any form that a search of its bytes finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from statefmt import run_context
from statefmt.fleet import IndexOptions, index_states, parquet_blocks, query
from statefmt.fleet.tables import STATE_TABLES

pytest.importorskip("duckdb")

SECRET: Final = "canary-7f3a-"
_PROVIDER: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'


def _resource(type_name: str, attributes: dict[str, Any], **more: Any) -> dict[str, Any]:
    paths = [[{"type": "get_attr", "value": name}] for name in more.pop("hides", ())]
    instance = {"schema_version": 0, "attributes": attributes, "sensitive_attributes": paths, **more}
    return {
        "mode": "data" if type_name == "terraform_remote_state" else "managed",
        "type": type_name,
        "name": f"x{type_name}",
        "provider": _PROVIDER,
        "instances": [instance],
    }


def _planted() -> list[dict[str, Any]]:
    s = SECRET
    return [
        _resource("aws_db_instance", {"id": "db-1", "password": f"{s}1", "note": "x"}, hides=["password"]),
        # Its id is its result, without a mark.
        _resource("random_string", {"id": f"{s}2", "result": f"{s}2", "length": 12}),
        _resource("random_password", {"id": "none", "result": f"{s}3", "bcrypt_hash": f"{s}4"}, hides=["result"]),
        # They repeat marked and unmarked secrets of others.
        _resource("aws_iam_user", {"id": f"{s}2", "arn": f"{s}1", "region": f"{s}3", "account_id": f"{s}1"}),
        _resource("aws_key", {"id": "a"}, index_key=f"{s}1", identity={"name": f"{s}3"}, identity_schema_version=0),
        _resource("aws_id", {"id": f"{s}5", "arn": f"{s}6"}, hides=["id", "arn"], identity={"id": f"{s}5"}),
        # Without a mark: by type, by name, by shape, and what repeats them.
        _resource("aws_ssm_parameter", {"id": "/a", "value": f"{s}12"}),
        _resource("kubernetes_secret", {"id": "ns/a", "data": {"user": f"{s}13"}}),
        _resource("acme_thing", {"id": f"{s}14x9", "admin_password": f"{s}14x9"}, index_key=f"{s}12"),
        _resource("acme_url", {"id": "i", "dsn": f"postgres://app:{s}15@db.example.com/app"}),
        _resource("aws_all", {"id": f"{s}7", "nested": {"deep": [f"{s}8"]}}, hides=["nested", "id"]),
        _resource(
            "terraform_remote_state",
            {
                "backend": "s3",
                "config": {
                    "value": {"bucket": "b", "key": "k", "secret_key": f"{s}9", "region": f"{s}1"},
                    "type": ["object", dict.fromkeys(("bucket", "key", "secret_key", "region"), "string")],
                },
                "outputs": {"value": {"a": f"{s}10"}, "type": ["object", {"a": "string"}]},
                "workspace": None,
            },
            hides=["outputs"],
        ),
    ]


def planted_state() -> bytes:
    document = {
        "version": 4,
        "terraform_version": "1.11.0",
        "serial": 1,
        "lineage": "l",
        "outputs": {
            "secret": {"value": f"{SECRET}11", "type": "string", "sensitive": True},
            "repeats": {"value": f"{SECRET}2", "type": "string"},
            "db_password": {"value": f"{SECRET}16", "type": "string"},
            "fine": {"value": "shown", "type": "string"},
        },
        "resources": _planted(),
    }
    return json.dumps(document, indent=2).encode()


@pytest.mark.parametrize("attributes", [False, True])
def test_no_secret_is_in_an_index(attributes: bool, tmp_path: Path) -> None:
    (tmp_path / "a.tfstate").write_bytes(planted_state())
    index = tmp_path / "index"
    run = index_states(run_context(), [str(tmp_path)], index, IndexOptions(attributes=attributes, workers=1))
    assert run.failed == []
    assert query(index, "SELECT count(*) FROM objects").rows == [(12,)]
    for table in STATE_TABLES:
        # Its own blocks may be compressed.
        found = query(index, f"SELECT * FROM {table}")
        assert SECRET not in str(found.rows), table
        assert SECRET.encode() not in b"".join(parquet_blocks(index, f"SELECT * FROM {table}"))
    assert SECRET.encode() not in index.read_bytes()
    # Some values are hidden, and others are there.
    assert query(index, "SELECT remote_id FROM objects WHERE address = 'aws_iam_user.xaws_iam_user'").rows == [
        ("(sensitive value)",)
    ]
    value = '"shown"' if attributes else None
    assert query(index, "SELECT value FROM outputs WHERE name = 'fine'").rows == [(value,)]
    assert query(index, "SELECT target_uri FROM remote_refs").rows == [("s3://b/k",)]


def test_hashes_are_not_made_of_sensitive_values(tmp_path: Path) -> None:
    index = tmp_path / "index"
    hashes = []
    for secret in ("one", "two"):
        (tmp_path / "a.tfstate").write_bytes(planted_state().replace(SECRET.encode(), secret.encode()))
        index_states(run_context(), [str(tmp_path)], index, IndexOptions(checks=False, workers=1))
        sql = "SELECT attr_hash FROM objects UNION ALL SELECT value_hash FROM outputs"
        hashes.append(query(index, f"{sql} UNION ALL SELECT outputs_hash FROM remote_refs ORDER BY ALL").rows)
    assert hashes[0] == hashes[1]
