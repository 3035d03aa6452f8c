"""Lists the workspaces that have a state in a bucket.

Source: OpenTofu `internal/backend/remote-state/s3/backend_state.go` (Workspaces, keyEnv).
"""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.store.backends.description import DEFAULT_WORKSPACE
from statefmt.store.s3._objects import Objects


def workspaces_in(objects: Objects) -> Sequence[str]:
    """Return the names of the workspaces, sorted. Raises StoreError."""
    settings = objects.settings
    start = f"{settings.workspace_prefix}/" if settings.workspace_prefix else ""
    end = f"/{settings.base_key}"
    names = {
        key[len(start) : -len(end)]
        for key in objects.keys(start)
        if key.endswith(end) and "/" not in key[len(start) : -len(end)] and len(key) > len(start) + len(end)
    }
    if objects.version(settings.base_key) is not None:
        names.add(DEFAULT_WORKSPACE)
    return sorted(names)
