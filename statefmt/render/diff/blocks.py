"""Prints a comparison as configuration: the `moved`, `removed` and `import` blocks for the changes.

Terraform supports them from 1.7 on, OpenTofu from 1.10 on (earlier, its `removed` blocks had no `lifecycle`). Source:
OpenTofu `internal/refactoring` (the moves that it accepts, and their order).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count
from typing import Final, NamedTuple

from msgspec import structs

from statefmt.analysis.diff.model import InstanceChange, Movable, Move, SnapshotDiff
from statefmt.analysis.diff.moved import with_whole_calls
from statefmt.analysis.object_id import id_is_sensitive, object_id
from statefmt.formats.providers import engine_of
from statefmt.model.addrs import (
    NO_KEY,
    AbsResource,
    AbsResourceInstance,
    ConfigResource,
    ModuleInstance,
    ResourceMode,
    hcl_quote,
)
from statefmt.model.addrs.traversal import is_identifier
from statefmt.model.snapshot import InstanceState, ObjectStatus, ResourceInstanceObject, Snapshot
from statefmt.text import printable


def diff_statements(changes: SnapshotDiff, new: Snapshot, *, show_sensitive: bool) -> str:
    """Return the blocks, ready to paste into the root module, with comments for changes that no block can express.

    `new` is the whole new state.
    """
    return "\n".join(statements(changes, new, show_sensitive=show_sensitive))


def statements(changes: SnapshotDiff, new: Snapshot, *, show_sensitive: bool, lifecycle: bool = True) -> Iterator[str]:
    """Yield the blocks and comments of `diff_statements`, with or without the `lifecycle` of `removed` blocks."""
    yield from _moved(changes, new)
    yield from forgotten(changes, new, lifecycle=lifecycle)
    yield from _imports(changes, show_sensitive)


def _moved(changes: SnapshotDiff, new: Snapshot) -> Iterator[str]:
    moving = _Places(move.old for move in changes.moves)
    gone = _Places(change.addr for change in changes.removed)
    removed = [change.addr.module for change in changes.removed]
    staying = [resource.addr.module for resource in new.resources if resource.objects]
    for move in with_whole_calls(changes.moves, removed, staying):
        if not (isinstance(move.old, ModuleInstance) or is_managed(move.old)):
            # Data resources need no block: they are read again.
            continue
        old, to = printable(str(move.old)), printable(str(move.new))
        reason = _why_not(move, moving, gone)
        if reason:
            yield f"# {old} moved to {to}: {reason}\n"
        else:
            yield moved_block(old, to)


def _why_not(move: Move, moving: _Places, gone: _Places) -> str:
    """Return why no block can express a move; "" if a block can."""
    if not (is_writable(move.old) and is_writable(move.new)):
        return "its names are not valid in configuration"
    if moving.overlap(move.new):
        return "a moved block cannot name a target that another object moves away from"
    if gone.overlap(move.new):
        return "a moved block cannot name the address of a removed object as its target"
    return ""


def _imports(changes: SnapshotDiff, show_sensitive: bool) -> Iterator[str]:
    for change in changes.added:
        if is_managed(change.addr):
            current = change.new.current if change.new is not None else None
            yield import_block(change.addr, current, show_sensitive=show_sensitive)


def import_block(addr: AbsResourceInstance, obj: ResourceInstanceObject | None, *, show_sensitive: bool) -> str:
    """Return the block that imports the current object of an instance, or a comment with the reason for its absence."""
    name, reason = _import_id(addr, obj, show_sensitive)
    if reason or not is_writable(addr):
        return f"# {printable(str(addr))} is new: {reason or 'its names are not valid in configuration'}\n"
    return f"{import_text(str(addr), name)}\n"


def import_text(address: str, name: str) -> str:
    """Return the block that imports an object by its id."""
    return f"import {{\n  to = {printable(address)}\n  id = {hcl_quote(name)}\n}}"


def _import_id(addr: AbsResourceInstance, obj: ResourceInstanceObject | None, show_sensitive: bool) -> tuple[str, str]:
    """Return the id for importing an object, and the reason if it has none. Some providers need more than the id."""
    name = None if obj is None else object_id(obj)
    if obj is None or not name:
        return "", "it has no id to import it by"
    if id_is_sensitive(obj, addr.resource.resource.type) and not show_sensitive:
        return "", "its id is sensitive; --show-sensitive writes it"
    return name, ""


class _Places:
    """A set of places that finds whether another place is in the set, or inside or around a member."""

    def __init__(self, places: Iterable[Movable]) -> None:
        self._places = set(places)
        self._around = {outer for place in self._places for outer in _outwards(place)}

    def overlap(self, place: Movable) -> bool:
        return place in self._around or not self._places.isdisjoint(_outwards(place))


def _outwards(place: Movable) -> Iterator[Movable]:
    """Yield a place and all its containers."""
    yield place
    if isinstance(place, AbsResourceInstance):
        yield place.containing_resource()
    module = place if isinstance(place, ModuleInstance) else place.module
    yield from module.on_the_way


# Prints `removed` blocks: an object leaves the state, and continues to exist.
# A block covers a whole resource. If only some of its instances are gone, `moved` blocks move these to a resource
# that no configuration has, and a `removed` block removes that resource.
# Source: OpenTofu `internal/configs/removed.go`, Terraform `internal/configs/removed.go`.

_LIFECYCLE = "\n  lifecycle {\n    destroy = false\n  }\n"


def removed_block(resource: object, *, lifecycle: bool = True) -> str:
    """Return the block that forgets a resource, which must have names that are valid in configuration.

    OpenTofu 1.7 to 1.9 reads the block only without `lifecycle`.
    """
    return f"removed {{\n  from = {resource}\n{_LIFECYCLE if lifecycle else ''}}}\n"


def forgotten(changes: SnapshotDiff, new: Snapshot, *, lifecycle: bool = True) -> Iterator[str]:
    """Yield the blocks for the removed instances, and comments for instances that no block can express.

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
    """Return a resource of the module and the type that exists in neither state."""
    names = (f"{config.resource.name}_removed{f'_{number}' if number else ''}" for number in chain((0,), count(2)))
    found = (ConfigResource(config.module, structs.replace(config.resource, name=name)) for name in names)
    return next(one for one in found if one not in taken)


def is_managed(place: Movable) -> bool:
    """Return whether this is a managed resource or an instance of one."""
    if isinstance(place, ModuleInstance):
        return False
    resource = place.resource.resource if isinstance(place, AbsResourceInstance) else place.resource
    return resource.mode is ResourceMode.MANAGED


def is_writable(place: Movable) -> bool:
    """Return whether all names of a place are valid in configuration."""
    module = place if isinstance(place, ModuleInstance) else place.module
    names = [step.name for step in module.steps]
    if not isinstance(place, ModuleInstance):
        resource = place.resource.resource if isinstance(place, AbsResourceInstance) else place.resource
        names += [resource.type, resource.name]
    return all(map(is_identifier, names))


def moved_block(source: object, target: object) -> str:
    """Return a block, ready to paste. Both addresses must have names that are valid in configuration."""
    return f"moved {{\n  from = {source}\n  to   = {target}\n}}\n"


# Prints an edit as configuration: equivalent blocks, and comments on changes without a block.
# Source: the first releases that read each block, from their changelogs: `moved` Terraform 1.1, `import` Terraform
# 1.5, `removed` Terraform 1.7 and OpenTofu 1.7, its `lifecycle` OpenTofu 1.10.

_FIRST: Final = {"moved": (1, 1), "import": (1, 5), "removed": (1, 7)}
# The maximum number of lines in each list.
_MOST: Final = 20


class EditBlocks(NamedTuple):
    """The blocks of an edit; `left` are comments on changes without a block, `warnings` concern releases."""

    blocks: tuple[str, ...]
    left: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def text(self) -> str:
        """The blocks and comments, ready to paste into the root module."""
        return "\n".join((*self.blocks, *self.left))


def edit_blocks(changes: SnapshotDiff, new: Snapshot, *, show_sensitive: bool) -> EditBlocks:
    """Return the blocks for the changes of an edit; `new` is the whole snapshot after it."""
    version = _minor(new.terraform_version)
    gone = (change.old.resource for change in changes.removed if change.old is not None)
    configs = (resource.provider_config for resource in (*new.resources, *gone))
    engine = engine_of(config.provider.hostname for config in configs if config is not None)
    lifecycle = not (engine == "OpenTofu" and (1, 7) <= version < (1, 10))
    found = tuple(statements(changes, new, show_sensitive=show_sensitive, lifecycle=lifecycle))
    blocks = tuple(text for text in found if not text.startswith("#"))
    comments = tuple(text for text in found if text.startswith("#"))
    kinds = {text.partition(" ")[0] for text in blocks}
    warnings = [
        f"{kind} blocks need release {first[0]}.{first[1]} or later, but {new.terraform_version} wrote the state"
        for kind, first in _FIRST.items()
        if kind in kinds and (0, 0) < version < first
    ]
    if "removed" in kinds and engine is None and (1, 7) <= version < (1, 10):
        warnings.append("OpenTofu 1.7 to 1.9 reads removed blocks without lifecycle: leave it out there")
    return EditBlocks(blocks, (*comments, *_beyond(changes)), tuple(warnings))


def apart_by_type(changes: SnapshotDiff) -> SnapshotDiff | None:
    """Return the changes with objects of a changed resource type as removed and added; None if there are none.

    A `moved` block between types needs a provider that supports it. An import does not.
    """
    retyped = [one for one in changes.moved if one.old is not None and _type(one.old.addr) != _type(one.addr)]
    if not retyped:
        return None
    apart = [
        side for one in retyped for side in (structs.replace(one, new=None), structs.replace(one, old=None, members=()))
    ]
    return structs.replace(
        changes,
        instances=(*(one for one in changes.instances if one not in retyped), *apart),
        moves=tuple(one for one in changes.moves if _type(one.old) == _type(one.new)),
    )


def _type(place: Movable) -> str:
    if isinstance(place, ModuleInstance):
        return ""
    return place.resource.type if isinstance(place, AbsResource) else place.resource.resource.type


def _beyond(changes: SnapshotDiff) -> Iterator[str]:
    """Yield a comment for each kind of change without a block."""
    rebound = [f"{printable(str(one.addr))}: {one.rebound[1]}" for one in changes.rebound if one.rebound is not None]
    yield from _listed("no block changes the provider; change it in the configuration, and plan", rebound)
    tainted = [one for one in changes.changed if _has(one, "status") and _status(one) is ObjectStatus.TAINTED]
    yield from _listed("no block taints; plan with -replace=ADDRESS instead", _addresses(tainted))
    untainted = [one for one in changes.changed if _has(one, "status") and _status(one) is ObjectStatus.READY]
    yield from _listed("no block removes a taint", _addresses(untainted))
    deposed = [one for one in changes.changed if one.objects]
    yield from _listed("no block forgets deposed objects", _addresses(deposed))
    values = [one for one in changes.changed if _has(one, "attributes", "attributes_flat", "sensitive_attributes")]
    yield from _listed("no block sets attributes", _addresses(values))
    bare = [one for one in changes.added if one.new is not None and _loses(one)]
    yield from _listed("an import does not bring a taint or deposed objects along", _addresses(bare))
    outputs = [f"output.{printable(change.name)}" for change in changes.outputs]
    yield from _listed("no block changes an output; an apply computes it", outputs)


def _listed(reason: str, places: Sequence[str]) -> Iterator[str]:
    if places:
        more = [f"#   and {len(places) - _MOST:,} more\n"] if len(places) > _MOST else []
        yield "".join([f"# Not as blocks: {reason}\n", *(f"#   {place}\n" for place in places[:_MOST]), *more])


def _addresses(changes: Iterable[InstanceChange]) -> list[str]:
    return [printable(str(change.addr)) for change in changes]


def _has(change: InstanceChange, *names: str) -> bool:
    return any(member.name in names for member in change.members)


def _status(change: InstanceChange) -> ObjectStatus | None:
    current = None if change.new is None else change.new.current
    return None if current is None else current.status


def _loses(change: InstanceChange) -> bool:
    after = change.new
    if after is None:
        return False
    current = after.current
    return bool(after.deposed) or (current is not None and current.status is ObjectStatus.TAINTED)


def _minor(version: str) -> tuple[int, int]:
    """Return the first two numbers of a version; (0, 0) if it is missing."""
    parts = version.split(".")
    return (int(parts[0]), int(parts[1])) if len(parts) > 1 and parts[0].isdigit() and parts[1].isdigit() else (0, 0)
