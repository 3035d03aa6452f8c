"""Finds where the objects of a state belong in a new configuration: from copies of blocks to `for_each`, and back.

    found = adopt(snapshot, new, old)     # certain pairs, choices, refused pairs, and objects that have no place

A pair is certain only if something speaks for it, and if everything that speaks for another pair of either speaks for
this one, too. Facts come first: a pair that they contradict is no candidate, whatever its names say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from statefmt.analysis.adoption._candidates import Edge, Judge, NearIndex, Unpaired, candidates
from statefmt.analysis.adoption._names import likeness
from statefmt.analysis.adoption._places import Places
from statefmt.analysis.adoption.model import (
    AdoptedPair,
    Adoption,
    EvidenceKind,
    MovingObject,
    NewInstance,
    OpenChoice,
    PairEvidence,
    RefusedPair,
)
from statefmt.analysis.providers.facts import attribute_members, string_attribute
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.model.addrs import AbsProviderInstance, AbsResourceInstance, ModuleInstance
from statefmt.model.addrs.provider import Provider
from statefmt.model.errors import SelectionError
from statefmt.model.snapshot import Snapshot


def adopt(
    snapshot: Snapshot,
    new: ProviderReferences,
    old: ProviderReferences | None = None,
    given: Mapping[AbsResourceInstance, AbsResourceInstance] | None = None,
) -> Adoption:
    """Compare a state with a new configuration, and pair the objects that it does not have with its new instances.

    `old` is the configuration that the state was written with, if known: it counts for the objects that it has, bound
    as the state says. `given` are pairs that the user knows. Raises SelectionError for a given pair that is none.
    """
    places = Places(new, old)
    found = candidates(snapshot, new, places)
    waiting = [*found.sources, *(source for source, _ in found.undecided)]
    if old is not None and all(places.is_accounted(source) is False for source in waiting):
        # As a configuration of something else, or the new one, which was committed.
        places = Places(new, None)
        found = candidates(snapshot, new, places)
    pairing = _Pairing(snapshot, found, new, places)
    pairing.give(given or {})
    pairing.run()
    return pairing.result()


class _Group:
    """The objects of one type and provider, the instances that they may belong to, and the pairs left."""

    def __init__(self) -> None:
        self.sources: list[MovingObject] = []
        self.targets: list[NewInstance] = []


_Key: TypeAlias = tuple[str, Provider]
# More pairs of a type than that are compared only where names or values agree.
_MOST_PAIRS: Final = 20_000
# Pairs that are not decided, for each object.
_MOST_LISTED: Final = 20


class _Pairing:
    def __init__(self, snapshot: Snapshot, found: Unpaired, new: ProviderReferences, places: Places) -> None:
        self._snapshot = snapshot
        self._found = found
        self._places = places
        self._judge = Judge(new, places, found.sources)
        self._groups: dict[_Key, _Group] = {}
        self._providers_of: dict[str, set[Provider]] = {}
        for source in found.sources:
            group = self._groups.setdefault(_key(source.addr, source.bound.config.provider), _Group())
            group.sources.append(source)
        for target in found.targets:
            key = _key(target.address, target.provider.config.provider)
            self._providers_of.setdefault(key[0], set()).add(key[1])
            if key in self._groups:
                self._groups[key].targets.append(target)
        self._pairs: dict[AbsResourceInstance, AdoptedPair] = {}
        self._taken: set[AbsResourceInstance] = set()
        # Pairs by names alone prove nothing for others.
        self._by_names: set[AbsResourceInstance] = set()
        # The old provider instances of objects that are in the place of a new one.
        self._bound_to: dict[AbsProviderInstance, set[AbsProviderInstance]] = {}
        self._bindings: set[tuple[AbsProviderInstance, AbsProviderInstance]] = set()
        # Modules with objects that are not decided, and whose provider says where they belong.
        self._open_modules: set[ModuleInstance] = set()
        self._deciding: dict[AbsProviderInstance, bool] = {}
        self._edges: dict[AbsResourceInstance, list[Edge]] = {}
        # Those that were compared with a part of the instances only.
        self._sampled: set[AbsResourceInstance] = set()
        self._refused: dict[AbsResourceInstance, list[RefusedPair]] = {}
        # The instances by the ids of their objects, for each type.
        self._ids: dict[str, dict[str, list[AbsResourceInstance]]] = {}

    def give(self, given: Mapping[AbsResourceInstance, AbsResourceInstance]) -> None:
        """Take the pairs that the user knows."""
        sources = {source.addr: source for source in self._found.sources}
        targets = {target.address: target for target in self._found.targets}
        for one, other in given.items():
            if one not in sources:
                raise SelectionError(f"{one}: the state has no such instance to move", address=one)
            if other not in targets or other in self._taken:
                raise SelectionError(
                    f"{other}: the configuration has no such instance without an object", address=other
                )
            source, target = sources[one], targets[other]
            if source.is_split:
                raise SelectionError(f"{one}: its objects are bound to several provider instances", address=one)
            if source.bound.config.provider != target.provider.config.provider:
                raise SelectionError(f"{one} and {other} have different providers", address=one)
            judged = self._judge.judge(source, target)
            if isinstance(judged, str):
                raise SelectionError(f"{one} is not {other}: {judged}", address=one)
            changed = self._judge.is_of_another(source, target)
            if changed is not None:
                raise SelectionError(
                    f"{one} is not {other}: {changed} of {target.provider} was that of another old provider instance",
                    address=one,
                )
            self._take(Edge(source, target, [PairEvidence(EvidenceKind.GIVEN, "you say so"), *judged.evidence], {}))

    def run(self) -> None:
        """Judge all pairs, then take those that are certain until none is left."""
        for group in self._groups.values():
            self._judge_all(group)
        self._find_only_equal()
        # Names alone count last: an object without a place of its own follows the others of its module.
        while self._round(by_names=False) or self._round(by_names=True):
            pass

    def _judge_all(self, group: _Group) -> None:
        index = NearIndex(group.targets, self._judge) if len(group.sources) * len(group.targets) > _MOST_PAIRS else None
        for source in group.sources:
            if index is not None:
                self._sampled.add(source.addr)
            if source.addr in self._pairs or source.is_split:
                continue
            edges: list[Edge] = []
            for target in group.targets if index is None else index.near(source):
                if target.address in self._taken:
                    continue
                judged = self._judge.judge(source, target)
                if isinstance(judged, Edge):
                    edges.append(judged)
                else:
                    self._refused.setdefault(source.addr, []).append(RefusedPair(source, target, judged))
            if any(source.is_moved and one.target.address == source.address for one in self._refused_of(source)):
                # OpenTofu would move it there, whatever another instance fits.
                edges = []
            if any(
                source.bound == one.target.provider and one.target.address == source.address
                for one in self._refused_of(source)
            ):
                # Its block stays and means another place now: it may only be another instance of that block.
                edges = [edge for edge in edges if edge.target.address.config() == source.addr.config()]
            self._judge.compare_attributes(edges)
            self._edges[source.addr] = edges
            for edge in edges:
                if edge.marks.get("place"):
                    self._bound_to.setdefault(edge.target.provider, set()).add(source.bound)

    def _find_only_equal(self) -> None:
        of_target = self._of_target()
        for edges in self._edges.values():
            for edge in filter(_has_equal_attributes, edges):
                rivals = [
                    [one for one in others if one is not edge] for others in (edges, of_target[edge.target.address])
                ]
                edge.is_only_equal = all(
                    any(one.changes for one in others) and not any(map(self._fits, others)) for others in rivals
                )

    def _fits(self, edge: Edge) -> bool:
        """Return whether values or names speak for a pair, and no values against it."""
        agree = _has_equal_attributes(edge) or self._judge.names_agree(edge.source, edge.target)
        return agree and not edge.changes

    def _of_target(self) -> dict[AbsResourceInstance, list[Edge]]:
        found: dict[AbsResourceInstance, list[Edge]] = {}
        for edges in self._edges.values():
            for edge in edges:
                found.setdefault(edge.target.address, []).append(edge)
        return found

    def _refused_of(self, source: MovingObject) -> Sequence[RefusedPair]:
        return self._refused.get(source.addr, ())

    def _round(self, *, by_names: bool) -> bool:
        """Take the pairs that are certain now; return whether there are any."""
        moved = self._moved_modules()
        self._open_modules = {
            modules[0]
            for edges in self._edges.values()
            for edge in edges
            if (modules := edge.modules) is not None and self._decides(edge.target.provider)
        }
        for edges in self._edges.values():
            for edge in edges:
                _mark_module(edge, moved)
        of_target = self._of_target()
        certain = [
            edge
            for edges in self._edges.values()
            for edge in edges
            if (by_names or not edge.is_by_names)
            and self._is_enough(edge)
            and _is_best(edge, edges)
            and _is_best(edge, of_target[edge.target.address])
        ]
        for edge in certain:
            self._take(edge)
        self._edges = {
            addr: [edge for edge in edges if edge.target.address not in self._taken]
            for addr, edges in self._edges.items()
            if addr not in self._pairs
        }
        return bool(certain)

    def _moved_modules(self) -> dict[ModuleInstance, set[ModuleInstance]]:
        found: dict[ModuleInstance, set[ModuleInstance]] = {}
        for pair in self._pairs.values():
            modules = Edge(pair.source, pair.target, (), {}).modules
            if modules is not None and pair.source.addr not in self._by_names:
                found.setdefault(modules[0], set()).add(modules[1])
        return found

    def _is_enough(self, edge: Edge) -> bool:
        """Return whether a pair has enough evidence if no other one has more."""
        marks = edge.marks
        # What keeps its address, or has a moved block, is that object whatever changes in it.
        is_named = marks.get("address") or marks.get("moved")
        if edge.doubts or (edge.changes and not is_named) or not self._is_known(edge):
            return False
        if marks.get("moved") or marks.get("only"):
            return True
        if marks.get("module") and self._has_binding(edge):
            return True
        if self._may_merge(edge):
            return False
        agree = self._judge.names_agree(edge.source, edge.target) or bool(marks.get("fixed"))
        # A place says where, not which.
        if marks.get("place"):
            return agree
        if self._decides(edge.target.provider):
            # Names and values alone do not tell regions and accounts apart.
            return False
        if marks.get("identity") and agree:
            return True
        if marks.get("attributes"):
            return agree or (edge.is_only_equal and self._judge.names_say_nothing(edge.source, edge.target))
        alike = any(one.kind in (EvidenceKind.NAMES, EvidenceKind.ADDRESS) for one in edge.evidence)
        return alike and not self._waits_for_module(edge)

    def _may_merge(self, edge: Edge) -> bool:
        """Return whether the old provider instance may be another one than the new one, for all that is known of it.

        Without an old configuration, two instances that became one may have been in two accounts.
        """
        source, target = edge.source, edge.target
        if source.bound == target.provider or self._places.is_accounted(source):
            return False
        if not edge.marks.get("place"):
            return True
        merged = target.provider in self._found.kept_providers or len(self._bound_to[target.provider]) > 1
        return merged and not self._places.shows_account(source, target)

    def _decides(self, provider: AbsProviderInstance) -> bool:
        """Return whether the new configuration has instances of a provider that may find other objects."""
        if provider not in self._deciding:
            others = self._places.instances(provider.config.provider)
            self._deciding[provider] = any(not self._places.are_equal(provider, other) for other in others)
        return self._deciding[provider]

    def _has_binding(self, edge: Edge) -> bool:
        """Return whether a stronger pair shows that the old provider instance became the new one."""
        return not self._decides(edge.target.provider) or (edge.source.bound, edge.target.provider) in self._bindings

    def _waits_for_module(self, edge: Edge) -> bool:
        """Return whether objects of the same module, which say where it belongs, are not decided."""
        modules = edge.modules
        return modules is not None and modules[0] in self._open_modules

    def _is_known(self, edge: Edge) -> bool:
        """Return whether no part of the configuration that is not known may have the object, too."""
        if (self._found.is_incomplete or edge.source.addr in self._sampled) and not edge.is_singled_out:
            return False
        names = self._found.unknown_types.get(edge.target.address.resource.resource.type, ())
        old, new = edge.source.addr.resource.resource.name, edge.target.address.resource.resource.name
        return not names or (
            bool(edge.marks.get("identity")) or (new in old and not any(name in old for name in names))
        )

    def _take(self, edge: Edge) -> None:
        self._pairs[edge.source.addr] = edge.pair()
        if edge.is_by_names and not any(one.kind is EvidenceKind.GIVEN for one in edge.evidence):
            self._by_names.add(edge.source.addr)
        else:
            self._bindings.add((edge.source.bound, edge.target.provider))
        self._taken.add(edge.target.address)

    def _other_sources(self, source: MovingObject) -> str:
        """Return the providers that the new instances of a type have, if all have another one than an object."""
        found = self._providers_of.get(source.addr.resource.resource.type, set())
        return "" if source.bound.config.provider in found else ", ".join(sorted(map(str, found)))

    def _twins(self, source: MovingObject) -> str:
        """Return the other instances of the state with the type and the id of an object, "" without any."""
        type_ = source.addr.resource.resource.type
        if type_ not in self._ids:
            ids: dict[str, list[AbsResourceInstance]] = {}
            for resource in self._snapshot.resources:
                for obj in resource.objects if resource.addr.resource.type == type_ else ():
                    if (id_ := string_attribute(attribute_members(obj), "id")) is not None:
                        ids.setdefault(id_, []).append(resource.addr.instance(obj.key))
            self._ids[type_] = ids
        own = string_attribute(attribute_members(source.instance.current_first[0]), "id")
        same = [] if own is None else self._ids[type_].get(own, [])
        return ", ".join(map(str, (one for one in same if one != source.addr)))

    def result(self) -> Adoption:
        """Return what was found, in the order of the state."""
        choices: list[OpenChoice] = []
        refused: list[RefusedPair] = []
        left: list[MovingObject] = []
        listed: set[AbsResourceInstance] = set()
        for source in self._found.sources:
            if source.addr in self._pairs:
                continue
            edges = self._edges.get(source.addr, [])
            listed.update(edge.target.address for edge in edges)
            tempting = [one for one in self._refused_of(source) if _is_tempting(one)] or [
                one
                for one in self._refused_of(source)
                if self._judge.may_be_named(source, one.target) and not self._judge.has_place_words(source, one.target)
            ]
            if source.is_split:
                choices.append(OpenChoice(source, (), "its objects are bound to several provider instances"))
            elif len(edges) == 1 and edges[0].changes and _is_tempting(lone := _changed(edges[0])):
                refused.append(lone)
            elif edges:
                edges = sorted(edges, key=lambda edge: sum(edge.marks.values()), reverse=True)
                pairs = tuple(one.pair() for one in edges[:_MOST_LISTED])
                choices.append(OpenChoice(source, pairs, _reason(edges)))
            elif tempting:
                refused += tempting[:_MOST_LISTED]
            elif source.addr in self._sampled:
                choices.append(OpenChoice(source, (), "too many instances of its type are alike to compare them all"))
            elif self._found.is_incomplete:
                choices.append(OpenChoice(source, (), "a part of the configuration could not be read"))
            elif source.addr.resource.resource.type in self._found.unknown_types:
                choices.append(OpenChoice(source, (), "the instances of a block of its type are unknown"))
            elif others := self._other_sources(source):
                reason = f"the configuration has its type from {others}: replace the provider in the state first"
                choices.append(OpenChoice(source, (), reason))
            elif others := self._twins(source):
                reason = f"{others} has the same id; if it is the same object, forget this one with statetool rm"
                choices.append(OpenChoice(source, (), reason))
            else:
                left.append(source)
        choices += [OpenChoice(source, (), reason) for source, reason in self._found.undecided]
        taken = self._taken
        return Adoption(
            pairs=tuple(self._pairs[source.addr] for source in self._found.sources if source.addr in self._pairs),
            choices=tuple(choices),
            refused=tuple(refused),
            left=tuple(left),
            dropped=self._found.dropped,
            new=tuple(one for one in self._found.targets if one.address not in taken and one.address not in listed),
            unknown=self._found.unknown,
            settled=self._found.settled,
            is_compared=self._places.has_old,
        )


def _key(address: AbsResourceInstance, provider: Provider) -> _Key:
    return address.resource.resource.type, provider


def _has_equal_attributes(edge: Edge) -> bool:
    return bool(edge.marks.get("attributes"))


def _is_best(edge: Edge, others: Iterable[Edge]) -> bool:
    return all(other is edge or edge.dominates(other) for other in others)


def _mark_module(edge: Edge, moved: Mapping[ModuleInstance, set[ModuleInstance]]) -> None:
    modules = edge.modules
    if modules is None or edge.marks.get("module"):
        return
    if moved.get(modules[0]) == {modules[1]}:
        edge.marks["module"] = 1
        text = f"other objects of {modules[0]} belong to {modules[1]}"
        edge.evidence.append(PairEvidence(EvidenceKind.MODULE, text))


def _changed(edge: Edge) -> RefusedPair:
    return RefusedPair(edge.source, edge.target, f"other values in the configuration: {', '.join(edge.changes)}")


def _is_tempting(refusal: RefusedPair) -> bool:
    """Return whether somebody may take a refused pair for the right one, or OpenTofu will."""
    source, target = refusal.source, refusal.target
    return source.address == target.address or likeness(source.addr, target.address, {}).is_alike


def _reason(edges: Sequence[Edge]) -> str:
    if len(edges) > 1:
        return "several instances fit"
    if edges[0].doubts:
        return f"the old provider instance has other arguments: {', '.join(edges[0].doubts)}"
    return (
        "too little speaks for it"
        if not edges[0].evidence
        else "another object fits as well, or the region does not show"
    )
