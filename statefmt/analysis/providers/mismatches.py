"""Compares objects with the provider instances that they are bound to: another account or region is a mismatch."""

from __future__ import annotations

from statefmt.analysis.providers.facts import Contradiction, contradictions, object_facts, overridden, settings_facts
from statefmt.analysis.providers.fates import required_sources, translated
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.model.addrs import AbsProviderInstance, AbsResourceInstance
from statefmt.model.snapshot import ResourceInstanceObject


class Mismatches:
    """Finds mismatches by the provider blocks of a configuration."""

    def __init__(self, references: ProviderReferences) -> None:
        self._references = references
        self._required = required_sources(references.configuration)

    def of(
        self, address: AbsResourceInstance, obj: ResourceInstanceObject, provider: AbsProviderInstance
    ) -> Contradiction | None:
        """Return the first fact of an object that a provider instance contradicts; None if none is known.

        What the block of the resource sets itself is no fact, nor what it may have set if there is none any more.
        """
        references, provider = self._references, translated(provider, self._required)
        resolved = references.tree.exactly(provider.config)
        if resolved is None:
            return None
        there = resolved.config.instance(provider.key)
        if references.declares(there) is not True:
            return None
        source, type_name = provider.config.provider, address.resource.resource.type
        facts = object_facts(source, type_name, obj)
        if not facts:
            return None
        block = references.blocks.get(address.config())
        free = overridden(source, None if block is None or block.body is None else block.body.names())
        return next(contradictions(facts, settings_facts(source, references.settings(there)), free), None)
