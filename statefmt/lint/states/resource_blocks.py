"""The entries of `resources` by the resource that they say: one each, but for files that were edited by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from statefmt.formats.versions.v4 import InstanceObjectV4
from statefmt.lint.subject import ResourcePart, Subject, key_text

_NULL = InstanceObjectV4()


def blocks_by_address(subject: Subject) -> Mapping[str, Sequence[ResourcePart]]:
    """The blocks of each resource, by its address and in the order of the file."""
    return subject.once(_blocks_by_address)


def _blocks_by_address(subject: Subject) -> Mapping[str, Sequence[ResourcePart]]:
    blocks: dict[str, list[ResourcePart]] = {}
    for resource in subject.resources:
        blocks.setdefault(resource.address, []).append(resource)
    return blocks


def objects_of(resource: ResourcePart) -> Sequence[InstanceObjectV4]:
    """The objects of one block; an entry that is null reads as an empty one."""
    return [obj or _NULL for obj in resource.document.instances or ()]


def instance_address(resource: ResourcePart, obj: InstanceObjectV4) -> str:
    """The address of the instance that an object belongs to; a key that is none is left out."""
    return f"{resource.address}{key_text(obj) or ''}"
