"""Finds the objects that have to move, the instances they may belong to, and what speaks for and against each pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Final, NamedTuple

from statefmt.analysis.adoption._attributes import ObjectAttributes
from statefmt.analysis.adoption._names import (
    differing_steps,
    families,
    has_alias,
    has_run,
    is_neutral,
    key_words,
    likeness,
    same_words,
    says_nothing,
    steps_of,
    without_equal_ends,
    words_of,
)
from statefmt.analysis.adoption._places import Places, PlaceVerdict, Sameness
from statefmt.analysis.adoption.model import AdoptedPair, EvidenceKind, MovingObject, NewInstance, PairEvidence
from statefmt.analysis.providers.facts import is_global_name
from statefmt.analysis.providers.fates import UNREAD, Fate, doubt, provider_fates
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.hcl.source import Problem
from statefmt.hcl.value import Part, Unknown, Value, first_unknown
from statefmt.model.addrs import (
    NO_KEY,
    AbsProviderInstance,
    AbsResourceInstance,
    ConfigResource,
    IntKey,
    ModuleInstance,
    ResourceMode,
)
from statefmt.model.snapshot import Snapshot


class Unpaired(NamedTuple):
    """The objects to place and the instances without one; other fields as in Adoption.

    `unknown_types` are the types of resource blocks whose instances are not known, each with the names of the blocks.
    `is_incomplete` if a part of the configuration could not be read, which may have instances of any type.
    `undecided` are objects whose own place in the configuration is not known, with the reasons. `kept_providers` are
    the provider instances of the objects that stay.
    """

    sources: tuple[MovingObject, ...]
    targets: tuple[NewInstance, ...]
    dropped: tuple[AbsResourceInstance, ...]
    unknown: Mapping[str, str]
    unknown_types: Mapping[str, tuple[str, ...]]
    is_incomplete: bool
    settled: int
    undecided: tuple[tuple[MovingObject, str], ...]
    kept_providers: frozenset[AbsProviderInstance]


def candidates(snapshot: Snapshot, new: ProviderReferences, places: Places) -> Unpaired:
    """Compare the instances of a state with those of a configuration, by their addresses and provider instances.

    An instance that keeps both moves too if the provider instance is in another account or region than before.
    """
    sources: list[MovingObject] = []
    dropped: list[AbsResourceInstance] = []
    unknown: dict[str, str] = {}
    occupied: set[AbsResourceInstance] = set()
    undecided: list[tuple[MovingObject, str]] = []
    kept_providers: set[AbsProviderInstance] = set()
    settled = 0
    first: dict[AbsResourceInstance, Fate] = {}
    for fate in provider_fates(snapshot, new):
        first.setdefault(fate.instance.addr, fate)
    coming = Counter(fate.address for fate in first.values())
    for addr, fate in first.items():
        needed = _needed(new, fate.address)
        is_data = addr.resource.resource.mode is ResourceMode.DATA
        problem = None if is_data else _problem_of_moves(fate, coming, first)
        if problem is not None:
            undecided.append((_moving(fate, is_declared=True), problem))
        elif coming[fate.address] > 1 and fate.moves and not is_data:
            # OpenTofu refuses this, and which of them is meant is not known.
            sources.append(_moving(fate, is_declared=False))
        elif isinstance(needed, Unknown | Problem):
            reason = needed.reason if isinstance(needed, Unknown) else needed.summary
            unknown[str(addr.config())] = reason
            occupied.add(fate.address)
            if not is_data:
                undecided.append((_moving(fate, is_declared=True), reason))
        elif needed is None:
            unread = doubt(new.configuration, fate.address.module.module())
            if unread is not None:
                unknown[str(addr.config())] = unread.reason
                if not is_data:
                    undecided.append((_moving(fate, is_declared=False), unread.reason))
            elif is_data:
                dropped.append(addr)
            elif fate.removal is None:
                sources.append(_moving(fate, is_declared=False))
        elif is_data or all(
            fate.bound.config.instance(obj.provider_key) == needed for obj in fate.instance.current_first
        ):
            kept = None if is_data else _moving(fate, is_declared=True)
            if kept is not None and places.is_elsewhere(kept, NewInstance(fate.address, needed)):
                sources.append(kept)
            else:
                settled += 1
                occupied.add(fate.address)
                kept_providers.add(needed)
        else:
            sources.append(_moving(fate, is_declared=True))
    types = {source.addr.resource.resource.type for source in sources}
    targets, unknown_types = _targets(new, types, occupied, unknown)
    configuration = new.configuration
    return Unpaired(
        tuple(sources),
        tuple(targets),
        tuple(dropped),
        unknown,
        unknown_types,
        is_incomplete=bool(configuration.missing) or any(one.kind in UNREAD for one in configuration.problems),
        settled=settled,
        undecided=tuple(undecided),
        kept_providers=frozenset(kept_providers),
    )


def _problem_of_moves(
    fate: Fate, coming: Mapping[AbsResourceInstance, int], there: Container[AbsResourceInstance]
) -> str | None:
    """Return why `moved` blocks do not say where an object belongs; None if they do, or if there are none for it."""
    blocks = ", ".join(str(move.block.range) for move in fate.moves)
    if not fate.moves:
        return None
    if fate.address == fate.instance.addr:
        return f"moved blocks lead back to it ({blocks}), which OpenTofu refuses; correct them"
    if fate.address.resource.resource.type != fate.instance.addr.resource.resource.type:
        type_ = fate.address.resource.resource.type
        return f"a moved block ({blocks}) makes it {fate.address}; whether {type_} takes it over, only the plan shows"
    if coming[fate.address] > 1 and fate.address in there:
        return f"a moved block ({blocks}) leads to {fate.address}, which has an object already"
    return None


def _moving(fate: Fate, *, is_declared: bool) -> MovingObject:
    return MovingObject(
        instance=fate.instance,
        bound=fate.bound,
        address=fate.address,
        is_moved=bool(fate.moves),
        is_declared=is_declared,
    )


def _needed(new: ProviderReferences, address: AbsResourceInstance) -> AbsProviderInstance | Unknown | Problem | None:
    if address.config() not in new.blocks:
        return None
    found = new.instance_binding(address)
    instances = new.instances.of_resource(address.containing_resource())
    if isinstance(instances, Unknown):
        return instances
    return found if isinstance(found, AbsProviderInstance | Unknown | Problem) else None


def _targets(
    new: ProviderReferences, types: set[str], occupied: set[AbsResourceInstance], unknown: dict[str, str]
) -> tuple[list[NewInstance], dict[str, tuple[str, ...]]]:
    found: list[NewInstance] = []
    unknown_types: dict[str, tuple[str, ...]] = {}
    for config in new.blocks:
        resource = config.resource
        if resource.mode is not ResourceMode.MANAGED or resource.type not in types:
            continue
        addresses = new.instances.all_of(config)
        if isinstance(addresses, Unknown):
            unknown.setdefault(str(config), addresses.reason)
            unknown_types[resource.type] = (*unknown_types.get(resource.type, ()), resource.name)
            continue
        for address in addresses:
            if address in occupied:
                continue
            needed = new.instance_binding(address)
            if isinstance(needed, AbsProviderInstance) and new.declares(needed) is True:
                found.append(NewInstance(address, needed))
            else:
                reason = needed.reason if isinstance(needed, Unknown) else "its provider instance is not declared"
                unknown.setdefault(str(address), reason)
                unknown_types[resource.type] = (*unknown_types.get(resource.type, ()), resource.name)
    return found, unknown_types


class Edge:
    """What speaks for a pair that nothing contradicts.

    `marks` are its marks by the kind of evidence, to be compared with those of other pairs: a higher mark of one kind
    says more. `answers` say of the arguments of the resource whether the object's attributes equal them; `changes` are
    those that differ, and `doubts` arguments of the old provider instance that differ from those of the new one:
    neither forbids a pair, but it is not certain. `is_only_equal` if no other pair of the object or of the instance
    fits, and values contradict some of both; `has_key` if an equal value has the key of the instance in it.
    """

    is_only_equal = False
    has_key = False

    def __init__(
        self,
        source: MovingObject,
        target: NewInstance,
        evidence: Sequence[PairEvidence],
        marks: Mapping[str, int],
        answers: Mapping[str, bool | None] = MappingProxyType({}),
        doubts: Sequence[str] = (),
    ) -> None:
        self.answers: Final = answers
        self.changes: Final = [name for name, answer in answers.items() if answer is False]
        self.doubts: Final = doubts
        self.source: Final = source
        self.target: Final = target
        self.evidence = list(evidence)
        self.marks = dict(marks)

    @property
    def is_singled_out(self) -> bool:
        """Whether a name, a value, a `moved` block or the address speaks for just this instance."""
        marks = ("identity", "attributes", "moved", "address")
        return any(map(self.marks.get, marks)) or any(one.kind is EvidenceKind.NAMES for one in self.evidence)

    @property
    def modules(self) -> tuple[ModuleInstance, ModuleInstance] | None:
        """The modules that differ, if the resource has the same address in both."""
        one, other = self.source.addr, self.target.address
        if one.resource != other.resource:
            return None
        mine, theirs = without_equal_ends(one.module.steps, other.module.steps)
        return (ModuleInstance(tuple(mine)), ModuleInstance(tuple(theirs))) if mine and theirs else None

    def pair(self) -> AdoptedPair:
        """Return the pair with its evidence, strongest first, each once."""
        order = list(EvidenceKind)
        found = sorted(dict.fromkeys(self.evidence), key=lambda one: order.index(one.kind))
        return AdoptedPair(self.source, self.target, tuple(found))

    @property
    def is_by_names(self) -> bool:
        """Whether only names and keys speak for the pair."""
        return not any(map(self.marks.get, ("place", "identity", "attributes", "moved", "module", "only")))

    def dominates(self, other: Edge) -> bool:
        """Return whether this pair has a higher mark somewhere, and nowhere a lower one.

        What stronger evidence says of a module, and of the provider of an object, outranks names, and so does the same
        address inside of a module.
        """
        mine, theirs = self.marks, other.marks
        if mine.get("module", 0) > theirs.get("module", 0) and other.is_by_names:
            return True
        if mine.get("place", 0) > theirs.get("place", 0) and other.doubts:
            return True
        if self.is_only_equal and self.has_key and other.changes and not (theirs.get("address") or theirs.get("moved")):
            return True
        if self.modules is not None and other.modules is None and not other.is_stronger(self):
            return True
        keys = mine.keys() | theirs.keys()
        differences = [mine.get(key, 0) - theirs.get(key, 0) for key in keys]
        return all(one >= 0 for one in differences) and any(differences)

    def is_stronger(self, other: Edge) -> bool:
        """Return whether this pair has a higher mark than another one, but for those of names and keys."""
        return any(mark > other.marks.get(kind, 0) for kind, mark in self.marks.items() if kind not in _OF_NAMES)


_OF_NAMES: Final = frozenset({"key", "name", "alias"})


class Judge:
    """Judges pairs of an object and an instance."""

    def __init__(self, new: ProviderReferences, places: Places, sources: Sequence[MovingObject]) -> None:
        self._new = new
        self._places = places
        self._attributes: dict[AbsResourceInstance, ObjectAttributes] = {}
        self._arguments: dict[AbsResourceInstance, Mapping[str, Part]] = {}
        self._counted = families(sources)
        self._sources: Final = sources
        self._keys: dict[ConfigResource, frozenset[str]] = {}

    def judge(self, source: MovingObject, target: NewInstance) -> Edge | str:
        """Return what speaks for a pair, or why it is wrong."""
        by_arguments = self._places.by_arguments(source, target)
        if by_arguments.sameness is Sameness.DIFFERENT:
            return f"the provider instances differ: {', '.join(by_arguments.shown)}"
        by_attributes = self._places.by_attributes(source, target)
        if by_attributes.sameness is Sameness.DIFFERENT:
            return ", ".join(by_attributes.shown)
        attributes = self._of(source)
        answers = {name: attributes.equals(name, part) for name, part in self.arguments(target.address).items()}
        for name, answer in answers.items():
            if answer is False and (attributes.is_identity(name) or _is_fixed(name)):
                return f"{name} of the object is another one than in the configuration"
        return self._edge(source, target, by_arguments, by_attributes, answers)

    def _edge(
        self,
        source: MovingObject,
        target: NewInstance,
        by_arguments: PlaceVerdict,
        by_attributes: PlaceVerdict,
        answers: Mapping[str, bool | None],
    ) -> Edge:
        evidence: list[PairEvidence] = []
        marks: dict[str, int] = {}
        if by_arguments.sameness is Sameness.SAME:
            text = f"same provider {', '.join(by_arguments.shown)}"
            evidence.append(PairEvidence(EvidenceKind.ARGUMENTS, text))
        if by_attributes.sameness is Sameness.SAME:
            evidence.append(PairEvidence(EvidenceKind.ATTRIBUTES, f"object in {', '.join(by_attributes.shown)}"))
        if Sameness.SAME in (by_arguments.sameness, by_attributes.sameness):
            marks["place"] = 1
        attributes = self._of(source)
        named = [name for name, answer in answers.items() if answer and attributes.is_identity(name)]
        if named:
            marks["identity"] = 1
            if any(is_global_name(target.address.resource.resource.type, name) for name in named):
                marks["only"] = 1
            evidence.append(PairEvidence(EvidenceKind.ATTRIBUTES, f"equal {', '.join(named)}"))
        # An equal name may be in another group or network, if that is not known.
        equal = named or [
            name
            for name, answer in answers.items()
            if answer and _is_fixed(name) and name not in _SHARED and attributes.is_telling(name)
        ]
        if equal and first_unknown(self.arguments(target.address).values()) is None:
            marks["fixed"] = 1
        if source.is_moved and source.address == target.address:
            marks["moved"] = 1
            evidence.append(PairEvidence(EvidenceKind.MOVED, "a moved block says so"))
        elif self._places.is_moved_back(source, target):
            # It may be from long ago.
            marks["history"] = 1
            text = "a moved block of the old configuration, backwards"
            evidence.append(PairEvidence(EvidenceKind.MOVED, text))
        elif source.address == target.address and source.is_declared:
            marks["address"] = 1
            evidence.append(PairEvidence(EvidenceKind.ADDRESS, "the address stays"))
        names = likeness(source.addr, target.address, self._counted)
        marks |= {"key": names.key, "name": names.name}
        if names.is_alike:
            evidence.append(PairEvidence(EvidenceKind.NAMES, "names alike"))
        if has_alias(source.bound, target.provider):
            marks["alias"] = 1
        return Edge(source, target, evidence, marks, answers, self._places.doubts(source, target))

    def is_of_another(self, source: MovingObject, target: NewInstance) -> str | None:
        """Return an argument of a new provider instance that only another old instance had, if there is any."""
        return next(
            (
                name
                for name in self._places.doubts(source, target)
                for bound in {one.bound for one in self._sources if self._places.is_accounted(one)}
                if self._places.had(bound, name, target.provider)
            ),
            None,
        )

    def names_agree(self, source: MovingObject, target: NewInstance) -> bool:
        """Return whether the name of an object is that of a new block, but for words of keys and places, and numbers.

        The name of the object may have words of any place, since names lie.
        """
        mine, theirs = differing_steps(source, target)
        if not theirs:
            return True
        is_counted = any(isinstance(key, IntKey) for _, key in theirs)
        own_keys = {word for _, key in theirs for word in key_words(key)}
        wanted = {word for name, _ in theirs for word in words_of(name)} - own_keys
        ordered = [word for name, _ in mine for word in words_of(name)]
        has = set(ordered)
        if key_words(target.provider.key) not in (keys := [key_words(key) for _, key in theirs]) and any(
            set(words) <= has and not has_run(ordered, words) for words in keys
        ):
            # The other way round: a peering from eu to us is not one from us to eu.
            return False
        places = {word for word in wanted if self._is_place(word, source, target)}
        own = {
            *self._block_keys(target.address.config()),
            *words_of(source.bound.config.alias),
            *key_words(source.bound.key),
            *(word for _, key in mine for word in key_words(key)),
        }
        rest = {word for word in has if not self._is_place(word, source, target)}
        variants = [(has - own, wanted), (rest, wanted)]
        if wanted > places and any(key is not NO_KEY for _, key in mine):
            # On the way back, it is the new name that has words of places.
            variants.append((has - own, wanted - places))
        for words, said in variants:
            extra = words - said
            if said <= words and (not extra or (is_counted and all(map(str.isdigit, extra)))):
                return True
        type_ = source.addr.resource.resource.type
        counts = self._old_blocks[type_], self._new_blocks[type_]
        if counts[1] == 1:
            if not has - own:
                return not places
            if counts[0] > 1:
                # Copies of several blocks become one.
                return says_nothing(rest) or mine[-1][0] == theirs[-1][0]
            # A block only gets a neutral name.
            return is_neutral(rest) and is_neutral(wanted)
        if counts[0] == 1 and any(key is not NO_KEY for _, key in mine):
            return says_nothing(wanted - places)
        return (
            bool(mine)
            and len(mine) == len(theirs)
            and all(
                same_words(words_of(one), words_of(other)) for (one, _), (other, _) in zip(mine, theirs, strict=True)
            )
        )

    def may_be_named(self, source: MovingObject, target: NewInstance) -> bool:
        """Return whether somebody may take an object for a new instance by its name, or since there is no other one."""
        return self.names_agree(source, target) or self._new_blocks[source.addr.resource.resource.type] == 1

    def names_say_nothing(self, source: MovingObject, target: NewInstance) -> bool:
        """Return whether one of both names says nothing but where it is, so that it cannot disagree."""
        return any(
            is_neutral(
                {word for name, _ in steps for word in words_of(name) if not self._is_place(word, source, target)}
            )
            for steps in differing_steps(source, target)
        )

    def has_place_words(self, source: MovingObject, target: NewInstance) -> bool:
        """Return whether the name or the key of an object says where it is."""
        words = (word for name, key in steps_of(source.addr) for word in (*words_of(name), *key_words(key)))
        return any(self._is_place(word, source, target) for word in words)

    def _is_place(self, word: str, source: MovingObject, target: NewInstance) -> bool:
        """Return whether a word is of a key or of an alias, or names an account or a region."""
        if word in self._place_words or word in self._block_keys(target.address.config()):
            return True
        return any(word in key_words(key) for _, key in steps_of(source.addr))

    @cached_property
    def _place_words(self) -> frozenset[str]:
        found: set[str] = set()
        for one in self._sources:
            found.update(words_of(one.bound.config.alias), key_words(one.bound.key))
            found.update(word for fact in self._places.shown(one) for word in words_of(fact) if not word.isdigit())
        for provider in {one.bound.config.provider for one in self._sources}:
            for instance in self._places.instances(provider):
                found.update(words_of(instance.config.alias), key_words(instance.key))
        return frozenset(found)

    @cached_property
    def _old_blocks(self) -> Counter[str]:
        return Counter(config.resource.type for config in {one.addr.config() for one in self._sources})

    @cached_property
    def _new_blocks(self) -> Counter[str]:
        return Counter(config.resource.type for config in self._new.blocks)

    def _block_keys(self, config: ConfigResource) -> frozenset[str]:
        if config not in self._keys:
            found = self._new.instances.all_of(config)
            addresses = () if isinstance(found, Unknown) else found
            self._keys[config] = frozenset(
                word for one in addresses for _, key in steps_of(one) for word in key_words(key)
            )
        return self._keys[config]

    def compare_attributes(self, edges: Sequence[Edge]) -> None:
        """Mark pairs of one object by the arguments that do not agree equally well with all of its candidates."""
        names = {name: None for edge in edges for name in edge.answers if not self._of(edge.source).is_identity(name)}
        if len(edges) > 1:
            names = {name: None for name in names if len({edge.answers.get(name) for edge in edges}) > 1}
        if sum(map(bool, (edge.marks.get("only") for edge in edges))) > 1:
            # Names are global in one place, and a place may be an emulator or a partition.
            for edge in edges:
                edge.marks.pop("only", None)
        for edge in edges:
            attributes = self._of(edge.source)
            equal = [name for name in names if edge.answers.get(name) and attributes.is_telling(name)]
            if equal and not any(edge.answers.get(name) is False for name in names):
                edge.marks["attributes"] = 1
                _, theirs = differing_steps(edge.source, edge.target)
                edge.has_key = any(attributes.has_words(name, key_words(key)) for name in equal for _, key in theirs)
                edge.evidence.append(PairEvidence(EvidenceKind.ATTRIBUTES, f"equal {', '.join(equal)}"))

    def arguments(self, address: AbsResourceInstance) -> Mapping[str, Part]:
        """Return the arguments of a new instance."""
        if address not in self._arguments:
            self._arguments[address] = self._new.arguments(address)
        return self._arguments[address]

    def values(self, source: MovingObject) -> Iterator[tuple[str, str]]:
        """Yield the attributes of an object that are strings."""
        yield from self._of(source).strings()

    def _of(self, source: MovingObject) -> ObjectAttributes:
        if source.addr not in self._attributes:
            self._attributes[source.addr] = ObjectAttributes(source)
        return self._attributes[source.addr]


# Arguments that say which object it is: what differs in them is another object, or is replaced.
_FIXED: Final = frozenset(
    {"name", "bucket", "region", "project", "project_id", "zone_id", "namespace", "vpc_id", "cidr_block", "length"}
)


# Those that say where it is, or less.
_SHARED: Final = frozenset({"region", "project", "project_id", "zone_id", "namespace", "vpc_id", "length"})


def _is_fixed(argument: str) -> bool:
    return argument.rpartition(".")[2] in _FIXED and (argument.count(".") == 0 or argument.startswith("metadata[0]."))


class NearIndex:
    """Finds the instances that share a name, a key or a value with an object, where comparing all takes too long."""

    def __init__(self, targets: Sequence[NewInstance], judge: Judge) -> None:
        self._judge: Final = judge
        self._found: Final[dict[object, list[NewInstance]]] = {}
        for target in targets:
            for mark in self._marks(target):
                self._found.setdefault(mark, []).append(target)

    def near(self, source: MovingObject) -> Iterator[NewInstance]:
        """Yield the instances that share something with an object that few others have, each once."""
        words = [word for name, key in steps_of(source.addr) for word in (*words_of(name), *key_words(key))][
            :_MOST_WORDS
        ]
        last = source.addr.resource
        marks: list[object] = [source.address, *self._judge.values(source)]
        for start in range(len(words)):
            for stop in range(start + 1, len(words) + 1):
                run = tuple(words[start:stop])
                marks += ((last, run), (last.resource, run), run, (last.resource.type, run))
        found = {
            target.address: target
            for mark in marks
            if len(targets := self._found.get(mark, ())) <= _MOST_SHARED
            for target in targets
        }
        yield from found.values()

    def _marks(self, target: NewInstance) -> Iterator[object]:
        address = target.address
        keys = tuple(word for _, key in steps_of(address) for word in key_words(key))
        modules = tuple(word for step in address.module.steps for word in key_words(step.key))
        yield address
        yield address.resource, modules
        yield address.resource.resource, keys
        yield keys
        yield address.resource.resource.type, words_of(address.resource.resource.name)
        for name, part in self._judge.arguments(address).items():
            if isinstance(part, Value) and isinstance(part.data, str):
                yield name, part.data


# The words of an address that are looked up, and how many instances may share something that is looked up.
_MOST_WORDS: Final = 16
_MOST_SHARED: Final = 32
