"""Reads the attributes that say where an object is, and which other objects it names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
from msgspec import Struct

from statefmt.model.resources import ResourceInstanceObject
from statefmt.redaction.object_value import sensitive_paths
from statefmt.redaction.path_text import step_key

# A shorter value may be in an attribute by chance.
_SHORTEST_ID: Final = 6
_REGION_IN_ARN: Final = 3


class _Whereabouts(Struct):
    """The attributes that say where an object is, and the ones that name it in others."""

    id: object = None
    arn: object = None
    self_link: object = None
    region: object = None
    location: object = None


def region_of(obj: ResourceInstanceObject) -> str:
    """Return the region or location that the attributes name, "" if none; a sensitive one is not used."""
    found = _whereabouts(obj)
    hidden = {str(step_key(path[0])) if path else "" for path in sensitive_paths(obj)}
    if "" in hidden:
        return ""
    for name, value in (("region", found.region), ("location", found.location)):
        if isinstance(value, str) and value and name not in hidden:
            return value
    if isinstance(found.arn, str) and "arn" not in hidden and found.arn.startswith("arn:"):
        parts = found.arn.split(":")
        return parts[_REGION_IN_ARN] if len(parts) > _REGION_IN_ARN else ""
    return ""


def _whereabouts(obj: ResourceInstanceObject) -> _Whereabouts:
    if obj.attributes is None:
        flat = obj.attributes_flat or {}
        return _Whereabouts(**{name: flat.get(name) for name in _Whereabouts.__struct_fields__})
    try:
        return msgspec.json.decode(obj.attributes, type=_Whereabouts)
    except (msgspec.DecodeError, RecursionError):
        return _Whereabouts()


def ids_of(obj: ResourceInstanceObject) -> Iterator[str]:
    """Yield the values by which other objects name this one."""
    found = _whereabouts(obj)
    for text in (found.id, found.arn, found.self_link):
        if isinstance(text, str) and len(text) >= _SHORTEST_ID:
            yield text


def strings_of(obj: ResourceInstanceObject) -> Iterable[str]:
    """Return the strings in the attributes."""
    if obj.attributes is None:
        return (obj.attributes_flat or {}).values()
    try:
        waiting: list[object] = [msgspec.json.decode(obj.attributes)]
    except (msgspec.DecodeError, RecursionError):
        return ()
    found: list[str] = []
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return found
