"""The rules about schemas, on one resource type with everything that they look at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from statefmt.lifecycle.deviations import surely_fits
from statefmt.lifecycle.schema import implied_type, read_provider_schemas
from statefmt.lint.check import check
from statefmt.model.findings import Finding
from tests.lifecycle.recorded import cases
from tests.lifecycle.values import dump, schema_of
from tests.tables import each_row

_SCHEMAS: Final = read_provider_schemas((Path(__file__).parent / "acme.json").read_bytes())
_ADDRESS: Final = "acme_disk.main"
GOOD: Final[dict[str, Any]] = {"id": "d-1", "zone": "a", "size": 20, "snapshot": [{"hour": 3}]}


def acme_state(attributes: dict[str, Any], **members: Any) -> bytes:
    resource = {
        "mode": "managed",
        "type": "acme_disk",
        "name": "main",
        "provider": 'provider["registry.opentofu.org/acme/cloud"]',
        "instances": [{"schema_version": 2, "attributes": attributes, "sensitive_attributes": [], **members}],
    }
    return json.dumps(
        {"version": 4, "terraform_version": "1.9.0", "serial": 1, "lineage": "l", "resources": [resource]}
    ).encode()


def found_with_schemas(state: bytes) -> list[Finding]:
    return check(state, select=["SCH"], schemas=_SCHEMAS)


def _told(state: bytes) -> list[tuple[str, str]]:
    prefix = "/resources/0/instances/0/"
    return [(finding.code, finding.pointer.removeprefix(prefix)) for finding in found_with_schemas(state)]


def _nodes(**attributes: str) -> dict[str, Any]:
    """A map of blocks with a dynamic attribute, which states hold together with its type."""
    node = {"any": 1, "name": "n", "token": None, "token_wo": None, **attributes}
    types = {"any": "number", "name": "string", "token": "string", "token_wo": "string"}
    types |= dict.fromkeys(attributes.keys() - types.keys(), "string")
    return {"node": {"value": {"a": node}, "type": ["object", {"a": ["object", types]}]}}


_CASES: Final[list[tuple[str, dict[str, Any], list[tuple[str, str]]]]] = [
    ("good", {}, []),
    ("numbers as strings", {"size": "20"}, []),
    ("a value of any type", {"any": {"value": ["x"], "type": ["list", "string"]}}, []),
    ("null where optional", {"size": None, "tags": None, "mount": None}, []),
    ("unknown and null", {"sise": None}, []),
    ("a word for a number", {"size": "large"}, [("SCH001", "attributes/size")]),
    ("a number in a map of strings", {"tags": {"a": 1}}, []),
    ("an object for a string", {"tags": {"a/b": {}}}, [("SCH001", "attributes/tags/a~1b")]),
    ("a string for a list", {"mount": "x"}, [("SCH001", "attributes/mount")]),
    ("any type without a type", {"any": "x"}, [("SCH001", "attributes/any")]),
    ("an unknown attribute", {"sise": 1}, [("SCH002", "attributes/sise")]),
    ("two unknown attributes", {"sise": 1, "b": 2}, [("SCH002", "attributes/sise")]),
    ("an unknown member of an object", {"limits": {"iops": 1, "x": 2}}, [("SCH002", "attributes/limits/x")]),
    ("an unknown nested attribute", {"mount": [{"path": "/", "x": 2}]}, [("SCH002", "attributes/mount/0/x")]),
    ("an unknown attribute of a block", {"snapshot": [{"hour": 1, "x": 2}]}, [("SCH002", "attributes/snapshot/0/x")]),
    ("a sensitive value", {"key": "s3cret"}, [("SCH005", "attributes/key")]),
    ("a nested sensitive value", {"mount": [{"path": "/", "token": "t"}]}, [("SCH005", "attributes/mount/0/token")]),
    ("a write-only value", {"key_wo": "s3cret"}, [("SCH006", "attributes/key_wo")]),
    ("a required attribute that is null", {"zone": None}, [("SCH007", "attributes/zone")]),
    ("a nested required attribute", {"mount": [{}]}, [("SCH007", "attributes/mount/0/path")]),
    ("a required attribute of a block", {"snapshot": [{}]}, [("SCH007", "attributes/snapshot/0/hour")]),
    ("no block", {"snapshot": []}, [("SCH008", "attributes/snapshot")]),
    ("too many blocks", {"snapshot": [{"hour": 1}] * 3}, [("SCH008", "attributes/snapshot")]),
    ("a deprecated attribute", {"kind": "ssd"}, [("SCH009", "attributes/kind")]),
    ("a deprecated attribute that the provider sets", {"old_id": "x"}, []),
    ("blocks with attributes of any type", _nodes(), []),
    ("a sensitive value in them", _nodes(token="t"), [("SCH005", "attributes/node/value/a/token")]),
    ("a write-only value in them", _nodes(token_wo="t"), [("SCH006", "attributes/node/value/a/token_wo")]),
    ("an unknown attribute in them", _nodes(x="t"), [("SCH002", "attributes/node/value/a/x")]),
    ("half a surrogate pair", {"zone": "\ud800", "sise": 1}, [("SCH002", "attributes/sise")]),
    ("a deprecated block", {"legacy": {"on": True}}, [("SCH009", "attributes/legacy")]),
]


def test_numbers_out_of_the_range_of_floats_keep_nothing_from_being_found() -> None:
    state = acme_state({**GOOD, "size": 12345, "key": "s3cret"}).replace(b"12345", b"1e999")
    assert _told(state) == [("SCH005", "attributes/key")]


@pytest.mark.parametrize("value", [{"type": "hunter2", "value": 1}, {"hunter2": 1}, {"type": ["map", "hunter2"]}])
def test_findings_quote_nothing_from_values_of_any_type(value: object) -> None:
    (finding,) = found_with_schemas(acme_state({**GOOD, "any": value}))
    assert (finding.code, finding.pointer) == ("SCH001", "/resources/0/instances/0/attributes/any")
    assert "hunter2" not in str(finding)


def test_a_provider_without_a_source_has_no_schemas_to_miss() -> None:
    source = b'provider[\\"registry.opentofu.org/acme/cloud\\"]'
    state = acme_state(GOOD)
    assert source in state
    assert _told(state.replace(source, b"provider.cloud")) == []


def test_unknown_nested_attributes_are_in_order() -> None:
    names = [f"x{place}" for place in range(5)]
    (finding,) = found_with_schemas(acme_state({**GOOD, "mount": [{"path": "/", **dict.fromkeys(names, 1)}]}))
    assert ", ".join(f"mount[0].{name}" for name in names) in finding.detail


@each_row(("change", "wanted"), [case[1:] for case in _CASES], ids=[case[0] for case in _CASES])
def test_attributes(change: dict[str, Any], wanted: list[tuple[str, str]]) -> None:
    assert _told(acme_state({**GOOD, **change})) == wanted


def test_a_missing_required_attribute() -> None:
    attributes = {name: value for name, value in GOOD.items() if name != "zone"}
    assert _told(acme_state(attributes)) == [("SCH007", "attributes/zone")]


def test_recorded_paths_are_not_reported() -> None:
    paths = [[{"type": "get_attr", "value": "key"}]]
    assert _told(acme_state({**GOOD, "key": "s3cret"}, sensitive_attributes=paths)) == []


@pytest.mark.parametrize(("version", "code"), [(3, "SCH003"), (1, "SCH004")])
def test_other_schema_versions_are_not_decoded(version: int, code: str) -> None:
    assert _told(acme_state({"size": "large", "x": 1}, schema_version=version)) == [(code, "schema_version")]


def test_flat_attributes_are_not_decoded() -> None:
    state = json.loads(acme_state({}))
    instance = state["resources"][0]["instances"][0]
    del instance["attributes"]
    instance["attributes_flat"] = {"id": "d-1"}
    assert _told(json.dumps(state).encode()) == []


@pytest.mark.parametrize("change", [{"type": "acme_thing"}, {"mode": "data"}])
def test_a_type_without_schema_is_reported_once(change: dict[str, str]) -> None:
    state = json.loads(acme_state(GOOD))
    for name in ("main", "other"):
        resource = {**state["resources"][0], "name": name, **change}
        state["resources"].append(resource)
    del state["resources"][0]
    (finding,) = found_with_schemas(json.dumps(state).encode())
    assert (finding.code, finding.pointer) == ("SCH010", "/resources/0")


def test_values_are_never_shown() -> None:
    attributes = {
        **GOOD,
        "size": "hunter2",
        "key": "hunter2",
        "key_wo": "hunter2",
        "extra": "hunter2",
        "any": "hunter2",
    }
    found = found_with_schemas(acme_state(attributes))
    assert len(found) > 3
    assert "hunter2" not in str(found)


def test_without_schemas_nothing_is_compared() -> None:
    assert check(acme_state({"x": 1}), select=["SCH"]) == []


def test_nesting_without_end_is_no_crash() -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    state = acme_state({**GOOD, "any": "DEEP"}).replace(b'"DEEP"', deep)
    assert [finding for finding in found_with_schemas(state) if finding.code == "SCH002"] == []


def test_what_surely_fits_decodes() -> None:
    """The quick check never accepts what OpenTofu refuses."""
    count = 0
    for case in cases("schema"):
        if case["fn"] == "decode_state":
            of, attributes = implied_type(schema_of(case)), dump(case["attributes"])
            quick = surely_fits(of, msgspec.json.decode(attributes))
            count += quick
            assert not (quick and "error" in case["output"]), case["id"]
    assert count > 30
