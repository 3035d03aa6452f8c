"""Compares provider instances of an old and a new configuration, and objects with them: the same account and region?

Only arguments that differ between the new instances can tell which of them an object belongs to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from enum import Enum, auto
from typing import Final, TypeAlias

from msgspec import Struct

from statefmt.analysis.adoption.model import MovingObject, NewInstance
from statefmt.analysis.providers.facts import (
    FactKind,
    contradictions,
    is_cosmetic,
    is_fact,
    object_facts,
    settings_facts,
)
from statefmt.analysis.providers.fates import required_sources, translated
from statefmt.configuration.moves import moved_to, moves
from statefmt.configuration.provider_instances import BlockBinding, ProviderReferences
from statefmt.hcl.operations import equal
from statefmt.hcl.value import Part, Unknown, Value, first_unknown
from statefmt.model.addrs import AbsProviderInstance, AbsResourceInstance
from statefmt.model.addrs.provider import Provider


class Sameness(Enum):
    """Whether two provider instances, or an object and one, are in the same account and region."""

    SAME = auto()
    UNKNOWN = auto()
    DIFFERENT = auto()


class PlaceVerdict(Struct, frozen=True):
    """A sameness, and what shows it: the names of arguments or attributes, with values that are no secrets."""

    sameness: Sameness
    shown: tuple[str, ...] = ()


_Facts: TypeAlias = tuple[tuple[FactKind, str], ...]
_UNKNOWN: Final = PlaceVerdict(Sameness.UNKNOWN)


class Places:
    """The provider instances of a new configuration, compared with those of an old one and with objects."""

    def __init__(self, new: ProviderReferences, old: ProviderReferences | None) -> None:
        self._new = new
        self._old = old
        self._required = frozenset() if old is None else required_sources(old.configuration)
        self._moves = [] if old is None else moves(old.configuration)
        self._settings: dict[AbsProviderInstance, Mapping[str, Part]] = {}
        self._instances: dict[Provider, tuple[AbsProviderInstance, ...]] = {}
        self._telling: dict[Provider, tuple[str, ...]] = {}
        self._verdicts: dict[tuple[AbsProviderInstance, AbsProviderInstance], PlaceVerdict] = {}
        self._object_facts: dict[AbsResourceInstance, Mapping[FactKind, str]] = {}
        self._by_facts: dict[tuple[_Facts, AbsProviderInstance], PlaceVerdict] = {}
        self._accounted: dict[AbsResourceInstance, bool] = {}

    def by_arguments(self, source: MovingObject, provider: AbsProviderInstance) -> PlaceVerdict:
        """Compare the arguments of the old provider instance of an object with those of a new instance.

        Unknown unless the old configuration has the object, bound as the state says: otherwise it is not the one that
        the state was written with.
        """
        if not self._is_accounted(source):
            return _UNKNOWN
        key = source.bound, provider
        if key not in self._verdicts:
            assert self._old is not None
            self._verdicts[key] = self._compared(provider, self._old.settings(source.bound))
        return self._verdicts[key]

    def by_attributes(
        self, source: MovingObject, provider: AbsProviderInstance, free: Collection[FactKind]
    ) -> PlaceVerdict:
        """Compare the facts that an object states about itself with a new provider instance.

        `free` are the facts that the block of the resource decides itself.
        """
        facts = tuple((kind, value) for kind, value in self._facts_of(source).items() if kind not in free)
        if not facts:
            return _UNKNOWN
        key = facts, provider
        if key not in self._by_facts:
            self._by_facts[key] = self._with_facts(dict(facts), provider)
        return self._by_facts[key]

    def _facts_of(self, source: MovingObject) -> Mapping[FactKind, str]:
        if source.addr not in self._object_facts:
            type_name = source.addr.resource.resource.type
            obj = source.instance.current_first[0]
            self._object_facts[source.addr] = object_facts(source.bound.config.provider, type_name, obj)
        return self._object_facts[source.addr]

    def _with_facts(self, facts: Mapping[FactKind, str], provider: AbsProviderInstance) -> PlaceVerdict:
        mine = self._facts(provider)
        against = [str(one) for one in contradictions(facts, mine)]
        if against:
            return PlaceVerdict(Sameness.DIFFERENT, tuple(against))
        shared = tuple(f"{kind} {value}" for kind, value in facts.items() if kind in mine)
        others = [
            other
            for other in self.instances(provider.config.provider)
            if not self.are_equal(other, provider) and not any(contradictions(facts, self._facts(other)))
        ]
        return PlaceVerdict(Sameness.SAME if shared and not others else Sameness.UNKNOWN, shared)

    def is_moved_back(self, source: MovingObject, target: NewInstance) -> bool:
        """Return whether a `moved` block of the old configuration took the object from its new address."""
        return bool(self._moves) and moved_to(self._moves, target.address)[0] == source.addr != target.address

    def instances(self, provider: Provider) -> tuple[AbsProviderInstance, ...]:
        """Return the known instances of a provider in the new configuration."""
        if provider not in self._instances:
            self._instances[provider] = tuple(self._declared(provider))
        return self._instances[provider]

    def are_equal(self, one: AbsProviderInstance, other: AbsProviderInstance) -> bool:
        """Return whether two new instances surely find the same objects."""
        if one == other:
            return True
        mine, others = self._of(one), self._of(other)
        return all(_same(mine.get(name), others.get(name)) is True for name in self.telling(one.config.provider))

    def telling(self, provider: Provider) -> tuple[str, ...]:
        """Return the arguments that are not surely equal in all new instances of a provider."""
        if provider not in self._telling:
            all_settings = [self._of(one) for one in self.instances(provider)]
            names = dict.fromkeys(name for settings in all_settings for name in settings)
            self._telling[provider] = tuple(
                name
                for name in names
                if not is_cosmetic(provider, name)
                and any(
                    _same(all_settings[0].get(name), settings.get(name)) is not True for settings in all_settings[1:]
                )
            )
        return self._telling[provider]

    def _declared(self, provider: Provider) -> Iterator[AbsProviderInstance]:
        configs = [config for config in self._new.tree.declared if config.provider == provider]
        # A default configuration exists without a block, too.
        bindings = map(self._new.block_binding, self._new.blocks)
        configs += dict.fromkeys(
            one.config
            for one in bindings
            if isinstance(one, BlockBinding) and one.config.provider == provider and one.config not in configs
        )
        for config in configs:
            keys = self._new.declared_keys(config)
            if not isinstance(keys, Unknown):
                yield from (config.instance(key) for key in keys)

    def _of(self, provider: AbsProviderInstance) -> Mapping[str, Part]:
        if provider not in self._settings:
            self._settings[provider] = self._new.settings(provider)
        return self._settings[provider]

    def _facts(self, provider: AbsProviderInstance) -> dict[FactKind, str]:
        return settings_facts(provider.config.provider, self._of(provider))

    def _is_accounted(self, source: MovingObject) -> bool:
        if self._old is None:
            return False
        addr = source.addr
        if addr not in self._accounted:
            binding = None if addr.config() not in self._old.blocks else self._old.instance_binding(addr)
            self._accounted[addr] = (
                isinstance(binding, AbsProviderInstance) and translated(binding, self._required) == source.bound
            )
        return self._accounted[addr]

    def _compared(self, provider: AbsProviderInstance, old: Mapping[str, Part]) -> PlaceVerdict:
        source = provider.config.provider
        new = self._of(provider)
        before, after = settings_facts(source, old), settings_facts(source, new)
        against = [
            f"{kind} was {value} and is {after[kind]}"
            for kind, value in before.items()
            if kind in after and after[kind] != value
        ]
        if against:
            return PlaceVerdict(Sameness.DIFFERENT, tuple(against))
        shown: list[str] = []
        certain = True
        for name in self.telling(source):
            mine, theirs = old.get(name), new.get(name)
            same = _same(mine, theirs)
            if same is True:
                shown.append(_shown(name, theirs))
            elif is_fact(source, name):
                # Other roles of one account have the same account.
                certain = certain and self._same_fact(source, name, old, new)
            elif same is False and self._has_match(source, name, mine):
                return PlaceVerdict(Sameness.DIFFERENT, (f"{name} differs",))
            else:
                certain = False
        shared = [f"{kind} {value}" for kind, value in before.items() if after.get(kind) == value]
        shown += [one for one in shared if not any(one.split()[-1] in other for other in shown)]
        return PlaceVerdict(Sameness.SAME if certain and shown else Sameness.UNKNOWN, tuple(shown))

    @staticmethod
    def _same_fact(provider: Provider, name: str, old: Mapping[str, Part], new: Mapping[str, Part]) -> bool:
        mine = settings_facts(provider, {name: old[name]} if name in old else {})
        return bool(mine) and mine == settings_facts(provider, {name: new[name]} if name in new else {})

    def _has_match(self, provider: Provider, name: str, part: Part | None) -> bool:
        return any(_same(part, self._of(other).get(name)) is True for other in self.instances(provider))


def _same(one: Part | None, other: Part | None) -> bool | None:
    """Return whether two arguments are equal; None if unknown. A missing argument is null."""
    if one is None or other is None:
        present = other if one is None else one
        if present is None or (isinstance(present, Value) and present.is_null):
            return True
        return False if isinstance(present, Value) and first_unknown((present,)) is None else None
    found = equal(one, other)
    return None if isinstance(found, Unknown) else found


def _shown(name: str, part: Part | None) -> str:
    if isinstance(part, Value) and isinstance(part.data, str) and not part.sensitive and name in _PLAIN:
        return f"{name} {part.data}"
    return name


# Arguments whose values are no secrets.
_PLAIN: Final = frozenset({"region", "project", "zone", "profile", "subscription_id", "location"})
