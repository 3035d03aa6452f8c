"""Finds out how many resources of a state each engine reads, and how many it drops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from statefmt.formats.releases.downgrade import drop_cause
from statefmt.formats.releases.loss import Cause
from statefmt.formats.releases.releases import Release, all_releases
from statefmt.model.resources import ResourceState
from statefmt.model.snapshot import Snapshot


class EngineReading(Struct, frozen=True):
    """An engine's newest release, and what it drops.

    `dropped` counts the dropped resources by cause. `since` is the oldest release from which on all releases drop the
    same resources; None if that holds for every release of the engine.
    """

    release: Release
    dropped: Mapping[Cause, int]
    since: Release | None

    @property
    def total(self) -> int:
        """The number of dropped resources."""
        return sum(self.dropped.values())


def engine_readings(snapshot: Snapshot) -> tuple[EngineReading, ...]:
    """Return how OpenTofu and Terraform, in this order, read the resources of a snapshot."""
    # Few resources differ in what decides here, so each kind is tested only once.
    kinds: dict[tuple[object, bool], ResourceState] = {}
    counts: Counter[tuple[object, bool]] = Counter()
    for resource in snapshot.resources:
        kind = (resource.provider_config, resource.has_provider_keys)
        kinds.setdefault(kind, resource)
        counts[kind] += 1
    return tuple(
        _reading(list(releases), kinds, counts)
        for _, releases in groupby(all_releases(), key=lambda release: release.engine)
    )


def _reading(
    releases: Sequence[Release],
    kinds: Mapping[tuple[object, bool], ResourceState],
    counts: Mapping[tuple[object, bool], int],
) -> EngineReading:
    newest = releases[-1]
    causes = {kind: drop_cause(resource, newest) for kind, resource in kinds.items()}
    dropped: Counter[Cause] = Counter()
    for kind, cause in causes.items():
        if cause is not None:
            dropped[cause] += counts[kind]
    since = newest
    for release in reversed(releases):
        if any((drop_cause(resource, release) is None) != (causes[kind] is None) for kind, resource in kinds.items()):
            return EngineReading(newest, dropped, since)
        since = release
    return EngineReading(newest, dropped, None)
