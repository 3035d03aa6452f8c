"""Compares objects with their provider instances: another account or region is a mismatch."""

from __future__ import annotations

from collections.abc import Mapping

from statefmt.analysis.providers.facts import (
    Contradiction,
    FactKind,
    contradictions,
    object_facts,
    overridden,
    settings_facts,
)
from statefmt.analysis.providers.fates import required_sources, translated
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.model.addrs import AbsProviderInstance, AbsResourceInstance
from statefmt.model.snapshot import ResourceInstanceObject


class Mismatches:
    """Finds mismatches using the provider blocks of a configuration."""

    def __init__(self, references: ProviderReferences) -> None:
        self._references = references
        self._required = required_sources(references.configuration)
        # Many objects have the same provider instance.
        self._facts: dict[AbsProviderInstance, Mapping[FactKind, str]] = {}

    def of(
        self, address: AbsResourceInstance, obj: ResourceInstanceObject, provider: AbsProviderInstance
    ) -> Contradiction | None:
        """Return the first fact of an object that a provider instance contradicts; None if none is known.

        Facts that the resource block sets itself do not count, nor facts that a removed block may have set.
        """
        source, type_name = provider.config.provider, address.resource.resource.type
        of_provider = self._of(provider)
        facts = object_facts(source, type_name, obj) if of_provider else {}
        if not facts:
            return None
        block = self._references.blocks.get(address.config())
        free = overridden(source, None if block is None or block.body is None else block.body.names())
        return next(contradictions(facts, of_provider, free), None)

    def _of(self, provider: AbsProviderInstance) -> Mapping[FactKind, str]:
        """Return the facts of a provider instance; none if the configuration does not declare it."""
        if provider not in self._facts:
            bound = translated(provider, self._required)
            resolved = self._references.tree.exactly(bound.config)
            there = None if resolved is None else resolved.config.instance(bound.key)
            is_declared = there is not None and self._references.declares(there) is True
            settings = self._references.settings(there) if there is not None and is_declared else {}
            self._facts[provider] = settings_facts(provider.config.provider, settings)
        return self._facts[provider]
