"""`rm`: remove instances from the state; their remote objects stay."""

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
    """Remove instances with all their objects, resources that have none left, and `empty` resources.

    Dependencies on removed resources are dropped, unless `keep_dangling`. A note lists the instances that had one.
    """
    left = without_instances(snapshot, gone)
    empty = frozenset(empty)
    if empty:
        left = replace(left, resources=tuple(one for one in left.resources if one.objects or one.addr not in empty))
    kept = {resource.addr.config() for resource in left.resources if resource.objects}
    lost = ({addr.config() for addr in gone} | {addr.config() for addr in empty}) - kept
    dropped, dependants = dropping(left, lost)
    if not dependants:
        return Edit(left)
    what = "still depend on removed resources" if keep_dangling else "no longer depend on removed resources"
    note = f"these instances {what}:" + "".join(f"\n  {addr}" for addr in dependants)
    return Edit(left if keep_dangling else dropped, notes=(note,))
