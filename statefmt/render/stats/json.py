"""Renders the statistics of a state as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from statefmt.analysis.statistics import Counts, Statistics
from statefmt.library.state import State
from statefmt.render.json_output import document
from statefmt.render.stats.text import written_by


def stats_json(state: State, found: Statistics, top: int) -> bytes:
    """Render all groups and the `top` largest instances (schema: `stats-output.schema.json`)."""
    snapshot = state.snapshot
    return document(
        {
            "state": {
                "version": state.version,
                "terraform_version": written_by(state),
                "serial": snapshot.serial,
                "lineage": snapshot.lineage,
                "bytes": len(state.data),
            },
            "total": {
                **_counts(found.total),
                "data_resources": found.data_resources,
                "deposed_objects": found.deposed,
                "tainted_objects": found.tainted,
                "dependencies": found.dependencies,
                "outputs": found.outputs,
            },
            "provider_instances": [
                {"provider_instance": None if provider is None else str(provider), **_counts(counts)}
                for provider, counts in found.provider_instances.items()
            ],
            "types": _groups("type", found.types),
            "modules": _groups("module", found.modules),
            "providers": _groups("provider", found.providers),
            "largest_instances": [
                {"address": str(instance.addr), "bytes": instance.bytes, "dependency_bytes": instance.dependency_bytes}
                for instance in found.instances[:top]
            ],
        }
    )


def _groups(member: str, groups: Mapping[str, Counts]) -> list[dict[str, object]]:
    return [{member: name, **_counts(counts)} for name, counts in groups.items()]


def _counts(counts: Counts) -> dict[str, object]:
    return counts._asdict()
