"""Flat attributes decode as in OpenTofu, or stay byte for byte and are named without their values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from statefmt.edit.operations.decode_flat_attributes import FlatDecoding, decode_flat_attributes
from statefmt.formats.reading import read
from statefmt.lifecycle.schema import ProviderSchemas, read_provider_schemas
from statefmt.model.snapshot import Snapshot
from tests.lifecycle.plans import recorded_plans
from tests.lifecycle.recorded import cases
from tests.lifecycle.values import dump

_SOURCE = "registry.opentofu.org/acme/t"
_UNKNOWN = "74D93920-ED26-11E3-AC10-0800200C9A66"
_BLOCK = {
    "attributes": {
        "id": {"type": "string"},
        "size": {"type": "number"},
        "any": {"type": "string"},
        "tags": {"type": ["map", "string"], "sensitive": True},
    },
    "block_types": {"disk": {"nesting_mode": "list", "block": {"attributes": {"gb": {"type": "number"}}}}},
}


def test_as_opentofu_does() -> None:
    """Every recorded decoding by a schema: known values are the new attributes, and nothing else is decoded."""
    decoded = 0
    for case in cases("flatmap"):
        if case["fn"] != "from_flatmap" or "schema" not in case or not case["flatmap"]:
            continue
        found = _decode(case["flatmap"], case["schema"], drop_unknown=True)
        expected = case["output"].get("result_json")
        if expected is None:
            assert found.kept, case["id"]
            continue
        assert _attributes(found.snapshot) == expected, case["id"]
        decoded += 1
    assert decoded > 100


@pytest.mark.parametrize("plan", ["052-state-flatmap", "152-state-flatmap"])
def test_what_terraform_cannot_decode_stays(plan: str) -> None:
    files = recorded_plans()[plan]
    snapshot = read(files["before.tfstate"]).snapshot
    found = decode_flat_attributes(snapshot, read_provider_schemas(files["schemas.json"]))
    assert found.snapshot == snapshot
    assert b"cannot decode dynamic from flatmap" in files["case.json"]
    (kept,) = found.objects
    assert str(kept.addr) == "terraform_data.a"
    assert kept.reason == "input can be of any type, and the flat form does not say which"


@pytest.mark.parametrize(("flatmap", "reason"), [
    ({"size": "hunter2"}, "size does not decode: expected number"),
    ({"disk.#": "hunter2"}, "disk does not decode: expected list of object"),
    ({"disk.#": "1", "disk.0.gb": "hunter2"}, "disk.0.gb does not decode: expected number"),
    ({"any": _UNKNOWN}, "it has unknown values"),
    ({"tags.%": _UNKNOWN}, "it has unknown values"),
    ({"old": "hunter2", "tags.%": "0", "disk.7.gb": "1"}, "the schema does not have disk.7.gb, old"),
    ({"size": "Inf"}, "cannot serialize infinity as JSON"),
])  # fmt: skip
def test_what_does_not_decode_stays(flatmap: Mapping[str, str], reason: str) -> None:
    before = _snapshot(flatmap)
    found = decode_flat_attributes(before, _schemas(_BLOCK))
    assert found.snapshot == before
    assert [each.reason for each in found.kept] == [reason]
    assert found.decoded == ()


def test_keys_that_the_schema_lacks_are_dropped_on_request() -> None:
    found = _decode({"id": "a", "old": "b", "tags.%": "1", "tags.old": "c"}, _BLOCK, drop_unknown=True)
    assert _attributes(found.snapshot) == {"id": "a", "size": None, "any": None, "tags": {"old": "c"}, "disk": None}
    assert [each.unused for each in found.decoded] == [("old",)]


def test_keys_that_become_equal_are_not_lost() -> None:
    found = _decode({"tags.%": "2", "tags.e\u0301": "a", "tags.\u00e9": "b"}, _BLOCK)
    assert [each.unused for each in found.kept] == [("tags.e\u0301",)]


@pytest.mark.parametrize(("version", "reason"), [
    (1, "its schema version 1 is older than version 2 of the provider, which upgrades it in the next plan"),
    (3, "its schema version 3 is newer than version 2 of the provider"),
])  # fmt: skip
def test_other_schema_versions_stay(version: int, reason: str) -> None:
    before = _snapshot({"id": "a"}, version)
    found = decode_flat_attributes(before, _schemas(_BLOCK, version=2))
    assert found.snapshot == before
    assert [each.reason for each in found.objects] == [reason]


@pytest.mark.parametrize(("data", "reason"), [
    ({}, f"there is no schema of its provider {_SOURCE}"),
    ({_SOURCE: {}}, f"its provider {_SOURCE} has no schema for t"),
    (
        {_SOURCE: {"resource_schemas": {"t": {"block": {"attributes": {"x": {"type": "text"}}}}}}},
        f"{_SOURCE}: t: invalid schema: attribute 'x': invalid primitive type name \"text\"",
    ),
])  # fmt: skip
def test_without_a_schema_attributes_stay(data: Mapping[str, Any], reason: str) -> None:
    before = _snapshot({"id": "a"})
    found = decode_flat_attributes(before, _file(data))
    assert found.snapshot == before
    assert [each.reason for each in found.objects] == [reason]


def test_the_rest_of_the_object_stays() -> None:
    before = _snapshot({"id": "a"})
    found = decode_flat_attributes(before, _schemas(_BLOCK))
    (resource,), (old,) = found.snapshot.resources, before.resources
    assert resource.objects[0].private == old.objects[0].private != ""
    assert resource.objects[0].dependencies == old.objects[0].dependencies != ()
    assert found.snapshot.serial == before.serial


def test_what_the_schema_makes_sensitive_is_marked() -> None:
    found = _decode({"id": "a", "tags.%": "1", "tags.token": "hunter2"}, _BLOCK)
    ((obj,),) = (resource.objects for resource in found.snapshot.resources)
    assert json.loads(obj.sensitive_attributes) == [[{"type": "get_attr", "value": "tags"}]]


def test_what_is_sensitive_in_a_set_marks_the_set() -> None:
    attributes = {"name": {"type": "string"}, "key": {"type": "string", "sensitive": True}}
    block = {"block_types": {"user": {"nesting_mode": "set", "block": {"attributes": attributes}}}}
    found = _decode({"user.#": "1", "user.7.name": "a", "user.7.key": "hunter2"}, block)
    ((obj,),) = (resource.objects for resource in found.snapshot.resources)
    assert json.loads(obj.sensitive_attributes) == [[{"type": "get_attr", "value": "user"}]]


def _decode(flatmap: Mapping[str, str], block: Mapping[str, Any], *, drop_unknown: bool = False) -> FlatDecoding:
    return decode_flat_attributes(_snapshot(flatmap), _schemas(block), drop_unknown=drop_unknown)


def _attributes(snapshot: Snapshot) -> Any:
    ((obj,),) = (resource.objects for resource in snapshot.resources)
    assert obj.attributes_flat is None
    assert obj.attributes is not None
    return json.loads(bytes(obj.attributes), parse_float=Decimal)


def _snapshot(flatmap: Mapping[str, str], version: int = 0) -> Snapshot:
    instance = {
        "schema_version": version,
        "attributes_flat": flatmap,
        "private": "eyJhIjoxfQ==",
        "dependencies": ["t.other"],
    }
    resource = {"mode": "managed", "type": "t", "name": "a", "provider": f'provider["{_SOURCE}"]'}
    state = {"version": 4, "terraform_version": "1.9.0", "serial": 3, "lineage": "x", "outputs": {}}
    return read(json.dumps({**state, "resources": [{**resource, "instances": [instance]}]}).encode()).snapshot


def _schemas(block: Mapping[str, Any], version: int = 0) -> ProviderSchemas:
    return _file({_SOURCE: {"resource_schemas": {"t": {"version": version, "block": block}}}})


def _file(providers: Mapping[str, Any]) -> ProviderSchemas:
    return read_provider_schemas(dump({"format_version": "1.0", "provider_schemas": providers}))
