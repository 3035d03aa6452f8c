"""`rm`: instances forgotten; what they stand for goes on without the state."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from statefmt.edit.changes.dependencies import dropping
from statefmt.edit.changes.edit import Edit
from statefmt.edit.changes.resources import without_instances
from statefmt.model.addrs import AbsResource, AbsResourceInstance
from statefmt.model.snapshot import Snapshot


def rm(
    snapshot: Snapshot,
    gone: Collection[AbsResourceInstance],
    empty: Collection[AbsResource] = (),
    *,
    keep_dangling: bool = False,
) -> Edit:
    """Forget instances with all their objects, resources with their last one, and `empty` resources without any.

    Dependencies on a resource that is gone as a whole are dropped, unless `keep_dangling`. The notes name the instances
    that had one.
    """
    left = without_instances(snapshot, gone)
    if empty:
        left = replace(left, resources=tuple(one for one in left.resources if one.objects or one.addr not in empty))
    kept = {resource.addr.config() for resource in left.resources if resource.objects}
    lost = ({addr.config() for addr in gone} | {addr.config() for addr in empty}) - kept
    dropped, dependants = dropping(left, lost)
    if not dependants:
        return Edit(left)
    what = "still depend on what is gone" if keep_dangling else "depended on what is gone, and no longer do"
    note = f"these instances {what}:" + "".join(f"\n  {addr}" for addr in dependants)
    return Edit(left if keep_dangling else dropped, notes=(note,))
