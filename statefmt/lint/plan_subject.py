"""The input of the rules about plans."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import msgspec

from statefmt.analysis.plans import PriorComparison, compare_prior
from statefmt.analysis.plans.values import DriftDetails, attribute_places, drift_details
from statefmt.configuration import Configuration
from statefmt.configuration.instances import Instances
from statefmt.lifecycle.plan import Action, PlannedChange, ShownPlan
from statefmt.lifecycle.schema import ProviderSchemas
from statefmt.lifecycle.verification.planned import planned_findings
from statefmt.lint.settings import RuleSettings
from statefmt.model.addrs.provider import parse_provider_source
from statefmt.model.cty import DYNAMIC, Type
from statefmt.model.errors import AddressError
from statefmt.model.findings import Command, Finding
from statefmt.model.snapshot import Snapshot
from statefmt.pairing import BlockPairing
from statefmt.store.backends import state_words


@dataclass(frozen=True)
class PlanSubject:
    """A plan to check, with the given state: its snapshot and its file, None without a state.

    `configuration` and `schemas` are those of the plan, None if not given. `pairing` pairs the blocks of all lists that
    rules compare.
    """

    plan: ShownPlan
    snapshot: Snapshot | None = None
    state: str | None = None
    settings: RuleSettings = field(default_factory=RuleSettings)
    schemas: ProviderSchemas | None = None
    configuration: Configuration | None = None
    pairing: BlockPairing = field(default_factory=BlockPairing, compare=False)

    @cached_property
    def prior(self) -> PriorComparison | None:
        """The comparison of the plan's prior state with the given state; None without a state."""
        return None if self.snapshot is None else compare_prior(self.plan, self.snapshot, self.pairing)

    @cached_property
    def drift(self) -> tuple[tuple[PlannedChange, DriftDetails | None], ...]:
        """The objects that changed outside of OpenTofu, and how: None if deleted, or too deep to be compared."""
        return tuple(
            (change, self._drift(change)) for change in self.plan.resource_drift if change.action is not Action.NO_OP
        )

    @cached_property
    def planned(self) -> tuple[Finding, ...]:
        """The planned values that the configuration does not allow; none without a configuration."""
        if self.configuration is None:
            return ()
        # A plan does not name its workspace, and may have been made on another machine.
        configuration = msgspec.structs.replace(self.configuration, workspace=None)
        instances = Instances(configuration, is_confined=True)
        return tuple(planned_findings(self.plan, instances, self.schemas, self.snapshot))

    def _drift(self, change: PlannedChange) -> DriftDetails | None:
        if change.action is Action.DELETE:
            return None
        try:
            return drift_details(
                change.change,
                attribute_places(change),
                show_sensitive=False,
                of=self._type(change),
                pairing=self.pairing,
            )
        except ValueError:
            # Nested too deeply.
            return None

    def _type(self, change: PlannedChange) -> Type:
        """Return the type of an object by its provider's schema; DYNAMIC if it is not known."""
        if self.schemas is None:
            return DYNAMIC
        resource = change.address.resource.resource
        try:
            found = self.schemas.schema(parse_provider_source(change.provider_name), resource.mode, resource.type)
        except AddressError:
            return DYNAMIC
        return DYNAMIC if found is None else found.type

    def command(self, name: str, *arguments: str) -> Command:
        """Return a statetool command on the given state."""
        return Command(name, (*arguments, *(() if self.state is None else state_words(self.state))))


def object_name(change: PlannedChange) -> str:
    """Return the name of an object for a sentence: `aws_vpc.main["eu"]`, `aws_vpc.main's deposed object 0f3a`."""
    return f"{change.address}'s deposed object {change.deposed}" if change.deposed else str(change.address)


def change_pointer(change: PlannedChange, *steps: str) -> str:
    """Return the JSON pointer to a part of a change in `resource_changes`."""
    return "/".join(["", "resource_changes", str(change.number), "change", *steps])
