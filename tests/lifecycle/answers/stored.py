"""Answers strip_removed, decode_state and upgrade_state."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

from msgspec import Raw

from statefmt.lifecycle.schema import implied_type
from statefmt.lifecycle.stored import decode_state, formatted_path, strip_removed
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.model.addrs.provider import parse_provider_source
from statefmt.model.cty import CtyValueError
from statefmt.model.cty.data import CtyPathError, CtyValue
from statefmt.model.cty.values import read_value
from statefmt.model.snapshot import ResourceInstanceObject
from tests.lifecycle.opentofu.parts import null
from tests.lifecycle.opentofu.upgrade_state import StateUpgradeError, UpgradeRequest, UpgradeTarget, upgrade_state
from tests.lifecycle.values import decode, dump, encode, encode_path, schema_of, type_of

# What the cases call the resource and its provider.
_ADDRESS: Final = "test_thing.x"
_PROVIDER: Final = "registry.opentofu.org/hashicorp/test"


def _strip_removed(case: dict[str, Any]) -> dict[str, Any]:
    attributes = dump(case["attributes"])
    stripped = strip_removed(attributes, type_of(case["type"]))
    return {"attributes_after": _load(stripped), "changed": stripped is not attributes}


def _decode_state(case: dict[str, Any]) -> dict[str, Any]:
    of = implied_type(schema_of(case))
    attributes = dump(case["attributes"])
    output: dict[str, Any] = {"stripped": _load(strip_removed(attributes, of))}
    try:
        read_value(attributes, of)
        output["strict_ok"] = True
    except CtyValueError as error:
        output["strict_error"] = _encode_error(error)
    try:
        output["result"] = encode(decode_state(attributes, of))
    except CtyValueError as error:
        output["error"] = _encode_error(error)
    return output


def _upgrade_state(case: dict[str, Any]) -> dict[str, Any]:
    output: dict[str, Any] = {}
    of = implied_type(schema_of(case))
    answer = decode(case["provider_answer"]) or null(of)

    def ask(request: UpgradeRequest) -> CtyValue:
        asked: dict[str, Any] = {"version": request.version}
        if request.attributes is None:
            asked["flatmap"] = request.attributes_flat
        else:
            asked["json"] = _load(request.attributes)
        output["provider_request"] = asked
        return answer

    target = UpgradeTarget(
        addr=parse_abs_resource_instance(_ADDRESS),
        provider=parse_provider_source(_PROVIDER),
        type=of,
        version=case["current_version"],
    )
    try:
        new = upgrade_state(_object(case["state"]), target, ask)
    except StateUpgradeError as error:
        output["diagnostics"] = sorted(f"{each.summary}\n{each.detail}" for each in error.diagnostics)
        return output
    assert new.attributes is not None
    output["new_state"] = {
        "attributes": _load(bytes(new.attributes)),
        "has_flatmap": new.attributes_flat is not None,
        "schema_version": new.schema_version,
    }
    return output


def _object(state: dict[str, Any]) -> ResourceInstanceObject:
    return ResourceInstanceObject(
        schema_version=state["schema_version"],
        attributes=Raw(dump(state["attributes"])) if "attributes" in state else None,
        attributes_flat=state.get("attributes_flat"),
    )


def _encode_error(error: CtyValueError) -> dict[str, Any]:
    path = error.path if isinstance(error, CtyPathError) else ()
    text = f"{formatted_path(path)}: {error.detail}" if path else error.detail
    return {"message": error.detail, "path": encode_path(path), "text": text}


def _load(raw: bytes) -> Any:
    return json.loads(raw, parse_float=Decimal)


ANSWERS: Final[Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "strip_removed": _strip_removed,
    "decode_state": _decode_state,
    "upgrade_state": _upgrade_state,
}
