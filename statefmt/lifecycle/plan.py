"""Models a plan: its changes, and its state and configuration.

Source: OpenTofu `internal/command/jsonplan/plan.go`, `resource.go`, `internal/command/jsonstate/state.go`; the JSON
output format of OpenTofu and Terraform.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Final, TypeAlias

import msgspec
from msgspec import Raw, Struct

from statefmt.golang import JSONValue, Members, loads_exact
from statefmt.model.addrs import AbsProviderInstance, AbsResourceInstance, ConfigProviderConfig
from statefmt.model.errors import StatetoolError

# The value of a member that is absent: JSON null.
ABSENT: Final = Raw(b"null")
# The first bytes of a plan file.
ZIP: Final = b"PK\x03\x04"


class ShownOutput(Struct, frozen=True, kw_only=True, gc=False):
    """An output. `value` is null if it is unknown, `type` if the plan or state does not give it."""

    sensitive: bool = False
    value: Raw = ABSENT
    type: Raw = ABSENT


class ShownResource(Struct, frozen=True, kw_only=True, gc=False):
    """One object of a resource instance, current or deposed. The members are the same as in the JSON form.

    `index` is None without a key. `values` lack unknown parts. Raw members are null if absent.
    """

    address: str
    mode: str = ""
    type: str = ""
    name: str = ""
    index: int | str | None = None
    provider_name: str = ""
    schema_version: int | None = None
    values: Raw = ABSENT
    sensitive_values: Raw = ABSENT
    depends_on: tuple[str, ...] | None = None
    tainted: bool = False
    deposed_key: str = ""
    identity: Raw = ABSENT
    identity_schema_version: int | None = None


class ShownModule(Struct, frozen=True, kw_only=True, gc=False):
    """A module instance: its address ("" for the root module), its resources, and its child instances."""

    address: str = ""
    resources: tuple[ShownResource, ...] | None = None
    child_modules: tuple[ShownModule, ...] | None = None


class StateValues(Struct, frozen=True, kw_only=True, gc=False):
    """The values of a state: its outputs, and its resources as a tree of modules. Addresses are as written."""

    outputs: Mapping[str, ShownOutput] | None = None
    root_module: ShownModule = ShownModule()

    def modules(self) -> Iterator[ShownModule]:
        """Yield the root module and all others, callers first, in the order of the file."""
        waiting = [self.root_module]
        while waiting:
            module = waiting.pop()
            yield module
            waiting += reversed(module.child_modules or ())

    def resources(self) -> Iterator[ShownResource]:
        """Yield the objects of all modules in the order of the file."""
        for module in self.modules():
            yield from module.resources or ()


# The steps of a path as JSON: a string (an attribute or a map key), a number (an index), or an element of a set.
RawPath: TypeAlias = tuple[Raw, ...]


class Importing(Struct, frozen=True, kw_only=True, gc=False):
    """The object that a change imports first: by its id, or by its identity. Only Terraform writes `unknown`."""

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
    deposed object, "" for the current one. `provider_name` is the provider's source address as written.
    `provider_config` is the provider configuration, which a plan file names, or the provider instance, which
    `plan-show` writes; None if neither is known, as in the JSON form of OpenTofu and Terraform. `reason` is
    `action_reason`, "" if there is none.
    `number` is the position in its list, for JSON pointers.
    """

    address: AbsResourceInstance
    change: Change
    previous_address: AbsResourceInstance | None = None
    deposed: str = ""
    provider_name: str = ""
    provider_config: ConfigProviderConfig | AbsProviderInstance | None = None
    reason: str = ""
    number: int = 0

    @property
    def action(self) -> Action:
        """The planned action."""
        return self.change.action

    @property
    def address_before(self) -> AbsResourceInstance:
        """The address in the state that the plan was made for."""
        return self.address if self.previous_address is None else self.previous_address


class DeferredChange(Struct, frozen=True, kw_only=True, gc=False):
    """A change that the plan defers (Terraform only), and the reason.

    The address is as written: `aws_vpc.main[*]` stands for instances whose keys are not known.
    """

    reason: str
    address: str
    change: Change
    deposed: str = ""


class ActionTrigger(Struct, frozen=True, kw_only=True, gc=False):
    """The trigger of an action: an event of a resource instance (`AfterCreate`), as written."""

    triggering_resource_address: str = ""
    action_trigger_event: str = ""
    on_failure: str = ""


class InvokedAction(Struct, frozen=True, kw_only=True, gc=False):
    """An action that a user asks for (`-invoke`), and the resource instance that it is invoked for, "" without one."""

    calling_resource_address: str = ""


class ActionInvocation(Struct, frozen=True, kw_only=True, gc=False):
    """An action that the plan invokes (Terraform only): its address as written, and what asks for it."""

    address: str = ""
    lifecycle_action_trigger: ActionTrigger | None = None
    invoke_action_trigger: InvokedAction | None = None


class DeferredActionInvocation(Struct, frozen=True, kw_only=True, gc=False):
    """An action that the plan defers, and the reason."""

    action_invocation: ActionInvocation
    reason: str = ""


class RelevantAttribute(Struct, frozen=True, kw_only=True, gc=False):
    """An attribute that the plan depends on: the resource's address as written, and the path in it as JSON."""

    resource: str = ""
    attribute: RawPath = ()


class ShownPlan(Struct, frozen=True, kw_only=True):
    """A plan in the JSON form of `show -json`, format 1.x of OpenTofu and Terraform.

    `resource_changes` includes instances that do not change (`no-op`), except in plans that only refresh.
    `resource_drift` lists changes made outside since the last apply: `before` is the object in the state file,
    `after` the object in `prior_state`. `prior_state` is the state after moves and refreshing, with the outputs as
    planned; None if it is empty. `configuration`, `checks` and the values of `variables` are raw JSON. `applyable`
    and `complete` are None if the release does not write them (OpenTofu). `source` is the JSON text, and `file` the
    plan file that it was made of, not encrypted; empty if there is none.
    """

    source: bytes
    file: bytes = b""
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

    @property
    def is_complete(self) -> bool:
        """Whether the plan lists every change: planning did not fail, and nothing is left for a later plan."""
        deferred = self.deferred_changes or self.deferred_action_invocations
        return not self.errored and self.complete is not False and not deferred


class Action(Enum):
    """The action of a plan on an object; the value is the list `actions` of the JSON form.

    Only OpenTofu writes `FORGET_THEN_CREATE`, only OpenTofu 1.11 `OPEN`, for ephemeral resources, and only Terraform
    `CREATE_THEN_FORGET`. Source: `internal/command/jsonplan`, `actionString`.
    """

    NO_OP = ("no-op",)
    CREATE = ("create",)
    READ = ("read",)
    OPEN = ("open",)
    UPDATE = ("update",)
    DELETE = ("delete",)
    DELETE_THEN_CREATE = ("delete", "create")
    CREATE_THEN_DELETE = ("create", "delete")
    FORGET = ("forget",)
    FORGET_THEN_CREATE = ("forget", "create")
    CREATE_THEN_FORGET = ("create", "forget")

    __hash__ = object.__hash__  # a single object each, so identity suffices and is much cheaper than Enum's hash

    def __str__(self) -> str:
        """Return the action in words: `delete, then create`."""
        return ", then ".join(self.value)

    @property
    def creates(self) -> bool:
        """Whether the action creates a new object."""
        return "create" in self.value

    @property
    def removes(self) -> bool:
        """Whether the prior object leaves the state: destroyed, or only forgotten."""
        return "delete" in self.value or "forget" in self.value

    @property
    def destroys(self) -> bool:
        """Whether the prior object is destroyed."""
        return "delete" in self.value

    @property
    def replaces(self) -> bool:
        """Whether a new object replaces the prior one."""
        return self.creates and self.removes

    @property
    def leaves_object(self) -> bool:
        """Whether the state has an object afterwards."""
        return self not in (Action.DELETE, Action.FORGET, Action.OPEN)

    @property
    def has_effect(self) -> bool:
        """Whether the action changes anything: an ephemeral resource leaves no trace."""
        return self not in (Action.NO_OP, Action.OPEN)


_DECODER: Final = msgspec.json.Decoder(float_hook=str)


def decode_part(raw: Raw | bytes) -> object:
    """Decode JSON; numbers that are not 64-bit integers may be text.

    Half a surrogate pair becomes U+FFFD, as in Go. Raises RecursionError or ValueError if it is nested too deeply.
    """
    try:
        return _DECODER.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # Numbers of any size, and half a surrogate pair in an escape.
        return _plain(loads_exact(bytes(raw), replace_invalid=True))


def read_mask(raw: Raw | None) -> object:
    """Decode a mask; False if there is none. Raises the errors of decode_part()."""
    return False if raw is None else decode_part(raw)


def has_true(mask: object) -> bool:
    """Return whether a mask is true anywhere."""
    if isinstance(mask, dict):
        return any(map(has_true, mask.values()))
    return any(map(has_true, mask)) if isinstance(mask, list) else mask is True


def _plain(value: JSONValue) -> object:
    if isinstance(value, Members):
        return {name: _plain(member) for name, member in value}
    if isinstance(value, list):
        return [_plain(element) for element in value]
    return str(value) if isinstance(value, str) else value


class PlanError(StatetoolError):
    """A file is not a readable plan; the message gives its actual kind, or the invalid part.

    `pointer` is the JSON pointer of the invalid part, "" for the whole file.
    """

    code = "plan"

    def __init__(self, reason: str, pointer: str = "") -> None:
        super().__init__(f"{reason} (at {pointer})" if pointer else reason)
        self.reason = reason
        self.pointer = pointer


class NotAPlanError(PlanError):
    """A file is not a plan at all, but a state or the output of another command."""

    code = "not-a-plan"
