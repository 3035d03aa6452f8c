"""Renders resource instances and outputs as JSON, for `show`: OpenTofu's values representation, with additions.

Source: OpenTofu `internal/command/jsonstate/state.go`; `provider_instance` is from the RFC "Dynamic Provider Instances
and Instance Assignment" (2024-10-21).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import orjson

from statefmt.model.addrs import AbsResourceInstance, ConfigResource, IntKey, ModuleInstance, StringKey
from statefmt.model.addrs.checkable import CheckableKind, parse_checkable
from statefmt.model.snapshot import (
    CheckObject,
    CheckResult,
    InstanceState,
    ObjectStatus,
    OutputValue,
    ResourceInstanceObject,
    Snapshot,
)
from statefmt.redaction.object_value import attributes_value, hides_output, identity_value, output_value, private_value
from statefmt.redaction.partial import HIDDEN, Partial, sensitive_shape
from statefmt.render.json_output import exact_document, fragment
from statefmt.render.values import output_type_json, output_type_text

_ROOT: Final = ModuleInstance()


def state_json(snapshot: Snapshot, instances: Sequence[InstanceState], *, show_sensitive: bool) -> bytes:
    """Render a whole state; `instances` are all of its instances, in list order (schema: `show-output.schema.json`)."""
    if not snapshot.outputs and not instances:
        return exact_document({})
    outputs = {output.name: _output(output, show_sensitive) for output in _by_name(snapshot.outputs)}
    values = {**({"outputs": outputs} if outputs else {}), "root_module": _modules(instances, show_sensitive)}
    results = checks(snapshot.check_results)
    return exact_document({**_release(snapshot), "values": values, **({"checks": results} if results else {})})


def instances_json(snapshot: Snapshot, instances: Sequence[InstanceState], *, show_sensitive: bool) -> bytes:
    """Render some instances in the same shape: no outputs, no check results, and only the modules on their paths."""
    return exact_document({**_release(snapshot), "values": {"root_module": _modules(instances, show_sensitive)}})


def _release(snapshot: Snapshot) -> JsonObject:
    return {"terraform_version": snapshot.terraform_version} if snapshot.terraform_version else {}


def _by_name(outputs: Sequence[OutputValue]) -> list[OutputValue]:
    return sorted(outputs, key=lambda output: output.name)


def _output(output: OutputValue, show_sensitive: bool) -> JsonObject:
    hidden = output.sensitive and not show_sensitive
    node: JsonObject = {"sensitive": output.sensitive}
    if output.deprecated:
        node["deprecated"] = output.deprecated
    node["value"] = fragment(output_value(output, show_sensitive=show_sensitive))
    type_json = output_type_json(output, hidden=hidden)
    if type_json is not None:
        node["type"] = orjson.Fragment(type_json)
    return node


def _modules(instances: Sequence[InstanceState], show_sensitive: bool) -> JsonObject:
    """Return the tree of modules from the root, each with its resources, then its children by address."""
    resources: dict[ModuleInstance, list[JsonObject]] = {}
    for instance in instances:
        found = resources.setdefault(instance.resource.addr.module, [])
        found += _resources(instance, show_sensitive)
    children: dict[ModuleInstance, set[ModuleInstance]] = {}
    for module in resources:
        for depth in range(len(module.steps)):
            parent = ModuleInstance(module.steps[:depth])
            children.setdefault(parent, set()).add(ModuleInstance(module.steps[: depth + 1]))
    return _module(_ROOT, resources, children)


def _module(
    module: ModuleInstance,
    resources: dict[ModuleInstance, list[JsonObject]],
    children: dict[ModuleInstance, set[ModuleInstance]],
) -> JsonObject:
    node: JsonObject = {}
    if module in resources:
        node["resources"] = resources[module]
    if not module.is_root:
        node["address"] = str(module)
    if module in children:
        node["child_modules"] = [_module(child, resources, children) for child in sorted(children[module], key=str)]
    return node


def _resources(instance: InstanceState, show_sensitive: bool) -> Iterator[JsonObject]:
    """Yield the objects of an instance: the current one first, then the deposed ones by key."""
    for obj in sorted(instance.objects, key=lambda obj: obj.deposed):
        yield _resource(instance, obj, show_sensitive)


def _resource(instance: InstanceState, obj: ResourceInstanceObject, show_sensitive: bool) -> JsonObject:
    resource = instance.resource.addr.resource
    provider = instance.provider(obj)
    node: JsonObject = {
        "address": str(instance.addr),
        "mode": resource.mode.value,
        "type": resource.type,
        "name": resource.name,
    }
    if isinstance(obj.key, (IntKey, StringKey)):
        node["index"] = obj.key.value
    if provider is not None:
        node["provider_name"] = str(provider.config.provider)
        node["provider_instance"] = str(provider)
    node["schema_version"] = obj.schema_version
    node |= _values(obj, resource.type, show_sensitive)
    if obj.dependencies:
        node["depends_on"] = [str(addr) for addr in obj.dependencies]
    if obj.status is ObjectStatus.TAINTED:
        node["tainted"] = True
    if obj.deposed:
        node["deposed_key"] = obj.deposed
    identity = identity_value(obj, resource.type, show_sensitive=show_sensitive)
    if identity is not None:
        node["identity"] = _fragment(identity)
        if obj.identity_schema_version is not None:
            node["identity_schema_version"] = obj.identity_schema_version
    private = private_value(obj, show_sensitive=show_sensitive)
    if private is not None:
        node["private"] = str(private)
    return node


def _values(obj: ResourceInstanceObject, type_name: str, show_sensitive: bool) -> JsonObject:
    marked = attributes_value(obj, type_name, show_sensitive=False)
    shown = attributes_value(obj, type_name, show_sensitive=True) if show_sensitive else marked
    return {"values": _fragment(shown), "sensitive_values": _shape(marked)}


def _shape(value: Partial) -> orjson.Fragment:
    try:
        return orjson.Fragment(orjson.dumps(sensitive_shape(value)))
    except orjson.JSONEncodeError:
        # Nested deeper than orjson supports: the values are complete without these marks.
        return orjson.Fragment(b"{}")


def _fragment(value: Partial) -> orjson.Fragment:
    try:
        return fragment(value)
    except ValueError:
        # Only a decoded value can be nested too deeply for this; it is hidden as a whole.
        return fragment(HIDDEN)


# Renders check results as in OpenTofu's `show -json`.
# Source: OpenTofu `internal/command/jsonchecks`.

_KINDS: Final = {
    CheckableKind.RESOURCE: "resource",
    CheckableKind.OUTPUT: "output_value",
    CheckableKind.CHECK: "check",
    CheckableKind.VARIABLE: "var",
}

JsonObject = dict[str, object]


def checks(results: Sequence[CheckResult]) -> list[JsonObject]:
    """Return the member `checks`: results of the kinds that OpenTofu knows, sorted by address."""
    return [_result(result) for result in sorted(results, key=lambda result: result.config_addr) if result.known_kind]


def _result(result: CheckResult) -> JsonObject:
    kind = CheckableKind(result.object_kind)
    objects = [_object(obj, kind) for obj in sorted(result.objects, key=lambda obj: obj.object_addr)]
    node: JsonObject = {"address": _static_address(kind, result.config_addr), "status": result.status}
    return {**node, "instances": objects} if objects else node


def _object(obj: CheckObject, kind: CheckableKind) -> JsonObject:
    problems = [{"message": message} for message in sorted(obj.failure_messages)]
    node: JsonObject = {"address": _dynamic_address(kind, obj.object_addr), "status": obj.status}
    return {**node, "problems": problems} if problems else node


def _static_address(kind: CheckableKind, text: str) -> JsonObject:
    addr = parse_checkable(kind, text).config()
    node: JsonObject = {"kind": _KINDS[kind]}
    if isinstance(addr, ConfigResource):
        node |= {"mode": addr.resource.mode.value, "type": addr.resource.type, "name": addr.resource.name}
    else:
        node["name"] = addr.name
    if addr.module:
        node["module"] = str(addr.module)
    return {**node, "to_display": text}


def _dynamic_address(kind: CheckableKind, text: str) -> JsonObject:
    addr = parse_checkable(kind, text)
    node: JsonObject = {"module": str(addr.module)} if addr.module else {}
    if isinstance(addr, AbsResourceInstance) and isinstance(addr.resource.key, (IntKey, StringKey)):
        node["instance_key"] = addr.resource.key.value
    return {**node, "to_display": text}


def outputs_json(outputs: Sequence[OutputValue], *, show_sensitive: bool) -> bytes:
    """Render the outputs; numbers in values keep their text (schema: `outputs-output.schema.json`)."""
    return exact_document({"outputs": [_listed_output(output, show_sensitive) for output in outputs]})


def _listed_output(output: OutputValue, show_sensitive: bool) -> dict[str, object]:
    hidden = output.sensitive and not show_sensitive
    type_json = output_type_json(output, hidden=hidden)
    return {
        "name": output.name,
        "type": None if type_json is None else orjson.Fragment(type_json),
        "type_text": output_type_text(output, hidden=hidden),
        "sensitive": output.sensitive,
        "deprecated": output.deprecated or None,
        "value": fragment(output_value(output, show_sensitive=show_sensitive)),
        "hidden": not show_sensitive and hides_output(output),
    }
