"""Finds out whether an old configuration is one that objects of a state were written with."""

from __future__ import annotations

from collections.abc import Collection

from statefmt.analysis.adoption.model import Adoption, MovingObject
from statefmt.analysis.providers.fates import required_sources, translated
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.model.addrs import AbsProviderInstance, Module
from statefmt.model.addrs.provider import Provider


def knows_any(old: ProviderReferences, found: Adoption) -> bool:
    """Return whether a configuration may have any of the objects that are not in place, bound as the state says."""
    sources = [
        *(pair.source for pair in found.pairs),
        *(choice.source for choice in found.choices),
        *(refusal.source for refusal in found.refused),
        *found.left,
    ]
    required = required_sources(old.configuration)
    return any(_may_have(old, source, required) for source in sources)


def _may_have(old: ProviderReferences, source: MovingObject, required: Collection[Provider]) -> bool:
    names = source.addr.module.module().names
    if any(Module(names[:length]) in old.configuration.missing for length in range(1, len(names) + 1)):
        return True
    if source.addr.config() not in old.blocks:
        return False
    binding = old.instance_binding(source.addr)
    return not isinstance(binding, AbsProviderInstance) or translated(binding, required) == source.bound
