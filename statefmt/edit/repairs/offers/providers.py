"""Offers choices for resources with several providers (PRV001, PRV003, PRV005, PRV006)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from statefmt.edit.repairs.bindings import Rebound, moved_down, named_each, provider_instance, provider_text, rebound
from statefmt.edit.repairs.defect import Choice
from statefmt.edit.repairs.loose_state import PROVIDER, LooseState
from statefmt.edit.repairs.offers._provider_choices import (
    MOST_OFFERED,
    chosen_provider,
    configured_provider,
    counted,
    named_provider,
)
from statefmt.formats.writing.changes import JsonPath
from statefmt.model.addrs import AbsProviderInstance
from statefmt.model.findings import Finding


def provider_conflict_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Bind all objects of the resource to one configuration; those that have it keep their keys."""
    objects = state.objects(path[:2])

    def bind(given: str) -> Rebound:
        return _bound_to(state, path, given)

    configs = Counter(one.provider.config for one in objects if one.provider is not None)
    for bound in state.providers(path[:2])[:MOST_OFFERED]:
        text = provider_text(bound)
        yield chosen_provider(text, f"bind {counted(len(objects) - configs[bound.config], len(objects))} to it", bind)
    yield from configured_provider(state, path, objects, lambda found: _rebound(state, path, found))
    yield named_provider("bind the objects of other configurations to it", bind, alone=True)


def provider_blocks_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Bind all objects to one configuration; a block without objects may also go."""
    return _empty_block(state, path) if path[-1] == PROVIDER else provider_conflict_choices(state, path, finding)


def _empty_block(state: LooseState, path: JsonPath) -> Iterator[Choice]:
    """Let the objects keep their configuration, or give them that of the later block without objects."""
    block = path[:2]
    last = state.string((*block, PROVIDER))
    yield Choice("remove", "remove the block, which has no objects", lambda _: {block: None})
    yield chosen_provider(last, "bind all objects to it", lambda given: _bound_to(state, path, given))
    yield named_provider("bind the objects of other configurations to it", lambda given: _bound_to(state, path, given))


def provider_keys_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Bind the current and the deposed objects of one instance to one provider instance."""
    objects = state.objects_with_key(path[:4])

    def bind(given: str) -> Rebound:
        target = provider_instance(given)
        return named_each(state, dict.fromkeys(objects, target))

    used = Counter(one.provider for one in objects if one.provider is not None)
    for bound, number in used.most_common(MOST_OFFERED):
        yield chosen_provider(str(bound), f"bind {counted(len(objects) - number, len(objects))} to it", bind)
    yield from configured_provider(
        state, path, objects, lambda found: named_each(state, {one: found[one.path] for one in objects})
    )
    yield named_provider("bind all objects of the instance to it", bind, alone=True)


def provider_levels_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Name the provider at one level only; the objects keep the provider that counts, if it is at the instances."""
    block = path[:2]
    inherited = provider_instance(state.string((*block, PROVIDER)))
    own = [one for one in state.objects_of_block(block) if one.names_provider]
    lost = sum(one.provider != inherited for one in own)
    yield Choice("instances", "keep the addresses of the instances", lambda _: moved_down(state, block, inherited))
    yield Choice(
        "resource",
        f"keep the address of the resource; {counted(lost, len(own))} change to it",
        lambda _: {(*one.path, PROVIDER): None for one in own},
    )


def _bound_to(state: LooseState, path: JsonPath, given: str) -> Rebound:
    """Bind the objects of other configurations to one."""
    target = provider_instance(given)
    return rebound(
        state,
        path[:2],
        lambda one: one.provider if one.provider is not None and one.provider.config == target.config else target,
    )


def _rebound(state: LooseState, path: JsonPath, found: Mapping[JsonPath, AbsProviderInstance]) -> Rebound:
    return rebound(state, path[:2], lambda one: found.get(one.path, one.provider))
