"""Renders the versions of a state as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.render.json_output import document
from statefmt.store.remote.client import ObjectVersion


def versions_json(location: str, versions: Sequence[ObjectVersion]) -> bytes:
    """Render versions, newest first (schema: `versions-output.schema.json`)."""
    listed = [
        {"id": version.id, "time": version.time, "size": version.size, "current": version.is_current}
        for version in versions
    ]
    return document({"location": location, "versions": listed})
