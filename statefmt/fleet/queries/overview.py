"""Reads from an index what a report on it shows: its states, its runs, and how the states have grown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from statefmt.fleet.queries.run import typed_query
from statefmt.fleet.queries.saved import saved_query


class IndexedState(Struct, array_like=True, frozen=True, gc=False):
    """A state of an index, with the numbers of its findings, whatever settings and baselines say."""

    uri: str
    size: int | None
    serial: int | None
    format_version: int | None
    engine: str | None
    terraform_version: str | None
    n_resources: int
    n_objects: int
    encrypted: bool
    error: str | None
    errors: int
    warnings: int
    infos: int


class IndexedRun(Struct, array_like=True, frozen=True, gc=False):
    """A run that ended: its number, when it began in UTC, and what the index had then."""

    run_id: int
    started: str
    checks: bool
    states: int
    objects: int
    size: int
    errors: int
    warnings: int
    infos: int


class ReleaseUse(Struct, array_like=True, frozen=True, gc=False):
    """How many states a release writes in a format."""

    engine: str | None
    release: str | None
    format_version: int | None
    states: int


class StateGrowth(Struct, array_like=True, frozen=True, gc=False):
    """The size and the objects of a state in the first and in the last run that has it."""

    uri: str
    size_first: int
    size_last: int
    objects_first: int
    objects_last: int


class StateReaders(Struct, array_like=True, frozen=True, gc=False):
    """How many states depend on a state, directly or through others, and how many of them read it directly."""

    uri: str
    readers: int
    direct: int


class FleetOverview(Struct, frozen=True):
    """What an index says: the states by place, the runs by number, and three saved queries."""

    states: Sequence[IndexedState]
    runs: Sequence[IndexedRun]
    releases: Sequence[ReleaseUse]
    growth: Sequence[StateGrowth]
    readers: Sequence[StateReaders]


_STATES: Final = """
    SELECT uri, size, serial, format_version, engine, terraform_version, n_resources, n_objects, encrypted, error,
        count(*) FILTER (severity = 'error'), count(*) FILTER (severity = 'warning'),
        count(*) FILTER (severity = 'info')
    FROM states LEFT JOIN findings USING (state_id)
    GROUP BY ALL ORDER BY uri
"""
_RUNS: Final = """
    SELECT run_id, strftime(started, '%Y-%m-%d %H:%M'), checks, count(*), sum(n_objects)::BIGINT,
        coalesce(sum(size), 0)::BIGINT, sum(errors)::BIGINT, sum(warnings)::BIGINT, sum(infos)::BIGINT
    FROM runs JOIN history USING (run_id) WHERE finished IS NOT NULL
    GROUP BY ALL ORDER BY run_id
"""


def fleet_overview(path: Path) -> FleetOverview:
    """Return what an index says about all of its states. Raises FleetError."""
    return FleetOverview(
        typed_query(path, _STATES, IndexedState),
        typed_query(path, _RUNS, IndexedRun),
        typed_query(path, saved_query("versions-in-use").sql, ReleaseUse),
        typed_query(path, saved_query("growth").sql, StateGrowth),
        typed_query(path, saved_query("blast-radius").sql, StateReaders),
    )
