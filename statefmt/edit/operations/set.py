"""`set` and `unset` change attributes, `set-serial` and `new-lineage` the identity of a state.

Edits by hand change attributes, too. All keep every other byte of the attributes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias
from uuid import UUID

from msgspec import Raw
from msgspec.structs import replace

from statefmt.edit.changes import Edit, Note, Selection, choose, named, with_objects
from statefmt.formats.raw_json import Container, RawItem, container_at, value_at
from statefmt.golang import JSONValue, Members, kind_name, loads_exact, nfc
from statefmt.model.addrs import AbsResource
from statefmt.model.cty import CtyError, CtyTypeError, CtyValueError, Type, parse_type
from statefmt.model.cty.values import read_value
from statefmt.model.errors import SelectionError, SurgeryError, Wording
from statefmt.model.snapshot import HIGHEST_SERIAL, InstanceState, ResourceInstanceObject, ResourceState, Snapshot
from statefmt.redaction.attribute_values import look_up
from statefmt.redaction.object_value import attributes_value
from statefmt.redaction.partial import contains_hidden, decoded, parse_path, path_text
from statefmt.text import pattern

if TYPE_CHECKING:
    # Most runs have no schemas and skip this import, here and below.
    from statefmt.lifecycle.schema import ProviderSchemas

# The most addresses that a note lists.
_MOST_LISTED = 10


def set_attributes(
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
    """Set attributes of the selected instances: first the `shown` values, which other users may see, then `secret`
    values.

    With a `schema_version`, set it on all objects of the instances. Only secret values may replace sensitive values.
    With `schemas`, the new attributes must decode by their types, and sensitive attributes of the schemas count as
    sensitive; a note names the objects that the schemas cannot check. Raises SelectionError and SurgeryError.
    """
    before = snapshot
    for given, is_secret in ((shown, False), (secret, True)):
        found = choose(snapshot, chosen, note)
        if schemas is not None and not is_secret:
            _refuse_sensitive(found, given, schemas)
        snapshot = _assigned_in(snapshot, found, given, force_type=force_type, allow_sensitive=is_secret)
    if schema_version is not None:
        snapshot = with_schema_version(snapshot, choose(snapshot, chosen, note), schema_version).snapshot
    if schemas is not None:
        unchecked = _refuse_undecodable(before, snapshot, schemas)
        if unchecked:
            shown_lines = [f"  {address}" for address in unchecked[:_MOST_LISTED]]
            more = [f"  … and {len(unchecked) - _MOST_LISTED:,} more"] if len(unchecked) > _MOST_LISTED else []
            title = "Not checked, as the schemas do not have the type in this schema version:"
            return Edit(snapshot, notes=("\n".join([title, *shown_lines, *more]),))
    return Edit(snapshot)


_FORCE_TYPE: Final = Wording("--force-type", "force_type=True")


def _assigned_in(
    snapshot: Snapshot,
    chosen: Sequence[InstanceState],
    assignments: Sequence[Assignment],
    *,
    force_type: bool,
    allow_sensitive: bool,
) -> Snapshot:
    """Set values at paths in the attributes of the current objects of some instances; keep all other bytes.

    Values are written exactly as given. Raises SurgeryError if a path does not exist, if the old value has another
    type (unless `force_type`) or if it is sensitive (unless `allow_sensitive`).
    """

    def changed(typed: TypedObject, old: bytes) -> bytes:
        def assigned(text: bytes, assignment: Assignment) -> bytes:
            current = typed._replace(obj=replace(typed.obj, attributes=Raw(text)))
            return _assigned(current, text, assignment, force_type=force_type, allow_sensitive=allow_sensitive)

        return reduce(assigned, assignments, old)

    return with_attributes(snapshot, chosen, changed).snapshot


def with_schema_version(snapshot: Snapshot, chosen: Sequence[InstanceState], version: int) -> Edit:
    """Set the schema version of all objects of some instances; their attributes keep their bytes.

    Raises SurgeryError if no provider can have this version.
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


def unset_attributes(
    snapshot: Snapshot, chosen: Selection, paths: Sequence[str], *, note: Note = lambda _: None
) -> Edit:
    """Unset values at paths in the attributes of the selected instances, which may be sensitive; keep all other bytes.

    An attribute becomes null. A nested value is removed if its parent may be a map, else it becomes null. An object
    whose values all have one kind may be a map; removing its member is safe, since a missing member reads as null.
    Raises SelectionError, and SurgeryError if a path does not exist or is an element of a list or set.
    """
    if isinstance(paths, str):
        raise TypeError("paths must be several strings, not one")

    def changed(typed: TypedObject, old: bytes) -> bytes:
        def without(text: bytes, path: str) -> bytes:
            return _unset_at(typed._replace(obj=replace(typed.obj, attributes=Raw(text))), text, path)

        return reduce(without, paths, old)

    return with_attributes(snapshot, choose(snapshot, chosen, note), changed)


def _unset_at(typed: TypedObject, text: bytes, path: str) -> bytes:
    steps = steps_of(path)
    attribute(typed, path, steps, allow_sensitive=True)
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


def _refuse_undecodable(before: Snapshot, after: Snapshot, schemas: ProviderSchemas) -> tuple[str, ...]:
    """Raise SurgeryError if objects that differ between two snapshots with the same objects do not decode.

    Return the addresses of changed objects that cannot be checked: objects of another schema version, and objects
    without a schema. Raises SchemaError if a schema is invalid.
    """
    unchecked: list[str] = []
    refused: list[str] = []
    for old, new in zip(before.resources, after.resources, strict=True):
        if new is not old:
            for one, other in zip(old.objects, new.objects, strict=True):
                if other.attributes is one.attributes and other.schema_version == one.schema_version:
                    continue
                reason = _refusal(new, other, schemas)
                if reason is None:
                    unchecked.append(str(new.addr.instance(other.key)))
                elif reason:
                    refused.append(reason)
    if len(refused) == 1:
        raise SurgeryError(refused[0])
    if refused:
        raise SurgeryError(f"the attributes of {len(refused)} objects do not fit the schema:{named(refused)}")
    return tuple(unchecked)


def _refuse_sensitive(
    chosen: Sequence[InstanceState], assignments: Sequence[Assignment], schemas: ProviderSchemas
) -> None:
    """Raise SurgeryError if visible assignments would replace a value that the schemas make sensitive."""
    if not assignments:
        return
    from statefmt.lifecycle.schema_marks import typed_instance

    for instance in chosen:
        current = typed_instance(instance, schemas).current
        if current is None or current.attributes is None:
            continue
        for path, steps, _ in assignments:
            attribute(TypedObject(current, instance.resource.addr.resource.type), path, steps, allow_sensitive=False)


def _refusal(resource: ResourceState, obj: ResourceInstanceObject, schemas: ProviderSchemas) -> str | None:
    """Return why attributes do not decode by their schema: "" if they do, None if it cannot be checked."""
    config, addr = resource.provider_config, resource.addr.resource
    schema = None if config is None else schemas.schema(config.provider, addr.mode, addr.type)
    if schema is None or obj.attributes is None or obj.schema_version != schema.version:
        return None
    from statefmt.lifecycle.stored import decode_state, undecodable_reason, undecodable_steps

    try:
        decode_state(bytes(obj.attributes), schema.type)
    except CtyValueError as error:
        where = path_text(undecodable_steps(error)) or "the attributes"
        address = str(resource.addr.instance(obj.key))
        return f"{address}: {where}: {undecodable_reason(error)}, by the schema"
    return ""


class TypedObject(NamedTuple):
    """An object and the type of its resource."""

    obj: ResourceInstanceObject
    type_name: str


# Returns the new attributes of an object as JSON text, or raises SurgeryError.
AttributeChange: TypeAlias = Callable[[TypedObject, bytes], bytes]


def with_attributes(snapshot: Snapshot, chosen: Sequence[InstanceState], change: AttributeChange) -> Edit:
    """Change the attributes of the current objects of some instances.

    Raises SurgeryError, with the address, if an instance has no current object or has the flat attributes of Terraform
    before 0.12, or if `change` raises it.
    """
    wanted = {instance.addr for instance in chosen}
    for instance in chosen:
        if instance.current is None:
            raise SurgeryError(
                f"{instance.addr} has no current object; only current objects can be edited", address=instance.addr
            )

    def changed(resource: AbsResource, obj: ResourceInstanceObject) -> ResourceInstanceObject:
        addr = resource.instance(obj.key)
        if not obj.is_current or addr not in wanted:
            return obj
        if obj.attributes is None:
            raise SurgeryError(
                f"{addr} has flat attributes from Terraform before 0.12; apply once, then edit", address=addr
            )
        old = bytes(obj.attributes)
        try:
            new = change(TypedObject(obj, resource.resource.type), old)
        except SurgeryError as error:
            raise SurgeryError(f"{addr}: ", *error.parts, address=addr) from error
        except RecursionError as error:
            raise SurgeryError(f"{addr}: the attributes are nested too deeply to be edited", address=addr) from error
        return obj if new == old else replace(obj, attributes=Raw(new))

    return Edit(with_objects(snapshot, changed))


def attribute(typed: TypedObject, path: str, steps: Sequence[str | int], *, allow_sensitive: bool) -> JSONValue:
    """Return the value at a path. Raises SurgeryError if it does not exist or contains anything sensitive."""
    try:
        value = look_up(decoded(attributes_value(*typed, show_sensitive=allow_sensitive)), steps)
    except (SelectionError, ValueError) as error:
        raise SurgeryError(str(error)) from error
    if contains_hidden(value):
        raise SurgeryError(
            f"{path} is sensitive or contains sensitive values. A secret on the command line is visible to others: "
            "pass it in a file or in the environment"
        )
    return value


# A path up to the first equals sign that is not in quotes.
_ASSIGNMENT: Final = pattern(r'((?:[^="]|"(?:[^"\\]|\\.)*")*)=(.*)', re.DOTALL)
_WORD: Final = pattern(r"[\w.:/@ -]+")


class Assignment(NamedTuple):
    """A path into attributes, as given and as steps, and the exact JSON text of the new value."""

    path: str
    steps: tuple[str | int, ...]
    value: bytes


def parse_assignment(text: str) -> Assignment:
    """Parse `PATH=JSON`. Raises SurgeryError if it is invalid, without the value in the message."""
    match = _ASSIGNMENT.fullmatch(text)
    if match is None:
        raise SurgeryError("no equals sign between path and value; write PATH=JSON")
    path = match[1].strip()
    return assignment(path, match[2])


def assignment(path: str, text: str) -> Assignment:
    """Return the assignment of a JSON text to a path. Raises SurgeryError if one is invalid, without the value."""
    return Assignment(path, steps_of(path), json_value(path, text))


def steps_of(path: str) -> tuple[str | int, ...]:
    """Parse a path into attributes. Raises SurgeryError if it is invalid."""
    try:
        return parse_path(path)
    except SelectionError as error:
        raise SurgeryError(str(error)) from error


def json_value(path: str, text: str) -> bytes:
    """Return the JSON text for a path, unchanged. Raises SurgeryError if it is not valid JSON."""
    try:
        value = text.strip(" \t\r\n").encode()
        loads_exact(value)
    except ValueError as error:
        hint = f"; a string needs quotes: '{path}=\"…\"'" if _WORD.fullmatch(text) else ""
        raise SurgeryError(f"the value for {path} is not valid JSON{hint}") from error
    return value


# Replaces or removes one value inside a JSON text and keeps all other bytes.
# Attributes of dynamic type are wrapped as `{"value": …, "type": …}`. Paths skip the wrapping, as `show` does when it
# prints such values, and a new value in it must have that type.

# Returns the new text of a value, or None to remove it from its object or map.
JsonChange: TypeAlias = Callable[[bytes], bytes | None]
_WRAPPING: Final = ["value", "type"]


def json_edited(text: bytes, steps: Sequence[str | int], change: JsonChange, *, whole_wrapping: bool = False) -> bytes:
    """Change the value that the steps lead to; of repeated members, the last one.

    With `whole_wrapping`, the value includes its wrapping, if any. Raises SurgeryError if the path does not exist, if
    an array element would be removed, or if a value does not have its type.
    """
    new = _edited(text, steps, change, whole_wrapping)
    if new is None:
        raise SurgeryError("the attributes cannot be removed as a whole")
    return new


def is_wrapping(text: bytes) -> bool:
    """Return whether a text is a wrapped value of dynamic type."""
    span = value_at(text)
    return text[span.start : span.start + 1] == b"{" and _wrapped_type(text, container_at(text)) is not None


def _edited(text: bytes, steps: Sequence[str | int], change: JsonChange, whole_wrapping: bool) -> bytes | None:
    if text[:1] not in (b"{", b"["):
        if steps:
            raise SurgeryError("the path does not exist")
        return change(text)
    container = container_at(text)
    of = _wrapped_type(text, container)
    if of is not None and (steps or not whole_wrapping):
        item = container.items[0]
        inner = _edited(text[item.value.start : item.value.end], steps, change, whole_wrapping)
        return None if inner is None else _put(text, item, _of_type(inner, of))
    if not steps:
        return change(text)
    item = _item(text, container, steps[0])
    new = _edited(text[item.value.start : item.value.end], steps[1:], change, whole_wrapping)
    if new is not None:
        return _put(text, item, new)
    if text[:1] == b"[":
        raise SurgeryError("cannot remove a single element of a list or set; set the whole list or set")
    return _without(text, container, item.name)


def _item(text: bytes, container: Container, step: str | int) -> RawItem:
    if text[:1] == b"[":
        found = container.items[step : step + 1] if isinstance(step, int) and step >= 0 else ()
    else:
        # A map key may look like the number of an element.
        found = tuple(item for item in container.items if nfc(item.name) == str(step))
    if not found:
        raise SurgeryError("the path does not exist")
    return found[-1]


def _put(text: bytes, item: RawItem, value: bytes) -> bytes:
    return text[: item.value.start] + value + text[item.value.end :]


def _without(text: bytes, container: Container, name: str) -> bytes:
    """Remove a member of an object, with all its repetitions: an earlier one would take effect otherwise."""
    kept = [item for item in container.items if item.name != name]
    if not kept:
        return b"{}"
    lead = container.items[0].before
    parts = [text[: lead.end], text[kept[0].whole.start : kept[0].whole.end]]
    parts += [text[item.before.start : item.whole.end] for item in kept[1:]]
    return b"".join((*parts, text[container.after.start :]))


def _wrapped_type(text: bytes, container: Container) -> Type | None:
    """Return the type that a wrapping contains; None if the text is not a wrapping."""
    if text[container.span.start : container.span.start + 1] != b"{":
        return None
    if [item.name for item in container.items] != _WRAPPING:
        return None
    span = container.items[1].value
    try:
        return parse_type(text[span.start : span.end])
    except CtyTypeError:
        return None


def _of_type(value: bytes, of: Type) -> bytes:
    try:
        read_value(value, of)
    except CtyError as error:
        raise SurgeryError(
            "the value does not have the type that the state records for it; give both as "
            f'{{"value": …, "type": …}} ({error.detail})'
        ) from error
    return value


def same_shape(old: JSONValue, new: JSONValue) -> bool:
    """Return whether `new` may have the type of `old`.

    Null has any type. An array element must be like one of the old elements. A member must be like the old member of
    that name or, if new, like any old member, because the object may be a map. A missing member is null.
    """
    if old is None or new is None:
        return True
    if kind_name(old) != kind_name(new):
        return False
    if isinstance(old, Members) and isinstance(new, Members):
        before = dict(old)
        return all(
            same_shape(before[name], value) if name in before else _like_any(list(before.values()), value)
            for name, value in new
        )
    if isinstance(old, list) and isinstance(new, list):
        return all(_like_any(old, value) for value in new)
    return True


def shape_name(value: JSONValue) -> str:
    """Return the type of a value for messages: `a number`, `an array of strings`, `null`."""
    kind = kind_name(value)
    if value is None:
        return kind
    if isinstance(value, list) and value and not isinstance(value[0], (list, Members)) and value[0] is not None:
        return f"an array of {kind_name(value[0])}s"
    return f"{'an' if kind[0] in 'ao' else 'a'} {kind}"


def may_be_map(value: JSONValue) -> bool:
    """Return whether an object may be a map: its values all have the same kind."""
    if not isinstance(value, Members):
        return False
    return len({kind_name(item) for _, item in value if item is not None}) < 2


def _like_any(values: list[JSONValue], new: JSONValue) -> bool:
    return not values or any(same_shape(value, new) for value in values)
