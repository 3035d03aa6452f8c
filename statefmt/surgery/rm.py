"""`rm`: instances forgotten; what they stand for goes on without the state."""

from __future__ import annotations

from collections.abc import Collection

from statefmt.addrs import AbsResourceInstance
from statefmt.states import Snapshot
from statefmt.surgery.dependencies import dropping
from statefmt.surgery.edit import Edit
from statefmt.surgery.resources import without_instances


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
