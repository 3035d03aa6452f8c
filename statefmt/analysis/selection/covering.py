"""Finds few selectors that select exactly the given instances."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Final, TypeVar

from statefmt.analysis.selection import Criteria, select
from statefmt.model.addrs import (
    NO_KEY,
    AbsProviderInstance,
    AbsResourceInstance,
    LocalProviderConfig,
    ModuleInstance,
    StringKey,
)
from statefmt.model.errors import SelectionError, SurgeryError
from statefmt.model.snapshot import InstanceState, Snapshot, instances

H = TypeVar("H", bound=Hashable)

_MOST_PROVIDERS: Final = 4
# A common part of keys ends at the end of a word: "/us-east-1" of "dev/us-east-1" and "prod/us-east-1".
_WORDS_AT_THE_END: Final = re.compile(r"[^a-zA-Z0-9].*", re.DOTALL)
_WORDS_AT_THE_START: Final = re.compile(r".*[^a-zA-Z0-9]", re.DOTALL)


def covering(homes: Mapping[AbsResourceInstance, H]) -> dict[H, tuple[str, ...]]:
    """Return selectors for the instances in each home; `homes` has all instances of a state.

    A module or a resource is one selector if all selected instances have the same home. Raises SurgeryError if the
    address of an instance selects instances of another home: an address without a key also selects instances with
    keys.
    """
    in_modules: dict[ModuleInstance, tuple[str, ...]] = {}
    owners: dict[str, H] = {}
    mixed: set[str] = set()
    for addr, home in homes.items():
        for text in _selectors(addr, in_modules):
            if owners.setdefault(text, home) != home:
                mixed.add(text)
    found: dict[H, dict[str, None]] = {}
    for addr, home in homes.items():
        selector = next((text for text in _selectors(addr, in_modules) if text not in mixed), None)
        if selector is None:
            raise SurgeryError(
                f"{addr}: this address selects instances with keys, too, which are in other parts; give them keys or "
                "forget them first",
                address=addr,
            )
        found.setdefault(home, {})[selector] = None
    return {home: tuple(selectors) for home, selectors in found.items()}


def _selectors(addr: AbsResourceInstance, in_modules: dict[ModuleInstance, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the addresses that select an instance, the most general first."""
    outer = in_modules.get(addr.module)
    if outer is None:
        texts = (
            text
            for module in addr.module.on_the_way
            for text in (str(module.parent().child(module.steps[-1].name)), str(module))
        )
        outer = in_modules[addr.module] = tuple(dict.fromkeys(texts))
    resource = str(addr.containing_resource())
    return (*outer, resource) if addr.key is NO_KEY else (*outer, resource, str(addr))


def shortest(snapshot: Snapshot, addresses: Collection[str]) -> Criteria | None:
    """Return the shortest criteria that select exactly these instances of a snapshot.

    Tries each candidate on the snapshot. The result is None if no candidate is shorter than the list of the
    addresses.
    """
    found = instances(snapshot)
    wanted = [instance for instance in found if str(instance.addr) in addresses]
    if len(wanted) != len(addresses):
        return None
    selected = {instance.addr for instance in wanted}
    candidates = [
        (words, candidate)
        for candidate in _candidates(found, wanted)
        if (words := len(" ".join(command_words(candidate)))) < len(" ".join(addresses))
    ]
    for _, candidate in sorted(candidates, key=lambda each: each[0]):
        try:
            if {instance.addr for instance in select(found, candidate)} == selected:
                return candidate
        except SelectionError:
            continue
    return None


def command_words(criteria: Criteria) -> tuple[str, ...]:
    """Return the arguments of a command for criteria of shortest()."""
    filters = [word for provider in criteria.providers for word in ("--provider", provider)]
    return (*criteria.selectors, *filters, *["--tainted"] * criteria.tainted)


def _candidates(found: Sequence[InstanceState], wanted: Sequence[InstanceState]) -> Iterator[Criteria]:
    """Yield filters, each alone or with addresses that exclude the other selected instances."""
    # `rm --deposed` needs a key, so not all commands support this filter.
    filters = [Criteria(), Criteria(tainted=True)]
    filters += [Criteria(providers=texts) for texts in _provider_texts(_bound(found), _bound(wanted))]
    selected = {instance.addr for instance in wanted}
    for only in filters:
        try:
            left = {instance.addr: instance.addr in selected for instance in select(found, only)}
        except SelectionError:
            continue
        if not selected <= left.keys():
            continue
        if all(left.values()) and only != Criteria():
            yield only
        else:
            try:
                selectors = covering(left)[True]
            except SurgeryError:
                continue
            yield Criteria(selectors=selectors, providers=only.providers, tainted=only.tainted)


def _provider_texts(
    known: Collection[AbsProviderInstance], wanted: Collection[AbsProviderInstance]
) -> Iterator[tuple[str, ...]]:
    """Yield values of `--provider` that may select exactly these provider instances."""
    configs = {provider.config for provider in wanted}
    if len(configs) == 1:
        (config,) = configs
        local = str(LocalProviderConfig(config.provider.type, config.alias))
        named = (local, str(config)) if config.alias else (f"**.{local}", str(config))
        if {provider for provider in known if provider.config == config} == set(wanted):
            yield from ((name,) for name in named)
        for key in _key_patterns([provider.key.value for provider in wanted if isinstance(provider.key, StringKey)]):
            yield from ((f"{name}{key}",) for name in named)
    if len(wanted) <= _MOST_PROVIDERS:
        yield tuple(
            sorted(
                str(LocalProviderConfig(one.config.provider.type, one.config.alias).instance(one.key)) for one in wanted
            )
        )
        yield tuple(sorted(map(str, wanted)))


def _key_patterns(keys: Sequence[str]) -> Iterator[str]:
    """Yield patterns of keys by the words that all have at the start or at the end."""
    if len(keys) < 2:
        return
    start = _WORDS_AT_THE_START.match(_common_start(keys))
    end = _WORDS_AT_THE_END.search(_common_start([key[::-1] for key in keys])[::-1])
    for before, after in ((start[0] if start else "", ""), ("", end[0] if end else "")):
        if before or after:
            yield f'["{_literally(before)}*{_literally(after)}"]'


def _common_start(texts: Sequence[str]) -> str:
    lowest, highest = min(texts), max(texts)
    same = takewhile(lambda pair: pair[0] == pair[1], zip(lowest, highest, strict=False))
    return "".join(one for one, _ in same)


def _literally(text: str) -> str:
    quoted = str(StringKey(text))[2:-2]
    return quoted.replace("*", r"\*").replace("?", r"\?")


def _bound(found: Sequence[InstanceState]) -> set[AbsProviderInstance]:
    bound = {instance.provider(obj) for instance in found for obj in instance.objects}
    return {provider for provider in bound if provider is not None}
