"""Pairs destroyed and created objects of one type: by equal attributes, instance keys, and moves of their modules.

An index has the destroyed objects by the value of each attribute. For a created object, only those are compared that
share its rarest value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from msgspec import Struct

from statefmt.analysis.moves._candidates import Candidate, Candidates, Known, shape_key
from statefmt.analysis.moves.proposals import AmbiguousGroup, MovedInstance, MoveEvidence, NearlyEqual, PlannedPlace
from statefmt.analysis.providers.facts import contradictions
from statefmt.model.addrs import NO_KEY, AbsResourceInstance, InstanceKey, ModuleInstance

# A module of a plan.
_PlacedModule: TypeAlias = tuple[str, ModuleInstance]


class Pairing(NamedTuple):
    """The pairs, the groups that stay ambiguous, and the objects without a counterpart."""

    moved: tuple[MovedInstance, ...]
    ambiguous: tuple[AmbiguousGroup, ...]
    destroyed: tuple[PlannedPlace, ...]
    created: tuple[PlannedPlace, ...]
    not_compared: tuple[PlannedPlace, ...]
    nearly_equal: tuple[NearlyEqual, ...]


def pair(kinds: Sequence[Candidates]) -> Pairing:
    """Pair destroyed with created objects where only one answer is possible."""
    matched = [(kind, _equal_objects(kind)) for kind in kinds]
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


def _unambiguous(group: _EqualObjects) -> Iterator[tuple[Candidate, Candidate, MoveEvidence]]:
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


# So many comparisons are made for each object of a type. Real plans need about one; only a plan that is made to waste
# time needs more than this.
_MOST_COMPARISONS: Final = 20


class _EqualObjects(Struct, frozen=True, eq=False):
    """Objects that are linked by equal attributes: each destroyed one equals a created one, and the reverse."""

    destroyed: Sequence[Candidate]
    created: Sequence[Candidate]


class Matched(NamedTuple):
    """The groups of equal objects, and the created objects that were not compared with all destroyed ones."""

    groups: Sequence[_EqualObjects]
    not_compared: Sequence[Candidate]


def _equal_objects(kind: Candidates) -> Matched:
    """Return the groups of objects that are equal in at least one telling attribute, in the order of the plans."""
    index = _Index(kind.destroyed)
    searches = sorted(map(index.search, _alike(kind.created)), key=lambda one: len(one.among))
    left = _MOST_COMPARISONS * (len(kind.destroyed) + len(kind.created))
    groups = _Groups()
    not_compared: list[Candidate] = []
    for search in searches:
        left -= len(search.among)
        if left < 0:
            not_compared += search.created
        elif found := [one for one in search.among if are_equal(one, search.created[0])]:
            groups.join([*found, *search.created])
    return Matched(groups.found(kind), not_compared)


def are_equal(destroyed: Candidate, created: Candidate) -> bool:
    """Return whether the known attributes of a created object equal those of a destroyed one, in the same place."""
    if any(contradictions(destroyed.facts, created.facts)):
        return False
    return destroyed.attributes.known(created.unknown) == created.known


class _Search(NamedTuple):
    """Created objects that are alike, and the destroyed ones that may equal them."""

    created: Sequence[Candidate]
    among: Sequence[Candidate]


class _Index:
    """Destroyed objects by the values of their attributes."""

    def __init__(self, destroyed: Sequence[Candidate]) -> None:
        self._all: Final = destroyed
        self._by_value: Final[dict[tuple[str, str | bytes], list[Candidate]]] = {}
        for one in destroyed:
            for value in one.attributes.known({}):
                self._by_value.setdefault(value, []).append(one)

    def search(self, created: Sequence[Candidate]) -> _Search:
        """Return the search for objects that are alike: among those with their rarest value; none without evidence."""
        one = created[0]
        if not one.attributes.tells(name for name, _ in one.known):
            return _Search(created, ())
        # The value of an attribute that is unknown in part is not in the index.
        whole = (value for value in one.known if value[0] not in one.unknown)
        return _Search(created, min((self._by_value.get(value, ()) for value in whole), key=len, default=self._all))


def _alike(created: Iterable[Candidate]) -> Iterable[list[Candidate]]:
    """Return the created objects in groups with the same attributes, known and unknown, and the same facts."""
    found: dict[tuple[bytes, Known, frozenset[object]], list[Candidate]] = {}
    for one in created:
        found.setdefault((shape_key(one.unknown), one.known, frozenset(one.facts.items())), []).append(one)
    return found.values()


class _Groups:
    """Groups of objects, each with a parent in its group; the one at the root is its own parent."""

    def __init__(self) -> None:
        self._parents: dict[Candidate, Candidate] = {}

    def join(self, objects: Sequence[Candidate]) -> None:
        """Put objects into one group, with all that are in their groups."""
        first = self._root(objects[0])
        for one in objects[1:]:
            self._parents[self._root(one)] = first

    def found(self, kind: Candidates) -> list[_EqualObjects]:
        sides: dict[Candidate, tuple[list[Candidate], list[Candidate]]] = {}
        for side, candidates in enumerate((kind.destroyed, kind.created)):
            for one in candidates:
                if one in self._parents:
                    sides.setdefault(self._root(one), ([], []))[side].append(one)
        return [_EqualObjects(*both) for both in sides.values()]

    def _root(self, one: Candidate) -> Candidate:
        root = one
        while (parent := self._parents.setdefault(root, root)) is not root:
            root = parent
        while one is not root:
            self._parents[one], one = root, self._parents[one]
        return root


# Only a value that so few destroyed objects have says which of them is near.
_FEW: Final = 4
_MOST_DIFFERENCES: Final = 3


def nearly_equal(kind: Candidates, done: Container[Candidate]) -> Iterator[NearlyEqual]:
    """Yield objects of one type that have a rare value in common, more equal attributes than others, and few others.

    Objects in `done` have a counterpart.
    """
    index: dict[tuple[str, str | bytes], list[Candidate]] = {}
    for one in kind.destroyed:
        if one not in done:
            for value in one.attributes.known({}):
                index.setdefault(value, []).append(one)
    for created in kind.created:
        if created in done:
            continue
        shared = [value for value in created.known if len(index.get(value, ())) in range(1, _FEW + 1)]
        if not created.attributes.tells(name for name, _ in shared):
            continue
        (destroyed, most), *others = Counter(one for value in shared for one in index[value]).most_common(2)
        if any(number == most for _, number in others):
            continue
        known = destroyed.attributes.known(created.unknown)
        names = tuple(sorted({name for name, _ in known ^ created.known}))
        if 0 < len(names) <= min(_MOST_DIFFERENCES, len(known & created.known)):
            yield NearlyEqual(destroyed.place, created.place, names)
