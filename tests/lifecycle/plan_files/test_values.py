"""Values in plan files: with and without a schema, unknown and sensitive parts, and members of other releases."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given, strategies as st

from statefmt.lifecycle.plan import PlanError
from statefmt.lifecycle.plan_files._messages import parse_message
from statefmt.lifecycle.plan_files._msgpack import read_msgpack
from statefmt.lifecycle.plan_files._plain_values import plain_value
from statefmt.lifecycle.plan_files._shown_values import located, shown_value
from statefmt.lifecycle.read_plan import read_plan
from statefmt.lifecycle.schema import read_provider_schemas
from statefmt.model.cty.data import GetAttr, PathIndex
from tests.lifecycle.plan_files.made import UNKNOWN, aws_change, made
from tests.tables import each_row

_AWS: Final = "registry.terraform.io/hashicorp/aws"
_ATTRIBUTES: Final[dict[str, dict[str, Any]]] = {
    "id": {"type": "string", "computed": True},
    "size": {"type": "number", "optional": True},
    "tags": {"type": ["map", "string"], "optional": True},
    "names": {"type": ["set", "string"], "computed": True},
    "token": {"type": "string", "optional": True, "sensitive": True},
    "any": {"type": "dynamic", "optional": True},
}
_SCHEMAS: Final = {
    "format_version": "1.0",
    "provider_schemas": {
        _AWS: {
            "resource_schemas": {
                "aws_instance": {
                    "version": 3,
                    "block": {
                        "attributes": _ATTRIBUTES,
                        "block_types": {
                            "disk": {"nesting_mode": "list", "block": {"attributes": {"gb": {"type": "number"}}}}
                        },
                    },
                }
            }
        }
    },
}
_VALUE: Final = {
    "id": UNKNOWN,
    "size": "0.1",
    "tags": {"a": "b"},
    "names": UNKNOWN,
    "token": "hush",
    "any": [b'["tuple",["number","string"]]', ["0.30", "0.30"]],
    "disk": [{"gb": 5}, {"gb": UNKNOWN}],
}


def _change(data: bytes, schemas: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the change, and the planned value, of the document of a plan file."""
    given_schemas = None if schemas is None else read_provider_schemas(msgspec.json.encode(schemas))
    document = json.loads(read_plan(data, given_schemas).source)
    (change,), (planned,) = document["resource_changes"], document["planned_values"]["root_module"]["resources"]
    return change["change"], planned


def test_with_a_schema() -> None:
    change, planned = _change(made(lambda message: aws_change(message, _VALUE)), _SCHEMAS)
    known = {
        "size": 0.1, "tags": {"a": "b"}, "token": "hush", "any": [0.3, "0.30"], "disk": [{"gb": 5}, {}],
    }  # fmt: skip
    assert change["after"] == planned["values"] == known
    assert change["after_unknown"] == {
        "id": True, "names": True, "tags": {}, "any": [False, False], "disk": [{}, {"gb": True}],
    }  # fmt: skip
    assert change["after_sensitive"] == {
        "token": True, "names": [], "tags": {}, "any": [False, False], "disk": [{}, {}],
    }  # fmt: skip
    assert planned["schema_version"] == 3


def test_without_a_schema() -> None:
    """Numbers that are no float64 stay strings, and an unknown collection looks like an unknown string."""
    change, planned = _change(made(lambda message: aws_change(message, _VALUE)))
    assert change["after"]["size"] == "0.1"
    assert change["after"]["any"] == [0.3, "0.30"]
    assert change["after_unknown"]["names"] is True
    assert change["after_sensitive"] == {"tags": {}, "any": [False, False], "disk": [{}, {}]}
    assert "schema_version" not in planned


def test_with_the_schemas_of_opentofu() -> None:
    """OpenTofu 1.13 stores the schemas of a plan in the file."""
    schemas = parse_message("Schemas", b"")
    entry = schemas.providers.add(name=_AWS).value.managed_resource_types.add(name="aws_instance")
    entry.value.schema.version = 3
    for name, attribute in _ATTRIBUTES.items():
        entry.value.schema.block.attributes.add(
            name=name, type=msgspec.json.encode(attribute["type"]), sensitive=attribute.get("sensitive", False)
        )
    nested = entry.value.schema.block.block_types.add(type_name="disk", nesting=3)
    nested.block.attributes.add(name="gb", type=b'"number"')
    stored = made(lambda message: aws_change(message, _VALUE), {"tfschemas": schemas.SerializeToString()})
    assert _change(stored) == _change(made(lambda message: aws_change(message, _VALUE)), _SCHEMAS)


def test_a_value_that_does_not_fit_its_schema() -> None:
    with pytest.raises(PlanError, match="contains an invalid value: unsupported attribute 'other'"):
        _change(made(lambda message: aws_change(message, {"other": 1})), _SCHEMAS)


@each_row(
    ("path", "mask"),
    [
        ([("attribute", "token")], {"token": True, "tags": {}, "disk": [{}, {}]}),
        # Terraform steps into a map by a key, which without a schema is an object.
        ([("attribute", "tags"), ("key", "a")], {"tags": {"a": True}, "disk": [{}, {}]}),
        ([("attribute", "disk"), ("key", 0), ("attribute", "gb")], {"tags": {}, "disk": [{"gb": True}, {}]}),
        # What is not found hides what should contain it.
        ([("attribute", "disk"), ("key", 7)], {"tags": {}, "disk": True}),
        ([("attribute", "gone")], True),
        # Terraform 1.11 marks unknown and null values too.
        ([("attribute", "id")], {"id": True, "tags": {}, "disk": [{}, {}]}),
        ([("attribute", "none")], {"none": True, "tags": {}, "disk": [{}, {}]}),
        # Nothing is to hide.
        ([("attribute", "id"), ("attribute", "x")], {"tags": {}, "disk": [{}, {}]}),
    ],
)
@each_row("number", [1, 2.5])
def test_sensitive_paths(path: list[tuple[str, Any]], mask: Any, number: float) -> None:
    value = {
        "id": UNKNOWN, "none": None, "tags": {"a": "b"}, "token": "hush", "disk": [{"gb": 5}, {"gb": 6}],
        "size": number,
    }  # fmt: skip

    def edit(message: Any) -> None:
        steps = aws_change(message, value).change.after_sensitive_paths.add().steps
        for kind, step in path:
            if kind == "attribute":
                steps.add(attribute_name=step)
            else:
                steps.add().element_key.msgpack = msgspec.msgpack.encode(step)

    assert _change(made(edit))[0]["after_sensitive"] == mask


_LEAVES: Final = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text() | st.just(UNKNOWN)
_VALUES: Final = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
)
_PATHS: Final = st.lists(
    st.lists(st.text(max_size=2).map(GetAttr) | st.integers(0, 3).map(PathIndex), max_size=3).map(tuple), max_size=3
)


@given(st.dictionaries(st.text(max_size=3), _VALUES, max_size=4), _PATHS)
def test_values_without_a_schema_are_as_cty_shows_them(value: Any, paths: list[Any]) -> None:
    data = msgspec.msgpack.encode(value)
    plain = plain_value(data, paths)
    if plain is not None:
        typed = read_msgpack(data)
        found = [path for each in paths if (path := located(typed, each)) is not None]
        shown = shown_value(typed, found)
        assert msgspec.json.decode(plain.json or b"0") == msgspec.json.decode(shown.json or b"0")
        assert (plain.unknown, plain.sensitive) == (shown.unknown, shown.sensitive)


def test_members_that_no_released_program_writes() -> None:
    def edit(message: Any) -> None:
        deferred = message.deferred_changes.add()
        deferred.deferred.reason = 1
        deferred.change.CopyFrom(message.resource_changes[0])
        deferred.change.addr = "terraform_data.a[*]"
        deferred.change.change.importing.MergeFromString(b"\x10\x01")
        action = message.action_invocations.add(
            addr='module.m.action.aws_lambda.warm["a"]', provider='provider["registry.terraform.io/hashicorp/aws"]'
        )
        action.config_value.msgpack = msgspec.msgpack.encode({"name": "x", "payload": UNKNOWN})
        action.resource_trigger.triggering_resource_addr = "terraform_data.a"
        action.resource_trigger.trigger_event = 2
        waiting = message.deferred_action_invocations.add()
        waiting.deferred.reason = 5
        waiting.action_invocation.CopyFrom(action)
        change = message.resource_changes[0]
        change.change.action, change.deposed_key, change.action_reason = 10, "0000abcd", 16
        change.change.values.add().CopyFrom(change.change.values[0])
        change.change.importing.id = "i-1"

    plan = read_plan(made(edit))
    document = json.loads(plan.source)
    (change,) = document["resource_changes"]
    assert change["change"]["actions"] == ["forget", "create"]
    assert (change["deposed"], change["action_reason"]) == ("0000abcd", "forgot_because_lifecycle_destroy_in_config")
    assert change["change"]["importing"] == {"id": "i-1"}
    (deferred,) = document["deferred_changes"]
    assert deferred["reason"] == "instance_count_unknown"
    assert deferred["resource_change"]["address"] == "terraform_data.a"
    assert deferred["resource_change"]["index_unknown"] is True
    assert deferred["resource_change"]["change"]["importing"] == {"unknown": True}
    (action,) = document["action_invocations"]
    assert action == {
        "address": 'module.m.action.aws_lambda.warm["a"]', "type": "aws_lambda", "name": "warm",
        "config_values": {"name": "x"}, "config_sensitive": {}, "config_unknown": {"payload": True},
        "provider_name": _AWS,
        "lifecycle_action_trigger": {
            "triggering_resource_address": "terraform_data.a", "action_trigger_event": "AfterCreate",
            "action_trigger_block_index": 0, "actions_list_index": 0,
        },
    }  # fmt: skip
    assert document["deferred_action_invocations"] == [{"reason": "deferred_prereq", "action_invocation": action}]


@each_row(
    ("field", "number", "reason"),
    [("action", 77, "the unknown action 77"), ("action_reason", 77, "the unknown reason 77")],
)
def test_numbers_of_later_releases(field: str, number: int, reason: str) -> None:
    def edit(message: Any) -> None:
        (change,) = message.resource_changes
        setattr(change.change if field == "action" else change, field, number)

    with pytest.raises(PlanError, match=f"terraform_data.a: the plan file has {reason}; a newer statetool"):
        read_plan(made(edit))
