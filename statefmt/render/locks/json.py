"""Renders locks as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.render.json_output import document
from statefmt.store.local.locks import ending_command
from statefmt.store.protocol import LockState, LockStatus


def locks_json(states: Sequence[LockState]) -> bytes:
    """Render the status of each state (schema: `locks-output.schema.json`)."""
    locked = sum(state.status is LockStatus.HELD for state in states)
    return document({"states": list(map(_state, states)), "locked": locked})


def _state(state: LockState) -> dict[str, object]:
    holder, change = state.holder, state.change
    return {
        "state": state.name,
        "status": state.status.value,
        "process": state.process or None,
        "lock": None
        if holder is None
        else {
            "id": holder.ID,
            "operation": holder.Operation,
            "info": holder.Info,
            "who": holder.Who,
            "version": holder.Version,
            "created": holder.Created,
            "path": holder.Path,
        },
        "change": None
        if change is None
        else {
            "id": change.id,
            "states": change.states,
            **{end: ending_command(change.ending, f"--{end}")[1:-1] for end in ("resume", "abort", "leave")},
        },
    }
