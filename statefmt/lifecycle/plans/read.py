"""Reads the JSON form of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec
from msgspec import UNSET, Raw, UnsetType

from statefmt.formats.raw_json.pointer import token
from statefmt.formats.raw_json.raw import equals
from statefmt.formats.versions.decode import collector_paused
from statefmt.lifecycle.plans._addresses import AddressReader
from statefmt.lifecycle.plans._document import ChangeJSON, PlanJSON, ResourceChangeJSON
from statefmt.lifecycle.plans._sniff import check_is_plan, too_deep
from statefmt.lifecycle.plans.action import Action
from statefmt.lifecycle.plans.errors import PlanError
from statefmt.lifecycle.plans.plan import Change, DeferredChange, PlannedChange, ShownPlan
from statefmt.model.addrs import AbsResourceInstance, parse_abs_resource_instance
from statefmt.model.errors import AddressError

_ACTIONS: Final = {action.value: action for action in Action}
_NULL: Final = b"null"
# The bytes that an object may begin with, and a mask: an object, true or false.
_OBJECT: Final = b"{"
_MASK: Final = b"{tf"
# What comes before the path in a message of msgspec: `Expected `str`, got `int` - at `$.resource_changes[0].type``.
_AT: Final = " - at `$"


def read_plan(data: bytes) -> ShownPlan:
    """Read a plan as `show -json` prints it. Members that are not known are ignored.

    Raises NotAPlanError (a binary plan file, a state, the output of another command) or PlanError (another format
    version, a member of the wrong type, an invalid address, an unknown action), with the JSON pointer of the part.
    """
    with collector_paused():
        try:
            document = msgspec.json.decode(data, type=PlanJSON)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            check_is_plan(data)
            raise _invalid(data, str(error)) from None
        except RecursionError:
            raise too_deep() from None
        if not document.is_plan:
            check_is_plan(data)
        return _plan(data, document)


def _plan(data: bytes, document: PlanJSON) -> ShownPlan:
    reader = AddressReader()
    prior = document.prior_state
    return ShownPlan(
        source=data,
        format_version=document.format_version,
        terraform_version=document.terraform_version or "",
        timestamp=document.timestamp or "",
        resource_changes=_resource_changes(reader, document.resource_changes or (), "/resource_changes"),
        resource_drift=_resource_changes(reader, document.resource_drift or (), "/resource_drift"),
        deferred_changes=tuple([
            DeferredChange(
                reason=deferred.reason or "",
                resource_change=_resource_change(
                    reader, deferred.resource_change, number, f"/deferred_changes/{number}/resource_change"
                ),
            )
            for number, deferred in enumerate(document.deferred_changes or ())
        ]),
        action_invocations=document.action_invocations or (),
        deferred_action_invocations=document.deferred_action_invocations or (),
        output_changes=_output_changes(document.output_changes or {}),
        variables={name: variable.value for name, variable in (document.variables or {}).items()},
        prior_state=None if prior is None else prior.values,
        planned_values=document.planned_values,
        configuration=_value(document.configuration),
        checks=_value(document.checks),
        relevant_attributes=document.relevant_attributes or (),
        errored=document.errored,
        applyable=document.applyable,
        complete=document.complete,
    )  # fmt: skip


def _resource_changes(
    reader: AddressReader, changes: Iterable[ResourceChangeJSON], pointer: str
) -> tuple[PlannedChange, ...]:
    return tuple(
        [_resource_change(reader, change, number, f"{pointer}/{number}") for number, change in enumerate(changes)]
    )


def _resource_change(reader: AddressReader, change: ResourceChangeJSON, number: int, pointer: str) -> PlannedChange:
    try:
        address = reader.read(
            change.address,
            change.module_address or "",
            change.mode or "",
            change.type or "",
            change.name or "",
            change.index,
        )
    except AddressError as error:
        raise PlanError(f"invalid address {change.address!r}: {error.detail}", f"{pointer}/address") from None
    details = _change(change.change, f"{pointer}/change")
    _check_forms(details, f"{pointer}/change")
    return PlannedChange(
        address=address,
        change=details,
        previous_address=_previous(change.previous_address, pointer) if change.previous_address else None,
        deposed=change.deposed or "",
        provider_name=change.provider_name or "",
        reason=change.action_reason or "",
        number=number,
    )


def _previous(text: str, pointer: str) -> AbsResourceInstance:
    try:
        return parse_abs_resource_instance(text)
    except AddressError as error:
        raise PlanError(f"invalid address {text!r}: {error.detail}", f"{pointer}/previous_address") from None


def _output_changes(changes: Mapping[str, ChangeJSON]) -> dict[str, Change]:
    return {name: _change(change, f"/output_changes/{token(name)}") for name, change in changes.items()}


def _change(change: ChangeJSON, pointer: str) -> Change:
    action = _ACTIONS.get(change.actions)
    if action is None:
        raise PlanError(
            f"unknown actions {list(change.actions)}; a newer statetool may know them", f"{pointer}/actions"
        )
    return Change(
        action=action,
        before=_value(change.before),
        after=_value(change.after),
        after_unknown=_value(change.after_unknown),
        before_sensitive=_value(change.before_sensitive),
        after_sensitive=_value(change.after_sensitive),
        replace_paths=change.replace_paths or (),
        importing=change.importing,
        generated_config=change.generated_config or "",
        before_identity=_value(change.before_identity),
        after_identity=_value(change.after_identity),
    )


def _check_forms(change: Change, pointer: str) -> None:
    """Raise PlanError unless the values of an object are objects, and its masks objects or bools."""
    for name, raw, allowed in (
        ("before", change.before, _OBJECT),
        ("after", change.after, _OBJECT),
        ("after_unknown", change.after_unknown, _MASK),
        ("before_sensitive", change.before_sensitive, _MASK),
        ("after_sensitive", change.after_sensitive, _MASK),
    ):
        if raw is not None and memoryview(raw)[0] not in allowed:
            raise PlanError("not a valid plan: expected an object", f"{pointer}/{name}")


def _value(raw: Raw | UnsetType) -> Raw | None:
    return None if raw is UNSET or equals(raw, _NULL) else raw


def _invalid(data: bytes, message: str) -> PlanError:
    """Return the error for a plan that does not decode, at the first of the places that its schema does not allow."""
    # Imported late: only plans that do not decode get here.
    from statefmt.schema_problems import decoded, schema_problems

    try:
        found = schema_problems("plan", decoded(data))
    except (ValueError, RecursionError):
        found = []
    if not found:
        return PlanError(f"not a valid plan: {message.partition(_AT)[0]}")
    more = f"; {len(found) - 1} more problem{'s' if len(found) > 2 else ''}" if len(found) > 1 else ""
    return PlanError(f"not a valid plan: {found[0].message}{more}", found[0].pointer)
