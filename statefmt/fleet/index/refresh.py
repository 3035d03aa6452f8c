"""Makes and refreshes an index: reads the states that have changed, and removes those that are gone."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from statefmt.context import RunContext
from statefmt.fleet.errors import FleetError
from statefmt.fleet.index._database import opened
from statefmt.fleet.index._listing import listed
from statefmt.fleet.limits import StateLimits
from statefmt.fleet.made_by import made_by
from statefmt.fleet.rows.extract import StateRows, Wanted
from statefmt.fleet.rows.read import read_rows
from statefmt.fleet.work.cluster import Cluster
from statefmt.fleet.work.in_process import InProcess
from statefmt.fleet.work.processes import Processes
from statefmt.fleet.work.task import Spread, Task, chunks

_MOST: Final = 8


class IndexOptions(NamedTuple):
    """How to index: with the findings of the rules, with attributes and output values, and where states are read.

    `workers` is the number of processes, None for one per processor, as far as there is work for them. With a
    `cluster`, its workers read the states. `max_size`, such as `20MiB`, and `timeout` in seconds limit each state; the
    defaults are STATETOOL_MAX_SIZE and STATETOOL_TIMEOUT.
    """

    checks: bool = True
    attributes: bool = False
    workers: int | None = None
    cluster: Cluster | None = None
    max_size: str | None = None
    timeout: float | None = None


class IndexRun(NamedTuple):
    """What a run did: its number, the states in the sources, those read again, those removed, and those that failed.

    `failed` has the URI and the reason of each, also of those that had failed before. `missing` has the sources that
    could not be listed, and why; their states stay in the index. `deaths` is the number of workers that died; the
    states that they were reading were read again.
    """

    run_id: int
    states: int
    read: int
    removed: int
    failed: Sequence[tuple[str, str]]
    missing: Sequence[str]
    deaths: int = 0


def index_states(context: RunContext, sources: Sequence[str], into: Path, options: IndexOptions) -> IndexRun:
    """Index the states of some sources in a DuckDB file, and refresh what it already has of them.

    Args:
        context: The run: its environment, encryption and progress.
        sources: Files, folders, globs, `git:REVISION:FOLDER`, and URLs of states in backends.
        into: The database. It is created if it does not exist.
        options: How to index.

    Each batch is one transaction, so that a run that is killed leaves a consistent index, and the next one goes on.
    Raises FleetError if the database cannot be used.
    """
    if options.cluster is not None:
        options.cluster.check()
    made = made_by(checks=options.checks, attributes=options.attributes)
    with opened(into) as database:
        known, key = database.known(), database.key()
    listing = listed(context, sources, known, made)
    tasks, found = listing.due, list(listing.found)
    work = chunks(tasks)
    spread = _spread(context, options, Wanted(key, options.attributes), len(work))
    # Forks before the database is open: DuckDB starts threads.
    with spread.started(work) as results, opened(into) as database:
        if database.key() != key:
            raise FleetError(f"{into}: another process has replaced this index; index again")
        # Another run may have added states since.
        known = database.known()
        run_id = database.begin_run(_now(context), made, checks=options.checks)
        done_count = deaths = 0
        by_id = {task.origin.state_id: task for task in tasks}
        context.phase("indexing", 0, len(tasks), "states")
        for done in results:
            deaths += done.deaths
            if done.state_ids:
                due = [by_id[state_id] for state_id in done.state_ids]
                database.add(due, [one for one in done.state_ids if one in known], done, run_id)
            done_count += len(done.state_ids)
            context.phase("indexing", done_count, len(tasks), "states")
        database.flush()
        gone = [
            state_id for state_id, one in known.items() if one.source in listing.whole and state_id not in listing.found
        ]
        database.end_run(run_id, _now(context), gone, found, done_count)
        failed = database.failed(found)
        return IndexRun(
            run_id=run_id,
            states=len(found),
            read=done_count,
            removed=len(gone),
            failed=failed,
            missing=listing.missing,
            deaths=deaths,
        )


def _now(context: RunContext) -> str:
    return context.clock().astimezone(UTC).replace(tzinfo=None).isoformat()


def _read(context: RunContext, wanted: Wanted, checks: bool, limits: StateLimits, task: Task) -> StateRows:
    return read_rows(context, task.name, task.origin, wanted, checks=checks, limits=limits, size=task.size)


def _spread(context: RunContext, options: IndexOptions, wanted: Wanted, work: int) -> Spread:
    limits = StateLimits.of(context.environment, options.max_size, options.timeout)
    read = partial(_read, replace(context, progress=None), wanted, options.checks, limits)
    if options.cluster is not None and work:
        from statefmt.fleet.work.dask_spread import DaskSpread

        return DaskSpread(context, options.cluster, wanted, options.checks, limits, read)
    # Forking is unsafe on systems whose libraries start threads, such as macOS.
    if not sys.platform.startswith("linux"):
        return InProcess(read)
    count = min(len(os.sched_getaffinity(0)), _MOST) if options.workers is None else options.workers
    # A process of its own for one worker, too: only there can a state be interrupted.
    return Processes(min(count, work), read, limits.seconds) if work else InProcess(read)
