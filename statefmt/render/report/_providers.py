"""Prepares the provider map for a page: configurations, their instances, and what is bound to each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from statefmt.analysis.providers import ConfigurationUse, ProviderInstanceUse, by_resource, short_form
from statefmt.render.printable import ROOT

_MOST_RESOURCES: Final = 50


class MappedModule(NamedTuple):
    """A module with objects of a provider instance: resources with their numbers of objects, and how many follow."""

    name: str
    objects: int
    resources: tuple[tuple[str, int], ...]
    omitted: int


class MappedInstance(NamedTuple):
    """An instance of a provider configuration; `share` is its part of all objects, from 0 to 1."""

    name: str
    objects: int
    deposed: int
    share: float
    modules: tuple[MappedModule, ...]


class MappedConfiguration(NamedTuple):
    """A provider configuration: its short name, its source and its instances in use."""

    name: str
    source: str
    objects: int
    instances: tuple[MappedInstance, ...]


def provider_map(uses: Sequence[ConfigurationUse]) -> tuple[MappedConfiguration, ...]:
    """Return the configurations by source, module and alias."""
    whole = sum(len(instance.objects) for use in uses for instance in use.instances)
    return tuple(
        MappedConfiguration(
            short_form(use.config),
            str(use.config.provider),
            sum(len(instance.objects) for instance in use.instances),
            tuple(_instance(use, instance, whole) for instance in use.instances),
        )
        for use in uses
    )


def _instance(use: ConfigurationUse, instance: ProviderInstanceUse, whole: int) -> MappedInstance:
    return MappedInstance(
        name=short_form(use.config, instance.provider.key),
        objects=len(instance.objects),
        deposed=sum(bool(obj.deposed) for obj in instance.objects),
        share=len(instance.objects) / whole,
        modules=tuple(_modules(instance)),
    )


def _modules(instance: ProviderInstanceUse) -> list[MappedModule]:
    found = []
    left = _MOST_RESOURCES
    for module, objects in instance.by_module().items():
        resources = [(str(resource), len(of)) for resource, of in by_resource(objects).items()]
        shown = tuple(resources[:left])
        left -= len(shown)
        found.append(MappedModule(str(module) or ROOT, len(objects), shown, len(resources) - len(shown)))
    return found
