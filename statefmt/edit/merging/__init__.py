"""Merges two states with a common base: instances first, then their objects, then the values in them.

What only one side changed is taken. Everything else is a conflict, which a decision resolves; nothing is guessed.
Instances that moved are recognised by their remote objects, as in `diff`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from statefmt.analysis.diff import diff, paired, same_text
from statefmt.analysis.diff.moved import may_be_replaced, object_mark, same_objects
from statefmt.edit.changes import (
    REBIND_COMMAND,
    Edit,
    by_address,
    dropping,
    following,
    named,
    with_objects,
    without_instances,
)
from statefmt.edit.merging._parts import chosen, merged_by_name, merged_object, merged_unknown
from statefmt.edit.merging.model import (
    Conflict,
    ConflictKind,
    DecideConflict,
    Merge,
    MergeConflictError,
    MergeSide,
    Versions,
)
from statefmt.formats.raw_json import token
from statefmt.formats.reading import CURRENT_VERSION
from statefmt.model.addrs import AbsResource, AbsResourceInstance, ConfigProviderConfig, InstanceKey
from statefmt.model.errors import SurgeryError, Wording
from statefmt.model.snapshot import CheckResult, InstanceState, ResourceInstanceObject, ResourceState, Snapshot

# A provider configuration and the key of its instance.
_Binding: TypeAlias = tuple[ConfigProviderConfig | None, InstanceKey]


def merge(base: Snapshot, ours: Snapshot, theirs: Snapshot, decide: DecideConflict = lambda _: None) -> Merge:
    """Merge what `ours` and `theirs` changed in `base`; `decide` resolves conflicts.

    A result with the content of one side has the serial of that side, unless the other side has raised the serial of
    the base above it; any other result has the higher serial plus 1. Raises SurgeryError if the lineages differ.
    """
    _refuse_unrelated(base, ours, theirs)
    if _same_content(theirs, base) or _same_content(ours, theirs):
        result = Merge(snapshot=ours)
    elif _same_content(ours, base):
        result = Merge(snapshot=theirs)
    else:
        result = _Merger(Versions(base, ours, theirs), decide).merged()
    if not result.conflicts:
        newer = ((MergeSide.OURS, ours, theirs), (MergeSide.THEIRS, theirs, ours))
        for side, one, other in newer if ours.serial >= theirs.serial else newer[::-1]:
            raised = base.serial < other.serial > one.serial
            if _same_content(result.snapshot, one) and not raised:
                return replace(result, snapshot=one, equals=side)
    return replace(result, snapshot=replace(result.snapshot, serial=max(ours.serial, theirs.serial) + 1))


def merged(ours: Snapshot, base: Snapshot, theirs: Snapshot, decide: DecideConflict = lambda _: None) -> Edit:
    """Return the edit of `ours` that makes it the merge.

    Raises SurgeryError if the lineages differ, and MergeConflictError if conflicts are not decided.
    """
    found = merge(base, ours, theirs, decide)
    if found.conflicts:
        raise MergeConflictError(found.conflicts)
    if found.equals is MergeSide.THEIRS and theirs.source is not None:
        return Edit(theirs, restored=theirs.source.data, restored_version=CURRENT_VERSION)
    dropped = "Left out, as decided; their objects stay as they are, and no state manages them:"
    notes = (f"{dropped}{named(found.dropped)}",) if found.dropped else ()
    return Edit(found.snapshot, found.moved, notes)


def _refuse_unrelated(*snapshots: Snapshot) -> None:
    lineages = sorted({snapshot.lineage for snapshot in snapshots})
    if len(lineages) > 1:
        shown = ", ".join(lineage or "none" for lineage in lineages)
        raise SurgeryError(f"the states have different lineages ({shown}): they are not versions of one state")


def _same_content(one: Snapshot, other: Snapshot) -> bool:
    """Return whether two states differ in nothing but their serial."""
    changes = diff(one, other, exact=True)
    return not replace(changes, envelope=tuple(each for each in changes.envelope if each.name != "serial"))


_MV_COMMAND: Final = Wording("`statetool mv`", "move()")


class _Instance(Struct, frozen=True):
    """One instance in base, ours and theirs, None where it does not exist, and its address in the result."""

    addr: AbsResourceInstance
    states: Versions[InstanceState | None]

    @property
    def name(self) -> str:
        """The address in conflicts, which is the same if the sides are exchanged."""
        return str(self.addr if self.states.base is None else self.states.base.addr)

    def on(self, side: MergeSide) -> InstanceState | None:
        """Return the instance on one side."""
        return self.states.ours if side is MergeSide.OURS else self.states.theirs


class _Bound(Struct, frozen=True):
    """An object of the result and its binding; `on` has the bindings of the sides that have the object."""

    obj: ResourceInstanceObject
    binding: _Binding
    on: Mapping[MergeSide, _Binding]


class _Tracked:
    """What one side made of the instances of the base.

    `old` has the instances of the base that may differ, by address, and `added` those that only the side has.
    """

    def __init__(self, base: Snapshot, side: Snapshot) -> None:
        self._there = by_address(side)
        pairs = paired(by_address(base), self._there)
        self.old = {one.addr: one for one, _ in pairs if one is not None}
        self.added = [other for one, other in pairs if one is None and other is not None]
        self._now = {one.addr: other for one, other in pairs if one is not None}
        self._marks: set[object] | None = None
        self._equal: dict[AbsResource, dict[InstanceKey, list[ResourceInstanceObject]]] = {}

    def may_have_moved(self, old: InstanceState) -> bool:
        """Return whether an instance of the base is gone, and a new instance of the side may be the same object."""
        if self._now.get(old.addr, old) is not None:
            return False
        if self._marks is None:
            self._marks = {object_mark(one) for one in self.added}
        return object_mark(old) in self._marks

    def now(self, old: InstanceState) -> InstanceState | None:
        """Return an instance of the base as it is on the side; None if it is gone."""
        if old.addr in self._now:
            return self._now[old.addr]
        # An equal one, whose position in the file may differ.
        addr = old.resource.addr
        if addr not in self._equal:
            objects = self._equal[addr] = defaultdict(list)
            for obj in self._there[addr].objects:
                objects[obj.key].append(obj)
        return InstanceState(self._there[addr], old.key, tuple(self._equal[addr][old.key]))


class _Merger:
    """Merges three states whose contents all differ."""

    def __init__(self, states: Versions[Snapshot], decide: DecideConflict) -> None:
        self._states = states
        self._decide = decide
        self._conflicts: set[Conflict] = set()
        self._dropped: list[str] = []

    def merged(self) -> Merge:
        """Return the merge, with all conflicts that are not decided."""
        found = self._instances()
        moves = Versions(*(_new_addresses(found, number) for number in range(3)))
        follow = [_following(*one, moves.base) for one in zip(self._states, moves, strict=True)]
        followed = [
            replace(each, states=Versions(*(_followed(*one) for one in zip(each.states, follow, strict=True))))
            for each in found
        ]
        home = without_instances(
            self._states.ours, [one.addr for each in found if (one := each.states.ours) is not None]
        )
        # The remaining instances are as in the base, so they follow the moves of both sides.
        home = with_objects(home, lambda _, obj: follow[0](obj))
        snapshot = self._envelope(self._resources(by_address(home), self._at_addresses(followed)))
        had = {one.addr.config() for state in self._states[1:] for one in state.resources}
        snapshot, _ = dropping(snapshot, had - {one.addr.config() for one in snapshot.resources})
        return Merge(
            snapshot=snapshot,
            conflicts=tuple(sorted(self._conflicts)),
            moved=moves.ours,
            dropped=tuple(sorted(self._dropped)),
        )

    def _ask(self, address: object, path: str, kind: ConflictKind) -> MergeSide:
        """Return the side to take: that of the decision, or else ours."""
        conflict = Conflict(str(address), path, kind)
        decided = self._decide(conflict)
        if decided is None:
            self._conflicts.add(conflict)
        return decided or MergeSide.OURS

    def _instances(self) -> list[_Instance]:
        """Return all instances that may differ between the three states."""
        base, ours, theirs = self._states
        mine, other = _Tracked(base, ours), _Tracked(base, theirs)
        found: list[_Instance] = []
        for old in {**mine.old, **other.old}.values():
            states = Versions[InstanceState | None](old, mine.now(old), other.now(old))
            _refuse_ambiguous(old, states.theirs, mine)
            _refuse_ambiguous(old, states.ours, other)
            found.append(_Instance(self._address(old, states.ours, states.theirs), states))
        same = same_objects(mine.added, other.added)
        in_pairs = {id(one) for pair in same for one in pair}
        ours_only, theirs_only = (
            {one.addr: one for one in side.added if id(one) not in in_pairs} for side in (mine, other)
        )
        found += [
            _Instance(addr, Versions(None, ours_only.get(addr), theirs_only.get(addr)))
            for addr in {**ours_only, **theirs_only}
        ]
        for one, two in same:
            # The address that comes first names the conflict, whichever side has it.
            first, last = sorted((one.addr, two.addr), key=str)
            moved = first != last and self._ask(first, "", ConflictKind.MOVED) is MergeSide.THEIRS
            found.append(_Instance(two.addr if moved else one.addr, Versions(None, one, two)))
        return found

    def _address(
        self, base: InstanceState, ours: InstanceState | None, theirs: InstanceState | None
    ) -> AbsResourceInstance:
        """Return the address in the result of an instance of the base."""
        if ours is None or theirs is None:
            return (ours or theirs or base).addr
        addresses = Versions(base.addr, ours.addr, theirs.addr)
        return chosen(addresses, lambda: self._ask(base.addr, "", ConflictKind.MOVED))

    def _at_addresses(self, found: Iterable[_Instance]) -> dict[AbsResourceInstance, tuple[_Bound, ...]]:
        """Return the objects of the merged instances by their address."""
        places: dict[AbsResourceInstance, list[tuple[_Instance, tuple[_Bound, ...]]]] = defaultdict(list)
        for each in found:
            if objects := self._objects(each):
                places[each.addr].append((each, objects))
        result: dict[AbsResourceInstance, tuple[_Bound, ...]] = {}
        others: list[tuple[_Instance, tuple[_Bound, ...], MergeSide]] = []
        for addr, there in places.items():
            kept = there[0]
            if len(there) > 1:
                side = self._ask(addr, "", ConflictKind.TAKEN)
                kept = next((one for one in there if (state := one[0].on(side)) and state.addr == addr), kept)
                others += [(each, objects, side) for each, objects in there if each is not kept[0]]
            result[addr] = kept[1]
        for each, objects, side in others:
            # The side to take may have it at another address.
            state = each.on(side)
            if state is None or state.addr in result:
                self._dropped.append(each.name)
            else:
                key = state.addr.key
                result[state.addr] = tuple(replace(one, obj=replace(one.obj, key=key)) for one in objects)
        return result

    def _objects(self, each: _Instance) -> tuple[_Bound, ...]:
        """Return the merged objects of an instance; none if it is deleted."""
        base, ours, theirs = each.states
        if base is not None and (ours is None) != (theirs is None):
            left = ours or theirs
            if left is not None and (left.addr != base.addr or not _same(left, base)):
                return _bound(each, self._ask(each.name, "", ConflictKind.DELETED))
            return ()
        if _same(ours, theirs) or _same(theirs, base):
            return _bound(each, MergeSide.OURS)
        if _same(ours, base):
            return _bound(each, MergeSide.THEIRS)
        assert ours is not None and theirs is not None
        if may_be_replaced(ours, theirs) or (base is not None and _has_other_objects(base, ours, theirs)):
            side = self._ask(each.name, "", ConflictKind.OBJECTS)
            if may_be_replaced(ours, theirs):
                self._dropped.append(each.name)
            return _bound(each, side)
        if base is None:
            return _bound(each, self._ask(each.name, "", ConflictKind.VALUE))
        states = Versions(base, ours, theirs)
        objects = states.map(lambda state: {obj.deposed: obj for obj in state.objects})
        result: list[_Bound] = []
        for deposed in {**objects.ours, **objects.theirs}:
            versions = Versions(*(there.get(deposed) for there in objects))
            path = f"/deposed/{deposed}" if deposed else ""
            obj = self._object(each, path, versions)
            if obj is not None:
                configs = states.map(lambda state: state.resource.provider_config)
                bindings = Versions(*map(_binding, configs, versions))
                result.append(self._bound_object(each, path, obj, bindings))
        return tuple(result)

    def _object(
        self, each: _Instance, path: str, versions: Versions[ResourceInstanceObject | None]
    ) -> ResourceInstanceObject | None:
        """Return one merged object of an instance; None if it is deleted."""
        base, ours, theirs = versions
        # No side has an object that the base lacks.
        assert base is not None
        if ours is None or theirs is None:
            left = ours or theirs
            if left is None or _equal(left, base):
                return None
            return ours if self._ask(each.name, path, ConflictKind.DELETED) is MergeSide.OURS else theirs
        return merged_object(Versions(base, ours, theirs), lambda part, kind: self._ask(each.name, path + part, kind))

    def _bound_object(
        self, each: _Instance, path: str, obj: ResourceInstanceObject, bindings: Versions[_Binding | None]
    ) -> _Bound:
        """Return a merged object of an instance with its binding."""
        _, ours, theirs = bindings
        binding = ours or theirs
        if ours is not None and theirs is not None:
            binding = chosen(bindings, lambda: self._ask(each.name, f"{path}/provider", ConflictKind.PROVIDER))
        assert binding is not None
        on = {side: one for side, one in ((MergeSide.OURS, ours), (MergeSide.THEIRS, theirs)) if one is not None}
        # Positions are those in ours, whose bytes the result keeps.
        origin = obj.origin if ours is not None else None
        return _Bound(replace(obj, key=each.addr.key, origin=origin), binding, on)

    def _resources(
        self, home: Mapping[AbsResource, ResourceState], merged: Mapping[AbsResourceInstance, tuple[_Bound, ...]]
    ) -> tuple[ResourceState, ...]:
        """Return the resources of the result; `home` has those of ours, without the merged instances."""
        there = self._states.map(by_address)
        arriving: dict[AbsResource, list[_Bound]] = defaultdict(list)
        for instance, came in merged.items():
            arriving[instance.containing_resource()] += came
        result: list[ResourceState] = []
        for addr in {**there.ours, **there.theirs, **arriving}:
            stays, arrived = home.get(addr), arriving.get(addr, [])
            if stays is not None and stays.objects and not arrived:
                result.append(stays)
                continue
            states = Versions(*(state.get(addr) for state in there))
            is_empty = states.map(lambda state: state is not None and not state.objects)
            if not arrived and not chosen(is_empty, lambda: MergeSide.OURS):
                continue
            config, bound = self._one_binding(addr, stays, arrived, states)
            objects = (*(stays.objects if stays is not None else ()), *bound)
            unknown = merged_unknown(
                states.map(lambda state: () if state is None else state.unknown), partial(self._ask_member, addr)
            )
            origin = () if states.ours is None else states.ours.origin
            result.append(
                ResourceState(addr=addr, provider_config=config, objects=objects, unknown=unknown, origin=origin)
            )
        return tuple(result)

    def _one_binding(
        self,
        addr: AbsResource,
        stays: ResourceState | None,
        came: Sequence[_Bound],
        states: Versions[ResourceState | None],
    ) -> tuple[ConfigProviderConfig | None, list[ResourceInstanceObject]]:
        """Return the one provider configuration of a resource, and its merged objects, bound to instances of it."""
        home = states.ours or states.theirs
        assert home is not None
        configs = {one.binding[0] for one in came}
        if stays is not None and stays.objects:
            configs.add(stays.provider_config)
        if not configs:
            known = Versions(*((state or home).provider_config for state in states))
            return chosen(known, lambda: self._ask(addr, "/provider", ConflictKind.PROVIDER)), []
        if len(configs) == 1:
            [config] = configs
            return config, [replace(one.obj, provider_key=one.binding[1]) for one in came]
        side = self._ask(addr, "/provider", ConflictKind.PROVIDER)
        if Conflict(str(addr), "/provider", ConflictKind.PROVIDER) in self._conflicts:
            return home.provider_config, [one.obj for one in came]
        home = (states.ours if side is MergeSide.OURS else states.theirs) or home
        keys = {obj.provider_key for obj in home.objects}
        objects: list[ResourceInstanceObject] = []
        for one in came:
            there = one.on.get(side)
            if there is None or there[0] != home.provider_config:
                if len(keys) != 1:
                    raise SurgeryError(
                        f"{addr}: its instances are bound to several instances of {home.provider_config}, so it is not "
                        "known which of them manages the instances of the other side; use ",
                        REBIND_COMMAND,
                        " in one of the two states first",
                        address=addr,
                    )
                [key] = keys
            else:
                key = there[1]
            objects.append(replace(one.obj, provider_key=key))
        return home.provider_config, objects

    def _envelope(self, resources: tuple[ResourceState, ...]) -> Snapshot:
        """Return the result with merged outputs, check results, release and unknown members."""
        _, ours, theirs = states = self._states
        newer = MergeSide.THEIRS if _release(theirs) > _release(ours) else MergeSide.OURS
        return replace(
            ours,
            terraform_version=chosen(states.map(lambda state: state.terraform_version), lambda: newer),
            outputs=merged_by_name(
                states.map(lambda state: {output.name: output for output in state.outputs}),
                lambda name: self._ask(f"output.{name}", "", ConflictKind.OUTPUT),
            ),
            resources=resources,
            check_results=tuple(_merged_checks(states.map(lambda state: state.check_results))),
            unknown=merged_unknown(states.map(lambda state: state.unknown), partial(self._ask_member, "")),
        )

    def _ask_member(self, address: object, name: str) -> MergeSide:
        return self._ask(address, f"/{token(name)}", ConflictKind.MEMBER)


def _same(one: InstanceState | None, other: InstanceState | None) -> bool:
    """Return whether an instance is the same in two states, apart from its address."""
    if one is None or other is None:
        return one is other
    if one.resource.provider_config != other.resource.provider_config or len(one.objects) != len(other.objects):
        return False
    there = {obj.deposed: obj for obj in other.objects}
    return all(obj.deposed in there and _equal(obj, there[obj.deposed]) for obj in one.objects)


def _equal(one: ResourceInstanceObject, other: ResourceInstanceObject) -> bool:
    """Return whether two objects of one instance are equal; it may have moved."""
    return same_text(one, other if one.key == other.key else replace(other, key=one.key))


def _bound(each: _Instance, side: MergeSide) -> tuple[_Bound, ...]:
    """Return all objects of an instance as one side has them."""
    state = each.on(side)
    if state is None:
        return ()
    bindings = {
        one: {obj.deposed: (there.resource.provider_config, obj.provider_key) for obj in there.objects}
        for one in MergeSide
        if (there := each.on(one)) is not None
    }
    result: list[_Bound] = []
    for obj in state.objects:
        on = {one: there[obj.deposed] for one, there in bindings.items() if obj.deposed in there}
        # Positions are those in ours, whose bytes the result keeps.
        origin = obj.origin if side is MergeSide.OURS else None
        result.append(_Bound(replace(obj, key=each.addr.key, origin=origin), on[side], on))
    return tuple(result)


def _has_other_objects(base: InstanceState, *sides: InstanceState) -> bool:
    """Return whether a side has another object than the base, current or deposed: it may have been another before."""
    known = {obj.deposed for obj in base.objects}
    return any(may_be_replaced(base, side) or {obj.deposed for obj in side.objects} - known for side in sides)


def _followed(
    state: InstanceState | None, follow: Callable[[ResourceInstanceObject], ResourceInstanceObject]
) -> InstanceState | None:
    """Return an instance whose dependencies follow moves."""
    return None if state is None else InstanceState(state.resource, state.key, tuple(map(follow, state.objects)))


def _refuse_ambiguous(old: InstanceState, other: InstanceState | None, side: _Tracked) -> None:
    """Raise SurgeryError if an instance may have moved on one side, as one of several equal ones, and changed on the
    other side.
    """
    unchanged = other is not None and other.addr == old.addr and _same(other, old)
    if not unchanged and side.may_have_moved(old):
        raise SurgeryError(
            f"{old.addr}: one side moved or removed it, as one of several equal objects, and the "
            "other side changed it. Make the same move on that side first, with ",
            _MV_COMMAND,
            address=old.addr,
        )


def _following(
    state: Snapshot,
    moves: Mapping[AbsResourceInstance, AbsResourceInstance],
    of_base: Mapping[AbsResourceInstance, AbsResourceInstance],
) -> Callable[[ResourceInstanceObject], ResourceInstanceObject]:
    """Return the function that rewrites dependencies in a state by all moves.

    Some programs leave dependencies on the former address of what they move, so the moves of the base count, too.
    """
    there = {resource.addr.config() for resource in state.resources}
    left = {old: new for old, new in of_base.items() if old.config() not in there}
    return following(without_instances(state, moves), {**left, **moves})


def _new_addresses(found: Iterable[_Instance], number: int) -> dict[AbsResourceInstance, AbsResourceInstance]:
    """Return the addresses in the result of instances that have another address in one of the three states."""
    there = ((each.states[number], each.addr) for each in found)
    return {state.addr: addr for state, addr in there if state is not None and state.addr != addr}


def _binding(config: ConfigProviderConfig | None, obj: ResourceInstanceObject | None) -> _Binding | None:
    return None if obj is None else (config, obj.provider_key)


def _release(snapshot: Snapshot) -> tuple[list[int], bool]:
    """Return a key that orders releases; a pre-release comes before its release."""
    numbers, _, early = snapshot.terraform_version.partition("+")[0].partition("-")
    return [int(number) for number in numbers.split(".") if number], not early


def _merged_checks(results: Versions[tuple[CheckResult, ...]]) -> Iterator[CheckResult]:
    """Yield the results of checks. A check with two new results is unknown, until the next plan decides it."""
    by_name = results.map(lambda side: {(result.object_kind, result.config_addr): result for result in side})
    for name in {**by_name.ours, **by_name.theirs}:
        base, ours, theirs = (side.get(name) for side in by_name)
        result = theirs if ours == base else ours
        if result is not None and theirs not in (base, ours) and ours != base:
            objects = tuple(replace(one, status="unknown", failure_messages=()) for one in result.objects)
            result = replace(result, status="unknown", objects=objects)
        if result is not None:
            yield result
