"""Defines the result of an operation, and shared functions that change snapshots."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from operator import is_
from types import MappingProxyType
from typing import Final, TypeAlias, TypeVar

from msgspec.structs import replace

from statefmt.analysis.selection import Criteria, Selector, criteria_of, select_in
from statefmt.model.addrs import (
    NO_KEY,
    AbsProviderInstance,
    AbsResource,
    AbsResourceInstance,
    ConfigResource,
    InstanceKey,
)
from statefmt.model.errors import MessagePart, SelectionError, SurgeryError, Wording
from statefmt.model.snapshot import InstanceState, ResourceInstanceObject, ResourceState, Snapshot


@dataclass(frozen=True, slots=True)
class Edit:
    """The snapshot after an operation, with the old serial unless the operation sets it.

    `moved` maps old addresses to new ones; `notes` are sentences for the user. `joins` are sentences on resources and
    modules that joined existing ones; the user must confirm them. `restored` is an earlier content with a new serial,
    in format `restored_version`; it is written back even if it has errors. `undoes` is the number of the first undone
    edit in the history.
    """

    snapshot: Snapshot
    moved: Mapping[AbsResourceInstance, AbsResourceInstance] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    restored: bytes | None = None
    restored_version: int = 0
    undoes: int | None = None


def with_note(edit: Edit, *notes: str) -> Edit:
    """Append notes to an edit."""
    return dataclasses.replace(edit, notes=(*edit.notes, *notes))


def composed(first: Edit, second: Edit) -> Edit:
    """Combine two consecutive edits.

    Raises SurgeryError if either restores an earlier content, which replaces all other changes.
    """
    if first.restored is not None or second.restored is not None:
        raise SurgeryError("an earlier content cannot be restored in a transaction; use State.undo()")
    moved = {one: second.moved.get(other, other) for one, other in first.moved.items()}
    arrived = frozenset(first.moved.values())
    moved |= {one: other for one, other in second.moved.items() if one not in arrived}
    resources = second.snapshot.resources if moved else ()
    there = {resource.addr.instance(obj.key) for resource in resources for obj in resource.objects}
    # An instance that returned to its address has not moved, and a removed instance has no address.
    moved = {one: other for one, other in moved.items() if one != other and other in there}
    notes, joins = (*first.notes, *second.notes), (*first.joins, *second.joins)
    return Edit(second.snapshot, moved, notes, joins)


class Ending(StrEnum):
    """The end of an interrupted change; LEAVE leaves each state as it is."""

    FINISH = "finish"
    TAKE_BACK = "take back"
    LEAVE = "leave"


_FILTER: Final = Wording("filter option", "filter")

# Criteria, one or several selectors, or instances of the snapshot.
Selection: TypeAlias = Criteria | Selector | Iterable[Selector] | Sequence[InstanceState]
# Receives a note on a selection, as a sentence.
Note: TypeAlias = Callable[[str], None]


def choose(snapshot: Snapshot, chosen: Selection, note: Note = lambda _: None) -> list[InstanceState]:
    """Return the selected instances. Raises SelectionError if there are no criteria, or no instance matches."""
    found = selection_of(chosen)
    if isinstance(found, list):
        return found
    if found == Criteria():
        raise SelectionError("no instances selected: give an address, a pattern or a ", _FILTER, "; '**' selects all")
    return select_in(snapshot, found, note)


def selection_of(chosen: Selection) -> Criteria | list[InstanceState]:
    """Return instances unchanged, and convert anything else to criteria. Raises TypeError."""
    if isinstance(chosen, (list, tuple)) and chosen and all(isinstance(one, InstanceState) for one in chosen):
        return list(chosen)
    return criteria_of(chosen)  # type: ignore[arg-type]  # it has no instances


T = TypeVar("T")


def only(found: Iterable[T]) -> T | None:
    """Return the single distinct value, or None."""
    different = set(found)
    return different.pop() if len(different) == 1 else None


REBIND_COMMAND: Final = Wording("`statetool rebind`", "rebind()")
REPLACE_PROVIDER_COMMAND: Final = Wording("`statetool replace-provider`", "replace_provider()")


_MOST_NAMED: Final = 10
_WHOLE_RESOURCE: Final = Wording("--whole-resource", "whole_resource=True")


def refuse_parts(resources: Iterable[ResourceState], chosen: Collection[AbsResourceInstance], shared: str) -> None:
    """Raise SurgeryError, naming the missing instances, if only some instances of a resource are chosen.

    `shared` is the property that all instances of a resource share, for the message.
    """
    wanted, parts = frozenset(chosen), dict[AbsResource, list[AbsResourceInstance]]()
    for resource in resources:
        addrs = dict.fromkeys(resource.addr.instance(obj.key) for obj in resource.objects)
        if others := [addr for addr in addrs if addr not in wanted]:
            parts[resource.addr] = others
    if parts:
        missing = [str(addr) for others in parts.values() for addr in others]
        raise SurgeryError(
            f"{', '.join(map(str, parts))}: all instances of a resource share {shared}, and these were not "
            f"selected:{named(missing)}\nSelect them as well, or use ",
            _WHOLE_RESOURCE,
            address=only(parts),
        )


def named(lines: Collection[str]) -> str:
    """Format lines as the indented end of a sentence: at most 10, and the number of further lines."""
    more = len(lines) - _MOST_NAMED
    shown = list(lines)[:_MOST_NAMED] + ([f"… and {more} more"] if more > 0 else [])
    return "".join(f"\n  {line}" for line in shown)


def by_address(snapshot: Snapshot) -> dict[AbsResource, ResourceState]:
    """Return the resources of a snapshot by address, in order."""
    return {resource.addr: resource for resource in snapshot.resources}


def with_objects(
    snapshot: Snapshot, change: Callable[[AbsResource, ResourceInstanceObject], ResourceInstanceObject]
) -> Snapshot:
    """Replace every object with the result of `change`; a resource without changed objects stays the same instance.

    `change` receives the address of the resource because building the address of the instance takes time.
    """

    def changed(resource: ResourceState) -> ResourceState:
        objects = tuple([change(resource.addr, obj) for obj in resource.objects])
        return resource if all(map(is_, objects, resource.objects)) else replace(resource, objects=objects)

    return replace(snapshot, resources=tuple(map(changed, snapshot.resources)))


def without_instances(snapshot: Snapshot, gone: Collection[AbsResourceInstance]) -> Snapshot:
    """Remove instances, and resources without remaining instances."""
    gone = frozenset(gone)
    touched = {addr.containing_resource() for addr in gone}
    left = (_without(resource, gone) if resource.addr in touched else resource for resource in snapshot.resources)
    kept = (resource for resource in left if resource.objects or resource.addr not in touched)
    return replace(snapshot, resources=tuple(kept))


def _without(resource: ResourceState, gone: Collection[AbsResourceInstance]) -> ResourceState:
    objects = (obj for obj in resource.objects if resource.addr.instance(obj.key) not in gone)
    return replace(resource, objects=tuple(objects))


def pointing(snapshot: Snapshot, moved: Mapping[AbsResourceInstance, AbsResourceInstance]) -> Snapshot:
    """Rewrite the dependencies of a snapshot whose instances have already moved, in place and in order.

    A dependency is on a whole resource. If some of its instances stay, the dependency stays too, followed by the
    resources of the moved instances.
    """
    follow = following(snapshot, moved)
    return with_objects(snapshot, lambda _, obj: follow(obj))


def following(
    snapshot: Snapshot, moved: Mapping[AbsResourceInstance, AbsResourceInstance]
) -> Callable[[ResourceInstanceObject], ResourceInstanceObject]:
    """Return the function that rewrites the dependencies of one object as pointing() does."""
    kept = _staying(snapshot, moved)
    targets: dict[ConfigResource, list[ConfigResource]] = {}
    for one, other in moved.items():
        source, target = one.config(), other.config()
        where = targets.setdefault(source, [source] if source in kept else [])
        if target not in where:
            where.append(target)
    changed = {source: where for source, where in targets.items() if where != [source]}
    instances = {one: other for one, other in moved.items() if one != other}

    def followed(obj: ResourceInstanceObject) -> ResourceInstanceObject:
        if not changed.keys().isdisjoint(obj.dependencies):
            new = (target for addr in obj.dependencies for target in changed.get(addr, [addr]))
            obj = replace(obj, dependencies=unique(new, obj.dependencies))
        if not instances.keys().isdisjoint(obj.depends_on):
            obj = replace(obj, depends_on=tuple(instances.get(addr, addr) for addr in obj.depends_on))
        return obj

    return followed


def _staying(snapshot: Snapshot, moved: Mapping[AbsResourceInstance, AbsResourceInstance]) -> set[ConfigResource]:
    """Return the partly moved resources; instances that moved in do not count as staying."""
    sources, arrived = {addr.config() for addr in moved}, set(moved.values())
    # There are many resources, and the blocks of few are sources.
    blocks = {source.resource for source in sources}
    return {
        resource.addr.config()
        for resource in snapshot.resources
        if resource.addr.resource in blocks
        and resource.addr.config() in sources
        and any(resource.addr.instance(obj.key) not in arrived for obj in resource.objects)
    }


def dropping(
    snapshot: Snapshot, gone: Collection[ConfigResource]
) -> tuple[Snapshot, dict[AbsResourceInstance, tuple[ConfigResource, ...]]]:
    """Remove the dependencies on removed resources; also return them by instance."""
    had: dict[AbsResourceInstance, tuple[ConfigResource, ...]] = {}
    if not gone:
        return snapshot, had

    def dropped(resource: AbsResource, obj: ResourceInstanceObject) -> ResourceInstanceObject:
        left = tuple(other for other in obj.dependencies if other not in gone)
        older = tuple(other for other in obj.depends_on if other.config() not in gone)
        if len(left) == len(obj.dependencies) and len(older) == len(obj.depends_on):
            return obj
        instance = resource.instance(obj.key)
        needed = (*obj.dependencies, *(other.config() for other in obj.depends_on))
        had[instance] = tuple(dict.fromkeys((*had.get(instance, ()), *(one for one in needed if one in gone))))
        return replace(obj, dependencies=left, depends_on=older)

    return with_objects(snapshot, dropped), had


def unique(new: Iterable[ConfigResource], old: Collection[ConfigResource]) -> tuple[ConfigResource, ...]:
    """Remove duplicates, unless the file already had some."""
    return tuple(dict.fromkeys(new)) if len(set(old)) == len(old) else tuple(new)


# Puts objects that left their resource into another one, in the same state or in another state.
# Source of the conditions: OpenTofu `internal/command/state_mv.go`.

REBIND: Final = Wording("--rebind", "rebind=True")
_CONFIG: Final = Wording("--config DIR", "config=")

# Old addresses of instances, and the new ones.
Moved: TypeAlias = Mapping[AbsResourceInstance, AbsResourceInstance]
Resources: TypeAlias = Mapping[AbsResource, ResourceState]
# Provider instances by the new addresses of instances.
Bindings: TypeAlias = Mapping[AbsResourceInstance, AbsProviderInstance]


class OtherBindingError(SurgeryError):
    """An instance cannot join a resource that is bound to another provider configuration.

    `reason` is the message without advice. `moved` has all instances of the refused operation; `destination` is the new
    address of the refused instance.
    """

    def __init__(
        self, reason: str, way_out: Sequence[MessagePart], *, moved: Moved, destination: AbsResourceInstance
    ) -> None:
        hint: tuple[MessagePart, ...] = ("; ", _CONFIG, " shows whether that is right")
        if REBIND not in way_out:
            hint = (", or move with ", REBIND, " and ", _CONFIG)
        super().__init__(reason, *way_out, *hint, address=destination)
        self.reason = reason
        self.way_out = way_out
        self.moved = moved
        self.destination = destination


def arrived(
    before: Resources,
    home: Resources,
    moved: Moved,
    *,
    rebind: bool = False,
    bindings: Bindings = MappingProxyType({}),
    keeps_blocks: bool = True,
) -> dict[AbsResource, ResourceState]:
    """Return the resources of `home` with the moved objects from `before`, at their new addresses.

    `home` has the resources that stay, of the same state or of another one. With `keeps_blocks`, a resource keeps its
    block in the file if all its instances go to the same new resource; otherwise instances join the resource at the
    destination. With `rebind`, they then take over its provider configuration. Instances with `bindings`, by their new
    addresses, get these. Raises OtherBindingError if a resource would get two provider configurations.
    """
    after = dict(home)
    renamed = _renamed(after, moved) if keeps_blocks else {}
    leaving: dict[AbsResource, dict[InstanceKey, list[ResourceInstanceObject]]]
    leaving = {one.containing_resource(): {} for one in moved}
    for addr, by_key in leaving.items():
        for obj in before[addr].objects:
            by_key.setdefault(obj.key, []).append(obj)
    gathered: dict[AbsResource, list[ResourceInstanceObject]] = {}
    bound: dict[AbsResource, set[InstanceKey]] = {}
    for one, other in moved.items():
        source, target = before[one.containing_resource()], other.containing_resource()
        wanted = bindings.get(other)
        config = source.provider_config if wanted is None else wanted.config
        there = after.get(target)
        if there is None:
            origin = source.origin if renamed.get(source.addr) == target else ()
            there = replace(source, addr=target, provider_config=config, objects=(), origin=origin)
            after[target] = there
        if target not in gathered:
            gathered[target] = list(there.objects)
            bound[target] = {obj.provider_key for obj in there.objects}
        objects = leaving[source.addr].get(one.key, ())
        same = there.provider_config == config
        if objects and not same and (wanted is not None or not rebind):
            raise _refusal(moved, other, source, there, wanted)
        if wanted is not None:
            keys = [wanted.key] * len(objects)
        else:
            keys = [obj.provider_key if same else _only_key(bound[target], there, other) for obj in objects]
        coming = [replace(obj, key=other.key, provider_key=key) for obj, key in zip(objects, keys, strict=True)]
        gathered[target] += coming
        bound[target].update(obj.provider_key for obj in coming)
    for target, all_there in gathered.items():
        after[target] = replace(after[target], objects=tuple(all_there))
    return after


def refuse_taken(
    there: Resources,
    moved: Moved,
    leaving: Collection[AbsResourceInstance],
    exists: str = "the instance already exists",
    any_type: bool = False,
    way_out: MessagePart = "",
) -> None:
    """Raise SurgeryError if a destination is taken, or has another type or mode.

    `there` are the resources at the destination, and `leaving` the instances that leave it. `exists` is the message
    about a taken destination. With `any_type`, the types may differ; otherwise `way_out` ends the message about the
    types.
    """
    taken: dict[AbsResourceInstance, AbsResourceInstance] = {}
    collisions: list[tuple[AbsResourceInstance, str]] = []

    @cache
    def keys_of(addr: AbsResource) -> frozenset[InstanceKey]:
        return frozenset(obj.key for obj in there[addr].objects) if addr in there else frozenset()

    for one, other in moved.items():
        source, target = one.resource.resource, other.resource.resource
        if source.mode is not target.mode:
            raise SurgeryError(
                f"{one} cannot become {other}: a {source.mode.value} resource cannot change its mode", address=one
            )
        if source.type != target.type and not any_type:
            raise SurgeryError(f"{one} cannot become {other}: the resource types differ", way_out, address=one)
        stays = other.key in keys_of(other.containing_resource()) and other not in leaving
        if stays or other in taken:
            what = exists if stays else f"{taken[other]} would move there, too"
            collisions.append((one, f"{one} cannot become {other}: {what}"))
        taken.setdefault(other, one)
    if len(collisions) == 1:
        raise SurgeryError(collisions[0][1], address=collisions[0][0])
    if collisions:
        raise SurgeryError(f"{len(collisions)} destinations are taken:{named([text for _, text in collisions])}")


def _renamed(left: Mapping[AbsResource, ResourceState], moved: Moved) -> dict[AbsResource, AbsResource]:
    """Return the resources that moved as a whole to one new resource; they keep their block in the file."""
    targets: dict[AbsResource, set[AbsResource]] = {}
    for one, other in moved.items():
        targets.setdefault(one.containing_resource(), set()).add(other.containing_resource())
    return {source: min(where, key=str) for source, where in targets.items() if len(where) == 1 and source not in left}


def _refusal(
    moved: Moved,
    addr: AbsResourceInstance,
    source: ResourceState,
    home: ResourceState,
    wanted: AbsProviderInstance | None,
) -> OtherBindingError:
    there = {obj.provider_key for obj in home.objects}
    # With keys, the configuration decides which instance is right, and the existing instance may be wrong.
    way_out: tuple[MessagePart, ...] = (
        (REBIND, " binds the instance to the former")
        if there <= {NO_KEY}
        else ("Bind it to the instance of the former that the configuration gives it, with ", REBIND_COMMAND, ", first")
    )
    needs = f"the moved instance to {source.provider_config}" if wanted is None else f"the configuration uses {wanted}"
    return OtherBindingError(
        f"{addr}: its resource is bound to {home.provider_config}, but {needs}; a resource has only one provider "
        "configuration. ",
        way_out,
        moved=moved,
        destination=addr,
    )


def _only_key(bound: set[InstanceKey], home: ResourceState, addr: AbsResourceInstance) -> InstanceKey:
    if len(bound) == 1:
        return next(iter(bound))
    raise SurgeryError(
        f"{addr}: the instances of its resource are bound to several instances of {home.provider_config}, so ",
        REBIND,
        " cannot choose one; use ",
        REBIND_COMMAND,
        " first",
        address=addr,
    )
