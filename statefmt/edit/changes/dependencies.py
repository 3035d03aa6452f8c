"""Updates the dependencies on resources that were moved or removed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from msgspec.structs import replace

from statefmt.edit.changes.resources import with_objects
from statefmt.model.addrs import AbsResource, AbsResourceInstance, ConfigResource
from statefmt.model.snapshot import ResourceInstanceObject, Snapshot


def pointing(snapshot: Snapshot, moved: Mapping[AbsResourceInstance, AbsResourceInstance]) -> Snapshot:
    """Rewrite the dependencies of a snapshot whose instances have already moved, in place and in order.

    A dependency is on a whole resource. If some of its instances stay, the dependency stays too, followed by the
    resources to which the others moved.
    """
    kept = _staying(snapshot, moved)
    targets: dict[ConfigResource, list[ConfigResource]] = {}
    for one, other in moved.items():
        source, target = one.config(), other.config()
        where = targets.setdefault(source, [source] if source in kept else [])
        if target not in where:
            where.append(target)
    changed = {source: where for source, where in targets.items() if where != [source]}
    instances = {one: other for one, other in moved.items() if one != other}

    def followed(_: AbsResource, obj: ResourceInstanceObject) -> ResourceInstanceObject:
        if not changed.keys().isdisjoint(obj.dependencies):
            new = (target for addr in obj.dependencies for target in changed.get(addr, [addr]))
            obj = replace(obj, dependencies=unique(new, obj.dependencies))
        if not instances.keys().isdisjoint(obj.depends_on):
            obj = replace(obj, depends_on=tuple(instances.get(addr, addr) for addr in obj.depends_on))
        return obj

    return with_objects(snapshot, followed)


def _staying(snapshot: Snapshot, moved: Mapping[AbsResourceInstance, AbsResourceInstance]) -> set[ConfigResource]:
    """Return the resources that were moved only in part; instances that moved in do not count as staying."""
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
    """Remove the dependencies on removed resources; also return the instances that had some, with what they needed."""
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
