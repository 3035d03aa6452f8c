"""No finding of `verify` shows what the plan, a state or a schema calls sensitive, nor names inside of it."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from statefmt.formats.reading import read
from statefmt.lifecycle.read_plan import read_plan
from statefmt.lifecycle.verification import verify
from statefmt.lifecycle.verification._secrets import MarkedPaths
from statefmt.model.findings import Finding

_PROVIDER = "registry.opentofu.org/acme/cloud"


def _state(attributes: dict[str, Any], **members: Any) -> bytes:
    instance = {"schema_version": 0, "attributes": attributes, "sensitive_attributes": [], **members}
    resource = {"mode": "managed", "type": "cloud_vm", "name": "a", "provider": f'provider["{_PROVIDER}"]'}
    resources = [{**resource, "instances": [instance]}]
    head = {"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "l", "outputs": {}}
    return json.dumps({**head, "resources": resources, "check_results": None}).encode()


def _plan(change: dict[str, Any], **members: Any) -> bytes:
    resource: dict[str, Any] = {"address": "cloud_vm.a", "mode": "managed", "type": "cloud_vm", "name": "a"}
    resource |= {"provider_name": _PROVIDER, "change": {"actions": ["create"], "before": None, **change}}
    return json.dumps({
        "format_version": "1.2", "planned_values": {"root_module": {}}, "resource_changes": [resource], **members,
    }).encode()  # fmt: skip


def _found(change: dict[str, Any], attributes: dict[str, Any], **members: Any) -> tuple[Finding, ...]:
    return verify(read_plan(_plan(change)), None, read(_state(attributes, **members)).snapshot).after


def _text(found: tuple[Finding, ...]) -> str:
    return "\n".join(f"{finding.code} {finding.detail} {finding.pointer}" for finding in found)


def test_names_inside_a_sensitive_value_are_hidden() -> None:
    found = _found(
        {"after": {"keys": {"hush-1": 1, "hush-2": 2}}, "after_sensitive": {"keys": True}},
        {"keys": {"hush-1": 5, "hush-3": 6}},
    )
    assert [(finding.code, finding.detail, finding.pointer) for finding in found] == [
        ("LIF006", "keys: planned (sensitive value), but (sensitive value)", "/resources/0/instances/0/attributes/keys")
    ]


def test_the_size_of_a_sensitive_value_is_hidden() -> None:
    found = _found({"after": {"pins": [1, 2, 3]}, "after_sensitive": {"pins": True}}, {"pins": [1]})
    assert [finding.detail for finding in found] == ["pins: planned (sensitive value), but (sensitive value)"]


def test_elements_of_a_set_with_other_positions() -> None:
    found = _found(
        {"after": {"users": [{"pw": "hush-1"}, {"pw": "open"}]}, "after_sensitive": {"users": [{"pw": True}, {}]}},
        {"users": [{"pw": "changed"}, {"pw": "hush-1"}]},
    )
    assert found
    assert "hush" not in _text(found)


def test_identities_repeat_sensitive_attributes() -> None:
    found = _found(
        {
            "after": {"account": "hush-1"},
            "after_sensitive": {"account": True},
            "after_identity": {"account": "hush-1", "api_token": "hush-2", "region": "eu"},
        },
        {"account": "hush-1"},
        identity={"account": "hush-3", "api_token": "hush-4", "region": "us"},
    )
    assert "hush" not in _text(found)
    assert 'identity, region: planned "eu", but "us"' in _text(found)


def test_sensitive_by_the_change_only_and_changed_before() -> None:
    drift = {"actions": ["update"], "before": {"pw": "hush-1"}, "after": {"pw": "hush-2"}}
    drift |= {"before_sensitive": {}, "after_sensitive": {}}
    common = {"address": "cloud_vm.a", "mode": "managed", "type": "cloud_vm", "name": "a"}
    common |= {"provider_name": _PROVIDER}
    plan = _plan(
        {"actions": ["update"], "before": {"pw": "hush-2"}, "after": {"pw": "x"}, "after_sensitive": {"pw": True}},
        resource_drift=[{**common, "change": drift}],
    )
    before, after = (read(_state({"pw": pw})).snapshot for pw in ("hush-0", "x"))
    found = verify(read_plan(plan), before, after).before
    assert [finding.code for finding in found] == ["LIF016"]
    assert "hush" not in _text(found)


@pytest.mark.parametrize(("configured", "count"), [({"sensitive": True}, 1), ({}, 0)])
def test_an_output_that_is_sensitive_no_more(configured: dict[str, Any], count: int) -> None:
    # Terraform and OpenTofu mask both sides if one was sensitive.
    change = {"actions": ["update"], "before": "hush", "after": "open", "after_unknown": False}
    change |= {"before_sensitive": True, "after_sensitive": True}
    plan = json.loads(_plan({}, output_changes={"o": change}))
    plan |= {"resource_changes": [], "configuration": {"root_module": {"outputs": {"o": configured}}}}
    after = json.loads(_state({})) | {"resources": [], "outputs": {"o": {"value": "open", "type": "string"}}}
    found = verify(read_plan(json.dumps(plan).encode()), None, read(json.dumps(after).encode()).snapshot)
    assert len(found.after) == count


@pytest.mark.parametrize("number", ["1e400", "0.1000000000000000000000000001"])
def test_numbers_beyond_floats(number: str) -> None:
    plan = _plan({"after": {"size": 0}}).replace(b'"size": 0', f'"size": {number}'.encode())
    (finding,) = verify(read_plan(plan), None, read(_state({"size": 5})).snapshot).after
    assert "but 5" in finding.detail
    assert "planned 0.1," not in finding.detail


def test_time_is_linear_in_the_sensitive_differences() -> None:
    def taken(count: int) -> float:
        wanted = {f"k{number}": "x" for number in range(count)}
        change = {"after": {"m": wanted}, "after_sensitive": {"m": dict.fromkeys(wanted, True)}}
        plan, state = read_plan(_plan(change)), read(_state({"m": dict.fromkeys(wanted, "y")})).snapshot
        start = time.process_time()
        assert len(verify(plan, None, state).after) == count
        return time.process_time() - start

    taken(100)
    assert taken(4000) < 16 * max(taken(500), 0.01)


def test_trees_of_paths() -> None:
    tree = MarkedPaths()
    tree.add(("a", 0, "pw"))
    tree.add(("a", 3, "pw", "inner"))
    assert tree.depth(("a", 7, "pw", "x")) == 3
    assert tree.depth(("a",)) == 1
    assert tree.depth(("a", "name")) == 1
    assert tree.depth(("a", 1, "user")) is None
    exact = MarkedPaths(exact=True)
    exact.add_mask([False, {"x": True}])
    assert exact.covers((1, "x", "y"))
    assert not exact.covers((0, "x"))
    assert exact.overlaps((1,))


def test_blocks_in_another_order_with_secrets() -> None:
    users = [{"n": "ann", "p": "x", "q": 1, "r": 1}, {"n": "bob", "p": "y", "q": 2, "r": 2}]
    of = ["tuple", [["object", {"n": "string", "p": "string", "q": "number", "r": "number"}]] * 2]
    actual = [{**users[1], "p": "hush-1"}, users[0]]
    mark = [{"type": "get_attr", "value": "users"}, {"type": "index", "value": {"value": 0, "type": "number"}}]
    marks = [[*mark, {"type": "get_attr", "value": "p"}]]
    found = _found({"after": {"users": users}}, {"users": {"value": actual, "type": of}}, sensitive_attributes=marks)
    assert "another order" in _text(found)
    assert "users[1].p: planned (sensitive value), but (sensitive value)" in _text(found)
    assert "hush-1" not in _text(found)
