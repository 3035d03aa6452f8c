"""Writes the changes in a plan file, and what they leave, as `show -json` prints them.

Sources: `internal/command/jsonplan` and `internal/plans/planfile` of OpenTofu 1.13 and
Terraform 1.17.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from msgspec import Raw

from statefmt.lifecycle.plan import Action, PlanError
from statefmt.lifecycle.plan_files._members import given, index_member, json_member, module_tree
from statefmt.lifecycle.plan_files._messages import is_unknown_id
from statefmt.lifecycle.plan_files._msgpack import read_msgpack
from statefmt.lifecycle.plan_files._plain_values import plain_value
from statefmt.lifecycle.plan_files._schemas import PlanSchemas
from statefmt.lifecycle.plan_files._shown_values import ShownValue, encode_replace_paths, located, shown_value
from statefmt.lifecycle.schema import TypeSchema
from statefmt.lifecycle.schema_marks import value_marks
from statefmt.model.addrs import AbsResourceInstance, ModuleInstance, list_order
from statefmt.model.addrs.parsing import parse_abs_resource_instance, parse_config_provider_config
from statefmt.model.addrs.provider import Provider
from statefmt.model.cty import DYNAMIC, CtyError, encode_type
from statefmt.model.cty.data import CtyValue, GetAttr, Path
from statefmt.model.cty.parts import is_wholly_known
from statefmt.model.cty.paths import index_step
from statefmt.model.errors import AddressError
from statefmt.text import pattern

_ACTIONS: Final = {
    0: Action.NO_OP,
    1: Action.CREATE,
    2: Action.READ,
    3: Action.UPDATE,
    5: Action.DELETE,
    6: Action.DELETE_THEN_CREATE,
    7: Action.CREATE_THEN_DELETE,
    8: Action.FORGET,
    9: Action.CREATE_THEN_FORGET,
    10: Action.FORGET_THEN_CREATE,
}
_REASONS: Final = {
    1: "replace_because_tainted",
    2: "replace_by_request",
    3: "replace_because_cannot_update",
    4: "delete_because_no_resource_config",
    5: "delete_because_wrong_repetition",
    6: "delete_because_count_index",
    7: "delete_because_each_key",
    8: "delete_because_no_module",
    9: "replace_by_triggers",
    10: "read_because_config_unknown",
    11: "read_because_dependency_pending",
    12: "delete_because_no_move_target",
    13: "read_because_check_nested",
    14: "delete_because_enabled_false",
    15: "forgot_because_lifecycle_destroy_in_state",
    16: "forgot_because_lifecycle_destroy_in_config",
}
_DEFERRED: Final = {
    1: "instance_count_unknown",
    2: "resource_config_unknown",
    3: "provider_config_unknown",
    4: "absent_prereq",
    5: "deferred_prereq",
}
_REFRESH_ONLY: Final = 2
_NULL: Final = ShownValue(b"null", {}, False)
_ANY_INSTANCE: Final = "[*]"


class ChangeWriter:
    """Writes the parts of a plan that have values: changes, planned values, outputs and actions."""

    def __init__(self, plan: Any, schemas: PlanSchemas) -> None:
        self._plan = plan
        self._schemas = schemas
        self._changes: Final = [_ResourceChange(message) for message in plan.resource_changes]

    def resource_changes(self) -> list[dict[str, Any]]:
        """Return the member `resource_changes`."""
        return self._written(self._changes)

    def resource_drift(self) -> list[dict[str, Any]]:
        """Return the member `resource_drift`: moves alone count only in a plan that only refreshes."""
        every = map(_ResourceChange, self._plan.resource_drift)
        only_refreshes = self._plan.ui_mode == _REFRESH_ONLY
        return self._written([each for each in every if only_refreshes or each.action is not Action.NO_OP])

    def deferred_changes(self) -> list[dict[str, Any]]:
        """Return the member `deferred_changes`."""
        found = [(_ResourceChange(each.change), each.deferred.reason) for each in self._plan.deferred_changes]
        found.sort(key=lambda one: one[0].order)
        return [
            {"reason": _DEFERRED.get(reason, "unknown"), "resource_change": self._resource_change(change)}
            for change, reason in found
        ]

    def _written(self, changes: Iterable[_ResourceChange]) -> list[dict[str, Any]]:
        # A read that is no longer needed is a deletion, which show -json leaves out.
        shown = [each for each in changes if not (each.mode == "data" and each.action is Action.DELETE)]
        return [self._resource_change(each) for each in sorted(shown, key=lambda one: one.order)]

    def _resource_change(self, change: _ResourceChange) -> dict[str, Any]:
        message, address = change.message, change.address
        return {
            "address": str(address) if _ANY_INSTANCE in message.addr else message.addr,
            **given(previous_address=message.prev_run_addr, module_address=str(address.module)),
            "mode": change.mode,
            "type": address.resource.resource.type,
            "name": address.resource.resource.name,
            **index_member(address.key),
            **({"index_unknown": True} if change.is_any else {}),
            "provider_name": str(change.provider),
            "provider_config": message.provider,
            **given(deposed=message.deposed_key),
            "change": self._change(change),
            **given(action_reason=_reason(message.action_reason, message.addr)),
        }

    def _change(self, change: _ResourceChange) -> dict[str, Any]:
        message = change.message.change
        before, after = self.side(change, 0), self.side(change, 1)
        paths = encode_replace_paths(map(_path, change.message.required_replace))
        return {
            "actions": change.action.value,
            "before": json_member(before),
            **({} if after.json is None else {"after": Raw(after.json)}),
            "after_unknown": after.unknown,
            "before_sensitive": before.sensitive,
            "after_sensitive": after.sensitive,
            **({"replace_paths": Raw(paths)} if change.message.required_replace else {}),
            **({"importing": _importing(message.importing)} if message.HasField("importing") else {}),
            **given(generated_config=message.generated_config),
            **_identity("before_identity", message.before_identity.msgpack),
            **_identity("after_identity", message.after_identity.msgpack),
        }

    def side(self, change: _ResourceChange, place: int) -> ShownValue:
        """Return the value before (0) or after (1) a change."""
        if place not in change.shown:
            message = change.message.change
            data = _sides(message.values, change.action, change.message.addr)[place]
            paths = message.after_sensitive_paths if place else message.before_sensitive_paths
            change.shown[place] = self._value(data, paths, self._schema(change), change.message.addr)
        return change.shown[place]

    def _schema(self, change: _ResourceChange) -> TypeSchema | None:
        resource = change.address.resource.resource
        return self._schemas.schema(change.provider, resource.mode, resource.type)

    def _value(self, data: bytes, paths: Iterable[Any], schema: TypeSchema | None, address: str) -> ShownValue:
        if not data:
            return _NULL
        try:
            places = list(map(_path, paths))
            if schema is None and (plain := plain_value(data, places)) is not None:
                return plain
            value = read_msgpack(data, None if schema is None else schema.type)
            sensitive = [found for path in places if (found := located(value, path)) is not None]
            if schema is not None:
                sensitive += [each.path for each in value_marks(schema.block, value) if "sensitive" in each.marks]
            return shown_value(value, sensitive)
        except CtyError as error:
            raise PlanError(f"{address}: the plan file contains a value that cannot be shown: {error}") from None

    def planned_values(self) -> dict[str, Any]:
        """Return the member `planned_values`: what the changes leave, as a tree of modules."""
        modules: dict[ModuleInstance, list[dict[str, Any]]] = {ModuleInstance(): []}
        for change in self._changes:
            if change.action is Action.DELETE or change.message.deposed_key:
                continue
            for around in change.address.module.on_the_way:
                modules.setdefault(around, [])
            modules[change.address.module].append(self._planned(change))
        for resources in modules.values():
            resources.sort(key=_written_address)
        outputs = {each.name: self._planned_output(each) for each in self._plan.output_changes if _remains(each)}
        return {**({"outputs": outputs} if outputs else {}), "root_module": module_tree(modules)}

    def _planned(self, change: _ResourceChange) -> dict[str, Any]:
        resource, after, schema = change.address.resource.resource, self.side(change, 1), self._schema(change)
        identity = _identity("identity", change.message.change.after_identity.msgpack)
        return {
            "address": change.message.addr,
            "mode": change.mode,
            "type": resource.type,
            "name": resource.name,
            **index_member(change.address.key),
            "provider_name": str(change.provider),
            **({} if schema is None else {"schema_version": schema.version}),
            **({} if after.json in (None, b"null") else {"values": Raw(after.json or b"")}),
            "sensitive_values": after.sensitive,
            **identity,
        }

    @staticmethod
    def _planned_output(message: Any) -> dict[str, Any]:
        after = _output_sides(message)[1]
        known = is_wholly_known(after)
        return {
            "sensitive": message.sensitive,
            **({"type": Raw(encode_type(after.type)), "value": json_member(shown_value(after))} if known else {}),
        }

    def output_changes(self) -> dict[str, Any]:
        """Return the member `output_changes`."""
        return {each.name: _output_change(each) for each in sorted(self._plan.output_changes, key=_name)}

    def variables(self) -> dict[str, Any]:
        """Return the values of the variables that the user set, by name."""
        return {
            each.name: {"value": json_member(shown_value(_dynamic(each.value.msgpack)))}
            for each in sorted(self._plan.variables, key=_name)
        }

    def action_invocations(self) -> list[dict[str, Any]]:
        """Return the member `action_invocations`."""
        return [self._action(each) for each in self._plan.action_invocations]

    def deferred_action_invocations(self) -> list[dict[str, Any]]:
        """Return the member `deferred_action_invocations`."""
        return [
            {
                "reason": _DEFERRED.get(each.deferred.reason, "unknown"),
                "action_invocation": self._action(each.action_invocation),
            }
            for each in self._plan.deferred_action_invocations
        ]

    def _action(self, message: Any) -> dict[str, Any]:
        named = _NAMED_ACTION.fullmatch(message.addr)
        if named is None:
            raise PlanError(f"the plan file contains the invalid address {message.addr!r} of an action")
        value = self._value(message.config_value.msgpack, message.sensitive_config_paths, None, message.addr)
        trigger = message.resource_trigger
        return {
            "address": message.addr,
            "type": named["type"],
            "name": named["name"],
            "config_values": json_member(value),
            "config_sensitive": value.sensitive,
            "config_unknown": value.unknown,
            "provider_name": str(_provider(message.provider, message.addr)),
            **({"lifecycle_action_trigger": _trigger(trigger)} if message.HasField("resource_trigger") else {}),
            **({"invoke_action_trigger": {}} if message.HasField("invoke_trigger") else {}),
        }


_NAMED_ACTION: Final = pattern(r'(?:.*?\.)?action\.(?P<type>[^.\[\]"]+)\.(?P<name>[^.\[\]"]+)(?:\[.*\])?', re.DOTALL)
_EVENTS: Final = {
    1: "BeforeCreate",
    2: "AfterCreate",
    3: "BeforeUpdate",
    4: "AfterUpdate",
    5: "BeforeDestroy",
    6: "AfterDestroy",
    7: "Invoke",
}


def _trigger(message: Any) -> dict[str, Any]:
    return {
        "triggering_resource_address": message.triggering_resource_addr,
        "action_trigger_event": _EVENTS.get(message.trigger_event, "Unknown"),
        "action_trigger_block_index": message.action_trigger_block_index,
        "actions_list_index": message.actions_list_index,
    }


class _ResourceChange:
    """The change of a resource instance: its message, its parsed addresses, and its values once they are shown.

    Raises PlanError.
    """

    def __init__(self, message: Any) -> None:
        self.message: Final = message
        self.action: Final = _action(message.change.action, message.addr)
        self.address: Final = _address(message.addr)
        # A deferred change stands for every instance if their number is not known.
        self.is_any: Final = message.addr.endswith(_ANY_INSTANCE)
        self.provider: Final = _provider(message.provider, message.addr)
        self.mode: Final = self.address.resource.resource.mode.value
        self.shown: Final[dict[int, ShownValue]] = {}
        self.order: Final = list_order(self.address), message.deposed_key


def _address(text: str) -> AbsResourceInstance:
    try:
        return parse_abs_resource_instance(text)
    except AddressError as error:
        if _ANY_INSTANCE in text:
            return _address(text.replace(_ANY_INSTANCE, ""))
        raise PlanError(f"the plan file contains the invalid address {text!r}: {error.detail}") from None


def _provider(text: str, address: str) -> Provider:
    try:
        return _source(text)
    except AddressError as error:
        raise PlanError(f"{address}: the plan file names the invalid provider {text!r}: {error.detail}") from None


# Plans have few providers, and many changes.
@lru_cache(maxsize=256)
def _source(text: str) -> Provider:
    return parse_config_provider_config(text).provider


def _action(number: int, name: str) -> Action:
    found = _ACTIONS.get(number)
    if found is None:
        raise PlanError(f"{name}: the plan file has the unknown action {number}; a newer statetool may know it")
    return found


def _reason(number: int, address: str) -> str:
    if number and number not in _REASONS:
        raise PlanError(f"{address}: the plan file has the unknown reason {number}; a newer statetool may know it")
    return _REASONS.get(number, "")


def _sides(values: Sequence[Any], action: Action, name: str) -> tuple[bytes, bytes]:
    """Return the values before and after; empty for null. The file has only those that an action needs."""
    found = [value.msgpack for value in values]
    match action:
        case Action.CREATE:
            places: tuple[int | None, int | None] = (None, 0)
        case Action.DELETE | Action.FORGET:
            places = (0, None)
        case Action.NO_OP:
            places = (0, 0)
        case _:
            places = (0, 1)
    if any(place is not None and place >= len(found) for place in places):
        raise PlanError(f"{name}: the plan file lacks a value for the action {action}")
    before, after = (b"" if place is None else found[place] for place in places)
    return before, after


def _null() -> CtyValue:
    return CtyValue(DYNAMIC, None)


def _dynamic(data: bytes) -> CtyValue:
    return read_msgpack(data, DYNAMIC) if data else _null()


def _identity(name: str, data: bytes) -> dict[str, Raw]:
    value = shown_value(read_msgpack(data)) if data else None
    return {} if value is None or value.json in (None, b"null") else {name: json_member(value)}


def _importing(message: Any) -> dict[str, Any]:
    identity = message.identity.msgpack or message.opentofu_identity.msgpack
    if message.id or not identity:
        return {"unknown": True} if is_unknown_id(message) else given(id=message.id)
    return _identity("identity", identity)


def _path(message: Any) -> Path:
    return tuple(
        index_step(read_msgpack(step.element_key.msgpack))
        if step.HasField("element_key")
        else GetAttr(step.attribute_name)
        for step in message.steps
    )


def _output_sides(message: Any) -> tuple[CtyValue, CtyValue]:
    name = f"output.{message.name}"
    before, after = _sides(message.change.values, _action(message.change.action, name), name)
    return _dynamic(before), _dynamic(after)


def _remains(message: Any) -> bool:
    return _action(message.change.action, f"output.{message.name}") is not Action.DELETE


def _output_change(message: Any) -> dict[str, Any]:
    before, after = map(shown_value, _output_sides(message))
    return {
        "actions": _action(message.change.action, f"output.{message.name}").value,
        "before": json_member(before),
        **({} if after.json is None else {"after": Raw(after.json)}),
        "after_unknown": after.unknown or False,
        "before_sensitive": message.sensitive,
        "after_sensitive": message.sensitive,
    }


def _written_address(resource: Mapping[str, Any]) -> str:
    return str(resource["address"])


def _name(message: Any) -> str:
    return str(message.name)


def relevant_attributes(plan: Any) -> list[dict[str, Any]]:
    """Return the member `relevant_attributes`."""
    found = [(each.resource, encode_replace_paths([_path(each.attr)])[1:-1]) for each in plan.relevant_attributes]
    found.sort(key=lambda one: (list_order(_address(one[0])), one[1]))
    return [{"resource": resource, "attribute": Raw(path)} for resource, path in found]
