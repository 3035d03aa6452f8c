"""`unset`: single attributes of an object set to null, or taken out of a map."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from msgspec import Raw
from msgspec.structs import replace

from statefmt.edit.arguments.assignment import steps_of
from statefmt.edit.changes.attributes import attribute, with_attributes
from statefmt.edit.changes.edit import Edit
from statefmt.edit.changes.json_edit import json_edited
from statefmt.edit.changes.json_shape import may_be_map
from statefmt.model.errors import SurgeryError
from statefmt.model.instances import InstanceState
from statefmt.model.resources import ResourceInstanceObject
from statefmt.model.snapshot import Snapshot


def unset_attributes(
    snapshot: Snapshot, chosen: Sequence[InstanceState], paths: Sequence[str], *, allow_sensitive: bool = False
) -> Edit:
    """Unset what stands at paths in the attributes of the current objects of some instances; all other bytes stay.

    An attribute becomes null. What is deeper down is taken out where it is in what may be a map; an object of
    which all values are of one kind cannot be told from one, and reads the same: a member that it lacks is null.
    Raises SurgeryError where there is nothing at a path, where it is an element of a list or set, and where it is
    sensitive, unless `allow_sensitive`.
    """

    def changed(obj: ResourceInstanceObject, old: bytes) -> bytes:
        def without(text: bytes, path: str) -> bytes:
            return _without(replace(obj, attributes=Raw(text)), text, path, allow_sensitive=allow_sensitive)

        return reduce(without, paths, old)

    return with_attributes(snapshot, chosen, changed)


def _without(obj: ResourceInstanceObject, text: bytes, path: str, *, allow_sensitive: bool) -> bytes:
    steps = steps_of(path)
    attribute(obj, path, steps, allow_sensitive=allow_sensitive)
    holder = attribute(obj, path, steps[:-1], allow_sensitive=True)
    if isinstance(holder, list):
        raise SurgeryError(f"{path} is an element of a list or set, which cannot be unset by itself; set all of it")
    new = None if len(steps) > 1 and may_be_map(holder) else b"null"
    return json_edited(text, steps, lambda _: new)
