"""Selects the part of an edited state in which an edit can introduce errors.

may_add_dependency_findings() decides for DEP002, a dependency on a resource that is not in the state, and DEP004, a
cycle, since running these rules on the whole state takes longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Final, NamedTuple

from msgspec.structs import replace

from statefmt.analysis.cycles import cyclic_groups
from statefmt.model.addrs import AbsResourceInstance, ConfigResource, ResourceMode
from statefmt.model.findings import Code
from statefmt.model.snapshot import ResourceInstanceObject, ResourceState, Snapshot, not_among

# Rules that compare resources with each other. All other rules check a single resource, or the state without its
# resources.
COMPARING: Final = frozenset(
    {Code.DUPLICATE_REMOTE_OBJECT, Code.DEPENDENCY_DANGLING, Code.DEPENDENCY_CYCLE, Code.PROVIDER_HOSTS_MIXED}
)


class EditedPart(NamedTuple):
    """A state before and after an edit, without unchanged resources.

    `alone` means that no error can involve any other resource.
    """

    before: Snapshot
    after: Snapshot
    alone: bool


def edited_part(before: Snapshot, after: Snapshot) -> EditedPart:
    """Return the part of a state that an edit changed; the whole state if an address appears twice.

    Of the rules that compare resources, only one is an error: a remote object with two addresses (ADR008). The edit
    can introduce it only if an object changed its identity or was copied.
    """
    edited = not_among(after.resources, before.resources)
    addrs = {resource.addr for resource in edited}
    if sum(resource.addr in addrs for resource in after.resources) > len(addrs):
        return EditedPart(before, after, False)
    were = not_among(before.resources, after.resources)
    alone = _keep_identities(were, edited)
    return EditedPart(replace(before, resources=tuple(were)), replace(after, resources=tuple(edited)), alone)


def _keep_identities(before: Iterable[ResourceState], after: Iterable[ResourceState]) -> bool:
    """Return whether each object in `after` was in `before` once, as the same remote object."""
    known = {obj.origin: (resource, obj) for resource in before for obj in resource.objects}
    for resource in after:
        for obj in resource.objects:
            # Removed, so that a copied object does not match twice.
            was = known.pop(obj.origin, None)
            if was is None or not _is_same_remote_object(*was, resource, obj):
                return False
    return True


def _is_same_remote_object(
    home: ResourceState, obj: ResourceInstanceObject, new_home: ResourceState, new: ResourceInstanceObject
) -> bool:
    """Whether two objects agree in everything that identifies the remote object, and in being current or deposed."""
    one, other = home.addr.resource, new_home.addr.resource
    return (
        one.mode is other.mode
        and one.type == other.type
        and home.provider_config == new_home.provider_config
        and obj.provider_key == new.provider_key
        and obj.deposed == new.deposed
        and obj.attributes == new.attributes
        and obj.attributes_flat == new.attributes_flat
        and obj.identity == new.identity
    )


def may_add_dependency_findings(
    before: Snapshot, after: Snapshot, part: EditedPart, moved: Mapping[AbsResourceInstance, AbsResourceInstance]
) -> bool:
    """Return False if an edit certainly adds no finding of these rules, and moves none to another resource.

    A resource outside the part keeps its findings, unless it names a removed resource, or is in a cycle with a
    changed resource.
    """
    edited = {id(resource) for resource in part.after.resources}
    rest = [resource for resource in after.resources if id(resource) not in edited]
    parts = (*part.before.resources, *part.after.resources)
    old, new, named = _configs(part.before.resources), _configs(part.after.resources), _named(part.after.resources)
    there = _configs_among(rest, old | new | named)
    lost = old - new - there
    # Edits change dependencies only together with the addresses that they name. If the addresses stay, a finding can
    # only move between instances of the same resource.
    if not lost and new <= old | there and all(one.config() == other.config() for one, other in moved.items()):
        return False
    if any(addr.resource.mode is not ResourceMode.EPHEMERAL for addr in named - new - there):
        return True
    changed = _changed(part)
    mentioned = _named(resource for resource in rest if _names_any(resource, changed))
    if not lost.isdisjoint(mentioned) or any(map(_is_ambiguous, (*rest, *parts))):
        return True
    # Each resource in a cycle is named, and names others.
    naming = (resource for resource in (*rest, *parts) if any(obj.dependencies for obj in resource.objects))
    suspects = _configs_among(naming, changed & (mentioned | named | _named(part.before.resources)))
    return bool(suspects) and any(_in_cycles(suspects, side.resources) for side in (before, after))


def _configs(resources: Iterable[ResourceState]) -> set[ConfigResource]:
    return {resource.addr.config() for resource in resources}


def _configs_among(resources: Iterable[ResourceState], wanted: Set[ConfigResource]) -> set[ConfigResource]:
    """Return the wanted addresses that resources have, without building the addresses of all resources."""
    blocks = {addr.resource for addr in wanted}
    return _configs(resource for resource in resources if resource.addr.resource in blocks) & wanted


def _named(resources: Iterable[ResourceState]) -> set[ConfigResource]:
    """Return the resources that some resources depend on."""
    objects = [obj for resource in resources for obj in resource.objects]
    named = set[ConfigResource]().union(*[obj.dependencies for obj in objects])
    return named | {addr.config() for obj in objects for addr in obj.depends_on}


def _names_any(resource: ResourceState, addrs: Set[ConfigResource]) -> bool:
    for obj in resource.objects:
        if not addrs.isdisjoint(obj.dependencies):
            return True
        if obj.depends_on and any(addr.config() in addrs for addr in obj.depends_on):
            return True
    return False


def _changed(part: EditedPart) -> set[ConfigResource]:
    """Return the resources that are new, gone, or have other dependencies. All others stay in the same cycles.

    A resource whose dependencies differ only in new or gone resources counts as unchanged.
    """
    old, new = ({resource.addr: resource for resource in side.resources} for side in (part.before, part.after))
    moved = {addr.config() for addr in old.keys() ^ new.keys()}
    both = old.keys() & new.keys()
    return moved | {addr.config() for addr in both if _named([old[addr]]) - moved != _named([new[addr]]) - moved}


def _is_ambiguous(resource: ResourceState) -> bool:
    """Whether an address may equal another resource's: the rules compare them as text."""
    return "." in resource.addr.resource.type or "." in resource.addr.resource.name


def _in_cycles(suspects: Set[ConfigResource], resources: Iterable[ResourceState]) -> bool:
    """Return whether any of the suspects is in a cycle."""
    blocks: dict[ConfigResource, list[ResourceState]] = {}
    for resource in resources:
        blocks.setdefault(resource.addr.config(), []).append(resource)
    reached: set[ConfigResource] = set()
    following = set(suspects)
    while following:
        following = _named(block for addr in following for block in blocks.get(addr, ())) - reached
        reached |= following
    if suspects.isdisjoint(reached):
        return False
    numbers = {addr: number for number, addr in enumerate(reached)}
    edges = {number: [numbers[target] for target in _named(blocks.get(addr, ()))] for addr, number in numbers.items()}
    wanted = {numbers[addr] for addr in suspects & reached}
    return any(not wanted.isdisjoint(group) for group in cyclic_groups(edges))
