"""`set` and `unset`: change single attributes. `set-serial` and `new-lineage`: change the identity of a state."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Final
from uuid import UUID

from msgspec import Raw
from msgspec.structs import replace

from statefmt.edit.attributes import (
    Assignment,
    TypedObject,
    attribute,
    is_wrapping,
    json_edited,
    may_be_map,
    same_shape,
    shape_name,
    steps_of,
    with_attributes,
)
from statefmt.edit.changes import Edit, Note, Selection, choose, with_objects
from statefmt.golang import loads_exact
from statefmt.model.addrs import AbsResource
from statefmt.model.errors import SurgeryError, Wording
from statefmt.model.snapshot import HIGHEST_SERIAL, InstanceState, ResourceInstanceObject, Snapshot

if TYPE_CHECKING:
    # Most runs have no schemas and skip this import.
    from statefmt.lifecycle.schema import ProviderSchemas


# The most addresses that a note lists.
_MOST = 10


def set_request(
    snapshot: Snapshot,
    chosen: Selection,
    shown: Sequence[Assignment],
    secret: Sequence[Assignment] = (),
    *,
    schema_version: int | None = None,
    force_type: bool = False,
    schemas: ProviderSchemas | None = None,
    note: Note = lambda _: None,
) -> Edit:
    """Set attributes of the selected instances: first those whose new values other users may see, then the secret ones.

    With a `schema_version`, all objects of the instances get it. Only secret values may replace sensitive ones. With
    `schemas`, the new attributes must decode by their types, and what these make sensitive counts as such; a note names
    what they cannot tell. Raises SelectionError and SurgeryError.
    """
    before = snapshot
    for given, is_secret in ((shown, False), (secret, True)):
        found = choose(snapshot, chosen, note)
        if schemas is not None and not is_secret:
            from statefmt.edit.operations._decodable import refuse_sensitive

            refuse_sensitive(found, given, schemas)
        snapshot = set_attributes(snapshot, found, given, force_type=force_type, allow_sensitive=is_secret).snapshot
    if schema_version is not None:
        snapshot = with_schema_version(snapshot, choose(snapshot, chosen, note), schema_version).snapshot
    if schemas is not None:
        from statefmt.edit.operations._decodable import refuse_undecodable

        unchecked = refuse_undecodable(before, snapshot, schemas)
        if unchecked:
            return Edit(snapshot, notes=(_note(unchecked),))
    return Edit(snapshot)


def _note(unchecked: Sequence[str]) -> str:
    shown = [f"  {address}" for address in unchecked[:_MOST]]
    more = [f"  … and {len(unchecked) - _MOST:,} more"] if len(unchecked) > _MOST else []
    return "\n".join(["Not checked, as the schemas do not have the type in this schema version:", *shown, *more])


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


def unset_request(snapshot: Snapshot, chosen: Selection, paths: Sequence[str], *, note: Note = lambda _: None) -> Edit:
    """Set attributes of the selected instances to null, or remove them from a map; they may be sensitive.

    Raises SelectionError, and SurgeryError for a path that does not exist.
    """
    if isinstance(paths, str):
        raise TypeError("paths must be several strings, not one")
    return unset_attributes(snapshot, choose(snapshot, chosen, note), paths, allow_sensitive=True)


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


def set_serial(snapshot: Snapshot, serial: int) -> Edit:
    """Set the serial of a state. Raises SurgeryError if it is not an unsigned 64-bit number."""
    if not 0 <= serial <= HIGHEST_SERIAL:
        raise SurgeryError(f"{serial} is not a serial; it must be a whole number from 0 to {HIGHEST_SERIAL}")
    notes = []
    if serial < snapshot.serial:
        notes.append(
            f"the serial was {snapshot.serial}: backends with a higher serial refuse this state, as `tofu state push` "
            "does without -force"
        )
    if serial == HIGHEST_SERIAL:
        notes.append("this is the highest possible serial: nothing can write this state any more")
    return Edit(replace(snapshot, serial=serial), notes=tuple(notes))


def new_lineage(snapshot: Snapshot, lineage: UUID) -> Edit:
    """Give a state a new lineage. Raises SurgeryError if it already has that lineage."""
    if str(lineage) == snapshot.lineage:
        raise SurgeryError(f"{lineage} is already the lineage of the state")
    note = "backends with the old lineage refuse this state, as `tofu state push` does without -force"
    return Edit(replace(snapshot, lineage=str(lineage)), notes=(note,) if snapshot.lineage else ())
