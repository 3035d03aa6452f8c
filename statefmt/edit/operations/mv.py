"""`mv`: move instances to other addresses and update the dependencies on them."""

from __future__ import annotations

from msgspec.structs import replace

from statefmt.edit.changes.arriving import Moved, arrived, refuse_taken
from statefmt.edit.changes.dependencies import pointing
from statefmt.edit.changes.edit import Edit
from statefmt.edit.changes.resources import by_address, without_instances
from statefmt.model.errors import MessagePart
from statefmt.model.snapshot import Snapshot


def mv(
    snapshot: Snapshot, moved: Moved, *, rebind: bool = False, any_type: bool = False, way_out: MessagePart = ""
) -> Edit:
    """Move instances, with all their objects; `moved` maps old addresses to new ones.

    A resource is renamed if all its instances go to one that does not exist yet; otherwise instances join the
    resource at the destination. With `rebind`, they then take over its provider configuration. Raises SurgeryError if
    that configuration differs without `rebind`, if modes differ, if types do without `any_type` (`way_out` ends the
    message), or if a destination is taken.
    """
    moved = {one: other for one, other in moved.items() if one != other}
    before = by_address(snapshot)
    refuse_taken(before, moved, moved.keys(), any_type=any_type, way_out=way_out)
    left = without_instances(snapshot, moved.keys())
    after = arrived(before, by_address(left), moved, rebind=rebind)
    return Edit(pointing(replace(left, resources=tuple(after.values())), moved), moved)
