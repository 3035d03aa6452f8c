"""Compares two snapshots: by address, then by remote object, then by value.

Raw bytes identify equal instances, so the cost depends on the number of changes. If several states changed together,
`passages` finds the instances that moved from one state to another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Final, NamedTuple

from msgspec import Raw
from msgspec.structs import replace

from statefmt.analysis.diff.model import (
    CheckResultsChange,
    EnvelopeChange,
    InstanceChange,
    MemberChange,
    Movable,
    Move,
    ObjectChange,
    OutputChange,
    ResourceChange,
    SnapshotDiff,
    move_from,
)
from statefmt.analysis.diff.moved import Pair, match, may_be_replaced, object_mark, same_objects, whole_moves
from statefmt.analysis.diff.places import equal_values, plain
from statefmt.formats.reading import CURRENT_VERSION
from statefmt.formats.writing import Tree, TreeBuilder, encode_tree
from statefmt.golang import compact, encode_string, escape_html, loads_exact
from statefmt.model.addrs import AbsResource, AbsResourceInstance, ConfigResource, list_order
from statefmt.model.snapshot import (
    InstanceState,
    OutputValue,
    ResourceInstanceObject,
    ResourceState,
    Snapshot,
    UnknownMember,
    each_instance,
    instances,
)


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
    identity, else the same `id`, else equal attributes), and no third instance has the same object. Instances in
    `moved` are paired first. With `exact`, equal numbers with different spellings (`1` and `1.0`) differ. `versions`
    are the format versions of the two files; a difference between them is a change of the envelope.
    """
    before = {resource.addr: resource for resource in old.resources}
    after = {resource.addr: resource for resource in new.resources}
    pairs = paired(before, after, moved)
    moves_found = [(one.addr, other.addr) for one, other in pairs if one and other and one.addr != other.addr]
    moves = Moves(old, new, moves_found)
    shown: list[InstanceChange] = []
    followed: list[InstanceChange] = []
    for one, other in pairs:
        change = instance_change(one, other, exact=exact)
        direct = moves.without_followed(change)
        if one is None or other is None or direct.is_moved or direct.members or direct.objects:
            shown.append(direct)
        elif change.members:
            followed.append(direct)
    checked = _text(_TREES.check_results(old.check_results)) != _text(_TREES.check_results(new.check_results))
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
    """Return the number of instances of each resource with instances."""
    return {one.addr: len({obj.key for obj in one.objects}) for one in snapshot.resources if one.objects}


def paired(
    before: Mapping[AbsResource, ResourceState],
    after: Mapping[AbsResource, ResourceState],
    moved: Mapping[AbsResourceInstance, AbsResourceInstance] = MappingProxyType({}),
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
    members = tuple(_member_changes(one, other, exact=exact))
    return replace(change, members=members, objects=tuple(object_changes(one, other)))


def _in_list_order(changes: list[InstanceChange]) -> tuple[InstanceChange, ...]:
    return tuple(sorted(changes, key=lambda change: (list_order(change.addr), change.new is not None)))


def _outputs(old: Snapshot, new: Snapshot) -> Iterable[OutputChange]:
    before: dict[str, OutputValue] = {output.name: output for output in old.outputs}
    after: dict[str, OutputValue] = {output.name: output for output in new.outputs}
    for name in sorted({**before, **after}):
        one, other = before.get(name), after.get(name)
        if _output_text(one) != _output_text(other):
            yield OutputChange(one, other)


def _resources(
    before: Mapping[AbsResource, ResourceState], after: Mapping[AbsResource, ResourceState], pairs: Iterable[Pair]
) -> Iterable[ResourceChange]:
    """Yield the resources with differences outside their instances."""
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
    """Map resources only on the old side to resources only on the new side, if they moved one to one."""
    became = {(one.resource.addr, other.resource.addr) for one, other in pairs if one and other}
    became = {(one, other) for one, other in became if one not in after and other not in before}
    sources, targets = Counter(one for one, _ in became), Counter(other for _, other in became)
    return {one: other for one, other in became if sources[one] == targets[other] == 1}


def _shell(resource: ResourceState | None) -> object:
    """Return the parts of a resource other than its instances; None if there are none to compare."""
    if resource is None or (resource.objects and not resource.unknown):
        return None
    return _unknown_texts(resource.unknown), None if resource.objects else (resource.provider_config, "no instances")


def envelope_changes(
    old: Snapshot, new: Snapshot, versions: tuple[int, int] = (CURRENT_VERSION, CURRENT_VERSION)
) -> tuple[EnvelopeChange, ...]:
    """Return the changes of format version, release, serial, lineage, and members unknown to statetool.

    `versions` are the format versions of the two files, which snapshots do not contain.
    """
    before, after = (
        {**_envelope_texts(snapshot), "version": b"%d" % version}
        for snapshot, version in zip((old, new), versions, strict=True)
    )
    return tuple(
        EnvelopeChange(name, before.get(name), after.get(name))
        for name in {**before, **after}
        if before.get(name) != after.get(name)
    )


# These are part of the address of an instance or object.
_IDENTIFYING: Final = frozenset({"index_key", "deposed"})


def same_text(one: ResourceInstanceObject, other: ResourceInstanceObject) -> bool:
    """Return whether two objects are exactly equal, regardless of their resource."""
    return one is other or (
        one.attributes == other.attributes
        and one.key == other.key
        and one.deposed == other.deposed
        and one.provider_key == other.provider_key
        and one.status is other.status
        and one.schema_version == other.schema_version
        and one.private == other.private
        and one.dependencies == other.dependencies
        and one.sensitive_attributes == other.sensitive_attributes
        and one.attributes_flat == other.attributes_flat
        and one.depends_on == other.depends_on
        and one.create_before_destroy == other.create_before_destroy
        and one.skip_destroy == other.skip_destroy
        and one.identity == other.identity
        and one.identity_schema_version == other.identity_schema_version
        and one.unknown == other.unknown
    )


def _member_changes(old: InstanceState, new: InstanceState, *, exact: bool) -> Iterator[MemberChange]:
    """Yield the differing members of objects that exist on both sides."""
    after = {obj.deposed: obj for obj in new.objects}
    for one in old.objects:
        other = after.get(one.deposed)
        if other is None or (same_text(one, other) and old.provider(one) == new.provider(other)):
            # Most moved objects are equal, and building their texts takes time.
            continue
        before, now = _members(old, one), _members(new, other)
        for name in {**before, **now}:
            mine, theirs = before.get(name), now.get(name)
            if mine == theirs or (mine is not None and theirs is not None and _equal_json(mine, theirs, exact=exact)):
                continue
            yield MemberChange(one.deposed, name, mine, theirs)


def object_changes(old: InstanceState, new: InstanceState) -> Iterator[ObjectChange]:
    """Yield the objects that exist on only one side."""
    before = {obj.deposed: obj for obj in old.objects}
    after = {obj.deposed: obj for obj in new.objects}
    for deposed in {**before, **after}:
        if deposed not in before or deposed not in after:
            yield ObjectChange(deposed, before.get(deposed), after.get(deposed))


def _members(instance: InstanceState, obj: ResourceInstanceObject) -> Mapping[str, bytes]:
    """Return the members of an object as JSON, including its provider instance."""
    members = {name: _text(tree) for name, tree in _TREES.object(obj, {}).items() if name not in _IDENTIFYING}
    provider = instance.provider(obj)
    return members if provider is None else {"provider": encode_string(str(provider)), **members}


def _equal_json(one: bytes, other: bytes, *, exact: bool) -> bool:
    """Return whether two compact JSON values are equal.

    Without `exact`, numbers are compared by value, strings that contain JSON are compared as JSON, and the order of
    members is ignored. The last of repeated members counts, as in OpenTofu.
    """
    if one == other:
        return True
    if exact:
        return False
    try:
        return equal_values(
            plain(loads_exact(one, replace_invalid=True), exact=False),
            plain(loads_exact(other, replace_invalid=True), exact=False),
        )
    except (ValueError, RecursionError):
        # Nested too deeply to compare.
        return False


class Moves:
    """The moves between two snapshots, to recognize the dependency changes that follow from them."""

    def __init__(
        self, old: Snapshot, new: Snapshot, moved: Sequence[tuple[AbsResourceInstance, AbsResourceInstance]]
    ) -> None:
        self._old, self._new, self._moved = old, new, moved

    @cached_property
    def _forth(self) -> _Mapping:
        before, after = self._filled
        return _Mapping(self._moved, before - after, self._new)

    @cached_property
    def _back(self) -> _Mapping:
        before, after = self._filled
        return _Mapping([(other, one) for one, other in self._moved], after - before, self._old)

    @cached_property
    def _filled(self) -> tuple[set[ConfigResource], set[ConfigResource]]:
        """The resources with objects on both sides. Large states have many: collected only if a dependency differs."""
        before, after = (
            {resource.addr.config() for resource in side.resources if resource.objects}
            for side in (self._old, self._new)
        )
        return before, after

    def without_followed(self, change: InstanceChange) -> InstanceChange:
        """Return the change without dependencies that only follow moves and removals."""
        if change.old is None or change.new is None:
            return change
        kept = tuple(
            member
            for member in change.members
            if member.name not in ("dependencies", "depends_on")
            or not self._follows(
                change.old.object_of(member.deposed), change.new.object_of(member.deposed), member.name
            )
        )
        return replace(change, members=kept)

    def _follows(self, one: ResourceInstanceObject, other: ResourceInstanceObject, name: str) -> bool:
        if name == "depends_on":
            before, now = set(one.depends_on), set(other.depends_on)
            return self._forth.instances(before) == now or self._back.instances(now) == before
        return self._forth.fits(one.dependencies, other.dependencies) or self._back.fits(
            other.dependencies, one.dependencies
        )


class _Mapping:
    """The moves of resources and instances in one direction: to the snapshot `target`, which lacks those in `gone`."""

    def __init__(
        self,
        moved: Sequence[tuple[AbsResourceInstance, AbsResourceInstance]],
        gone: set[ConfigResource],
        target: Snapshot,
    ) -> None:
        self._instances = dict(moved)
        self._resources: dict[ConfigResource, set[ConfigResource]] = {}
        for one, other in moved:
            self._resources.setdefault(one.config(), set()).add(other.config())
        for config in self._staying(target):
            self._resources[config].add(config)
        # Removed resources: dependencies on them may stay or go.
        self._lost = gone - self._resources.keys()
        for targets in self._resources.values():
            targets.difference_update(self._lost)

    def _staying(self, target: Snapshot) -> set[ConfigResource]:
        """Return the resources that moved only in part, ignoring instances that replaced the moved ones."""
        came = set(self._instances.values())
        return {
            resource.addr.config()
            for resource in target.resources
            if resource.addr.config() in self._resources
            and any(resource.addr.instance(obj.key) not in came for obj in resource.objects)
        }

    def instances(self, addrs: Iterable[AbsResourceInstance]) -> set[AbsResourceInstance]:
        return {self._instances.get(addr, addr) for addr in addrs}

    def fits(self, old: Iterable[ConfigResource], new: Iterable[ConfigResource]) -> bool:
        """Return whether `new` is `old` after the moves, with or without removed resources."""
        left = set(new) - self._lost
        wanted: set[ConfigResource] = set()
        for config in old:
            targets = self._resources.get(config)
            if targets is None:
                wanted.add(config)
            elif targets <= left:
                wanted |= targets
            else:
                return False
        return wanted - self._lost == left


_TREES: Final = TreeBuilder(keep_unknown=True)


def _envelope_texts(snapshot: Snapshot) -> dict[str, bytes]:
    """Return the header members of the state, and members unknown to statetool."""
    known = {name: _text(tree) for name, tree in _TREES.envelope(snapshot).items()}
    return known | _unknown_texts(snapshot.unknown)


def _unknown_texts(members: Iterable[UnknownMember]) -> dict[str, bytes]:
    return {name: _text(raw) for name, raw, _ in members}


def _output_text(output: OutputValue | None) -> bytes:
    """Return an output value without its name; empty for None."""
    return b"" if output is None else _text(_TREES.output(output))


def _text(tree: Tree) -> bytes:
    return escape_html(compact(encode_tree(tree)))


def apply(snapshot: Snapshot, changes: SnapshotDiff) -> Snapshot:
    """Return the snapshot with all changes applied.

    The result of `diff(old, new, exact=True)` turns `old` into `new`, apart from the order of resources and outputs.
    """
    return replace(
        _with_envelope(snapshot, changes.envelope),
        outputs=_applied_outputs(snapshot, changes),
        resources=_applied_resources(snapshot, changes),
        check_results=changes.check_results.new if changes.check_results else snapshot.check_results,
    )


def _with_envelope(snapshot: Snapshot, changes: tuple[EnvelopeChange, ...]) -> Snapshot:
    unknown = {member.name: member for member in snapshot.unknown}
    for change in changes:
        if change.name == "version":
            # The format version belongs to the file, not to the snapshot.
            continue
        if change.is_known:
            value = loads_exact(change.new or b"null")
            text = value if isinstance(value, str) else ""
            snapshot = replace(snapshot, **{change.name: int(text) if change.name == "serial" else str(text)})
        else:
            unknown.pop(change.name, None)
            if change.new is not None:
                unknown[change.name] = UnknownMember(change.name, Raw(change.new), "")
    return replace(snapshot, unknown=tuple(unknown.values()))


def _applied_outputs(snapshot: Snapshot, changes: SnapshotDiff) -> tuple[OutputValue, ...]:
    outputs = {output.name: output for output in snapshot.outputs}
    for change in changes.outputs:
        outputs.pop(change.name, None)
        if change.new is not None:
            outputs[change.name] = change.new
    return tuple(outputs.values())


def _applied_resources(snapshot: Snapshot, changes: SnapshotDiff) -> tuple[ResourceState, ...]:
    resources = {resource.addr: resource for resource in snapshot.resources}
    emptied: set[AbsResource] = set()
    instances = (*changes.instances, *changes.followed)
    for change in instances:
        if change.old is not None:
            addr, key = change.old.resource.addr, change.old.addr.key
            left = tuple(obj for obj in resources[addr].objects if obj.key != key)
            resources[addr] = replace(resources[addr], objects=left)
            emptied.add(addr)
    for change in instances:
        if change.new is not None:
            target = change.new.resource
            objects = resources[target.addr].objects if target.addr in resources else ()
            resources[target.addr] = replace(target, objects=(*objects, *change.new.objects))
    for shell in changes.resources:
        if shell.new is not None:
            objects = resources[shell.new.addr].objects if shell.new.addr in resources else ()
            resources[shell.new.addr] = replace(shell.new, objects=objects)
        elif shell.old is not None:
            emptied.add(shell.old.addr)
    kept = {change.new.addr for change in changes.resources if change.new is not None}
    return tuple(
        resource for addr, resource in resources.items() if resource.objects or addr not in emptied or addr in kept
    )


class Passage(NamedTuple):
    """The move of an instance between a state and the state `other`.

    `move` is the move of the instance, or of the whole resource or module; its two addresses may be equal. `change`
    has the other changes of the instance, apart from dependencies.
    """

    other: str
    move: Move
    change: InstanceChange


class Passages(NamedTuple):
    """The instances that a state sent to others, by old address, and received from others, by new address."""

    sent: Mapping[AbsResourceInstance, Passage] = {}
    received: Mapping[AbsResourceInstance, Passage] = {}


NO_PASSAGES: Final = Passages()


class Scattered(NamedTuple):
    """Remote objects that several states have, and those that no state has any more; with addresses and state names."""

    doubled: tuple[tuple[AbsResourceInstance, tuple[str, ...]], ...] = ()
    lost: tuple[tuple[AbsResourceInstance, str], ...] = ()


def scattered(before: Mapping[str, Snapshot], now: Mapping[str, Snapshot]) -> Scattered:
    """Return the objects that several states have, more than before, and those that no state has any more.

    Both arguments are by state name.
    """
    had, has = _places_of_objects(before), _places_of_objects(now)
    doubled = [
        (places[-1][1], tuple(dict.fromkeys(name for name, _ in places)))
        for mark, places in has.items()
        if len(places) > max(1, len(had.get(mark, ())))
    ]
    lost = [(places[0][1], places[0][0]) for mark, places in had.items() if mark not in has]
    return Scattered(tuple(doubled), tuple(lost))


def passages(changes: Mapping[str, SnapshotDiff], after: Mapping[str, Snapshot]) -> dict[str, Passages]:
    """Return the instances that moved between states; both arguments are by state name.

    An instance moved to another state if the same remote object was removed from one and added to the other, and no
    third state is involved. `diff()` defines the same remote object.
    """
    # Without instances whose two sides are certainly the same.
    here = [
        (name, one)
        for name, each in changes.items()
        for one in each.instances
        if not (one.old and one.new) or may_be_replaced(one.old, one.new)
    ]
    gone = {id(one.old): (name, one.old) for name, one in here if one.old}
    come = {id(one.new): (name, one.new) for name, one in here if one.new}
    ways: dict[tuple[str, str], list[InstanceChange]] = {}
    for one, other in same_objects([one for _, one in gone.values()], [one for _, one in come.values()]):
        source, target = gone[id(one)][0], come[id(other)][0]
        if source != target:
            ways.setdefault((source, target), []).append(
                _without_dependencies(instance_change(one, other, exact=False))
            )
    sent: dict[str, dict[AbsResourceInstance, Passage]] = {name: {} for name in changes}
    received: dict[str, dict[AbsResourceInstance, Passage]] = {name: {} for name in changes}
    counts = {name: instance_counts(after[name]) for way in ways for name in way}
    before = {name: _before(changes[name], counts[name]) for name, _ in ways}
    for (source, target), went in ways.items():
        pairs = [(one.old.addr, one.new.addr) for one in went if one.old and one.new]
        moves: dict[Movable, Move] = {move.old: move for move in whole_moves(before[source], counts[target], pairs)}
        for (old, new), change in zip(pairs, went, strict=True):
            move = move_from(old, moves) or Move(old, new, 1)
            sent[source][old] = Passage(target, move, change)
            received[target][new] = Passage(source, move, change)
    return {name: Passages(sent[name], received[name]) for name in changes}


def apart(changes: SnapshotDiff, across: Passages) -> SnapshotDiff:
    """Return the changes of a state, with a removal and an addition where one instance left and another arrived."""
    instances: list[InstanceChange] = []
    for one in changes.instances:
        if one.old and one.new and (one.old.addr in across.sent or one.new.addr in across.received):
            instances += [InstanceChange(old=one.old, new=None), InstanceChange(old=None, new=one.new)]
        else:
            instances.append(one)
    return replace(changes, instances=tuple(instances))


def _places_of_objects(states: Mapping[str, Snapshot]) -> dict[object, list[tuple[str, AbsResourceInstance]]]:
    found: dict[object, list[tuple[str, AbsResourceInstance]]] = {}
    for name, snapshot in states.items():
        for instance in each_instance(snapshot):
            found.setdefault(object_mark(instance), []).append((name, instance.addr))
    return found


def _before(changes: SnapshotDiff, after: Mapping[AbsResource, int]) -> Mapping[AbsResource, int]:
    """Count the instances of each resource before a change, based on the instances after it."""
    counts = Counter(after)
    for change in changes.instances:
        if change.new:
            counts[change.new.resource.addr] -= 1
        if change.old:
            counts[change.old.resource.addr] += 1
    return +counts


def _without_dependencies(change: InstanceChange) -> InstanceChange:
    kept = tuple(one for one in change.members if one.name not in ("dependencies", "depends_on"))
    return replace(change, members=kept)
