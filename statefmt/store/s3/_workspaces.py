"""Lists the states in a bucket: those of the workspaces of a backend, or all below a prefix.

Source: OpenTofu `internal/backend/remote-state/s3/backend_state.go` (Workspaces, keyEnv).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from statefmt.store.backends.description import DEFAULT_WORKSPACE
from statefmt.store.s3._objects import ListedObject, Objects

_SUFFIX: Final = ".tfstate"


def workspace_objects(objects: Objects) -> Iterator[tuple[str, ListedObject]]:
    """Yield each workspace and the object that has its state. Raises StoreError."""
    settings = objects.settings
    # In the order of keys, the object itself comes before those that only begin like it.
    own = next(objects.listed(settings.base_key), None)
    if own is not None and own.key == settings.base_key:
        yield DEFAULT_WORKSPACE, own
    start = f"{settings.workspace_prefix}/" if settings.workspace_prefix else ""
    end = f"/{settings.base_key}"
    for found in objects.listed(start):
        name = found.key[len(start) : -len(end)]
        if found.key.endswith(end) and "/" not in name and name not in ("", DEFAULT_WORKSPACE):
            yield name, found


def state_objects(objects: Objects, prefix: str) -> Iterator[ListedObject]:
    """Yield the objects below a prefix that are named as states are. Raises StoreError."""
    return (found for found in objects.listed(prefix) if found.key.endswith(_SUFFIX))
