"""With the schemas of a provider, comparisons go by types: what is undecided without them is decided."""

from __future__ import annotations

import json
from typing import Any

import pytest

from statefmt.formats.reading import read
from statefmt.lifecycle.read_plan import read_plan
from statefmt.lifecycle.schema import read_provider_schemas
from statefmt.lifecycle.verification import verify
from statefmt.model.findings import Finding
from tests.tables import each_row

_NAMES = {"mode": "managed", "type": "aws_instance", "name": "web"}
_PROVIDER = "registry.opentofu.org/hashicorp/aws"
_BLOCK = {
    "attributes": {
        "list": {"type": ["list", "string"]},
        "set": {"type": ["set", "string"]},
        "number": {"type": "number"},
        "map": {"type": ["map", "string"]},
        "password": {"type": "string", "sensitive": True},
        "plain": {"type": "string"},
        "flag": {"type": "bool"},
        "any": {"type": "dynamic"},
        "tuple": {"type": ["tuple", ["string", "number"]]},
        "object": {"type": ["object", {"n": "number"}]},
        "nested": {"nested_type": {"nesting_mode": "set", "attributes": {"x": {"type": "number"}}}},
    },
    "block_types": {
        "account": {
            "nesting_mode": "list",
            "block": {"attributes": {"user": {"type": "string"}, "token": {"type": "string", "sensitive": True}}},
        },
        "rule": {"nesting_mode": "set", "block": {"attributes": {"port": {"type": "number"}}}},
        "step": {"nesting_mode": "list", "block": {"attributes": {"any": {"type": "dynamic"}}}},
    },
}


def _found(planned: Any, actual: Any, *, host: str = "registry.opentofu.org", **change: Any) -> list[Finding]:
    change = {"actions": ["create"], "before": None, "after": planned, "after_unknown": {}, **change}
    plan = {
        "format_version": "1.2",
        "planned_values": {"root_module": {}},
        "resource_changes": [{"address": "aws_instance.web", **_NAMES, "provider_name": _PROVIDER, "change": change}],
    }
    obj = {"schema_version": 0, "attributes": actual, "sensitive_attributes": []}
    resource = {**_NAMES, "provider": f'provider["{_PROVIDER}"]', "instances": [obj]}
    state = {"version": 4, "terraform_version": "1.10.0", "serial": 1, "lineage": "l", "resources": [resource]}
    file = {
        "format_version": "1.0",
        "provider_schemas": {f"{host}/hashicorp/aws": {"resource_schemas": {"aws_instance": {"block": _BLOCK}}}},
    }
    after = read(json.dumps(state).encode()).snapshot
    schemas = read_provider_schemas(json.dumps(file).encode())
    return list(verify(read_plan(json.dumps(plan).encode()), None, after, schemas=schemas).after)


@pytest.mark.parametrize(
    ("planned", "actual"),
    [
        ({"set": ["a", "b"]}, {"set": ["b", "a"]}),
        ({"number": 5}, {"number": "5"}),
        ({"number": 5}, {"number": 5.0}),
        ({"object": {}}, {"object": {"n": None}}),
        ({"nested": [{"x": 1}, {"x": 2}]}, {"nested": [{"x": 2}, {"x": 1}]}),
        ({"rule": [{"port": 1}, {"port": 2}]}, {"rule": [{"port": 2}, {"port": "1"}]}),
        ({"step": [{"any": "x"}]}, {"step": [{"any": {"value": "x", "type": "string"}}]}),
    ],
)
def test_equal(planned: Any, actual: Any) -> None:
    assert _found(planned, actual) == []
    assert _found(planned, actual, host="registry.terraform.io") == []


@pytest.mark.parametrize(
    ("planned", "actual", "pointer"),
    [
        ({"list": ["a", "b"]}, {"list": ["b", "a"]}, "/list/0"),
        ({"map": {"k": None}}, {"map": {}}, "/map/k"),
        ({"set": ["a"]}, {"set": ["a", "b"]}, "/set"),
        # In a map, null is a value; in an object it is no member.
        ({"map": {}}, {"map": {"k": None}}, "/map/k"),
        ({"number": 5}, {"number": "6"}, "/number"),
        ({"rule": [{"port": 1}]}, {"rule": [{"port": 2}]}, "/rule"),
    ],
)
def test_different(planned: Any, actual: Any, pointer: str) -> None:
    found = _found(planned, actual)
    assert {finding.code for finding in found} == {"LIF006"}
    assert found[0].pointer == f"/resources/0/instances/0/attributes{pointer}"


def test_a_mark_is_lost_unless_the_schema_has_it() -> None:
    values = {"password": "p", "plain": "q"}
    assert _found(values, values, after_sensitive={"password": True}) == []
    (finding,) = _found(values, values, after_sensitive={"password": True, "plain": True})
    assert (finding.code, finding.detail) == ("LIF009", "plain: planned as sensitive, but not marked so in the state")


def test_what_the_schema_makes_sensitive_is_hidden() -> None:
    (finding,) = _found({"password": "planned"}, {"password": "actual"})
    assert finding.detail == "password: planned (sensitive value), but (sensitive value)"


def test_what_holds_something_sensitive_is_hidden() -> None:
    (finding,) = _found({"account": []}, {"account": [{"user": "u", "token": "hidden-token"}]})
    assert finding.detail == "account: planned 0 elements, (sensitive value), but 1, (sensitive value)"


# From go-cty's `json.Unmarshal`, which OpenTofu reads attributes with: it converts between primitive types, and null is
# a value of each type.
@pytest.mark.parametrize(
    ("attribute", "admitted"),
    [
        ("number", (5, 5.5, "5", None)),
        ("flag", (True, "true", None)),
        ("plain", ("x", 5, True, None)),
        ("map", ({"k": "v"}, {"k": 1}, {}, None)),
        ("list", (["a"], [1], [], None)),
        ("set", (["a"], [])),
        ("tuple", (["a", 1], ["a", "1"])),
        ("object", ({"n": 1}, {}, {"n": "1"}, {"n": None})),
        ("any", ({"value": ["x"], "type": ["list", "string"]}, None)),
        ("nested", ([{"x": 1}], [])),
        ("rule", ([{"port": 1}], [])),
    ],
)
def test_unknown_values_of_their_type(attribute: str, admitted: tuple[Any, ...]) -> None:
    for actual in admitted:
        assert _found({}, {attribute: actual}, after_unknown={attribute: True}) == []
        # The mask of an object that is unknown as a whole.
        assert _found(None, {attribute: actual}, after_unknown=True) == []


@each_row(
    ("attribute", "actual", "place", "wanted"),
    [
        ("number", "abc", "", "number"),
        ("number", True, "", "number"),
        ("flag", "yes", "", "bool"),
        ("flag", 1, "", "bool"),
        ("plain", ["x"], "", "string"),
        ("plain", {}, "", "string"),
        ("map", ["x"], "", "map of string"),
        ("map", {"k": ["x"]}, "/k", "string"),
        ("list", {"0": "x"}, "", "list of string"),
        ("list", ["a", {}], "/1", "string"),
        ("set", "a", "", "set of string"),
        ("tuple", ["a"], "", "tuple"),
        ("tuple", ["a", "b"], "/1", "number"),
        ("object", [], "", "object"),
        ("object", {"n": "x"}, "/n", "number"),
        ("any", {"value": "abc", "type": "number"}, "/value", "number"),
        ("nested", [{"x": "y"}], "/0/x", "number"),
        ("rule", [{"port": []}], "/0/port", "number"),
    ],
)
def test_unknown_values_of_another_type(attribute: str, actual: Any, place: str, wanted: str) -> None:
    for after, unknown in (({}, {attribute: True}), (None, True)):
        (finding,) = _found(after, {attribute: actual}, after_unknown=unknown)
        assert (finding.code, finding.severity.value) == ("LIF006", "error")
        assert finding.pointer == f"/resources/0/instances/0/attributes/{attribute}{place}"
        assert f": to be known after apply as {wanted}, but " in finding.detail


def test_unknown_parts_of_another_type() -> None:
    planned, unknown = {"list": ["a", None]}, {"list": [False, True]}
    assert _found(planned, {"list": ["a", "b"]}, after_unknown=unknown) == []
    (finding,) = _found(planned, {"list": ["a", []]}, after_unknown=unknown)
    assert (finding.code, finding.pointer) == ("LIF006", "/resources/0/instances/0/attributes/list/1")


def test_a_sensitive_value_of_another_type_is_hidden() -> None:
    (finding,) = _found({}, {"password": ["hush"]}, after_unknown={"password": True})
    assert finding.detail == "password: to be known after apply as string, but (sensitive value)"
