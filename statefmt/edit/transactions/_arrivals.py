"""Makes the content of a state that gives and takes in a circle between its two writes."""

from __future__ import annotations

from collections.abc import Collection
from itertools import count
from typing import Final

from msgspec.structs import replace

from statefmt.model.addrs import AbsResource, AbsResourceInstance
from statefmt.model.snapshot import ResourceState, Snapshot

_PARKED: Final = "statetool_arriving_"


def with_arrivals(before: Snapshot, after: Snapshot, arrived: Collection[AbsResourceInstance]) -> Snapshot:
    """Return `before` with the instances that `arrived` from other states, as they are in `after`, and its serial.

    Those of a resource that `before` has, too, get another name for this time: nothing joins or replaces it.
    """
    taken = {resource.addr for resource in before.resources}
    came: list[ResourceState] = []
    for resource in after.resources:
        objects = [obj for obj in resource.objects if resource.addr.instance(obj.key) in arrived]
        if objects:
            addr = _free(resource.addr, taken)
            taken.add(addr)
            new = tuple(replace(obj, origin=None) for obj in objects)
            came.append(replace(resource, addr=addr, objects=new, origin=()))
    return replace(before, serial=after.serial, resources=(*before.resources, *came))


def _free(addr: AbsResource, taken: Collection[AbsResource]) -> AbsResource:
    """Return the address, or one with another name if it is taken."""
    number = count(2)
    free, name = addr, _PARKED + addr.resource.name
    while free in taken:
        free = replace(addr, resource=replace(addr.resource, name=name))
        name = f"{_PARKED}{next(number)}_{addr.resource.name}"
    return free
