"""Writes the state in a plan file, and the results of checks, as `show -json` prints them.

Sources: `internal/command/jsonstate` and `jsonchecks` of OpenTofu 1.13 and Terraform 1.17.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from msgspec import Raw

from statefmt.formats.reading import read
from statefmt.golang import loads_exact
from statefmt.lifecycle.plan import PlanError
from statefmt.lifecycle.plan_files._members import given, index_member, json_member, module_tree
from statefmt.lifecycle.plan_files._schemas import PlanSchemas
from statefmt.lifecycle.plan_files._shown_values import ShownValue, located, shown_value
from statefmt.lifecycle.schema import TypeSchema
from statefmt.lifecycle.schema_marks import value_marks
from statefmt.lifecycle.stored import decode_state
from statefmt.model.addrs import AbsResourceInstance, ModuleInstance
from statefmt.model.addrs.checkable import Checkable, CheckableKind, parse_checkable
from statefmt.model.cty import CtyError, implied_type
from statefmt.model.cty.data import CtyValue
from statefmt.model.cty.paths import decode_paths
from statefmt.model.cty.values import read_value
from statefmt.model.errors import AddressError, StateError
from statefmt.model.snapshot import InstanceState, ResourceInstanceObject, Snapshot, instances


def prior_state(data: bytes, schemas: PlanSchemas) -> dict[str, Any] | None:
    """Return the member `prior_state`, None for an empty state. Raises PlanError if the state cannot be read."""
    try:
        snapshot = read(data, as_terraform=True).snapshot
    except StateError as error:
        raise PlanError(f"the state in the plan file cannot be read: {error}") from None
    if not (snapshot.outputs or snapshot.resources):
        return None
    checks = check_results(
        Checked(one.object_kind, one.config_addr, one.status, tuple(
            CheckedObject(each.object_addr, each.status, each.failure_messages) for each in one.objects
        ))
        for one in snapshot.check_results
    )  # fmt: skip
    return {
        "format_version": "1.0",
        **given(terraform_version=snapshot.terraform_version),
        "values": _values(snapshot, schemas),
        **({"checks": checks} if checks else {}),
    }


def _values(snapshot: Snapshot, schemas: PlanSchemas) -> dict[str, Any]:
    modules: dict[ModuleInstance, list[dict[str, Any]]] = {ModuleInstance(): []}
    for instance in instances(snapshot):
        for around in instance.addr.module.on_the_way:
            modules.setdefault(around, [])
        modules[instance.addr.module] += _objects(instance, schemas)
    outputs = {
        output.name: {"sensitive": output.sensitive, "value": Raw(output.value), "type": Raw(output.type)}
        for output in snapshot.outputs
    }
    return {**({"outputs": outputs} if outputs else {}), "root_module": module_tree(modules)}


def _objects(instance: InstanceState, schemas: PlanSchemas) -> Iterable[dict[str, Any]]:
    resource, address = instance.resource.addr.resource, instance.addr
    config = instance.resource.provider_config
    schema = None if config is None else schemas.schema(config.provider, resource.mode, resource.type)
    deposed = sorted(instance.deposed, key=lambda obj: obj.deposed)
    for obj in deposed if instance.current is None else (instance.current, *deposed):
        shown = _attributes(obj, schema, address)
        yield {
            "address": str(address),
            "mode": resource.mode.value,
            "type": resource.type,
            "name": resource.name,
            **index_member(address.key),
            "provider_name": "" if config is None else str(config.provider),
            # That of a deposed object is not shown.
            "schema_version": obj.schema_version if obj.is_current else 0,
            **({} if shown.json in (None, b"null") else {"values": json_member(shown)}),
            "sensitive_values": shown.sensitive,
            **({"depends_on": list(map(str, obj.dependencies))} if obj.dependencies else {}),
            **({"tainted": True} if obj.status.value else {}),
            **given(deposed_key=obj.deposed),
            **({} if obj.identity_schema_version is None else {"identity_schema_version": obj.identity_schema_version}),
            **({} if obj.identity is None else {"identity": obj.identity}),
        }


def _attributes(obj: ResourceInstanceObject, schema: TypeSchema | None, address: AbsResourceInstance) -> ShownValue:
    raw = bytes(obj.attributes or b"null")
    paths, _ = decode_paths(obj.sensitive_attributes)
    try:
        value, of = _read(raw, schema)
        sensitive = [found for path in paths if (found := located(value, path)) is not None]
        if of is not None:
            sensitive += [each.path for each in value_marks(of.block, value) if "sensitive" in each.marks]
        return shown_value(value, sensitive)
    except CtyError as error:
        raise PlanError(f"{address}: the state in the plan file has a value that cannot be shown: {error}") from None


def _read(raw: bytes, schema: TypeSchema | None) -> tuple[CtyValue, TypeSchema | None]:
    """Read attributes by their schema; without one, or if it is that of another version, as they are."""
    if schema is not None:
        try:
            return decode_state(raw, schema.type), schema
        except CtyError:
            pass
    return read_value(raw, implied_type(loads_exact(raw, replace_invalid=True))), None


class CheckedObject(NamedTuple):
    """The result for one object: its address and status, and the messages of the conditions that failed."""

    address: str
    status: str
    messages: tuple[str, ...]


class Checked(NamedTuple):
    """The results for the objects of one block."""

    kind: str
    address: str
    status: str
    objects: tuple[CheckedObject, ...]


_KINDS: Final = {kind.value: kind for kind in CheckableKind}
_SHOWN_KINDS: Final = {CheckableKind.OUTPUT: "output_value"}


def check_results(results: Iterable[Checked]) -> list[dict[str, Any]]:
    """Return the member `checks`. Raises PlanError."""
    found: list[dict[str, Any]] = []
    for one in results:
        objects: list[dict[str, Any]] = [_object(one.kind, each) for each in one.objects]
        by_address = {"instances": sorted(objects, key=_display)} if objects else {}
        found.append({"address": _block_address(one), "status": one.status, **by_address})
    return sorted(found, key=_display)


def _display(written: dict[str, Any]) -> str:
    return str(written["address"]["to_display"])


def _block_address(result: Checked) -> dict[str, Any]:
    kind, found = _parsed(result.kind, result.address)
    module = {"module": str(found.module)} if found.module.steps else {}
    written = {"kind": _SHOWN_KINDS.get(kind, kind.value), **module, "to_display": result.address}
    if isinstance(found, AbsResourceInstance):
        resource = found.resource.resource
        return {**written, "mode": resource.mode.value, "name": resource.name, "type": resource.type}
    return {**written, "name": found.name}


def _object(kind: str, one: CheckedObject) -> dict[str, Any]:
    _, found = _parsed(kind, one.address)
    key = index_member(found.key) if isinstance(found, AbsResourceInstance) else {}
    return {
        "address": {
            "to_display": one.address,
            **({"module": str(found.module)} if found.module.steps else {}),
            **({"instance_key": key["index"]} if key else {}),
        },
        "status": one.status,
        **({"problems": [{"message": message} for message in sorted(one.messages)]} if one.messages else {}),
    }


def _parsed(kind: str, address: str) -> tuple[CheckableKind, Checkable]:
    if kind not in _KINDS:
        raise PlanError(
            f"{address}: the plan file has a check of the unknown kind {kind}; a newer statetool may know it"
        )
    try:
        return _KINDS[kind], parse_checkable(_KINDS[kind], address)
    except AddressError as error:
        raise PlanError(f"the plan file contains a check of the invalid address {address!r}: {error.detail}") from None
