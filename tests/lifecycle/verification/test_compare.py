"""Comparing planned values with stored ones: what must be found, and what must never be a false alarm."""

from __future__ import annotations

import json
from typing import Any

import pytest

from statefmt.formats.reading import read
from statefmt.lifecycle.read_plan import read_plan
from statefmt.lifecycle.verification import Verification, verify
from tests.tables import each_row

_ADDRESS = "aws_instance.web"
_NAMES = {"mode": "managed", "type": "aws_instance", "name": "web"}
_PROVIDER = "registry.opentofu.org/hashicorp/aws"
_NULL_META = "bnVsbA=="


def _state(attributes: Any, **members: Any) -> bytes:
    obj = {"schema_version": 0, "attributes": attributes, "sensitive_attributes": [], **members}
    resource = {**_NAMES, "provider": f'provider["{_PROVIDER}"]', "instances": [obj]}
    document = {"version": 4, "terraform_version": "1.10.0", "serial": 1, "lineage": "l", "outputs": {}}
    return json.dumps({**document, "resources": [resource]}).encode()


def _created(
    planned: Any,
    unknown: Any,
    actual: Any,
    sensitive: Any = None,
    *,
    after_identity: Any = None,
    strict: bool = False,
    **members: Any,
) -> Verification:
    change = {"actions": ["create"], "before": None, "after": planned, "after_unknown": unknown}
    change |= {"before_sensitive": False, "after_sensitive": sensitive or {}, "after_identity": after_identity}
    plan = {
        "format_version": "1.2",
        "planned_values": {"root_module": {}},
        "resource_changes": [{"address": _ADDRESS, **_NAMES, "provider_name": _PROVIDER, "change": change}],
    }
    after = read(_state(actual, **members)).snapshot
    return verify(read_plan(json.dumps(plan).encode()), None, after, strict=strict)


def _dynamic(value: Any, of: Any) -> dict[str, Any]:
    return {"value": value, "type": of}


@each_row(
    ("planned", "actual"),
    [
        # A set has no order, and without a schema any list may be a set.
        (["a", "b"], ["b", "a"]),
        ([{"x": 1}, {"x": 2}], [{"x": 2}, {"x": 1}]),
        # Numbers by value; text that stands for a number may be one, by a schema that is not known.
        (1, 1.0),
        (1000, 1e3),
        (0.1, 0.10),
        (5, "5"),
        (True, "true"),
        # An object in a state may leave out what is null.
        ({"a": 1, "b": None}, {"a": 1}),
        ({"a": 1}, {"a": 1, "b": None}),
        (None, None),
        # Dynamic values have their type beside them.
        ({"b": 1}, _dynamic({"b": 1}, ["object", {"b": "number"}])),
        (["x"], _dynamic(["x"], ["set", "string"])),
        (["x", "y"], _dynamic(["y", "x"], ["set", "string"])),
        ("x", _dynamic("x", "string")),
        (None, _dynamic(None, "string")),
        # An object that only looks like one.
        ({"value": "x", "type": "string"}, {"value": "x", "type": "string"}),
        ({"value": "x", "type": "string"}, {"type": "string", "value": "x"}),
        (
            {"value": 1, "type": "number"},
            _dynamic({"value": 1, "type": "number"}, ["object", {"value": "number", "type": "string"}]),
        ),
    ],
)  # fmt: skip
def test_equal(planned: Any, actual: Any) -> None:
    assert _created({"a": planned}, {}, {"a": actual}).after == ()


@each_row(
    ("planned", "actual", "pointer"),
    [
        ("a", "b", "/a"),
        (1, 2, "/a"),
        (1, True, "/a"),
        (9007199254740993, 9007199254740992, "/a"),
        (12345678901234567890123, 12345678901234567890124, "/a"),
        (["a", "b"], ["a", "c"], "/a/1"),
        (["a", "b"], ["a", "b", "c"], "/a"),
        (["a", "a"], ["a"], "/a"),
        ({"x": {"y": 1}}, {"x": {"y": 2}}, "/a/x/y"),
        ({"x/y": 1}, {"x/y": 2}, "/a/x~1y"),
        ({"x": 1}, {}, "/a/x"),
        ({}, {"x": 1}, "/a/x"),
        ({}, [], "/a"),
        (1, _dynamic("1", "string"), "/a/value"),
        (1, _dynamic(1, "string"), "/a/value"),
        (True, _dynamic(1, "number"), "/a/value"),
        ({"n": 1}, _dynamic({"n": 1}, ["object", {"n": "string"}]), "/a/value/n"),
        ({"m": None}, _dynamic({}, ["map", "string"]), "/a/value/m"),
        (["a", "b"], _dynamic(["b", "a"], ["list", "string"]), "/a/value/0"),
        (["a", "b"], _dynamic(["a", "c"], ["set", "string"]), "/a/value"),
        (["a"], _dynamic(["a", "c"], ["set", "string"]), "/a/value"),
    ],
)
def test_different(planned: Any, actual: Any, pointer: str) -> None:
    found = _created({"a": planned}, {}, {"a": actual})
    assert {finding.code for finding in found.after} == {"LIF006"}
    assert found.after[0].pointer == f"/resources/0/instances/0/attributes{pointer}"


@pytest.mark.parametrize(
    ("planned", "unknown", "actual"),
    [
        ({}, {"a": True}, {"a": {"x": [1]}}),
        ({}, {"a": True}, {"a": None}),
        ({"a": {"k": 1}}, {"a": {"u": True}}, {"a": {"k": 1, "u": "now known"}}),
        ({"a": ["l", None]}, {"a": [False, True]}, {"a": ["l", "now known"]}),
        ({"a": [{"k": 1}]}, {"a": [{"u": True}]}, {"a": [{"k": 1, "u": 2}]}),
        # Elements of a set that turn out to be equal are one.
        ({"a": [None, None]}, {"a": [True, True]}, {"a": _dynamic(["x"], ["set", "string"])}),
        ({"a": ["k", None]}, {"a": [False, True]}, {"a": _dynamic(["j", "k"], ["set", "string"])}),
        ({"a": [{"k": 1}, {"k": 2}]}, {"a": [{"u": True}, {}]}, {"a": [{"k": 2, "u": None}, {"k": 1, "u": 7}]}),
    ],
)
def test_unknown_parts_may_be_anything(planned: Any, unknown: Any, actual: Any) -> None:
    assert _created(planned, unknown, actual).after == ()


@pytest.mark.parametrize(
    ("planned", "unknown", "actual", "code", "pointer"),
    [
        ({}, {"a": True}, {}, "LIF007", "/a"),
        ({"a": {}}, {"a": {"u": True}}, {"a": {}}, "LIF007", "/a/u"),
        ({}, {"a": True}, {"a": "74D93920-ED26-11E3-AC10-0800200C9A66"}, "LIF007", "/a"),
        ({}, {"id": True}, {"id": None}, "LIF007", "/id"),
        ({"a": [None]}, {"a": [True]}, {"a": _dynamic(["x", "y"], ["set", "string"])}, "LIF006", "/a/value"),
        ({"a": ["k", None]}, {"a": [False, True]}, {"a": _dynamic(["x"], ["set", "string"])}, "LIF006", "/a/value"),
    ],
)  # fmt: skip
def test_unknown_parts_that_are_wrong(planned: Any, unknown: Any, actual: Any, code: str, pointer: str) -> None:
    (finding,) = _created(planned, unknown, actual).after
    assert (finding.code, finding.pointer) == (code, f"/resources/0/instances/0/attributes{pointer}")


@pytest.mark.parametrize(
    ("sensitive", "members"),
    [
        ({"password": True}, {"sensitive_attributes": [[{"type": "get_attr", "value": "password"}]]}),
        ({"password": True}, {}),
    ],
)
def test_sensitive_values_are_hidden(sensitive: Any, members: Any) -> None:
    (finding,) = _created({"password": "planned-secret"}, {}, {"password": "secret"}, sensitive, **members).after
    assert finding.detail == "password: planned (sensitive value), but (sensitive value)"


def test_values_are_shown_short() -> None:
    (finding,) = _created({"a": "x" * 1000}, {}, {"a": 2.50}).after
    assert finding.detail.startswith('a: planned "xxx')
    assert finding.detail.endswith("x…, but 2.5")
    assert len(finding.detail) < 120


def test_old_providers_are_tolerated() -> None:
    (finding,) = _created({"a": "x"}, {}, {"a": "y"}, private=_NULL_META).after
    assert (finding.code, finding.severity.value) == ("LIF017", "warning")
    assert finding.detail == f'a: planned "x", but "y" (the provider {_PROVIDER} uses the legacy plugin SDK)'
    (finding,) = _created({"a": None}, {}, {"a": ""}, private=_NULL_META, strict=True).after
    assert (finding.code, finding.severity.value) == ("LIF017", "error")


def test_old_providers_do_not_distinguish_null() -> None:
    planned: dict[str, Any] = {"a": None, "b": [], "c": '{"d":1}'}
    actual = {"a": "", "b": None, "c": '{ "d": 1 }'}
    (finding,) = _created(planned, {}, actual, private=_NULL_META).after
    assert (finding.code, finding.severity.value) == ("LIF020", "info")
    assert finding.detail == "3 attributes differ only in form from what the plan has: a, b, c"
    assert [each.code for each in _created(planned, {}, actual).after] == ["LIF006"] * 3


@pytest.mark.parametrize(("planned", "codes"), [("x\ufffd", []), ("x", ["LIF006"])])
def test_half_a_surrogate_pair(planned: str, codes: list[str]) -> None:
    # Go reads the escape as U+FFFD.
    for wrapped in ({"a": planned}, planned):
        actual = {"a": "x\ud800"} if isinstance(wrapped, dict) else "x\ud800"
        assert [finding.code for finding in _created({"a": wrapped}, {}, {"a": actual}).after] == codes


def test_identity() -> None:
    members: dict[str, Any] = {"identity": {"arn": "other"}, "identity_schema_version": 0}
    assert _created({"a": 1}, {}, {"a": 1}, **members).after == ()
    (finding,) = _created({"a": 1}, {}, {"a": 1}, after_identity={"arn": "planned"}, **members).after
    assert (finding.code, finding.pointer) == ("LIF006", "/resources/0/instances/0/identity/arn")


def test_deep_values() -> None:
    deep: Any = "a"
    other: Any = "b"
    for _ in range(100):
        deep, other = [deep], [other]
    assert len(_created({"a": deep}, {}, {"a": other}).after) == 1


_TUPLE = ["tuple", [["object", {"port": "number", "from": "string"}]] * 3]
_RULES = [{"port": 22, "from": "a"}, {"port": 80, "from": "b"}, {"port": 443, "from": "c"}]


@pytest.mark.parametrize(
    ("planned", "actual", "expected"),
    [
        (_RULES, _RULES, []),
        (_RULES, _RULES[::-1], ["a: planned with its elements in another order"]),
        (
            _RULES,
            [_RULES[2], {"port": 22, "from": "z"}, _RULES[1]],
            ['a[0].from: planned "a", but "z"', "a: planned with its elements in another order"],
        ),
        (_RULES, [*_RULES[:2], {"port": 443, "from": "z"}], ['a[2].from: planned "c", but "z"']),
        # Fewer by position.
        (_RULES, [{"port": 22, "from": "b"}, *_RULES[1:]], ['a[0].from: planned "a", but "b"']),
    ],
)
def test_blocks_in_another_order(planned: Any, actual: Any, expected: list[str]) -> None:
    found = _created({"a": planned}, {}, {"a": _dynamic(actual, _TUPLE)}).after
    assert [finding.detail for finding in found] == expected


def test_blocks_that_are_too_many_to_pair() -> None:
    of = ["tuple", [["object", {"n": "number", "v": "number"}]] * 21]
    planned, actual = ([{"n": number, "v": value} for number in range(21)] for value in (1, 2))
    found = _created({"a": planned}, {}, {"a": _dynamic(actual, of)}).after
    assert len(found) == 21
    assert all(one.detail.endswith("(compared by position: too many blocks to pair by content)") for one in found)


@pytest.mark.parametrize("mode", ["managed", "data"])
@pytest.mark.parametrize("drifted", [True, False])
def test_an_object_that_refreshing_found_gone(mode: str, drifted: bool) -> None:
    """The apply has to drop it from the state. A data source that no block has is dropped with the next refresh."""
    prefix = "data." if mode == "data" else ""
    names = {**_NAMES, "mode": mode, "address": f"{prefix}{_ADDRESS}", "provider_name": _PROVIDER}
    gone = {**names, "change": {"actions": ["delete"], "before": {"id": "i"}, "after": None}}
    plan: dict[str, Any] = {"format_version": "1.2", "planned_values": {"root_module": {}}, "resource_changes": []}
    plan |= {"resource_drift": [gone] if drifted else []}
    before = read(_state({"id": "i"}).replace(b'"managed"', f'"{mode}"'.encode())).snapshot
    found = verify(read_plan(json.dumps(plan).encode()), before, before).after
    expected = [("LIF003", _ADDRESS)] if drifted and mode == "managed" else []
    assert [(finding.code, finding.address) for finding in found if finding.code == "LIF003"] == expected


def _untouched(found: Any, actual: Any, **members: Any) -> Verification:
    """Verify an object that the plan does not name: `found` is what refreshing found, `actual` what the apply left."""
    resource = {"address": _ADDRESS, **_NAMES, "provider_name": _PROVIDER, "schema_version": 0, "values": found}
    plan: dict[str, Any] = {"format_version": "1.2", "planned_values": {"root_module": {}}, "resource_changes": []}
    plan |= {"prior_state": {"format_version": "1.0", "values": {"root_module": {"resources": [resource]}}}}
    before, after = (read(_state(each, **members)).snapshot for each in (found, actual))
    return verify(read_plan(json.dumps(plan).encode()), before, after)


@pytest.mark.parametrize(
    ("found", "actual", "private", "code"),
    [
        ('{"a":1,"b":[1,2]}', '{ "b": [1, 2], "a": 1 }', "", "LIF020"),
        ('{"a":1}', '{"a":2}', "", "LIF011"),
        ('{"b":[1,2]}', '{"b":[2,1]}', "", "LIF011"),
        ("a", "a ", "", "LIF011"),
        ("[1", "[ 1", "", "LIF011"),
        (None, "", _NULL_META, "LIF020"),
        ([], None, _NULL_META, "LIF020"),
        (None, {}, _NULL_META, "LIF020"),
        (None, "", "", "LIF011"),
        (None, 0, _NULL_META, "LIF011"),
        (None, False, _NULL_META, "LIF011"),
    ],
)
def test_another_form(found: Any, actual: Any, private: str, code: str) -> None:
    members = {"private": private} if private else {}
    (finding,) = _untouched({"a": found, "b": found}, {"a": actual, "b": found}, **members).after
    assert finding.code == code
    assert finding.severity.value == ("info" if code == "LIF020" else "error")
    assert code != "LIF020" or finding.detail == "1 attribute differs only in form from what the plan found: a"
