"""Compares the state before an apply with the one that the plan was made for."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Raw

from statefmt.lifecycle.plans.action import Action
from statefmt.lifecycle.plans.plan import Change
from statefmt.lifecycle.plans.state_values import ShownResource
from statefmt.lifecycle.verification._compare import compare_attributes
from statefmt.lifecycle.verification._expectations import Expectations
from statefmt.lifecycle.verification._objects import value_findings
from statefmt.lifecycle.verification._secrets import Secrets
from statefmt.lifecycle.verification._sides import ObjectKey, Placed, Side
from statefmt.model.addrs import AbsResourceInstance, ResourceMode
from statefmt.model.codes import Code
from statefmt.model.findings import Finding
from statefmt.pairing import BlockPairing

_SUMMARY = "Plan made for another state"


def before_findings(
    expected: Expectations, before: Side, pairing: BlockPairing, *, show_sensitive: bool
) -> Iterator[Finding]:
    """Yield a finding for each managed object that is not as the plan says it was, drift apart.

    Data sources are read anew for each plan. Objects of an older schema version are upgraded by their provider first,
    so their values are not compared.
    """
    old_addresses = {new: old for old, new in expected.moves.items()}
    known: set[ObjectKey] = set()
    for key, placed in before.objects.items():
        if placed.is_data:
            continue
        instance, deposed = key
        address = expected.moves.get(instance, instance)
        known.add((address, deposed))
        prior = expected.prior.get((str(address), deposed))
        planned = _planned_before(expected, (address, deposed), prior)
        if planned is None:
            yield Code.OTHER_STATE_PLANNED.finding(
                _SUMMARY, "The plan does not know this object.", str(instance), before.pointer(placed)
            )
        elif placed.obj.attributes is not None and (
            prior is None or prior.schema_version in (None, placed.obj.schema_version)
        ):
            yield from _values(expected, before, placed, key, planned, pairing, show_sensitive=show_sensitive)
    yield from _absent(expected, known, old_addresses)


def _planned_before(expected: Expectations, key: ObjectKey, prior: ShownResource | None) -> Change | None:
    """Return a change whose `before` is what the plan found in the state; None if it knows no such object."""
    found = expected.drift.get(key) or expected.changes.get(key)
    if found is not None and found.change.before is not None and found.change.importing is None:
        return found.change
    if prior is None:
        return None
    return Change(
        action=found.action if found is not None else Action.NO_OP, before=prior.values,
        before_sensitive=prior.sensitive_values,
    )  # fmt: skip


def _values(
    expected: Expectations,
    before: Side,
    placed: Placed,
    key: ObjectKey,
    planned: Change,
    pairing: BlockPairing,
    *,
    show_sensitive: bool,
) -> Iterator[Finding]:
    assert placed.obj.attributes is not None
    provider = "" if placed.resource.provider_config is None else str(placed.resource.provider_config.provider)
    schema, of = expected.schema(provider, placed.resource.addr.resource)
    wanted = Raw(b"{}") if planned.before is None else planned.before
    # Attributes that the schema does not have are silently dropped.
    found = compare_attributes(wanted, None, placed.obj.attributes, of, pairing=pairing, ignore_added=True)
    if found:
        instance, deposed = key
        # What refreshing finds to have changed may become sensitive by the change of the plan only.
        change = expected.changes.get((expected.moves.get(instance, instance), deposed))
        changes = (planned,) if change is None else (planned, change.change)
        secrets = Secrets(placed.resource.addr.resource.type, changes, (placed.obj,), schema, show=show_sensitive)
        yield from value_findings(found, Code.OTHER_STATE_PLANNED, str(instance), before, placed, secrets, strict=False)


def _absent(
    expected: Expectations, known: set[ObjectKey], old_addresses: dict[AbsResourceInstance, AbsResourceInstance]
) -> Iterator[Finding]:
    """Yield a finding for each object that the plan found and the state does not have."""
    texts = {(str(address), deposed) for address, deposed in known}
    imported = {
        (str(change.address), change.deposed)
        for change in expected.plan.resource_changes
        if change.change.importing is not None
    }
    old_texts = {str(new): str(old) for new, old in old_addresses.items()}
    for key, prior in expected.prior.items():
        if prior.mode != ResourceMode.DATA.value and key not in texts and key not in imported:
            address, deposed = key
            which = f"the deposed object {deposed}" if deposed else "the object"
            yield Code.OTHER_STATE_PLANNED.finding(
                _SUMMARY, f"The plan was made with {which}, which the state before does not have.",
                old_texts.get(address, address),
            )  # fmt: skip


def without_state(expected: Expectations) -> Iterator[Finding]:
    """Yield a finding if there was no state, and the plan was made for one."""
    count = sum(1 for _ in _absent(expected, set(), {}))
    if count:
        objects = "1 object" if count == 1 else f"{count} objects"
        yield Code.OTHER_STATE_PLANNED.finding(
            _SUMMARY, f"The plan was made for a state with {objects}; give the state before with --before."
        )
