"""Identifies a value by the names of its members, and finds its address."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec
from msgspec import Struct

from statefmt.formats.salvage._scan import ScannedValue
from statefmt.formats.salvage._values import integer, is_utf8, string, string_in
from statefmt.formats.salvage.model import Doubt, FoundObject, Head, LostObject, SalvagedKey
from statefmt.formats.versions.v4 import InstanceObjectV4, ResourceV4, StateV4
from statefmt.model.addrs import NO_KEY, InstanceKey, IntKey, StringKey

_STATE_MEMBERS: Final = frozenset({*StateV4.__struct_encode_fields__, "modules", "encrypted_data", "meta"})
# A log line may have a version; other files have these members in no other combination.
_STATE_MARKS: Final = frozenset({"terraform_version", "lineage", "resources", "modules", "encrypted_data"})
_HEAD_MEMBERS: Final = frozenset({"mode", "type", "name"})
_INSTANCE_MARKS: Final = frozenset({"schema_version", "attributes", "attributes_flat", "index_key", "deposed"})
_INSTANCE_MEMBERS: Final = frozenset(InstanceObjectV4.__struct_encode_fields__)
_RESOURCE_MEMBERS: Final = frozenset(ResourceV4.__struct_encode_fields__)
# Releases write these members first, or may leave out what follows.
_FIRST_MEMBERS: Final = frozenset({"index_key", "deposed", "status"})


def is_state(node: ScannedValue) -> bool:
    """Return whether a value is a state, whole or not."""
    names = node.names
    return bool(names & _STATE_MARKS) and len(names & _STATE_MEMBERS) > 1 and not names & _HEAD_MEMBERS


def is_resource(node: ScannedValue) -> bool:
    """Return whether a value is a resource, whole or not."""
    return node.names >= _HEAD_MEMBERS


def is_instance(node: ScannedValue) -> bool:
    """Return whether a value is an object of a resource, whole or not."""
    return bool(node.names & _INSTANCE_MARKS) and not is_resource(node)


def is_odd_state(node: ScannedValue) -> bool:
    """Return whether a state has members of something else behind its resources, or two of one name."""
    return node.repeats or any(is_behind for _, is_behind in odd_members(node))


def odd_members(node: ScannedValue) -> Iterator[tuple[ScannedValue, bool]]:
    """Yield the members of a state that the format does not have; with whether they are behind its resources.

    Those that are may be of an object whose beginning is lost. Others are not: its end would be that of the state.
    """
    resources = node.child("resources")
    for child in node.children:
        if child.name not in _STATE_MEMBERS:
            yield child, resources is None or child.start > resources.start


def is_odd_resource(node: ScannedValue) -> bool:
    """Return whether a resource has members of something else."""
    return not node.names <= _RESOURCE_MEMBERS


def is_odd_instance(node: ScannedValue) -> bool:
    """Return whether an object has members of something else, two of one name, or lacks what every release writes."""
    names = node.names
    lacks = "schema_version" not in names or not names & {"attributes", "attributes_flat"}
    return node.repeats or lacks or not names <= _INSTANCE_MEMBERS


def head_of(text: bytes, node: ScannedValue) -> Head | None:
    """Return the head of a resource; None if a part of its address is lost."""
    values: dict[str, str] = {}
    for name in ("module", "mode", "type", "name"):
        if name not in node.names and name == "module":
            continue
        value = string(text, node.child(name))
        if value is None:
            return None
        values[name] = value
    if not all(is_utf8(text, child) for child in node.children if child.name != "instances"):
        return None
    members = tuple(
        (child.name, text[child.start : child.end])
        for child in node.children
        if child.is_whole and child.name != "instances"
    )
    return Head(values.get("module", ""), values["mode"], values["type"], values["name"], members)


def object_of(text: bytes, node: ScannedValue, head: Head | None) -> FoundObject:
    """Return a whole object; without the head of its resource, or with a key that cannot be, it is headless."""
    key = None if head is None else _key(text, node, head)
    return FoundObject(
        head=head,
        key=key,
        raw=text[node.start : node.end],
        offset=node.start,
        doubt=Doubt.HEADLESS if key is None else None,
        import_id=_import_id(text, node),
    )


def lost_object(text: bytes, node: ScannedValue, head: Head) -> LostObject | None:
    """Return a torn object if its key is certain: releases write the keys first, so another member must follow."""
    if not node.children or node.children[-1].name in _FIRST_MEMBERS:
        return None
    key = _key(text, node, head)
    if key is None:
        return None
    return LostObject(key=key, head=head, offset=node.start, end=node.end, import_id=_import_id(text, node))


def _key(text: bytes, node: ScannedValue, head: Head) -> SalvagedKey | None:
    key: InstanceKey = NO_KEY
    index, deposed = node.child("index_key"), node.child("deposed")
    if index is not None:
        if (name := string(text, index)) is not None:
            key = StringKey(name)
        elif (number := integer(text, index)) is not None:
            key = IntKey(number)
        elif text[index.start : index.end] != b"null":
            return None
    deposed_key = "" if deposed is None else string(text, deposed)
    return None if deposed_key is None else SalvagedKey(head.address, key, deposed_key)


class _Attributes(Struct):
    id: msgspec.Raw = msgspec.Raw(b"null")


def _import_id(text: bytes, node: ScannedValue) -> str:
    attributes = node.child("attributes") or node.child("attributes_flat")
    if attributes is None:
        return ""
    if not attributes.is_whole:
        return string(text, attributes.child("id")) or ""
    try:
        raw = bytes(msgspec.json.decode(memoryview(text)[attributes.start : attributes.end], type=_Attributes).id)
    except (ValueError, RecursionError):
        return ""
    return (string_in(raw) if raw.startswith(b'"') else None) or ""
