"""Renders the history of a state as JSON."""

from __future__ import annotations

from msgspec import to_builtins

from statefmt.render.json_output import document
from statefmt.store.local.history import History


def history_json(history: History, *, changed: bool | None) -> bytes:
    """Render a history, newest edit first (schema: `history-output.schema.json`); `changed` is None if unknown."""
    edits = [to_builtins(entry) for entry in reversed(history.entries)]
    return document({"keep": history.keep, "changed_since": changed, "edits": edits})
