"""Renders the differences between two runs of an index as JSON, whose schema is `fleet-diff-output`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import asdict

from statefmt.render.json_output import document

if TYPE_CHECKING:
    # The command that makes them has imported them.
    from statefmt.fleet import FleetRun, RunDifference, StateDifference


def run_difference_json(found: RunDifference) -> bytes:
    """Render all differences."""
    return document({
        "differs": bool(found.states),
        "before": _run(found.before),
        "after": _run(found.after),
        "compares_findings": found.compares_findings,
        "same_rules": found.same_rules,
        "states": [_state(one) for one in found.states],
    })  # fmt: skip


def _run(run: FleetRun) -> dict[str, object]:
    return {
        "run_id": run.run_id,
        "started": run.started.isoformat().replace("+00:00", "Z"),
        "made_by": run.made_by,
        "checks": run.checks,
        "states": run.n_states,
    }


def _state(one: StateDifference) -> dict[str, object]:
    return {
        "uri": one.uri,
        "kind": one.kind,
        "before": None if one.before is None else asdict(one.before),
        "after": None if one.after is None else asdict(one.after),
        "objects": [asdict(changed) for changed in one.objects],
        "outputs": [asdict(changed) for changed in one.outputs],
        "findings": [asdict(changed) for changed in one.findings],
    }
