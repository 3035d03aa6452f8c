"""Compares provider instances of an old and a new configuration, and objects with them: the same account and region?

Only arguments that differ between the new instances can tell which of them an object belongs to.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from enum import Enum, auto
from typing import Final

from msgspec import Struct

from statefmt.analysis.adoption.model import MovingObject, NewInstance
from statefmt.analysis.providers.facts import (
    FactKind,
    contradictions,
    fact_kinds,
    is_cosmetic,
    object_facts,
    override_facts,
    settings_facts,
)
from statefmt.analysis.providers.fates import required_sources, translated
from statefmt.configuration.moves import moved_to, moves
from statefmt.configuration.provider_instances import BlockBinding, ProviderReferences
from statefmt.hcl.operations import equal
from statefmt.hcl.value import Part, Unknown, Value, first_unknown
from statefmt.model.addrs import AbsProviderInstance, AbsResourceInstance, Module
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


_REGIONAL: Final = frozenset({FactKind.REGION, FactKind.ZONE})
# Arguments that lead to other objects, in the words of most providers.
_LEADS_ELSEWHERE: Final = (
    r"profile|role|key|owner|host|port|context|subscription|project|organi[sz]ation|token|url|address|endpoint|"
    r"namespace|account|tenant|server|cluster|config_path|credential|domain|realm|org_|shared_|database"
)
# Arguments that are only a way to an account.
_CREDENTIALS: Final = r"profile|access_key|secret_key|token|shared_|assume_role"
_UNKNOWN: Final = PlaceVerdict(Sameness.UNKNOWN)


class Places:
    """The provider instances of a new configuration, compared with those of an old one and with objects."""

    def __init__(self, new: ProviderReferences, old: ProviderReferences | None) -> None:
        self._new = new
        self._old = old
        self.has_old: Final = old is not None
        self._required = frozenset() if old is None else required_sources(old.configuration)
        self._moves = [] if old is None else moves(old.configuration)
        self._settings: dict[AbsProviderInstance, Mapping[str, Part]] = {}
        self._instances: dict[Provider, tuple[AbsProviderInstance, ...]] = {}
        self._telling: dict[Provider, tuple[str, ...]] = {}
        self._verdicts: dict[object, PlaceVerdict] = {}
        self._object_facts: dict[AbsResourceInstance, Mapping[FactKind, str]] = {}
        self._by_facts: dict[object, PlaceVerdict] = {}
        self._overrides: dict[tuple[bool, AbsResourceInstance], Mapping[FactKind, str | None]] = {}
        self._doubts: dict[object, tuple[str, ...]] = {}
        self._accounted: dict[AbsResourceInstance, bool | None] = {}

    def by_arguments(self, source: MovingObject, target: NewInstance) -> PlaceVerdict:
        """Compare the arguments of the old provider instance of an object with those of a new instance.

        Arguments of the resource that override the provider's count in their place. Unknown unless the old
        configuration has the object, bound as the state says: otherwise it is not the one that the state was written
        with.
        """
        if not self.is_accounted(source):
            return _UNKNOWN
        assert self._old is not None
        mine = self._overriding(self._old, source.bound.config.provider, source.addr)
        theirs = self._overriding(self._new, target.provider.config.provider, target.address)
        key = source.bound, target.provider, tuple(mine.items()), tuple(theirs.items())
        if key not in self._verdicts:
            self._verdicts[key] = self._compared(target.provider, self._old.settings(source.bound), mine, theirs)
        return self._verdicts[key]

    def by_attributes(self, source: MovingObject, target: NewInstance) -> PlaceVerdict:
        """Compare the facts that an object states about itself with a new instance.

        The arguments of the resource override those of its provider.
        """
        own = self._overriding(self._new, target.provider.config.provider, target.address)
        facts = self._facts_of(source)
        if not facts:
            return _UNKNOWN
        key = tuple(facts.items()), target.provider, tuple(own.items())
        if key not in self._by_facts:
            self._by_facts[key] = self._with_facts(facts, target.provider, own)
        return self._by_facts[key]

    def doubts(self, source: MovingObject, target: NewInstance) -> tuple[str, ...]:
        """Return the arguments of the old provider instance that are surely not those of the new one.

        An account or region that only one of them states is another, unless the object states the one of the new
        instance itself.
        """
        if not self.is_accounted(source):
            return ()
        assert self._old is not None
        mine = self._overriding(self._old, source.bound.config.provider, source.addr)
        theirs = self._overriding(self._new, target.provider.config.provider, target.address)
        own = self._facts_of(source)
        key = source.bound, target.provider, tuple(mine.items()), tuple(theirs.items()), tuple(own.items())
        if key not in self._doubts:
            self._doubts[key] = self._differences(target.provider, self._old.settings(source.bound), mine, theirs, own)
        return self._doubts[key]

    def _differences(
        self,
        provider: AbsProviderInstance,
        old: Mapping[str, Part],
        mine: Mapping[FactKind, str | None],
        theirs: Mapping[FactKind, str | None],
        own: Mapping[FactKind, str],
    ) -> tuple[str, ...]:
        source, new = provider.config.provider, self._of(provider)
        before, after = _with(settings_facts(source, old), mine), _with(settings_facts(source, new), theirs)
        one_sided = [
            str(kind)
            for kind in FactKind
            if kind is not FactKind.ZONE
            and (kind in before) != (kind in after)
            and (kind not in own or own[kind] != after.get(kind))
        ]
        # The object states its account itself: the profile or the role that leads there may be another one.
        if FactKind.ACCOUNT in own and own[FactKind.ACCOUNT] == after.get(FactKind.ACCOUNT):
            return tuple(one_sided)
        same_account = FactKind.ACCOUNT in before and before[FactKind.ACCOUNT] == after.get(FactKind.ACCOUNT)
        changed = [
            name
            for name in dict.fromkeys((*old, *new))
            if name
            and not is_cosmetic(source, name)
            and not fact_kinds(source, name)
            and not (same_account and re.match(_CREDENTIALS, name))
            # What is unknown on one side only is not the same either.
            and (same := _same(old.get(name), new.get(name))) is not True
            and (same is False or (name in old) != (name in new))
        ]
        return (*changed, *one_sided)

    def had(self, bound: AbsProviderInstance, name: str, provider: AbsProviderInstance) -> bool:
        """Return whether an old provider instance had an argument of a new one."""
        mine = {} if self._old is None else self._old.settings(bound)
        return (
            name in mine
            and bound.config.provider == provider.config.provider
            and (_same(mine[name], self._of(provider).get(name)) is True)
        )

    def is_elsewhere(self, source: MovingObject, target: NewInstance) -> bool:
        """Return whether an instance is in another account or region than an object, or may be: it has another host."""
        verdicts = (self.by_arguments(source, target), self.by_attributes(source, target))
        return any(one.sameness is Sameness.DIFFERENT for one in verdicts) or any(
            re.search(_LEADS_ELSEWHERE, name) for name in self.doubts(source, target)
        )

    def shows_account(self, source: MovingObject, target: NewInstance) -> bool:
        """Return whether an object and an instance state the same account, subscription or project."""
        own = self._overriding(self._new, target.provider.config.provider, target.address)
        theirs = _with(self._facts(target.provider), own)
        return any(kind in theirs and kind not in _REGIONAL for kind in self._facts_of(source))

    def shown(self, source: MovingObject) -> Iterator[str]:
        """Yield what the old provider instance and the object say of their place."""
        yield from self._facts_of(source).values()
        if self.is_accounted(source):
            assert self._old is not None
            provider = source.bound.config.provider
            yield from settings_facts(provider, self._old.settings(source.bound)).values()

    def _facts_of(self, source: MovingObject) -> Mapping[FactKind, str]:
        if source.addr not in self._object_facts:
            type_name = source.addr.resource.resource.type
            obj = source.instance.current_first[0]
            self._object_facts[source.addr] = object_facts(source.bound.config.provider, type_name, obj)
        return self._object_facts[source.addr]

    def _overriding(
        self, references: ProviderReferences, provider: Provider, address: AbsResourceInstance
    ) -> Mapping[FactKind, str | None]:
        key = references is self._new, address
        if key not in self._overrides:
            arguments = references.arguments(address)
            self._overrides[key] = override_facts(provider, address.resource.resource.type, arguments)
        return self._overrides[key]

    def _with_facts(
        self, facts: Mapping[FactKind, str], provider: AbsProviderInstance, own: Mapping[FactKind, str | None]
    ) -> PlaceVerdict:
        mine = _with(self._facts(provider), own)
        against = [str(one) for one in contradictions(facts, mine)]
        if against:
            return PlaceVerdict(Sameness.DIFFERENT, tuple(against))
        shared = tuple(f"{kind} {value}" for kind, value in facts.items() if kind in mine)
        others = [
            other
            for other in self.instances(provider.config.provider)
            if not self.are_equal(other, provider, own) and not any(contradictions(facts, self._facts(other), own))
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

    def are_equal(
        self, one: AbsProviderInstance, other: AbsProviderInstance, free: Collection[FactKind] = frozenset()
    ) -> bool:
        """Return whether two new instances surely find the same objects, if the resource states the `free` facts."""
        if one == other:
            return True
        mine, others = self._of(one), self._of(other)
        return all(
            _same(mine.get(name), others.get(name)) is True
            or not fact_kinds(one.config.provider, name).isdisjoint(free)
            for name in self.telling(one.config.provider)
        )

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
                and not self._is_one_variable(provider, name)
            )
        return self._telling[provider]

    def _is_one_variable(self, provider: Provider, name: str) -> bool:
        """Return whether the same unknown variable is an argument of all instances, old and new: it tells nothing."""
        found = {self._new.unknown_variables(one).get(name) for one in self.instances(provider)}
        if self._old is not None:
            for config in self._old.tree.declared:
                keys = self._old.declared_keys(config) if config.provider == provider else ()
                if isinstance(keys, Unknown):
                    return False
                found.update(self._old.unknown_variables(config.instance(key)).get(name) for key in keys)
        return len(found) == 1 and None not in found

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

    def is_accounted(self, source: MovingObject) -> bool | None:
        """Return whether the old configuration has an object, bound as the state says; None if that is not known."""
        if self._old is None:
            return False
        if source.addr not in self._accounted:
            self._accounted[source.addr] = self._has(self._old, source)
        return self._accounted[source.addr]

    def _has(self, old: ProviderReferences, source: MovingObject) -> bool | None:
        names = source.addr.module.module().names
        if any(Module(names[:length]) in old.configuration.missing for length in range(1, len(names) + 1)):
            return None
        if source.addr.config() not in old.blocks:
            return False
        binding = old.instance_binding(source.addr)
        return translated(binding, self._required) == source.bound if isinstance(binding, AbsProviderInstance) else None

    def _compared(
        self,
        provider: AbsProviderInstance,
        old: Mapping[str, Part],
        mine: Mapping[FactKind, str | None],
        theirs: Mapping[FactKind, str | None],
    ) -> PlaceVerdict:
        source = provider.config.provider
        new = self._of(provider)
        own = mine.keys() | theirs.keys()
        before, after = _with(settings_facts(source, old), mine), _with(settings_facts(source, new), theirs)
        against = [
            f"{kind} was {value} and is {after[kind]}"
            for kind, value in before.items()
            if kind in after and after[kind] != value
        ]
        if against:
            return PlaceVerdict(Sameness.DIFFERENT, tuple(against))
        shown: list[str] = []
        certain = all(kind in before and kind in after for kind in own)
        for name in self.telling(source):
            kinds = fact_kinds(source, name)
            if kinds & own:
                continue
            same = _same(old.get(name), new.get(name))
            if same is True:
                shown.append(_shown(name, new.get(name)))
            elif kinds:
                # Other roles of one account have the same account, and of a chain of roles only the last one counts.
                certain = certain and all(kind in before and kind in after for kind in kinds)
            elif same is False and self._has_match(source, name, old.get(name)):
                return PlaceVerdict(Sameness.DIFFERENT, (f"{name} differs",))
            else:
                certain = False
        shared = [f"{kind} {value}" for kind, value in before.items() if after.get(kind) == value]
        shown += [one for one in shared if not any(one.split()[-1] in other for other in shown)]
        return PlaceVerdict(Sameness.SAME if certain and shown else Sameness.UNKNOWN, tuple(shown))

    def _has_match(self, provider: Provider, name: str, part: Part | None) -> bool:
        return any(_same(part, self._of(other).get(name)) is True for other in self.instances(provider))


def _with(facts: Mapping[FactKind, str], own: Mapping[FactKind, str | None]) -> dict[FactKind, str]:
    """Return the facts of a provider instance with those that a resource states in their place."""
    found = {kind: value for kind, value in facts.items() if kind not in own}
    return found | {kind: value for kind, value in own.items() if value is not None}


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
