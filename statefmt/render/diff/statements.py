"""Prints a comparison as configuration: the `moved`, `removed` and `import` blocks for the changes.

Terraform reads them from 1.7 on, OpenTofu from 1.10 on (earlier, its `removed` blocks had no `lifecycle`).
Source: OpenTofu `internal/refactoring` (which moves it accepts, and in which order it makes them).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statefmt.analysis.diff.model import Movable, Move, SnapshotDiff
from statefmt.analysis.diff.moved import with_whole_calls
from statefmt.analysis.object_id import id_is_sensitive, object_id
from statefmt.model.addrs import AbsResourceInstance, ModuleInstance
from statefmt.model.addrs.literals import hcl_quote
from statefmt.model.snapshot import ResourceInstanceObject, Snapshot
from statefmt.render.diff._forgotten import forgotten
from statefmt.render.diff._writable import is_managed, is_writable
from statefmt.render.moved_block import moved_block
from statefmt.render.printable import printable


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
    """Return why no block can express a move; "" if one can."""
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
    """Return the block that imports the current object of an instance, or a comment that says why there is none."""
    name, reason = _import_id(addr, obj, show_sensitive)
    if reason or not is_writable(addr):
        return f"# {printable(str(addr))} is new: {reason or 'its names are not valid in configuration'}\n"
    return f"{import_text(str(addr), name)}\n"


def import_text(address: str, name: str) -> str:
    """Return the block that imports an object by its id."""
    return f"import {{\n  to = {printable(address)}\n  id = {hcl_quote(name)}\n}}"


def _import_id(addr: AbsResourceInstance, obj: ResourceInstanceObject | None, show_sensitive: bool) -> tuple[str, str]:
    """Return the id to import an object by, and why there is none. Some providers need more than the id."""
    name = None if obj is None else object_id(obj)
    if obj is None or not name:
        return "", "it has no id to import it by"
    if id_is_sensitive(obj, addr.resource.resource.type) and not show_sensitive:
        return "", "its id is sensitive; --show-sensitive writes it"
    return name, ""


class _Places:
    """A set of places that finds whether another place is one of them, inside one or around one."""

    def __init__(self, places: Iterable[Movable]) -> None:
        self._places = set(places)
        self._around = {outer for place in self._places for outer in _outwards(place)}

    def overlap(self, place: Movable) -> bool:
        return place in self._around or not self._places.isdisjoint(_outwards(place))


def _outwards(place: Movable) -> Iterator[Movable]:
    """Yield a place and everything that contains it."""
    yield place
    if isinstance(place, AbsResourceInstance):
        yield place.containing_resource()
    module = place if isinstance(place, ModuleInstance) else place.module
    yield from module.on_the_way
