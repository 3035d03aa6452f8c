"""Offers choices for a provider that is missing or has an unreadable address (PRV002, PRV004)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from statefmt.edit.repairs.bindings import (
    Rebound,
    config_text,
    moved_down,
    named,
    provider_config,
    provider_instance,
    provider_text,
)
from statefmt.edit.repairs.defect import Choice
from statefmt.edit.repairs.loose_state import LooseState
from statefmt.edit.repairs.offers._provider_choices import as_others, configured_provider, named_provider
from statefmt.formats.providers import KNOWN_TYPES
from statefmt.formats.writing.changes import JsonPath
from statefmt.golang import encode_string
from statefmt.model.addrs import NO_KEY, AbsProviderInstance
from statefmt.model.addrs.provider import DEFAULT_NAMESPACE
from statefmt.model.findings import Finding
from statefmt.model.provider_text import Unreadable, read_as_terraform, read_instance

# /resources/0/provider; an object's is /resources/0/instances/0/provider.
_BLOCK_MEMBER: Final = 3


def missing_provider_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Name the provider: that of other objects of the resource, of the configuration, or of the type."""
    one = state.object(path[:4])

    def name(given: str) -> Rebound:
        return named(state, one, provider_instance(given))

    own = map(config_text, state.configurations(path[:2]))
    yield from as_others(own, map(config_text, state.providers_of_type(path)), name)
    yield from configured_provider(state, path, [one], lambda found: named(state, one, found[one.path]))
    yield named_provider("name this one", name)


def invalid_provider_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Name the provider instead of the unreadable address, or take that of others."""
    return _of_object(state, path) if len(path) > _BLOCK_MEMBER else _of_block(state, path)


def _of_object(state: LooseState, path: JsonPath) -> Iterator[Choice]:
    one = state.object(path[:4])

    def name(given: str) -> Rebound:
        return {path: encode_string(str(provider_instance(given)))}

    yield from _hashicorps(state, path)
    own = map(provider_text, state.providers(path[:2]))
    yield from as_others(own, map(config_text, state.providers_of_type(path)), name)
    yield from configured_provider(state, path, [one], lambda found: {path: encode_string(str(found[one.path]))})
    yield named_provider("name this one", name)


def _of_block(state: LooseState, path: JsonPath) -> Iterator[Choice]:
    block = path[:2]

    def name(given: str) -> Rebound:
        return {path: encode_string(config_text(provider_config(given)))}

    yield from _hashicorps(state, path)
    own = map(config_text, state.configurations(block))
    yield from as_others(own, map(config_text, state.providers_of_type(path)), name)
    keyed = read_instance(state.string(path))
    if not isinstance(keyed, Unreadable):
        yield Choice("instances", "write it to each object", lambda _: moved_down(state, block, keyed))
    inheriting = [one for one in state.objects_of_block(block) if not one.names_provider]
    if inheriting:
        yield from configured_provider(state, path, inheriting, lambda found: _in_place_of_level(path, found))
    yield named_provider("name this one", name)


def _hashicorps(state: LooseState, path: JsonPath) -> Iterator[Choice]:
    """Give a provider of HashiCorp its source where Terraform knows it by its type only."""
    found = read_as_terraform(state.string(path))
    if found is None or found.config.provider.type not in KNOWN_TYPES:
        return
    source = replace(found.config.provider, namespace=DEFAULT_NAMESPACE)
    meant = str(replace(found, config=replace(found.config, provider=source)))
    yield Choice("hashicorp", f"set the source {source}", lambda _: {path: encode_string(meant)})


def _in_place_of_level(path: JsonPath, found: Mapping[JsonPath, AbsProviderInstance]) -> Rebound:
    configs = {bound.config for bound in found.values()}
    if len(configs) == 1 and all(bound.key == NO_KEY for bound in found.values()):
        return {path: encode_string(str(configs.pop()))}
    return {path: None} | {(*one, path[-1]): encode_string(str(bound)) for one, bound in found.items()}
