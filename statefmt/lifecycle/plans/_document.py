"""Defines the JSON form of plans as msgspec decodes it. Unknown members are ignored: minor versions add some."""

from __future__ import annotations

from msgspec import UNSET, Raw, Struct, UnsetType

from statefmt.lifecycle.plans.plan import (
    ActionInvocation,
    DeferredActionInvocation,
    Importing,
    RawPath,
    RelevantAttribute,
)
from statefmt.lifecycle.plans.state_values import ABSENT, StateValues


class ChangeJSON(Struct, gc=False):
    """The member `change` of a resource change, and an entry of `output_changes`."""

    actions: tuple[str, ...]
    before: Raw | UnsetType = UNSET
    after: Raw | UnsetType = UNSET
    after_unknown: Raw | UnsetType = UNSET
    before_sensitive: Raw | UnsetType = UNSET
    after_sensitive: Raw | UnsetType = UNSET
    replace_paths: tuple[RawPath, ...] | None = None
    importing: Importing | None = None
    generated_config: str | None = None
    before_identity: Raw | UnsetType = UNSET
    after_identity: Raw | UnsetType = UNSET


class ResourceChangeJSON(Struct, gc=False):
    """An entry of `resource_changes` or `resource_drift`."""

    address: str
    change: ChangeJSON
    previous_address: str | None = None
    module_address: str | None = None
    mode: str | None = None
    type: str | None = None
    name: str | None = None
    index: int | str | None = None
    provider_name: str | None = None
    deposed: str | None = None
    action_reason: str | None = None


class DeferredChangeJSON(Struct, gc=False):
    """An entry of `deferred_changes`."""

    resource_change: ResourceChangeJSON
    reason: str | None = None


class VariableJSON(Struct, gc=False):
    """An entry of `variables`."""

    value: Raw = ABSENT


class PriorStateJSON(Struct, gc=False):
    """The member `prior_state`, which has the form of `show -json` of a state."""

    values: StateValues | None = None


class PlanJSON(Struct, gc=False):
    """A whole plan."""

    format_version: str
    terraform_version: str | None = None
    timestamp: str | None = None
    resource_changes: list[ResourceChangeJSON] | None = None
    resource_drift: list[ResourceChangeJSON] | None = None
    deferred_changes: list[DeferredChangeJSON] | None = None
    action_invocations: tuple[ActionInvocation, ...] | None = None
    deferred_action_invocations: tuple[DeferredActionInvocation, ...] | None = None
    output_changes: dict[str, ChangeJSON] | None = None
    variables: dict[str, VariableJSON] | None = None
    prior_state: PriorStateJSON | None = None
    planned_values: StateValues | None = None
    configuration: Raw | UnsetType = UNSET
    checks: Raw | UnsetType = UNSET
    relevant_attributes: tuple[RelevantAttribute, ...] | None = None
    errored: bool = False
    applyable: bool | None = None
    complete: bool | None = None

    @property
    def is_plan(self) -> bool:
        """Whether this is surely a plan in a readable format version; if not, `_sniff` has the last word."""
        return self.format_version.startswith("1.") and self.planned_values is not None
