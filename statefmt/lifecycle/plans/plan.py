"""Models a plan: what will change, and the state and the configuration that it was made for.

Source: OpenTofu `internal/command/jsonplan/plan.go`, `resource.go`; the JSON output format of OpenTofu and Terraform.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Raw, Struct

from statefmt.lifecycle.plans.action import Action
from statefmt.lifecycle.plans.state_values import ABSENT, StateValues
from statefmt.model.addrs import AbsResourceInstance

# The steps of a path as JSON: a string (an attribute or a map key), a number (an index), or an element of a set.
RawPath: TypeAlias = tuple[Raw, ...]


class Importing(Struct, frozen=True, kw_only=True, gc=False):
    """The object that a change imports first: by its id, or by its identity. `unknown` is written by Terraform only."""

    id: str | None = None
    identity: Raw = ABSENT
    unknown: bool = False


class Change(Struct, frozen=True, kw_only=True, gc=False):
    """The change of one value: the attributes of an object, or an output. All values are raw JSON.

    `before` and `after` are None if there is no value: null, or absent because all of it is unknown. Unknown parts of
    `after` are absent in objects and null in arrays, and true in `after_unknown`. The masks are None if absent.
    """

    action: Action
    before: Raw | None = None
    after: Raw | None = None
    after_unknown: Raw | None = None
    before_sensitive: Raw | None = None
    after_sensitive: Raw | None = None
    replace_paths: tuple[RawPath, ...] = ()
    importing: Importing | None = None
    generated_config: str = ""
    before_identity: Raw | None = None
    after_identity: Raw | None = None


class PlannedChange(Struct, frozen=True, kw_only=True, gc=False):
    """The change of one object of a resource instance.

    `previous_address` is the address before a move, None if the instance did not move. `deposed` is the key of a
    deposed object, "" for the current one. `provider_name` is the provider's source address as written; the JSON form
    names neither the provider's configuration nor its instance. `reason` is `action_reason`, "" if there is none.
    `number` is the position in its list, for JSON pointers.
    """

    address: AbsResourceInstance
    change: Change
    previous_address: AbsResourceInstance | None = None
    deposed: str = ""
    provider_name: str = ""
    reason: str = ""
    number: int = 0

    @property
    def action(self) -> Action:
        """What is done."""
        return self.change.action

    @property
    def address_before(self) -> AbsResourceInstance:
        """The address in the state that the plan was made for."""
        return self.address if self.previous_address is None else self.previous_address


class DeferredChange(Struct, frozen=True, kw_only=True, gc=False):
    """A change that the plan leaves for a later one (Terraform only), and why."""

    reason: str
    resource_change: PlannedChange


class ActionTrigger(Struct, frozen=True, kw_only=True, gc=False):
    """What invokes an action: an event of a resource instance (`AfterCreate`), as written."""

    triggering_resource_address: str = ""
    action_trigger_event: str = ""


class ActionInvocation(Struct, frozen=True, kw_only=True, gc=False):
    """An action that the plan invokes (Terraform only): its address as written, and its trigger unless a user asks."""

    address: str = ""
    lifecycle_action_trigger: ActionTrigger | None = None


class DeferredActionInvocation(Struct, frozen=True, kw_only=True, gc=False):
    """An action that the plan leaves for a later one, and why."""

    action_invocation: ActionInvocation
    reason: str = ""


class RelevantAttribute(Struct, frozen=True, kw_only=True, gc=False):
    """An attribute that the plan depends on: the resource's address as written, and the path in it as JSON."""

    resource: str = ""
    attribute: RawPath = ()


class ShownPlan(Struct, frozen=True, kw_only=True):
    """A plan in the JSON form of `show -json`, format 1.x of OpenTofu and Terraform.

    `resource_changes` includes instances that do not change (`no-op`), except in plans that only refresh.
    `resource_drift` lists what changed outside since the last apply: `before` is the object in the state file, `after`
    the one in `prior_state`. `prior_state` is the state after moves and refreshing, with the outputs as planned; None
    if it is empty. `configuration`, `checks` and the values of `variables` are raw JSON. `applyable` and `complete` are
    None if the release does not write them (OpenTofu). `source` is the JSON text.
    """

    source: bytes
    format_version: str
    terraform_version: str = ""
    timestamp: str = ""
    resource_changes: tuple[PlannedChange, ...] = ()
    resource_drift: tuple[PlannedChange, ...] = ()
    deferred_changes: tuple[DeferredChange, ...] = ()
    action_invocations: tuple[ActionInvocation, ...] = ()
    deferred_action_invocations: tuple[DeferredActionInvocation, ...] = ()
    output_changes: Mapping[str, Change]
    variables: Mapping[str, Raw]
    prior_state: StateValues | None = None
    planned_values: StateValues | None = None
    configuration: Raw | None = None
    checks: Raw | None = None
    relevant_attributes: tuple[RelevantAttribute, ...] = ()
    errored: bool = False
    applyable: bool | None = None
    complete: bool | None = None
