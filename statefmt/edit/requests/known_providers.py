"""Refuses edits whose target provider does not exist, with the way to make them nevertheless."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from statefmt.analysis.targets import short_name, sources_in_state, unknown_in_state, unknown_source
from statefmt.model.addrs import AbsProviderInstance
from statefmt.model.addrs.provider import Provider
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import Snapshot

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.configuration.provider_instances import ProviderReferences


class KnownProviders(NamedTuple):
    """The providers that an edit may bind to: those of a configuration or, without one, those of the state.

    `way_out` completes "If this is intended, ".
    """

    way_out: str
    references: ProviderReferences | None = None

    def refuse_unknown(
        self, snapshot: Snapshot, wanted: Iterable[AbsProviderInstance], *, short: bool = True
    ) -> Sequence[str]:
        """Raise SurgeryError if one of these provider instances does not exist; return notes.

        `short` allows short forms such as `aws.west` in the message.
        """
        name = short_name if short else str
        if self.references is None:
            unknown = unknown_in_state(snapshot, wanted, name)
            if unknown is not None:
                self._refuse(unknown.problem, unknown.provider)
            return ()
        from statefmt.analysis.declared_targets import undeclared_providers

        judgement = undeclared_providers(self.references, wanted, name)
        self._refuse(judgement.problem, judgement.about)
        return judgement.notes

    def refuse_unknown_source(self, snapshot: Snapshot, source: Provider) -> None:
        """Raise SurgeryError if the configuration does not use a source or, without one, the state does not."""
        if self.references is None:
            where, known = "no resource in the state uses", sources_in_state(snapshot)
        else:
            from statefmt.analysis.declared_targets import sources_in_configuration

            directory = self.references.configuration.directory
            where, known = f"the configuration in {directory} does not use", sources_in_configuration(self.references)
        problem = unknown_source(source, known)
        self._refuse(problem and f"{where} the provider {source.display}{problem}", source)

    def _refuse(self, problem: str, about: object) -> None:
        if problem:
            raise SurgeryError(f"{problem}\nIf this is intended, {self.way_out}", address=about)
