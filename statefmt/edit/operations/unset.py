"""`unset`: set single attributes to null, or remove them from a map."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from msgspec import Raw
from msgspec.structs import replace

from statefmt.edit.arguments.assignment import steps_of
from statefmt.edit.changes.attributes import TypedObject, attribute, with_attributes
from statefmt.edit.changes.edit import Edit
from statefmt.edit.changes.json_edit import json_edited
from statefmt.edit.changes.json_shape import may_be_map
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import InstanceState, Snapshot


def unset_attributes(
    snapshot: Snapshot, chosen: Sequence[InstanceState], paths: Sequence[str], *, allow_sensitive: bool = False
) -> Edit:
    """Unset values at paths in the attributes of the current objects of some instances; keep all other bytes.

    An attribute becomes null. A nested value is removed if its parent may be a map, else it becomes null. An object
    whose values all have one kind may be a map; removing its member is safe, since a missing member reads as null.
    Raises SurgeryError if a path does not exist, is an element of a list or set, or is sensitive without
    `allow_sensitive`.
    """

    def changed(typed: TypedObject, old: bytes) -> bytes:
        def without(text: bytes, path: str) -> bytes:
            current = typed._replace(obj=replace(typed.obj, attributes=Raw(text)))
            return _without(current, text, path, allow_sensitive=allow_sensitive)

        return reduce(without, paths, old)

    return with_attributes(snapshot, chosen, changed)


def _without(typed: TypedObject, text: bytes, path: str, *, allow_sensitive: bool) -> bytes:
    steps = steps_of(path)
    attribute(typed, path, steps, allow_sensitive=allow_sensitive)
    holder = attribute(typed, path, steps[:-1], allow_sensitive=True)
    if isinstance(holder, list):
        raise SurgeryError(f"{path} is an element of a list or set; set the whole list or set instead")
    new = None if len(steps) > 1 and may_be_map(holder) else b"null"
    return json_edited(text, steps, lambda _: new)
