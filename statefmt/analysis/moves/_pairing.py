"""Pairs the objects of groups: by uniqueness, by instance keys, and by the moves of their modules."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from statefmt.analysis.moves._candidates import Candidate, Candidates
from statefmt.analysis.moves._matching import EqualObjects, are_equal, equal_objects
from statefmt.analysis.moves._near import nearly_equal
from statefmt.analysis.moves.proposals import AmbiguousGroup, MovedInstance, MoveEvidence, NearlyEqual, PlannedPlace
from statefmt.model.addrs import NO_KEY, AbsResourceInstance, InstanceKey, ModuleInstance

# A module of a plan.
_PlacedModule: TypeAlias = tuple[str, ModuleInstance]


class Pairing(NamedTuple):
    """The pairs that were found, groups that stay ambiguous, and what is left over."""

    moved: tuple[MovedInstance, ...]
    ambiguous: tuple[AmbiguousGroup, ...]
    destroyed: tuple[PlannedPlace, ...]
    created: tuple[PlannedPlace, ...]
    not_compared: tuple[PlannedPlace, ...]
    nearly_equal: tuple[NearlyEqual, ...]


def pair(kinds: Sequence[Candidates]) -> Pairing:
    """Pair destroyed with created objects where only one answer is possible."""
    matched = [(kind, equal_objects(kind)) for kind in kinds]
    groups = [(kind, group) for kind, found in matched for group in found.groups]
    pairs: dict[Candidate, MovedInstance] = {}
    for _, group in groups:
        for old, new, evidence in _unambiguous(group):
            pairs[old] = pairs[new] = _moved(old, new, evidence)
    for old, new in _along(kinds, pairs):
        pairs[old] = pairs[new] = _moved(old, new, MoveEvidence.MODULE)
    listed: set[Candidate] = set()
    ambiguous: list[AmbiguousGroup] = []
    for kind, group in groups:
        destroyed, created = _left(group.destroyed, pairs), _left(group.created, pairs)
        if destroyed and created:
            listed |= {*destroyed, *created}
            ambiguous.append(AmbiguousGroup(kind.type, kind.provider, _places(destroyed), _places(created)))
    done = pairs.keys() | listed
    return Pairing(
        tuple(dict.fromkeys(pairs.values())),
        tuple(ambiguous),
        _places(_left((one for kind in kinds for one in kind.destroyed), done)),
        _places(_left((one for kind in kinds for one in kind.created), done)),
        _places(_left((one for _, found in matched for one in found.not_compared), done)),
        tuple(near for kind in kinds for near in nearly_equal(kind, done)),
    )


def _moved(old: Candidate, new: Candidate, evidence: MoveEvidence) -> MovedInstance:
    names = tuple(sorted(name for name, _ in new.known))
    return MovedInstance(old.place, new.place, evidence, names)


def _unambiguous(group: EqualObjects) -> Iterator[tuple[Candidate, Candidate, MoveEvidence]]:
    if len(group.destroyed) == len(group.created) == 1:
        yield group.destroyed[0], group.created[0], MoveEvidence.ATTRIBUTES
        return
    before, after = _by_keys(group.destroyed), _by_keys(group.created)
    if before.keys() == after.keys() and all(are_equal(old, after[keys]) for keys, old in before.items()):
        yield from ((old, after[keys], MoveEvidence.KEYS) for keys, old in before.items())


def _by_keys(objects: Sequence[Candidate]) -> dict[tuple[InstanceKey, ...], Candidate]:
    """Return the objects by all keys in their addresses; empty unless all are of one resource block of one plan."""
    blocks = {(one.place.plan, one.place.address.config()) for one in objects}
    found = {_keys(one.place.address): one for one in objects}
    return found if len(blocks) == 1 and len(found) == len(objects) else {}


def _keys(address: AbsResourceInstance) -> tuple[InstanceKey, ...]:
    keys = (*(step.key for step in address.module.steps), address.key)
    return tuple(key for key in keys if key is not NO_KEY)


def _along(
    kinds: Iterable[Candidates], pairs: Mapping[Candidate, MovedInstance]
) -> Iterator[tuple[Candidate, Candidate]]:
    """Yield the objects that moved along with their module: their counterpart has the same place in the new one."""
    moved = _moved_modules(dict.fromkeys(pairs.values()))
    if not moved:
        return
    for kind in kinds:
        created = {one.place: one for one in kind.created if one not in pairs}
        taken: dict[Candidate, list[Candidate]] = {}
        for old in kind.destroyed:
            if old in pairs:
                continue
            for place in dict.fromkeys(_places_after(old.place, moved)):
                new = created.get(place)
                if new is not None and are_equal(old, new):
                    taken.setdefault(new, []).append(old)
        counts: dict[Candidate, int] = {}
        for olds in taken.values():
            for old in olds:
                counts[old] = counts.get(old, 0) + 1
        yield from ((olds[0], new) for new, olds in taken.items() if len(olds) == counts[olds[0]] == 1)


def _moved_modules(moved: Iterable[MovedInstance]) -> dict[_PlacedModule, _PlacedModule]:
    """Return where modules moved, if all resources that were paired in them agree. The root module may be one."""
    targets: dict[_PlacedModule, set[_PlacedModule]] = {}
    sources: dict[_PlacedModule, set[_PlacedModule]] = {}
    for one in moved:
        old, new = one.source.address, one.target.address
        if old.resource == new.resource:
            for left, right in _modules_of(old.module, new.module):
                source, target = (one.source.plan, left), (one.target.plan, right)
                targets.setdefault(source, set()).add(target)
                sources.setdefault(target, set()).add(source)
    found: dict[_PlacedModule, _PlacedModule] = {}
    for source, goals in targets.items():
        target = next(iter(goals))
        if len(goals) == len(sources[target]) == 1:
            found[source] = target
    return found


def _modules_of(old: ModuleInstance, new: ModuleInstance) -> Iterator[tuple[ModuleInstance, ModuleInstance]]:
    """Yield the modules of an object before and after, and those around them as long as the steps between are equal."""
    yield old, new
    while old.steps and new.steps and old.steps[-1] == new.steps[-1]:
        old, new = old.parent(), new.parent()
        yield old, new


def _places_after(place: PlannedPlace, moved: Mapping[_PlacedModule, _PlacedModule]) -> Iterator[PlannedPlace]:
    module = place.address.module
    for around in (ModuleInstance(), *module.on_the_way):
        if (target := moved.get((place.plan, around))) is not None:
            plan, other = target
            steps = (*other.steps, *module.steps[len(around.steps) :])
            yield PlannedPlace(plan, AbsResourceInstance(ModuleInstance(steps), place.address.resource))


def _left(objects: Iterable[Candidate], done: Container[Candidate]) -> list[Candidate]:
    return [one for one in objects if one not in done]


def _places(objects: Iterable[Candidate]) -> tuple[PlannedPlace, ...]:
    return tuple(one.place for one in objects)
