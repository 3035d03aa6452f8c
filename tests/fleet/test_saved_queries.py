"""Each saved query finds what it is about in planted states, and nothing in others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from statefmt.fleet import query, saved_queries, saved_query
from tests.fleet.planting import indexed, made, outputs, planted, reading

pytest.importorskip("duckdb")

_KEYED: Final = 'provider["registry.opentofu.org/hashicorp/aws"].by_region'


def rows(index: Path, name: str, *wanted: str) -> list[tuple[Any, ...]]:
    """The rows of a saved query: these columns, with the names of states instead of their places."""
    found = query(index, saved_query(name).sql)
    places = [found.columns.index(column) for column in wanted or found.columns]
    return [
        tuple(Path(row[place]).stem if found.columns[place].endswith("uri") else row[place] for place in places)
        for row in found.rows
    ]


def test_versions_in_use(tmp_path: Path) -> None:
    states = {
        "a": planted(made("aws_vpc", id="1")),
        "b": planted(made("aws_vpc", id="2")),
        "c": planted(made("aws_vpc", id="3", provider='provider["registry.terraform.io/hashicorp/aws"]')),
        "torn": b"{",
    }
    assert rows(indexed(tmp_path, states), "versions-in-use") == [
        ("opentofu", "1.11.0", 4, 2),
        ("terraform", "1.11.0", 4, 1),
    ]


def test_provider_instances(tmp_path: Path) -> None:
    states = {"a": planted(_bound("eu", "us")), "b": planted(_bound("eu"))}
    assert rows(indexed(tmp_path, states), "provider-instances") == [
        (f'{_KEYED}["eu"]', 2, 2),
        (f'{_KEYED}["us"]', 1, 1),
    ]


def _bound(*keys: str, mode: str = "managed", deposed: str = "") -> dict[str, Any]:
    """A resource with an instance for each key, which is that of its provider instance, too."""
    resource = made("aws_vpc", f"{mode}{deposed}", mode=mode)
    del resource["provider"]
    resource["instances"] = [
        {"index_key": key, "schema_version": 0, "attributes": {"id": key}, "provider": f'{_KEYED}["{key}"]'}
        | ({"deposed": deposed} if deposed else {})
        for key in keys
    ]
    return resource


def test_unused_provider_keys(tmp_path: Path) -> None:
    states = {
        "used": planted(_bound("eu"), _bound("eu", mode="data")),
        "read": planted(_bound("eu"), _bound("us", mode="data")),
        "deposed": planted(_bound("eu"), _bound("ap", deposed="0a1b2c3d")),
        "none": planted(made("aws_vpc", mode="data", id="1")),
    }
    assert rows(indexed(tmp_path, states), "unused-provider-keys") == [
        ("deposed", f'{_KEYED}["ap"]', 0, 1),
        ("read", f'{_KEYED}["us"]', 1, 0),
    ]


def test_legacy_formats(tmp_path: Path) -> None:
    old = {"version": 3, "terraform_version": "0.11.14", "serial": 1, "lineage": "o", "modules": [{"path": ["root"]}]}
    index = indexed(tmp_path, {"old": json.dumps(old).encode(), "new": planted()})
    assert rows(index, "legacy-formats") == [("old", 3, "0.11.14")]


def test_largest(tmp_path: Path) -> None:
    states = {"small": planted(), "large": planted(made("aws_vpc", id="1", note="x" * 1000)), "torn": b"{"}
    assert [row[0] for row in rows(indexed(tmp_path, states), "largest", "uri")] == ["large", "small", "torn"]


def test_growth(tmp_path: Path) -> None:
    same, vpc = planted(), made("aws_vpc", id="1")
    indexed(tmp_path, {"grown": planted(), "same": same, "shrunk": planted(vpc), "torn": planted()})
    index = indexed(tmp_path, {"grown": planted(vpc, serial=2), "shrunk": planted(serial=2), "torn": b"{" * 9999})
    assert rows(index, "growth", "uri", "objects_first", "objects_last") == [("grown", 0, 1)]


def test_stale_references(tmp_path: Path) -> None:
    states = {
        "fine": planted(reading("net", {"path": "net.tfstate"})),
        "net": planted(),
        "gone": planted(reading("x", {"path": "moved.tfstate"})),
        "unreadable": planted(reading("x", {"path": "torn.tfstate"})),
        "unknown": planted(reading("x", {"prefix": "p"}, backend="gcs")),
        "torn": b"{",
    }
    assert rows(indexed(tmp_path, states), "stale-references", "uri", "address", "target_uri", "reason") == [
        ("gone", "data.terraform_remote_state.x", "moved", "not in the index"),
        ("unreadable", "data.terraform_remote_state.x", "torn", "cannot be read"),
    ]


def test_orphans_of_modules(tmp_path: Path) -> None:
    def depending(*on: str) -> dict[str, Any]:
        resource = made("aws_subnet", id="s")
        resource["instances"][0]["dependencies"] = list(on)
        return resource

    inside = made("aws_vpc", id="v") | {"module": 'module.net["a.b"].module.inner[0]'}
    states = {
        "fine": planted(inside, depending("module.net.module.inner.aws_vpc.x", "module.net.aws_eip.y", "aws_eip.z")),
        "orphan": planted(inside, depending("module.gone.aws_vpc.x", "module.net.module.other.data.aws_ami.y")),
        "prefix": planted(inside, depending("module.ne.aws_vpc.x")),
    }
    assert rows(indexed(tmp_path, states), "orphans-of-modules") == [
        ("orphan", "module.gone", 1, "aws_subnet.x"),
        ("orphan", "module.net.module.other", 1, "aws_subnet.x"),
        ("prefix", "module.ne", 1, "aws_subnet.x"),
    ]


def test_secrets_in_clear(tmp_path: Path) -> None:
    body = "MIIEpAIBAAKCAQEA1fakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKEfakeFAKE"
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n7fakeFAKE==\n-----END RSA PRIVATE KEY-----\n"
    states = {
        "clear": planted(made("aws_thing", id="1", note=key), lineage="c"),
        "marked": planted(made("aws_thing", id="1", note=key, hides=["note"]), lineage="m"),
        "output": planted(outputs=outputs(db_password="hunter2hunter2"), lineage="o"),
        "fine": planted(made("aws_thing", id="1", note="x"), lineage="f"),
    }
    found = rows(indexed(tmp_path, states, checks=True), "secrets-in-clear", "uri", "code")
    assert found == [("clear", "SEC001"), ("output", "OUT004")]


def test_blast_radius_of_a_chain_and_a_circle(tmp_path: Path) -> None:
    def state(name: str, *reads: str) -> dict[str, Any]:
        return planted(*(reading(f"r{one}", {"path": f"{one}.tfstate"}) for one in reads), lineage=name)

    states = {
        "base": state("base"),
        "mid": state("mid", "base"),
        "top": state("top", "mid", "base"),
        "x": state("x", "y", "x"),
        "y": state("y", "z"),
        "z": state("z", "x"),
        "alone": state("alone"),
    }
    assert rows(indexed(tmp_path, states), "blast-radius") == [
        ("base", 2, 2),
        ("x", 2, 1),
        ("y", 2, 1),
        ("z", 2, 1),
        ("mid", 1, 1),
    ]


def test_all_saved_queries_are_tested() -> None:
    """Duplicates and copies are tested by kinds."""
    tested = {name.removeprefix("test_").replace("_", "-") for name in globals() if name.startswith("test_")}
    others = {"duplicates", "copies"}
    assert {name for name in saved_queries() if not any(one.startswith(name) for one in tested)} == others
