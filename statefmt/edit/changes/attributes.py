"""Finds and changes attributes for `set` and `unset`, with their checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from msgspec import Raw
from msgspec.structs import replace

from statefmt.edit.changes.edit import Edit
from statefmt.edit.changes.resources import with_objects
from statefmt.golang import JSONValue
from statefmt.model.addrs import AbsResource
from statefmt.model.errors import SelectionError, SurgeryError
from statefmt.model.snapshot import InstanceState, ResourceInstanceObject, Snapshot
from statefmt.redaction.attribute_values import look_up
from statefmt.redaction.object_value import attributes_value
from statefmt.redaction.partial import contains_hidden, decoded


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
