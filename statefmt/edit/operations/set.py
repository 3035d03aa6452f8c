"""`set`: replace single attributes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final

from msgspec import Raw
from msgspec.structs import replace

from statefmt.edit.arguments.assignment import Assignment
from statefmt.edit.changes.attributes import TypedObject, attribute, with_attributes
from statefmt.edit.changes.edit import Edit
from statefmt.edit.changes.json_edit import is_wrapping, json_edited
from statefmt.edit.changes.json_shape import same_shape, shape_name
from statefmt.edit.changes.resources import with_objects
from statefmt.golang import loads_exact
from statefmt.model.addrs import AbsResource
from statefmt.model.errors import SurgeryError, Wording
from statefmt.model.snapshot import InstanceState, ResourceInstanceObject, Snapshot

_FORCE_TYPE: Final = Wording("--force-type", "force_type=True")


def set_attributes(
    snapshot: Snapshot,
    chosen: Sequence[InstanceState],
    assignments: Sequence[Assignment],
    *,
    force_type: bool = False,
    allow_sensitive: bool = False,
) -> Edit:
    """Set values at paths in the attributes of the current objects of some instances; keep all other bytes.

    Values are written exactly as given. Raises SurgeryError if a path does not exist, if the old value has another
    type (unless `force_type`) or if it is sensitive (unless `allow_sensitive`).
    """

    def changed(typed: TypedObject, old: bytes) -> bytes:
        def assigned(text: bytes, assignment: Assignment) -> bytes:
            current = typed._replace(obj=replace(typed.obj, attributes=Raw(text)))
            return _assigned(current, text, assignment, force_type=force_type, allow_sensitive=allow_sensitive)

        return reduce(assigned, assignments, old)

    return with_attributes(snapshot, chosen, changed)


def with_schema_version(snapshot: Snapshot, chosen: Sequence[InstanceState], version: int) -> Edit:
    """Set the schema version of all objects of some instances; their attributes keep their bytes.

    Raises SurgeryError if the version is not a number that a provider can have.
    """
    if not 0 <= version < 2**63:
        raise SurgeryError(f"a schema version is a number from 0 to {2**63 - 1}, not {version}")
    wanted = {instance.addr for instance in chosen}

    def changed(resource: AbsResource, obj: ResourceInstanceObject) -> ResourceInstanceObject:
        same = obj.schema_version == version or resource.instance(obj.key) not in wanted
        return obj if same else replace(obj, schema_version=version)

    return Edit(with_objects(snapshot, changed))


def _assigned(
    typed: TypedObject, text: bytes, assignment: Assignment, *, force_type: bool, allow_sensitive: bool
) -> bytes:
    path, steps, value = assignment
    attribute(typed, path, steps, allow_sensitive=allow_sensitive)

    def checked(old: bytes) -> bytes:
        one, other = loads_exact(old, replace_invalid=True), loads_exact(value)
        if not force_type and not is_wrapping(old) and not same_shape(one, other):
            inner = " with other contents" if shape_name(one) == shape_name(other) else ""
            raise SurgeryError(
                f"{path} is {shape_name(one)}, but the new value is {shape_name(other)}{inner}; ",
                _FORCE_TYPE,
                " sets it anyway",
            )
        return value

    try:
        return json_edited(text, steps, checked, whole_wrapping=is_wrapping(value))
    except ValueError as error:
        raise SurgeryError(f"{path}: {error}") from error
