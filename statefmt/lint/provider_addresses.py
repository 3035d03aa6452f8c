"""Finds the valid provider addresses in a document, on resources and instances.

A state has few distinct addresses, so rules test these first, and search for their positions only if an address
matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from statefmt.formats.versions import InstanceObjectV4, ResourceV4
from statefmt.lint.subject import ResourcePart, Subject
from statefmt.model.addrs import AbsProviderInstance
from statefmt.model.provider_binding import Unreadable, read_config, read_instance

# Number of cached results for sets of addresses: the states of one project use the same providers.
_CACHED: Final = 1024
# Number of cached addresses. A state may have thousands, one for each tenant.
_CACHED_ADDRESSES: Final = 65536


class NamedProvider(NamedTuple):
    """A provider address and its position: on a block, or on one of its instances (by index)."""

    provider: AbsProviderInstance
    text: str
    resource: ResourcePart
    instance: int | None

    @property
    def pointer(self) -> str:
        """The JSON pointer to the member `provider`."""
        level = self.resource.pointer if self.instance is None else f"{self.resource.pointer}/instances/{self.instance}"
        return f"{level}/provider"


@lru_cache(maxsize=_CACHED_ADDRESSES)
def _provider_of_resource(text: str) -> AbsProviderInstance | None:
    """Parse a resource's `provider`, in the current form or in the form before Terraform 0.13."""
    config = read_config(text)
    return None if isinstance(config, Unreadable) else config.instance()


@lru_cache(maxsize=_CACHED_ADDRESSES)
def provider_of_instance(text: str) -> AbsProviderInstance | None:
    """Parse an instance's own `provider`, also in the form before Terraform 0.13, which OpenTofu refuses there."""
    provider = read_instance(text)
    return _provider_of_resource(text) if isinstance(provider, Unreadable) else provider


def provider_in_force(resource: ResourceV4, obj: InstanceObjectV4) -> AbsProviderInstance | None:
    """Return the provider instance of an object: its own, or else its resource's."""
    if obj.provider:
        return provider_of_instance(obj.provider)
    return _provider_of_resource(resource.provider) if resource.provider else None


def providers(subject: Subject) -> frozenset[AbsProviderInstance]:
    """Return every provider instance that the state names."""
    return _meanings(subject.once(_resource_texts), subject.once(_instance_texts))


def places(subject: Subject, wanted: Callable[[AbsProviderInstance], bool]) -> Iterator[NamedProvider]:
    """Yield the positions of `wanted` providers in file order; on instances, only the first of each in a block."""
    on_resources = _wanted(subject.once(_resource_texts), _provider_of_resource, wanted)
    on_instances = _wanted(subject.once(_instance_texts), provider_of_instance, wanted)
    if not on_resources and not on_instances:
        return
    for resource in subject.resources:
        text = resource.document.provider
        if text and text in on_resources:
            yield NamedProvider(on_resources[text], text, resource, None)
        seen = set()
        for number, obj in enumerate(resource.document.instances or ()):
            text = obj.provider if obj is not None else None
            if text and text in on_instances and text not in seen:
                seen.add(text)
                yield NamedProvider(on_instances[text], text, resource, number)


def _resource_texts(subject: Subject) -> frozenset[str]:
    return frozenset([resource.document.provider for resource in subject.resources if resource.document.provider])


def _instance_texts(subject: Subject) -> frozenset[str]:
    return frozenset([part.document.provider for part in subject.objects if part.document.provider])


@lru_cache(maxsize=_CACHED)
def _meanings(on_resources: frozenset[str], on_instances: frozenset[str]) -> frozenset[AbsProviderInstance]:
    found = {*map(_provider_of_resource, on_resources), *map(provider_of_instance, on_instances)}
    return frozenset(provider for provider in found if provider is not None)


@lru_cache(maxsize=_CACHED)
def _wanted(
    texts: frozenset[str],
    read: Callable[[str], AbsProviderInstance | None],
    wanted: Callable[[AbsProviderInstance], bool],
) -> Mapping[str, AbsProviderInstance]:
    meanings = ((text, read(text)) for text in texts)
    return {text: provider for text, provider in meanings if provider is not None and wanted(provider)}
