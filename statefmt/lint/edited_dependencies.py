"""Tells from two snapshots whether an edit can add a finding about dependencies. Checking its result takes longer.

The rules are DEP002, a dependency on a resource that is not in the state, and DEP004, a cycle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from statefmt.analysis.graph.cycles import cyclic_groups
from statefmt.lint.edited_part import EditedPart
from statefmt.model.addrs import AbsResourceInstance, ConfigResource, ResourceMode
from statefmt.model.resources import ResourceState
from statefmt.model.snapshot import Snapshot


def may_add_dependency_findings(
    before: Snapshot, after: Snapshot, part: EditedPart, moved: Mapping[AbsResourceInstance, AbsResourceInstance]
) -> bool:
    """Return False if an edit certainly adds no finding of these rules, and moves none to another resource.

    A resource that is not in the part keeps its findings, unless it names a resource that is gone, or is in a cycle
    with one that changed.
    """
    edited = {id(resource) for resource in part.after.resources}
    rest = [resource for resource in after.resources if id(resource) not in edited]
    parts = (*part.before.resources, *part.after.resources)
    old, new, named = _configs(part.before.resources), _configs(part.after.resources), _named(part.after.resources)
    there = _configs_among(rest, old | new | named)
    lost = old - new - there
    # Edits change dependencies only with the addresses that they name. If these stay, a finding can only go from one
    # instance of a resource to another one of it.
    if not lost and new <= old | there and all(one.config() == other.config() for one, other in moved.items()):
        return False
    if any(addr.resource.mode is not ResourceMode.EPHEMERAL for addr in named - new - there):
        return True
    changed = _changed(part)
    mentioned = _named(resource for resource in rest if _names_any(resource, changed))
    if not lost.isdisjoint(mentioned) or any(map(_is_ambiguous, (*rest, *parts))):
        return True
    # Whatever is in a cycle is named, and names others.
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
    """Return what resources depend on."""
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
    """Return what came, went, or has other dependencies than before. All other resources stay in the same cycles.

    A resource whose dependencies differ only in what came or went counts as unchanged.
    """
    old, new = ({resource.addr: resource for resource in side.resources} for side in (part.before, part.after))
    moved = {addr.config() for addr in old.keys() ^ new.keys()}
    both = old.keys() & new.keys()
    return moved | {addr.config() for addr in both if _named([old[addr]]) - moved != _named([new[addr]]) - moved}


def _is_ambiguous(resource: ResourceState) -> bool:
    """Whether an address may look like that of another resource: the rules compare them as text."""
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
