"""Compares two snapshots: by address, then by remote object.

Equal instances are recognized by their raw bytes, so the cost depends on what changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from msgspec.structs import replace

from statefmt.analysis.diff._followed import Moves
from statefmt.analysis.diff._matching import Pair, match, may_be_replaced
from statefmt.analysis.diff._members import member_changes, object_changes, same_text
from statefmt.analysis.diff._model import (
    CheckResultsChange,
    EnvelopeChange,
    InstanceChange,
    OutputChange,
    ResourceChange,
    SnapshotDiff,
)
from statefmt.analysis.diff._texts import check_results_text, envelope_texts, output_text, unknown_texts
from statefmt.analysis.diff.whole_moves import whole_moves
from statefmt.formats.reading.inspect import CURRENT_VERSION
from statefmt.model.addrs import AbsResource, AbsResourceInstance, list_order
from statefmt.model.instances import InstanceState, instances
from statefmt.model.outputs import OutputValue
from statefmt.model.resources import ResourceState
from statefmt.model.snapshot import Snapshot


def diff(
    old: Snapshot,
    new: Snapshot,
    *,
    exact: bool = False,
    moved: Mapping[AbsResourceInstance, AbsResourceInstance] = MappingProxyType({}),
    versions: tuple[int, int] = (CURRENT_VERSION, CURRENT_VERSION),
) -> SnapshotDiff:
    """Return the differences between `old` and `new`.

    A removed and an added instance count as moved if they have the same type and the same remote object (the same
    identity, else the same `id`, else equal attributes), and no third instance has it too. Instances in `moved` are
    paired first. With `exact`, equal numbers that are written differently (`1` and `1.0`) differ. `versions` are the
    format versions of the two files; a difference between them is a change of the envelope.
    """
    before = {resource.addr: resource for resource in old.resources}
    after = {resource.addr: resource for resource in new.resources}
    pairs = _pairs(before, after, moved)
    moves_found = [(one.addr, other.addr) for one, other in pairs if one and other and one.addr != other.addr]
    moves = Moves(old, new, moves_found)
    shown: list[InstanceChange] = []
    followed: list[InstanceChange] = []
    for one, other in pairs:
        change = instance_change(one, other, exact=exact)
        told = moves.without_followed(change)
        if one is None or other is None or told.is_moved or told.members or told.objects:
            shown.append(told)
        elif change.members:
            followed.append(told)
    checked = check_results_text(old.check_results) != check_results_text(new.check_results)
    return SnapshotDiff(
        envelope=envelope_changes(old, new, versions),
        outputs=tuple(_outputs(old, new)),
        instances=_in_list_order(shown),
        moves=whole_moves(instance_counts(old), instance_counts(new), moves_found) if moves_found else (),
        followed=_in_list_order(followed),
        resources=tuple(_resources(before, after, pairs)),
        check_results=CheckResultsChange(old.check_results, new.check_results) if checked else None,
    )


def instance_counts(snapshot: Snapshot) -> dict[AbsResource, int]:
    """Return the number of instances of each resource that has some."""
    return {one.addr: len({obj.key for obj in one.objects}) for one in snapshot.resources if one.objects}


def _pairs(
    before: Mapping[AbsResource, ResourceState],
    after: Mapping[AbsResource, ResourceState],
    moved: Mapping[AbsResourceInstance, AbsResourceInstance],
) -> list[Pair]:
    """Return the instances that may differ, each paired with its counterpart on the other side."""
    unequal = [addr for addr, one in before.items() if not _same(one, after.get(addr))]
    unequal += [addr for addr in after if addr not in before]
    one = _instances(before[addr] for addr in unequal if addr in before)
    other = _instances(after[addr] for addr in unequal if addr in after)
    known = {source: target for source, target in moved.items() if source in one and target in other}
    same: list[Pair] = [(one.pop(source), other.pop(target)) for source, target in known.items()]
    gone: list[InstanceState] = []
    come: list[InstanceState] = []
    for addr in {**one, **other}:
        mine, theirs = one.get(addr), other.get(addr)
        if mine is not None and theirs is not None and not may_be_replaced(mine, theirs):
            same.append((mine, theirs))
            continue
        gone += [mine] if mine else []
        come += [theirs] if theirs else []
    return [*same, *match(gone, come)]


def _same(one: ResourceState, other: ResourceState | None) -> bool:
    """Return whether two resources have exactly the same objects in the same order."""
    return one is other or (
        other is not None
        and one.provider_config == other.provider_config
        and len(one.objects) == len(other.objects)
        and all(map(same_text, one.objects, other.objects))
    )


def _instances(resources: Iterable[ResourceState]) -> dict[AbsResourceInstance, InstanceState]:
    return {instance.addr: instance for instance in instances(Snapshot(resources=tuple(resources)))}


def instance_change(one: InstanceState | None, other: InstanceState | None, *, exact: bool) -> InstanceChange:
    """Return the differences between two sides of an instance."""
    change = InstanceChange(old=one, new=other)
    if one is None or other is None:
        return change
    members = tuple(member_changes(one, other, exact=exact))
    return replace(change, members=members, objects=tuple(object_changes(one, other)))


def _in_list_order(changes: list[InstanceChange]) -> tuple[InstanceChange, ...]:
    return tuple(sorted(changes, key=lambda change: (list_order(change.addr), change.new is not None)))


def _outputs(old: Snapshot, new: Snapshot) -> Iterable[OutputChange]:
    before: dict[str, OutputValue] = {output.name: output for output in old.outputs}
    after: dict[str, OutputValue] = {output.name: output for output in new.outputs}
    for name in sorted({**before, **after}):
        one, other = before.get(name), after.get(name)
        if output_text(one) != output_text(other):
            yield OutputChange(one, other)


def _resources(
    before: Mapping[AbsResource, ResourceState], after: Mapping[AbsResource, ResourceState], pairs: Iterable[Pair]
) -> Iterable[ResourceChange]:
    """Yield the resources that differ in something other than their instances."""
    if all(resource.objects and not resource.unknown for side in (before, after) for resource in side.values()):
        return
    moved = _moved_resources(before, after, pairs)
    seen: set[AbsResource] = set()
    for addr, one in before.items():
        target = moved.get(addr, addr)
        seen.add(target)
        other = after.get(target)
        if _shell(one) != _shell(other):
            yield ResourceChange(one, other)
    for addr, other in after.items():
        if addr not in seen and _shell(other) is not None:
            yield ResourceChange(None, other)


def _moved_resources(
    before: Mapping[AbsResource, ResourceState], after: Mapping[AbsResource, ResourceState], pairs: Iterable[Pair]
) -> Mapping[AbsResource, AbsResource]:
    """Map resources that only the old side has to those that only the new side has, if they moved one to one."""
    became = {(one.resource.addr, other.resource.addr) for one, other in pairs if one and other}
    became = {(one, other) for one, other in became if one not in after and other not in before}
    sources, targets = Counter(one for one, _ in became), Counter(other for _, other in became)
    return {one: other for one, other in became if sources[one] == targets[other] == 1}


def _shell(resource: ResourceState | None) -> object:
    """Return what is left of a resource without its instances; None if there is nothing to compare."""
    if resource is None or (resource.objects and not resource.unknown):
        return None
    return unknown_texts(resource.unknown), None if resource.objects else (resource.provider_config, "no instances")


def envelope_changes(
    old: Snapshot, new: Snapshot, versions: tuple[int, int] = (CURRENT_VERSION, CURRENT_VERSION)
) -> tuple[EnvelopeChange, ...]:
    """Return the changes of format version, release, serial, lineage, and members unknown to statetool.

    `versions` are the format versions of the two files, which snapshots do not contain.
    """
    before, after = (
        {**envelope_texts(snapshot), "version": b"%d" % version}
        for snapshot, version in zip((old, new), versions, strict=True)
    )
    return tuple(
        EnvelopeChange(name, before.get(name), after.get(name))
        for name in {**before, **after}
        if before.get(name) != after.get(name)
    )
