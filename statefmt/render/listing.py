"""Renders resource instances, or their objects, as a table, as JSON and as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from statefmt.analysis.object_id import shown_id
from statefmt.analysis.providers import short_names
from statefmt.model.addrs import AbsResourceInstance, IntKey, StringKey
from statefmt.model.snapshot import InstanceState, ObjectStatus, ResourceInstanceObject
from statefmt.render.json_output import document
from statefmt.render.table import csv_text, fitted_table
from statefmt.render.terminal import Terminal
from statefmt.text import printable

INSTANCE_MEMBERS: Final = ("address", "module", "mode", "type", "name", "key")
OBJECT_MEMBERS: Final = ("deposed_key", "id", "provider_instance", "status", "schema_version")

# The id is last: a long id must not push other columns out of sight.
_HEADINGS: Final = ("address", "status", "schema", "provider", "id")
_NOTHING: Final = "-"
_READY: Final = ObjectStatus.READY.name.lower()


def listing_table(
    found: Sequence[InstanceState], terminal: Terminal, *, columns: int | None, show_sensitive: bool
) -> str:
    """Render a row per object: the current object of an instance, then its deposed ones.

    In a table wider than `columns` (None for any width), each address is on a line above its objects.
    """

    bound = {provider for instance in found for obj in instance.objects if (provider := instance.provider(obj))}
    names = {provider: printable(name) for provider, name in short_names(bound).items()}
    rows = [
        (
            printable(str(instance.addr)),
            _status(obj, terminal),
            str(obj.schema_version),
            _NOTHING if (provider := instance.provider(obj)) is None else names[provider],
            printable(_id(instance, obj, show_sensitive=show_sensitive) or _NOTHING),
        )
        for instance in found
        for obj in instance.current_first
    ]
    return fitted_table(_HEADINGS, rows, terminal, columns=columns, right="  r")


def listing_json(found: Sequence[InstanceState], *, long: bool, show_sensitive: bool) -> bytes:
    """Render each instance with the parts of its address, and if `long` its objects.

    Schema: `list-output.schema.json`.
    """
    if not long:
        return document(instances=[_instance(instance.addr) for instance in found])
    instances = [
        _instance(instance.addr)
        | {"objects": [_object(instance, obj, show_sensitive=show_sensitive) for obj in instance.current_first]}
        for instance in found
    ]
    return document(instances=instances)


def listing_csv(found: Sequence[InstanceState], *, long: bool, show_sensitive: bool) -> bytes:
    """Render a record per instance, or if `long` per object, after a header record.

    See `csv_text` for strings that a spreadsheet would interpret as a formula.
    """
    members = INSTANCE_MEMBERS + (OBJECT_MEMBERS if long else ())
    records: list[dict[str, object]] = []
    for instance in found:
        parts = _instance(instance.addr)
        if long:
            records += [parts | _object(instance, obj, show_sensitive=show_sensitive) for obj in instance.current_first]
        else:
            records.append(parts)
    return csv_text([members, *([record[name] for name in members] for record in records)])


def _instance(addr: AbsResourceInstance) -> dict[str, object]:
    key = addr.key
    resource = addr.resource.resource
    return {
        "address": str(addr),
        "module": str(addr.module),
        "mode": resource.mode.value,
        "type": resource.type,
        "name": resource.name,
        "key": key.value if isinstance(key, (IntKey, StringKey)) else None,
    }


def _object(instance: InstanceState, obj: ResourceInstanceObject, *, show_sensitive: bool) -> dict[str, object]:
    provider = instance.provider(obj)
    return {
        "deposed_key": obj.deposed or None,
        "id": _id(instance, obj, show_sensitive=show_sensitive),
        "provider_instance": None if provider is None else str(provider),
        "status": obj.status.name.lower(),
        "schema_version": obj.schema_version,
    }


def _id(instance: InstanceState, obj: ResourceInstanceObject, *, show_sensitive: bool) -> str | None:
    return shown_id(obj, instance.resource.addr.resource.type, show_sensitive=show_sensitive)


def _status(obj: ResourceInstanceObject, terminal: Terminal) -> str:
    words = [] if obj.is_current else [f"deposed {printable(obj.deposed)}"]
    if obj.status is ObjectStatus.TAINTED:
        words.append("tainted")
    return terminal.paint(", ".join(words), "yellow") if words else _READY
