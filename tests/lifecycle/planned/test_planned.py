"""Planned values that the contract allows have no findings, and all others have one, at their place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from statefmt.configuration import Configuration
from statefmt.lifecycle.plan import PlanError
from statefmt.model.findings import Finding
from tests.lifecycle.planned.plans import clean_plans, planned_findings, written
from tests.lifecycle.planned.violations import (
    FILES,
    OBJECTS,
    PROVIDER,
    SCHEMAS,
    Violation,
    allowed,
    valid_plan,
    violations,
)
from tests.lifecycle.plans import recorded_plans
from tests.tables import each_row

_RECORDED: Final = sorted(name for name, files in recorded_plans().items() if "plan.json" in files)


@pytest.fixture(scope="module")
def configuration(tmp_path_factory: pytest.TempPathFactory) -> Configuration:
    return written(tmp_path_factory.mktemp("plan"), {**FILES, "plan.json": json.dumps(valid_plan()).encode()})


def _mutated(address: str, violation: Violation) -> tuple[dict[str, Any], str]:
    """Return a plan with a violation in one object, and the pointer to its planned values."""
    plan = valid_plan()
    at = list(OBJECTS).index(address)
    violation.apply(plan["resource_changes"][at]["change"])
    return plan, f"/resource_changes/{at}/change/after"


def _found(plan: Mapping[str, Any], configuration: Configuration) -> tuple[Finding, ...]:
    return planned_findings(json.dumps(plan).encode(), configuration, SCHEMAS)


@each_row("address", list(OBJECTS), sample=6)
@each_row("violation", list(violations()), sample=60)
def test_violations(address: str, violation: Violation, configuration: Configuration) -> None:
    plan, pointer = _mutated(address, violation)
    found = _found(plan, configuration)
    place = "".join(f"/{step}" for step in violation.place)
    assert [(each.code, each.address, each.pointer) for each in found] == [("LIF021", address, pointer + place)]
    assert "s3cr3t" not in found[0].detail and "leak" not in found[0].detail


def test_there_are_enough_violations() -> None:
    assert len(list(violations())) * len(OBJECTS) >= 400


@each_row("address", [address for address in OBJECTS if address != "shop_item.same"])
@each_row("violation", list(allowed()))
def test_computed_values(address: str, violation: Violation, configuration: Configuration) -> None:
    assert _found(_mutated(address, violation)[0], configuration) == ()


@each_row("violation", list(allowed()))
def test_an_object_without_a_change_keeps_computed_values(violation: Violation, configuration: Configuration) -> None:
    plan, pointer = _mutated("shop_item.same", violation)
    (found,) = _found(plan, configuration)
    assert (found.code, found.pointer.startswith(f"{pointer}/{violation.path[0]}")) == ("LIF021", True)


def test_a_valid_plan(configuration: Configuration) -> None:
    assert _found(valid_plan(), configuration) == ()


def _one(
    folder: Path,
    body: str,
    before: Any,
    after: Any,
    *,
    schema: Mapping[str, Any] | None = None,
    actions: Sequence[str] = ("update",),
    state: bytes | None = None,
    files: Mapping[str, bytes] | None = None,
    **members: Any,
) -> tuple[Finding, ...]:
    """Return the findings about a plan of one object, `shop_item.a`, with the attributes of `schema`."""
    declared = {"a": {"type": "string", "optional": True}, **(schema or {})}
    resource = {"shop_item": {"version": 0, "block": {"attributes": declared}}}
    schemas = {"format_version": "1.0", "provider_schemas": {PROVIDER: {"resource_schemas": resource}}}
    change = {"actions": list(actions), "before": before, "after": after}
    named = {"address": "shop_item.a", "mode": "managed", "type": "shop_item", "name": "a", "provider_name": PROVIDER}
    plan = {"format_version": "1.2", "resource_changes": [{**named, "change": change, **members}]}
    text = json.dumps(plan).encode()
    source = files or {"main.tf": f'resource "shop_item" "a" {{\n{body}\n}}\n'.encode()}
    return planned_findings(text, written(folder, {**source, "plan.json": text}), json.dumps(schemas).encode(), state)


@pytest.mark.parametrize(
    ("ignored", "after", "is_found"),
    [
        ("[a]", "old", False), ("[a]", "new", True), ("[a]", "other", True), ("all", "old", False),
        ("[b]", "old", False), ("[b]", "other", True),
    ],
)  # fmt: skip
def test_ignored_changes_keep_the_prior_value(ignored: str, after: str, is_found: bool, tmp_path: Path) -> None:
    body = f'  a = "new"\n  lifecycle {{\n    ignore_changes = {ignored}\n  }}'
    found = _one(tmp_path, body, {"a": "old"}, {"a": after}, schema={"b": {"type": "string", "optional": True}})
    assert [finding.code for finding in found] == ["LIF021"] * is_found


@pytest.mark.parametrize("after", ["old", "new"])
def test_engines_differ_on_ignored_changes_of_replaced_objects(after: str, tmp_path: Path) -> None:
    body = '  a = "new"\n  lifecycle {\n    ignore_changes = [a]\n  }'
    assert _one(tmp_path, body, {"a": "old"}, {"a": after}, actions=("delete", "create")) == ()


def test_a_tainted_object_ignores_no_changes(tmp_path: Path) -> None:
    body = '  a = "new"\n  lifecycle {\n    ignore_changes = [a]\n  }'
    reason = "replace_because_tainted"
    (found,) = _one(
        tmp_path, body, {"a": "old"}, {"a": "old"}, actions=("delete", "create"), action_reason=reason
    )  # fmt: skip
    assert found.code == "LIF021"


_LEGACY_ID: Final = {"id": {"type": "string", "optional": True, "computed": True}}


def test_an_old_provider_is_named_in_a_warning(tmp_path: Path) -> None:
    schema = {**_LEGACY_ID, "b": {"type": "bool", "optional": True}}
    (found,) = _one(tmp_path, '  a = "x"', None, {"a": "y", "b": False}, schema=schema, actions=("create",))
    assert (found.code, found.severity.value, found.address) == ("LIF022", "warning", "shop_item.a")
    assert PROVIDER in found.detail and found.detail.endswith(": a.")


@pytest.mark.parametrize(("planned", "given"), [("", None), ('{ "a": 1 }', '{"a":1}')])
def test_old_providers_may_plan_another_form(planned: str, given: str | None, tmp_path: Path) -> None:
    body = "" if given is None else f"  a = {json.dumps(given)}"
    assert _one(tmp_path, body, None, {"a": planned}, schema=_LEGACY_ID, actions=("create",)) == ()
    (found,) = _one(tmp_path, body, None, {"a": planned}, actions=("create",))
    assert found.code == "LIF021"


@pytest.mark.parametrize("schema", [{}, _LEGACY_ID])
def test_a_value_of_another_type(schema: Mapping[str, Any], tmp_path: Path) -> None:
    given = {**schema, "n": {"type": ["list", "number"], "optional": True}}
    (found,) = _one(tmp_path, "  n = [1, 2]", None, {"n": [1, "two"]}, schema=given, actions=("create",))
    assert (found.code, found.pointer) == ("LIF021", "/resource_changes/0/change/after/n/1")
    assert found.detail == 'n[1]: planned value "two" is not of the type number'


def test_an_old_provider_may_not_change_what_the_plan_does_not_change(tmp_path: Path) -> None:
    body, planned = '  a = "new"', {"id": "i", "a": "old"}
    assert _one(tmp_path, body, planned, planned, schema=_LEGACY_ID, actions=("no-op",)) == ()
    (found,) = _one(tmp_path, body, planned, {**planned, "a": "x"}, schema=_LEGACY_ID, actions=("no-op",))
    assert (found.code, found.pointer) == ("LIF021", "/resource_changes/0/change/after/a")


def test_values_nested_too_deeply_are_refused(tmp_path: Path) -> None:
    deep: Any = "x"
    for _ in range(600):
        deep = [deep]
    schema = {"d": {"type": "dynamic", "optional": True}}
    with pytest.raises(PlanError, match=r"nested too deeply.*/resource_changes/0"):
        _one(tmp_path, "", None, {"a": "other", "d": deep}, schema=schema, actions=("create",))


def test_old_providers_may_plan_zero_values_in_elements(tmp_path: Path) -> None:
    of = ["object", {"port": "number", "text": "string", "on": "bool"}]
    schema = {**_LEGACY_ID, "l": {"type": ["list", of], "optional": True}}
    body = "  l = [{ port = 1, text = null, on = null }]"
    planned = {"port": 1, "text": "", "on": False}
    assert _one(tmp_path, body, None, {"l": [planned]}, schema=schema, actions=("create",)) == ()
    (found,) = _one(tmp_path, body, None, {"l": [{**planned, "port": 2}]}, schema=schema, actions=("create",))
    assert found.code == "LIF022"


@pytest.mark.parametrize(("private", "code"), [("bnVsbA==", "LIF022"), ("", "LIF021")])
def test_the_state_says_who_made_an_object(private: str, code: str, tmp_path: Path) -> None:
    instance = {"schema_version": 0, "attributes": {"a": "old"}, **({"private": private} if private else {})}
    resource = {"mode": "managed", "type": "shop_item", "name": "a", "provider": f'provider["{PROVIDER}"]'}
    document = {"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "l", "outputs": {}}
    state = json.dumps({**document, "resources": [{**resource, "instances": [instance]}]}).encode()
    schema = _LEGACY_ID if code == "LIF021" else {}
    (found,) = _one(tmp_path, '  a = "new"', {"a": "old"}, {"a": "other"}, schema=schema, state=state)
    assert found.code == code


def test_a_sensitive_variable_is_hidden(tmp_path: Path) -> None:
    main = 'variable "v" {\n  sensitive = true\n  default   = "hunter2"\n}\n'
    main += 'resource "shop_item" "a" {\n  a = "x-${var.v}"\n}\n'
    (found,) = _one(tmp_path, "", {"a": None}, {"a": "y"}, files={"main.tf": main.encode()})
    assert "hunter2" not in found.detail and found.detail.count("(sensitive value)") == 2


def test_a_secret_that_nothing_marks_is_hidden(tmp_path: Path) -> None:
    schema = {"password": {"type": "string", "optional": True}}
    (found,) = _one(tmp_path, '  password = "hunter2"', {}, {"password": None}, schema=schema)
    assert "hunter2" not in found.detail


@pytest.mark.parametrize(
    "value",
    [
        "terraform.workspace", "shop_item.b.id", "timestamp()", "var.unset", "module.m.x", "path.cwd",
        'pathexpand("~")', 'abspath("x")', 'file("main.tf")',
    ],
)  # fmt: skip
def test_what_cannot_be_evaluated_proves_nothing(value: str, tmp_path: Path) -> None:
    assert _one(tmp_path, f"  a = {value}", None, {"a": "anything"}, actions=("create",)) == ()


def test_a_configuration_in_json(tmp_path: Path) -> None:
    document = {"resource": {"shop_item": {"a": {"a": '${upper("x")}'}}}}
    files = {"main.tf.json": json.dumps(document).encode()}
    assert _one(tmp_path, "", None, {"a": "X"}, files=files, actions=("create",)) == ()
    (found,) = _one(tmp_path, "", None, {"a": "x"}, files=files, actions=("create",))
    assert found.detail == 'a: planned value "x" does not match config value "X"'


def test_large_sets_take_a_bounded_time(tmp_path: Path) -> None:
    """Half of the elements match none, each of which is compared with all others: up to a bound, then not at all."""
    element = {"n": {"type": "number", "required": True}}
    schema = {"s": {"nested_type": {"nesting_mode": "set", "attributes": element}, "optional": True}}
    after = {"a": None, "s": [{"n": number} for number in range(500, 1500)]}
    body = "  s = [for n in range(1000) : { n = n }]"
    assert _one(tmp_path, body, None, after, schema=schema, actions=("create",)) == ()
    after = {"a": None, "s": [{"n": number} for number in range(1, 51)]}
    (found,) = _one(tmp_path, "  s = [for n in range(50) : { n = n }]", None, after, schema=schema, actions=("create",))
    assert found.detail == 's: planned element {"n":50} does not match any element in config'


@each_row("name", sorted(clean_plans()), sample=40)
def test_real_plans(name: str, tmp_path: Path) -> None:
    files = clean_plans()[name]
    assert planned_findings(files["plan.json"], written(tmp_path, files)) == ()


@each_row("name", _RECORDED)
def test_recorded_plans(name: str, tmp_path: Path) -> None:
    files = recorded_plans()[name]
    assert planned_findings(files["plan.json"], written(tmp_path, files), files["schemas.json"]) == ()


def test_there_are_enough_real_plans() -> None:
    assert len(clean_plans()) + len(_RECORDED) >= 300
