"""Reading plans: every member of the JSON form, and every file that is not one."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from statefmt.lifecycle.plan import Action, NotAPlanError, PlanError
from statefmt.lifecycle.read_plan import PlanJSON, read_plan
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.schema_problems import schema_text
from tests.lifecycle.plans import recorded_plans
from tests.tables import each_row

_VALUES = {"id": "1", "size": 12345678901234567890123}


def _change(address: str = "aws_instance.web", **members: Any) -> dict[str, Any]:
    change = {"actions": ["no-op"], "before": _VALUES, "after": _VALUES, **members.pop("change", {})}
    return {"address": address, "mode": "managed", "type": "aws_instance", "name": "web", "change": change, **members}


def _plan(**members: Any) -> bytes:
    document = {"format_version": "1.2", "terraform_version": "1.11.4", "planned_values": {"root_module": {}}}
    return json.dumps({**document, **members}).encode()


def test_members_of_a_change() -> None:
    plan = read_plan(
        _plan(
            resource_changes=[
                _change(
                    'module.m["x"].aws_instance.web["q\\"t"]',
                    module_address='module.m["x"]',
                    index='q"t',
                    previous_address="aws_instance.old",
                    provider_name="registry.opentofu.org/hashicorp/aws",
                    action_reason="replace_because_cannot_update",
                    deposed="00c0ffee",
                    change={
                        "actions": ["delete", "create"],
                        "after_unknown": {"id": True},
                        "after_sensitive": {"size": True},
                        "replace_paths": [["size"], ["disk", 0, {"x": None}]],
                        "importing": {"id": "i-1", "identity": {"arn": "a"}},
                        "before_identity": {"arn": "a"},
                        "generated_config": "resource {}",
                    },
                )
            ]
        )
    )
    (change,) = plan.resource_changes
    assert change.address == parse_abs_resource_instance('module.m["x"].aws_instance.web["q\\"t"]')
    assert change.previous_address == change.address_before == parse_abs_resource_instance("aws_instance.old")
    assert change.provider_name == "registry.opentofu.org/hashicorp/aws"
    assert (change.reason, change.deposed, change.number) == ("replace_because_cannot_update", "00c0ffee", 0)
    assert change.action is Action.DELETE_THEN_CREATE
    details = change.change
    assert details.before is not None
    assert bytes(details.before) == b'{"id": "1", "size": 12345678901234567890123}'
    assert details.after_unknown is not None
    assert bytes(details.after_unknown) == b'{"id": true}'
    assert details.before_sensitive is None
    assert [[bytes(step) for step in path] for path in details.replace_paths] == [
        [b'"size"'],
        [b'"disk"', b"0", b'{"x": null}'],
    ]
    assert details.importing is not None
    assert (details.importing.id, bytes(details.importing.identity)) == ("i-1", b'{"arn": "a"}')
    assert details.before_identity is not None
    assert details.after_identity is None
    assert details.generated_config == "resource {}"


def test_null_and_absent_values_are_none() -> None:
    change = {"actions": ["create"], "before": None, "after_unknown": True}
    (output,) = read_plan(_plan(output_changes={"o": change})).output_changes.values()
    assert output.before is None
    assert output.after is None
    assert output.after_unknown is not None


@pytest.mark.parametrize("action", list(Action))
def test_actions(action: Action) -> None:
    plan = read_plan(_plan(resource_changes=[_change(change={"actions": list(action.value)})]))
    assert plan.resource_changes[0].action is action


def test_prior_state() -> None:
    resource = {"address": "aws_instance.web", "mode": "managed", "type": "aws_instance", "name": "web"}
    module = {"address": "module.m", "resources": [{**resource, "address": "module.m.aws_instance.web", "index": 0}]}
    tree = {"resources": [{**resource, "values": _VALUES, "tainted": True}], "child_modules": [module]}
    plan = read_plan(
        _plan(prior_state={"values": {"root_module": tree, "outputs": {"o": {"sensitive": True, "value": 1}}}})
    )
    assert plan.prior_state is not None
    first, second = plan.prior_state.resources()
    assert (first.tainted, first.index, json.loads(bytes(first.values))) == (True, None, _VALUES)
    assert (second.address, second.index, bytes(second.values)) == ("module.m.aws_instance.web", 0, b"null")
    assert plan.prior_state.outputs is not None
    assert plan.prior_state.outputs["o"].sensitive


def test_members_of_other_releases() -> None:
    opentofu = read_plan(_plan())
    assert (opentofu.applyable, opentofu.complete, opentofu.errored) == (None, None, False)
    deferred = {"reason": "resource_config_unknown", "resource_change": _change()}
    terraform = read_plan(
        _plan(applyable=True, complete=False, errored=True, deferred_changes=[deferred], action_invocations=[{"x": 1}])
    )
    assert (terraform.applyable, terraform.complete, terraform.errored) == (True, False, True)
    assert terraform.deferred_changes[0].reason == "resource_config_unknown"


@pytest.mark.parametrize("address", ["aws_instance.web[*]", "module.m[*].aws_instance.web"])
def test_a_deferred_change_whose_keys_are_not_known(address: str) -> None:
    """Terraform writes the wildcard of internal/addrs/instance_key.go, which does not parse as an address."""
    change = _change(address, index_unknown=True, change={"actions": ["create"], "before": None})
    deferred = {"reason": "instance_count_unknown", "resource_change": change}
    (found,) = read_plan(_plan(deferred_changes=[deferred])).deferred_changes
    assert (found.address, found.change.action) == (address, Action.CREATE)


def test_null_lists() -> None:
    plan = read_plan(_plan(resource_changes=None, output_changes=None, prior_state=None, variables=None))
    assert (plan.resource_changes, plan.output_changes, plan.prior_state, plan.variables) == ((), {}, None, {})


def test_address_parts_that_contradict_the_address() -> None:
    plan = read_plan(_plan(resource_changes=[_change("aws_instance.other[1]", index=2)]))
    assert str(plan.resource_changes[0].address) == "aws_instance.other[1]"


@each_row(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b" \n", "the file is empty"),
        (b'{"version": 4, "serial": 1, "lineage": "l", "resources": []}', "this is a state"),
        (b'{"format_version": "1.0", "terraform_version": "1.9.0", "values": {}}', "for a state, not for a plan"),
        (b'{"format_version": "1.0"}', "for a state, not for a plan"),
        (b'{"format_version": "1.0", "provider_schemas": {}}', "providers schema -json"),
        (b'{"encrypted_data": "x", "encryption_version": "v0", "meta": {}}', "the file is encrypted"),
        (b'{"@level": "info"}\n{"@level": "info"}\n', "the log of plan -json"),
        (b'{"x": 1}', "none of the members"),
        (b"[]", "not an object"),
        (b'{"format_version": "1.2",', "not JSON: .*line 1"),
        (b"\xff", "not JSON"),
    ],
)
def test_not_a_plan(data: bytes, reason: str) -> None:
    with pytest.raises(NotAPlanError, match=reason):
        read_plan(data)


@each_row(
    ("data", "reason", "pointer"),
    [
        (_plan(format_version="2.0"), "versions 1.x can be read", "/format_version"),
        (_plan(format_version="0.2"), "only early releases", "/format_version"),
        (_plan(format_version=1), "no valid format_version", "/format_version"),
        (_plan(resource_changes={}), "expected an array or null, got an object", "/resource_changes"),
        (
            _plan(resource_changes=[_change(), _change(index=[])]),
            "expected a whole number, a string or null, got an array",
            "/resource_changes/1/index",
        ),
        # The names in a map belong to the place.
        (
            _plan(output_changes={"a/b": {"actions": [], "generated_config": {"password": "secret"}}}),
            r"^not a valid plan: expected a string or null, got an object \(",
            "/output_changes/a~1b/generated_config",
        ),
        (
            _plan(variables={"x": 1, "y": 2}, errored=None),
            "expected true or false, got null; 2 more problems",
            "/errored",
        ),
        (
            _plan(planned_values={"root_module": {"resources": [{}]}}),
            "missing member 'address'",
            "/planned_values/root_module/resources/0",
        ),
        (_plan(prior_state=[]), "expected null or an object, got an array", "/prior_state"),
        (_plan(resource_changes=[_change("aws_instance")]), "invalid address", "/resource_changes/0/address"),
        (
            _plan(resource_drift=[_change(previous_address="a")]),
            "invalid address",
            "/resource_drift/0/previous_address",
        ),
        (
            _plan(resource_changes=[_change(change={"actions": ["melt"]})]),
            r"unknown actions \['melt'\]",
            "/resource_changes/0/change/actions",
        ),
        (
            _plan(resource_changes=[_change(change={"after": [1]})]),
            "expected an object",
            "/resource_changes/0/change/after",
        ),
        (
            _plan(resource_changes=[_change(change={"after_unknown": "x"})]),
            "expected an object",
            "/resource_changes/0/change/after_unknown",
        ),
        (_plan(output_changes={"a/b": {"actions": []}}), "unknown actions", "/output_changes/a~1b/actions"),
    ],
)
def test_invalid_plan(data: bytes, reason: str, pointer: str) -> None:
    with pytest.raises(PlanError, match=reason) as raised:
        read_plan(data)
    assert raised.value.pointer == pointer
    assert str(raised.value).endswith(f"(at {pointer})")


@pytest.mark.parametrize("place", [b'"resource_changes": %s', b'"configuration": %s', b'"x": %s'])
def test_deep_nesting_is_refused(place: bytes) -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    with pytest.raises(PlanError, match="nested too deeply"):
        read_plan(b'{"format_version": "1.2", "planned_values": {}, ' + place % deep + b"}")


_VALIDATOR = Draft202012Validator(json.loads(schema_text("plan")))
_VALUES_OF_JSON: list[Any] = [None, True, 0, -1, 2**70, 1.5, "", "1.2", [], ["x"], [["x"]], {}, {"a": {}}, {"a": 1}]


_PLANS = {name: files["plan.json"] for name, files in recorded_plans().items() if "plan.json" in files}


def test_the_schema_allows_recorded_plans() -> None:
    wrong = [name for name, text in _PLANS.items() if not _VALIDATOR.is_valid(json.loads(text))]
    assert (len(_PLANS) > 50, wrong) == (True, [])


@each_row("seed", range(20))
def test_the_schema_allows_what_decodes(seed: int) -> None:
    """A value anywhere in a plan is replaced, or a member removed."""
    random = Random(seed)
    text = _PLANS[random.choice(sorted(_PLANS))]
    allowed = 0
    for _ in range(20):
        document = json.loads(text)
        part: Any = document
        while True:
            step = random.choice(list(part) if isinstance(part, dict) else range(len(part)))
            inner = part[step]
            if not inner or not isinstance(inner, (dict, list)) or random.random() < 0.2:
                break
            part = inner
        if random.random() < 0.2:
            del part[step]
        else:
            part[step] = random.choice(_VALUES_OF_JSON)
        decodes = _decodes(document)
        assert _VALIDATOR.is_valid(document) == decodes, (step, part)
        allowed += decodes
    assert 0 < allowed < 20


def _decodes(document: object) -> bool:
    try:
        msgspec.json.decode(json.dumps(document), type=PlanJSON)
    except msgspec.ValidationError:
        return False
    return isinstance(document, dict) and str(document["format_version"]).startswith("1.")
