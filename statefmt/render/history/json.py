"""The history of a state as JSON."""

from __future__ import annotations

from msgspec import to_builtins

from statefmt.render.json_output import document
from statefmt.store.local.history import History


def history_json(history: History, *, changed: bool) -> bytes:
    """The document that `schemas/history-output.schema.json` describes, with the newest edit first."""
    edits = [to_builtins(entry) for entry in reversed(history.entries)]
    return document({"keep": history.keep, "changed_since": changed, "edits": edits})
