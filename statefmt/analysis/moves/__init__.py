"""Finds moves in plans: objects that would be destroyed, and created again at another address with equal attributes.

    found = propose_moves({"": plan})       # moves, ambiguous groups, and unpaired objects

Compares only known attributes, and guesses nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from statefmt.analysis.diff.model import Movable
from statefmt.analysis.diff.moved import call_of, whole_moves, with_whole_calls
from statefmt.analysis.moves.proposals import (
    AmbiguousGroup,
    Candidate,
    Candidates,
    IgnoredAttribute,
    Known,
    MovedInstance,
    MoveEvidence,
    NearlyEqual,
    PlannedPlace,
    Proposals,
    ProposedMove,
    address_of,
    collect,
    is_managed,
    shape_key,
)
from statefmt.analysis.providers.facts import contradictions
from statefmt.lifecycle.plan import Action, PlanError, ShownPlan
from statefmt.lifecycle.schema import ProviderSchemas
from statefmt.model.addrs import NO_KEY, AbsResource, AbsResourceInstance, InstanceKey, Module, ModuleInstance
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.model.errors import AddressError

if TYPE_CHECKING:
    from statefmt.configuration.provider_instances import ProviderReferences

_ANOTHER_STATE: Final = "it moves to another state"
_NOT_ALONE: Final = "its address without a key names other instances, too"
_STILL_DECLARED: Final = "a block without keys would name the whole resource, which is still in the configuration"


def propose_moves(
    plans: Mapping[str, ShownPlan],
    ignored: Iterable[IgnoredAttribute] = (),
    *,
    schemas: ProviderSchemas | None = None,
    references: Mapping[str, ProviderReferences] = MappingProxyType({}),
    in_states: bool = False,
) -> Proposals:
    """Pair the managed objects that plans destroy with objects that they create with equal attributes.

    `plans` has the plans of one or several states by name. Two objects are a pair if they have the same type and
    provider, all known attributes of the created object equal those of the destroyed one, at least one of these is
    significant, and no other object matches. Null and empty values are equal, and so are JSON documents in strings.
    `ignored` attributes are not compared. With `schemas`, the order of sets is ignored. An object is not paired with a
    created one whose provider instance is in another account or region, according to constant arguments in the plan or,
    with the `references` of the configuration of a plan, by its name, to evaluated arguments.

    With `in_states`, the moves are for the prior states of the plans: addresses precede the plan's own moves, and the
    declarations in the configuration do not matter. Otherwise they are for `moved` blocks.

    Raises PlanError for an object whose attributes are nested too deeply, and SchemaError for an invalid schema.
    """
    kinds, unused = collect(plans, ignored, schemas, references, in_states=in_states)
    try:
        moved, found = _paired(kinds)
    except RecursionError:
        raise PlanError("the attributes are nested too deeply to be compared") from None
    contents = {name: _PlanContents(plan, in_states=in_states) for name, plan in plans.items()}
    by_plans: dict[tuple[str, str], list[MovedInstance]] = {}
    for one in moved:
        by_plans.setdefault((one.source.plan, one.target.plan), []).append(one)
    left = (*found.destroyed, *(place for group in found.ambiguous for place in group.destroyed))
    order = {name: number for number, name in enumerate(plans)}
    moves = tuple(
        move
        for names in sorted(by_plans, key=lambda names: (order[names[0]], order[names[1]]))
        for move in _joined(*names, contents, by_plans[names], left, in_states=in_states)
    )
    return replace(found, moves=moves, unused=unused)


def _joined(
    source: str,
    target: str,
    contents: Mapping[str, _PlanContents],
    moved: Sequence[MovedInstance],
    left: Iterable[PlannedPlace],
    *,
    in_states: bool,
) -> Iterator[ProposedMove]:
    """Join the moves from one plan to another, or within one, into moves of whole resources and modules."""
    before = contents[source]

    def allowed(old: Movable, new: Movable) -> bool:
        return before.is_alone(old) and (in_states or before.may_name(old, new))

    pairs = [(one.source.address, one.target.address) for one in moved]
    joined = whole_moves(before.before, contents[target].after, pairs, allowed)
    gone = [place.address.module for place in left if place.plan in (source, target)]
    joined = tuple(with_whole_calls(joined, gone, before.modules_after, allowed))
    instances: dict[Movable, list[MovedInstance]] = {move.old: [] for move in joined}
    for one in moved:
        instances[next(place for place in _around(one.source.address) if place in instances)].append(one)
    for move in joined:
        obstacle = "" if allowed(move.old, move.new) else _STILL_DECLARED
        if source != target and not in_states:
            obstacle = _ANOTHER_STATE
        elif not before.is_alone(move.old):
            obstacle = _NOT_ALONE
        yield ProposedMove(source, move.old, target, move.new, tuple(instances[move.old]), obstacle)


def _around(address: AbsResourceInstance) -> Iterator[Movable]:
    """Yield everything that may move with an instance, outermost first: module calls, modules and the resource."""
    for module in address.module.on_the_way:
        yield call_of(module)
        yield module
    yield address.containing_resource()
    yield address


_NO_MODULE: Final = "delete_because_no_module"
_MANAGED: Final = "managed"


class _PlanContents:
    """The addresses of managed resources before and after a plan, and the names declared in its configuration."""

    def __init__(self, plan: ShownPlan, *, in_states: bool) -> None:
        before: set[AbsResourceInstance] = set()
        after: set[AbsResourceInstance] = set(_not_listed(plan))
        before |= after
        self._gone_modules: Final[set[ModuleInstance]] = set()
        for change in plan.resource_changes:
            if not is_managed(change):
                continue
            address = address_of(change, in_states=in_states)
            if change.action is not Action.CREATE:
                before.add(address)
            if change.action.leaves_object:
                after.add(address)
            if change.reason == _NO_MODULE:
                self._gone_modules.add(change.address.module)
        self.before: Final = Counter(address.containing_resource() for address in before)
        self.after: Final = Counter(address.containing_resource() for address in after)
        self._declared: Final = _DeclaredNames(plan.configuration)

    @cached_property
    def modules_after(self) -> frozenset[ModuleInstance]:
        """The module instances with managed resources after the plan."""
        return frozenset(resource.module for resource in self.after)

    def is_alone(self, old: Movable) -> bool:
        """Return whether an address names nothing else before: without a key, it also stands for all instances."""
        if isinstance(old, AbsResourceInstance):
            return old.key is not NO_KEY or self.before[old.containing_resource()] == 1
        if isinstance(old, ModuleInstance) and old.steps[-1].key is NO_KEY and old in self._modules_before:
            return self._instances_before[old] == 1
        return True

    @cached_property
    def _modules_before(self) -> frozenset[ModuleInstance]:
        return frozenset(around for module in {each.module for each in self.before} for around in module.on_the_way)

    @cached_property
    def _instances_before(self) -> Counter[ModuleInstance]:
        return Counter(map(call_of, self._modules_before))

    def may_name(self, old: Movable, new: Movable) -> bool:
        """Return whether a `moved` block may name `old`: it must no longer be declared.

        An address without a key stands for all instances, unless the other end has a key.
        """
        if isinstance(old, ModuleInstance):
            return self._may_name_module(old, new)
        if isinstance(old, AbsResourceInstance):
            if not (old.key is NO_KEY and isinstance(new, AbsResourceInstance) and new.key is NO_KEY):
                return True
            old = old.containing_resource()
        return old.module in self._gone_modules or not self._declared.has_resource(old)

    def _may_name_module(self, old: ModuleInstance, new: Movable) -> bool:
        if not self._declared.has_module(old.module()):
            return True
        has_key = isinstance(new, ModuleInstance) and not old.steps[-1].key is new.steps[-1].key is NO_KEY
        return has_key and old in self._gone_modules


def _not_listed(plan: ShownPlan) -> Iterator[AbsResourceInstance]:
    """Yield the instances that the plan omits, as with `-target`: they do not change."""
    if plan.prior_state is None:
        return
    listed = {str(change.address) for change in plan.resource_changes}
    for resource in plan.prior_state.resources():
        if resource.mode == _MANAGED and resource.address not in listed:
            try:
                yield parse_abs_resource_instance(resource.address)
            except AddressError:
                continue


class _ResourceJSON(Struct, gc=False):
    address: str = ""


class _ModuleJSON(Struct, gc=False):
    resources: list[_ResourceJSON] | None = None
    module_calls: dict[str, _CallJSON] | None = None


class _CallJSON(Struct, gc=False):
    module: _ModuleJSON | None = None


class _ConfigurationJSON(Struct, gc=False):
    root_module: _ModuleJSON | None = None


class _DeclaredNames:
    """The modules and the resources that a configuration declares; all, if the plan has no readable configuration."""

    def __init__(self, raw: Raw | None) -> None:
        self._modules: Final[set[tuple[str, ...]]] = set()
        self._resources: Final[set[tuple[tuple[str, ...], str]]] = set()
        try:
            document = None if raw is None else msgspec.json.decode(raw, type=_ConfigurationJSON)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            document = None
        self._is_known: Final = document is not None
        root = document and document.root_module
        waiting: list[tuple[tuple[str, ...], _ModuleJSON]] = [((), root)] if root else []
        while waiting:
            names, module = waiting.pop()
            self._modules.add(names)
            self._resources.update((names, resource.address) for resource in module.resources or ())
            waiting += [
                ((*names, name), call.module or _ModuleJSON()) for name, call in (module.module_calls or {}).items()
            ]

    def has_module(self, module: Module) -> bool:
        """Return whether a module is called, by the path without keys."""
        return not self._is_known or module.names in self._modules

    def has_resource(self, resource: AbsResource) -> bool:
        """Return whether a resource block is declared, regardless of its keys."""
        return not self._is_known or (resource.module.module().names, str(resource.resource)) in self._resources


# Pairs destroyed and created objects of one type: by equal attributes, instance keys, and moves of their modules.
# An index has the destroyed objects by the value of each attribute. A created object is compared only with the
# objects that share its rarest value.

# A module of a plan.
_PlacedModule: TypeAlias = tuple[str, ModuleInstance]


def _paired(kinds: Sequence[Candidates]) -> tuple[list[MovedInstance], Proposals]:
    """Pair destroyed with created objects if only one pairing is possible; return the pairs, and the other results."""
    matched = [(kind, *_equal_objects(kind)) for kind in kinds]
    groups = [(kind, group) for kind, found, _ in matched for group in found]
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
    return list(dict.fromkeys(pairs.values())), Proposals(
        moves=(),
        ambiguous=tuple(ambiguous),
        destroyed=_places(_left((one for kind in kinds for one in kind.destroyed), done)),
        created=_places(_left((one for kind in kinds for one in kind.created), done)),
        not_compared=_places(_left((one for *_, left in matched for one in left), done)),
        nearly_equal=tuple(near for kind in kinds for near in _nearly_equal(kind, done)),
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
    """Return the objects by all keys in their addresses; empty unless all belong to one resource block of one plan."""
    blocks = {(one.place.plan, one.place.address.config()) for one in objects}
    found = {_keys(one.place.address): one for one in objects}
    return found if len(blocks) == 1 and len(found) == len(objects) else {}


def _keys(address: AbsResourceInstance) -> tuple[InstanceKey, ...]:
    keys = (*(step.key for step in address.module.steps), address.key)
    return tuple(key for key in keys if key is not NO_KEY)


def _along(
    kinds: Iterable[Candidates], pairs: Mapping[Candidate, MovedInstance]
) -> Iterator[tuple[Candidate, Candidate]]:
    """Yield the objects that moved with their module: their counterpart has the same address in the new module."""
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
    """Return the moves of modules, if all paired resources in them agree. The root module may be included."""
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
    """Yield the modules of an object before and after, and their ancestors as long as the steps between are equal."""
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


# The maximum number of comparisons for each object of a type. Real plans need about one; only a malicious plan needs
# more than this.
_MOST_COMPARISONS: Final = 20


class _EqualObjects(Struct, frozen=True, eq=False):
    """Objects linked by equal attributes: each destroyed object equals a created one, and the reverse."""

    destroyed: Sequence[Candidate]
    created: Sequence[Candidate]


def _equal_objects(kind: Candidates) -> tuple[list[_EqualObjects], list[Candidate]]:
    """Return the groups of objects that are equal in at least one significant attribute, in the order of the plans.

    Also returns the created objects that were not compared with all destroyed ones.
    """
    index = _Index(kind.destroyed)
    # Equal created objects are compared in one step, those with the fewest comparisons first.
    searches = [(created, index.among(created[0])) for created in _alike(kind.created)]
    searches.sort(key=lambda search: len(search[1]))
    left = _MOST_COMPARISONS * (len(kind.destroyed) + len(kind.created))
    groups = _Groups()
    not_compared: list[Candidate] = []
    for created, among in searches:
        left -= len(among)
        if left < 0:
            not_compared += created
        elif found := [one for one in among if are_equal(one, created[0])]:
            groups.join([*found, *created])
    return groups.found(kind), not_compared


def are_equal(destroyed: Candidate, created: Candidate) -> bool:
    """Return whether the known attributes of a created object equal a destroyed object's, with no contrary facts."""
    if any(contradictions(destroyed.facts, created.facts)):
        return False
    return destroyed.attributes.known(created.unknown) == created.known


class _Index:
    def __init__(self, destroyed: Sequence[Candidate]) -> None:
        self._all: Final = destroyed
        self._by_value: Final[dict[tuple[str, str | bytes], list[Candidate]]] = {}
        for one in destroyed:
            for value in one.attributes.known({}):
                self._by_value.setdefault(value, []).append(one)

    def among(self, created: Candidate) -> Sequence[Candidate]:
        """Return the objects that may equal a created one: those with its rarest value; none without evidence."""
        if not created.attributes.tells(name for name, _ in created.known):
            return ()
        # The index lacks values of partly unknown attributes.
        whole = (value for value in created.known if value[0] not in created.unknown)
        return min((self._by_value.get(value, ()) for value in whole), key=len, default=self._all)


def _alike(created: Iterable[Candidate]) -> Iterable[list[Candidate]]:
    """Return the created objects in groups with the same attributes, known and unknown, and the same facts."""
    found: dict[tuple[bytes, Known, frozenset[object]], list[Candidate]] = {}
    for one in created:
        found.setdefault((shape_key(one.unknown), one.known, frozenset(one.facts.items())), []).append(one)
    return found.values()


class _Groups:
    """Groups of objects, each with a parent in its group; the root is its own parent."""

    def __init__(self) -> None:
        self._parents: dict[Candidate, Candidate] = {}

    def join(self, objects: Sequence[Candidate]) -> None:
        """Join the groups of all given objects."""
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


# A value identifies similar objects only if no more than this many destroyed objects have it.
_FEW: Final = 4
_MOST_DIFFERENCES: Final = 3


def _nearly_equal(kind: Candidates, done: Container[Candidate]) -> Iterator[NearlyEqual]:
    """Yield objects of one type with a common rare value, more equal attributes than others, and few differing ones.

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
