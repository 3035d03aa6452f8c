"""Shows the changes of instances by the schemas of their providers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from statefmt.analysis.diff._model import InstanceChange, SnapshotDiff

if TYPE_CHECKING:
    # Most comparisons have no schemas.
    from statefmt.lifecycle.schemas.providers import ProviderSchemas
    from statefmt.model.instances import InstanceState


def typed_changes(changes: SnapshotDiff, schemas: ProviderSchemas) -> SnapshotDiff:
    """Return differences to show: what the schemas make sensitive is hidden. Raises SchemaError."""
    from statefmt.lifecycle.schemas.typed import typed_instance

    def side(instance: InstanceState | None) -> InstanceState | None:
        return None if instance is None else typed_instance(instance, schemas)

    def typed(change: InstanceChange) -> InstanceChange:
        return replace(change, old=side(change.old), new=side(change.new))

    return replace(changes, instances=tuple(map(typed, changes.instances)))
