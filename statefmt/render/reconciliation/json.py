"""Renders a reconciliation as JSON (schema: `reconcile-output.schema.json`)."""

from __future__ import annotations

from collections.abc import Iterable

from statefmt.analysis.object_id import id_is_sensitive, object_id
from statefmt.analysis.reconciliation import LoneObject, Reconciliation
from statefmt.model.snapshot import ObjectStatus, ResourceInstanceObject, Snapshot
from statefmt.redaction.partial import HIDDEN
from statefmt.render.json_output import document
from statefmt.render.reconciliation.commands import RecoveryPlaces
from statefmt.render.reconciliation.steps import RecoveryStep
from statefmt.store.reading import display_name


def reconciliation_json(
    found: Reconciliation, places: RecoveryPlaces, steps: Iterable[RecoveryStep], *, show_sensitive: bool
) -> bytes:
    """Return the JSON document."""
    return document(
        {
            "case": found.case.value,
            "settled": found.is_settled,
            "push": {"answer": found.push.value, "refusal": found.refusal},
            "errored": _side(places.errored, found.errored),
            "stored": _side(places.stored, found.stored),
            "only_errored": [_object(one, show_sensitive) for one in found.only_errored],
            "only_stored": [_object(one, show_sensitive) for one in found.only_stored],
            "differing": [str(change.addr) for change in found.differing],
            "outputs": [change.name for change in found.changes.outputs],
            "unstored": list(found.unstored),
            "steps": [
                {"text": step.text, "commands": step.commands, "blocks": [block.rstrip("\n") for block in step.blocks]}
                for step in steps
            ],
        }
    )


def _side(name: str, snapshot: Snapshot | None) -> dict[str, object]:
    head: dict[str, object] = {"location": display_name(name), "exists": snapshot is not None}
    return head if snapshot is None else {**head, "serial": snapshot.serial, "lineage": snapshot.lineage}


def _object(one: LoneObject, show_sensitive: bool) -> dict[str, object]:
    return {
        "address": str(one.addr),
        "deposed_key": one.obj.deposed or None,
        "id": _id(one, one.obj, show_sensitive),
        "tainted": one.obj.status is ObjectStatus.TAINTED,
        **({} if one.other is None else {"other_id": _id(one, one.other, show_sensitive)}),
    }


def _id(one: LoneObject, obj: ResourceInstanceObject, show_sensitive: bool) -> str | None:
    name = object_id(obj)
    type_name = one.addr.resource.resource.type
    return str(HIDDEN) if name and id_is_sensitive(obj, type_name) and not show_sensitive else name
