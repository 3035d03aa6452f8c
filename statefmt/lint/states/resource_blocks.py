"""Groups the entries of `resources` by resource. Only files edited by hand have several for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from statefmt.formats.versions.v4 import InstanceObjectV4
from statefmt.lint.subject import ResourcePart, Subject, key_text

_NULL = InstanceObjectV4()


def blocks_by_address(subject: Subject) -> Mapping[str, Sequence[ResourcePart]]:
    """Return the blocks of each resource by address, in the order of the file."""
    return subject.once(_blocks_by_address)


def _blocks_by_address(subject: Subject) -> Mapping[str, Sequence[ResourcePart]]:
    blocks: dict[str, list[ResourcePart]] = {}
    for resource in subject.resources:
        blocks.setdefault(resource.address, []).append(resource)
    return blocks


def objects_of(resource: ResourcePart) -> Sequence[InstanceObjectV4]:
    """Return the objects of one block; a null entry reads as an empty object."""
    return [obj or _NULL for obj in resource.document.instances or ()]


def instance_address(resource: ResourcePart, obj: InstanceObjectV4) -> str:
    """Return the address of an object's instance; an invalid key is left out."""
    return f"{resource.address}{key_text(obj) or ''}"
