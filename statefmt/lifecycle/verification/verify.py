"""Verifies an apply: whether the state after it is the one that the plan promised."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from statefmt.lifecycle.plans.action import Action
from statefmt.lifecycle.plans.errors import PlanError
from statefmt.lifecycle.plans.plan import ShownPlan
from statefmt.lifecycle.schemas.providers import ProviderSchemas
from statefmt.lifecycle.verification._after import AfterChecks
from statefmt.lifecycle.verification._before import before_findings, without_state
from statefmt.lifecycle.verification._bindings import binding_findings
from statefmt.lifecycle.verification._expectations import Expectations
from statefmt.lifecycle.verification._outputs import OutputChecks
from statefmt.lifecycle.verification._sides import Side, same_object
from statefmt.model.codes import Code
from statefmt.model.findings import Finding
from statefmt.model.snapshot import Snapshot
from statefmt.pairing import BlockPairing


class Verification(Struct, frozen=True, kw_only=True):
    """The result: findings about the state after the apply, and about the one before it.

    `planned` counts the changes of objects in the plan, `not_made` those that were not made.
    """

    after: tuple[Finding, ...]
    before: tuple[Finding, ...] = ()
    planned: int = 0
    not_made: int = 0


def verify(
    plan: ShownPlan,
    before: Snapshot | None,
    after: Snapshot,
    *,
    schemas: ProviderSchemas | None = None,
    strict: bool = False,
    show_sensitive: bool = False,
) -> Verification:
    """Compare the states before and after an apply with its plan.

    Args:
        plan: The plan that was applied.
        before: The state that it was made for, None if there was none.
        after: The state after the apply.
        schemas: The schemas of the providers; None if they are not known.
        strict: Make what OpenTofu tolerates for old providers an error.
        show_sensitive: Show sensitive values in findings.

    Raises PlanError if values are nested too deeply to be compared, and SchemaError if a schema cannot be read.
    """
    expected = Expectations(plan, schemas)
    old, new = Side(before), Side(after)
    pairing = BlockPairing()
    checks = AfterChecks(expected, old, new, pairing, strict=strict, show_sensitive=show_sensitive)
    try:
        found = [
            *checks.findings(),
            *binding_findings(expected, old, new),
            *OutputChecks(plan, before, after, pairing, show=show_sensitive).findings(),
            *_header_findings(plan, old, new),
            *(without_state(expected) if before is None else ()),
        ]
        found_before = (
            before_findings(expected, old, pairing, show_sensitive=show_sensitive) if before is not None else ()
        )
        return Verification(
            after=tuple(found),
            before=tuple(found_before),
            planned=sum(change.action is not Action.NO_OP for change in plan.resource_changes),
            not_made=len(checks.failed),
        )
    except RecursionError:
        raise PlanError("a value in the plan or in a state is nested too deeply to be compared") from None


def _header_findings(plan: ShownPlan, old: Side, new: Side) -> Iterator[Finding]:
    """Yield findings about lineage and serial."""
    before, after = old.snapshot, new.snapshot
    if before is None or after is None:
        return
    if before.lineage and after.lineage != before.lineage:
        yield Code.LINEAGE_CHANGED.finding(
            "Lineage changed",
            f"The lineage was {before.lineage!r}, and is {after.lineage!r}: the states belong to different histories.",
            pointer="/lineage",
        )
    elif after.serial < before.serial or (
        after.serial == before.serial and _changes_state(plan) and not _same_content(old, new)
    ):
        yield Code.SERIAL_NOT_RAISED.finding(
            "Serial not raised",
            f"The serial was {before.serial}, and is {after.serial}; an apply that changes a state raises it.",
            pointer="/serial",
        )


def _changes_state(plan: ShownPlan) -> bool:
    """Return whether the state after an apply is surely another than before."""
    return (
        any(change.action is not Action.NO_OP for change in plan.resource_changes)
        or any(change.previous_address is not None for change in plan.resource_changes)
        or any(change.action is not Action.NO_OP for change in plan.output_changes.values())
    )


def _same_content(old: Side, new: Side) -> bool:
    """Return whether an apply wrote nothing: it stopped before its first change."""
    assert old.snapshot is not None and new.snapshot is not None
    return (
        old.snapshot.outputs == new.snapshot.outputs
        and old.objects.keys() == new.objects.keys()
        and all(same_object(placed.obj, new.objects[key].obj) for key, placed in old.objects.items())
    )
