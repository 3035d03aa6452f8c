"""Renders check results as in OpenTofu's `show -json`.

Source: OpenTofu `internal/command/jsonchecks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from statefmt.model.addrs import AbsResourceInstance, ConfigResource, IntKey, StringKey
from statefmt.model.addrs.checkable import CheckableKind, parse_checkable
from statefmt.model.snapshot import CheckObject, CheckResult

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
