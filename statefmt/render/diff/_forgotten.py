"""Prints `removed` blocks: an object leaves the state, and continues to exist.

A block covers a whole resource. If only some of its instances are gone, `moved` blocks take them to a resource that no
configuration has, and a block removes that.
Source: OpenTofu `internal/configs/removed.go`, Terraform `internal/configs/removed.go`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count

from msgspec import structs

from statefmt.analysis.diff.model import SnapshotDiff
from statefmt.model.addrs import NO_KEY, AbsResource, AbsResourceInstance, ConfigResource
from statefmt.model.snapshot import InstanceState, Snapshot
from statefmt.render.diff._writable import is_managed, is_writable
from statefmt.render.moved_block import moved_block
from statefmt.render.printable import printable

_LIFECYCLE = "\n  lifecycle {\n    destroy = false\n  }\n"


def removed_block(resource: object, *, lifecycle: bool = True) -> str:
    """Return the block that forgets a resource, which must have names that are valid in configuration.

    OpenTofu 1.7 to 1.9 reads it without `lifecycle` only.
    """
    return f"removed {{\n  from = {resource}\n{_LIFECYCLE if lifecycle else ''}}}\n"


def forgotten(changes: SnapshotDiff, new: Snapshot, *, lifecycle: bool = True) -> Iterator[str]:
    """Yield the blocks for the removed instances, and comments for those that no block can express.

    `new` is the whole new state.
    """
    left = {resource.addr.config() for resource in new.resources if resource.objects}
    left |= {change.old.addr.config() for change in changes.moved if change.old is not None}
    taken = left | {change.addr.config() for change in changes.removed}
    mixed = _mixed(changes, new)
    moved: dict[ConfigResource, list[AbsResourceInstance]] = {}
    for change in changes.removed:
        addr, shown = change.addr, printable(str(change.addr))
        config = addr.config()
        if not is_managed(addr):
            continue
        if not is_writable(addr):
            yield f"# {shown} is gone: its names are not valid in configuration\n"
        elif config in left and addr.key is NO_KEY and addr.containing_resource() in mixed:
            yield f"# {shown} is gone: its address without a key names other instances, too\n"
        else:
            moved.setdefault(config, [])
            if config in left:
                moved[config].append(addr)
    for config, addresses in moved.items():
        gone = _free(config, taken) if addresses else config
        taken.add(gone)
        for addr in addresses:
            yield moved_block(addr, AbsResource(addr.module, gone.resource).instance(addr.key))
        yield removed_block(gone, lifecycle=lifecycle)


def _mixed(changes: SnapshotDiff, new: Snapshot) -> set[AbsResource]:
    """Return the resources with an instance that has a key, before or after."""
    sides: list[InstanceState] = [side for change in changes.instances for side in (change.old, change.new) if side]
    keyed = {side.addr.containing_resource() for side in sides if side.key is not NO_KEY}
    return keyed | {
        resource.addr for resource in new.resources if any(obj.key is not NO_KEY for obj in resource.objects)
    }


def _free(config: ConfigResource, taken: set[ConfigResource]) -> ConfigResource:
    """Return a resource of the module and the type that neither state has."""
    names = (f"{config.resource.name}_removed{f'_{number}' if number else ''}" for number in chain((0,), count(2)))
    found = (ConfigResource(config.module, structs.replace(config.resource, name=name)) for name in names)
    return next(one for one in found if one not in taken)
