"""`rm`: instances, or single deposed objects, forgotten; what they stand for goes on without the state."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from statefmt.addrs import AbsResourceInstance
from statefmt.errors import SurgeryError
from statefmt.states import Snapshot
from statefmt.surgery.dependencies import dropping
from statefmt.surgery.edit import Edit
from statefmt.surgery.resources import by_address, without_instances


def rm(snapshot: Snapshot, gone: Collection[AbsResourceInstance], *, keep_dangling: bool = False) -> Edit:
    """Forget instances with all their objects, and resources with their last one.

    Dependencies on a resource that is gone as a whole are dropped, unless `keep_dangling`. The notes name the instances
    that had one.
    """
    left = without_instances(snapshot, gone)
    kept = {resource.addr.config() for resource in left.resources if resource.objects}
    lost = {addr.config() for addr in gone} - kept
    dropped, dependants = dropping(left, lost)
    if not dependants:
        return Edit(left)
    what = "still depend on what is gone" if keep_dangling else "depended on what is gone, and no longer do"
    note = f"these instances {what}:" + "".join(f"\n  {addr}" for addr in dependants)
    return Edit(left if keep_dangling else dropped, notes=(note,))


def forget_deposed(snapshot: Snapshot, addr: AbsResourceInstance, deposed: str) -> Edit:
    """Forget one deposed object of an instance. Raises SurgeryError where it has none with that key."""
    resources = by_address(snapshot)
    resource = resources.get(addr.containing_resource())
    found = [obj for obj in resource.objects if obj.key == addr.key] if resource else []
    if resource is None or not found:
        raise SurgeryError(f"{addr}: there is no such instance")
    if deposed not in {obj.deposed for obj in found if obj.deposed}:
        known = ", ".join(obj.deposed for obj in found if obj.deposed) or "none"
        raise SurgeryError(f"{addr}: there is no deposed object {deposed!r}; the deposed keys are: {known}")
    if len(found) == 1:
        return rm(snapshot, [addr])
    left = tuple(obj for obj in resource.objects if (obj.key, obj.deposed) != (addr.key, deposed))
    resources[resource.addr] = replace(resource, objects=left)
    return Edit(replace(snapshot, resources=tuple(resources.values())))
