"""Makes and refreshes an index: reads the states that have changed, and removes those that are gone."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from statefmt.context import RunContext
from statefmt.fleet.errors import FleetError
from statefmt.fleet.index._database import KnownState, opened
from statefmt.fleet.rows.extract import StateOrigin, StateRows, Wanted
from statefmt.fleet.rows.hashes import state_id_of
from statefmt.fleet.rows.read import read_rows
from statefmt.fleet.sources.found import SourceState, found_states
from statefmt.fleet.work.in_process import InProcess
from statefmt.fleet.work.processes import Processes
from statefmt.fleet.work.task import Spread, Task, chunks
from statefmt.lint.registry import all_codes
from statefmt.model.errors import StoreError
from statefmt.store.reading import STANDARD_INPUT
from statefmt.version import __version__

_MOST: Final = 8


class IndexOptions(NamedTuple):
    """How to index: with the findings of the rules, with attributes and output values, and in how many processes.

    `workers` is None for one process per processor, as far as there is work for them.
    """

    checks: bool = True
    attributes: bool = False
    workers: int | None = None


class IndexRun(NamedTuple):
    """What a run did: its number, the states in the sources, those read again, those removed, and those that failed.

    `failed` has the URI and the reason of each, also of those that had failed before. `missing` has the sources that
    could not be listed, and why; their states stay in the index.
    """

    run_id: int
    states: int
    read: int
    removed: int
    failed: Sequence[tuple[str, str]]
    missing: Sequence[str]


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
    found, missing = _found(context, sources)
    made_by = _made_by(options)
    with opened(into) as database:
        known, key = database.known(), database.key()
    tasks = [
        _task(state, state_id, made_by)
        for state_id, state in found.items()
        if _is_due(state, known.get(state_id), made_by)
    ]
    read = partial(_read, replace(context, progress=None), Wanted(key, options.attributes), options.checks)
    work = chunks(tasks)
    # Forks before the database is open: DuckDB starts threads.
    with closing(_spread(options.workers, len(work)).run(work, read)) as results, opened(into) as database:
        run_id = database.begin_run(_now(context), made_by)
        done_count = 0
        by_id = {task.origin.state_id: task for task in tasks}
        for done in results:
            due = [by_id[state_id] for state_id in done.state_ids]
            database.add(due, [one for one in done.state_ids if one in known], done, run_id)
            done_count += len(done.state_ids)
            context.phase("indexing", done_count, len(tasks), "states")
        database.flush()
        listed = {_normal(source) for source in sources} - {_normal(one) for one, _ in missing}
        gone = [state_id for state_id, one in known.items() if one.source in listed and state_id not in found]
        database.end_run(run_id, _now(context), gone, list(found), done_count)
        return IndexRun(
            run_id, len(found), done_count, len(gone), database.failed(list(found)), [message for _, message in missing]
        )


def _now(context: RunContext) -> str:
    return context.clock().astimezone(UTC).replace(tzinfo=None).isoformat()


def _found(context: RunContext, sources: Sequence[str]) -> tuple[dict[str, SourceState], list[tuple[str, str]]]:
    """Return the states of the sources by id, and the sources that cannot be listed with the reasons."""
    found: dict[str, SourceState] = {}
    missing: list[tuple[str, str]] = []
    for source in sources:
        if source == STANDARD_INPUT:
            raise FleetError("an index is not made of standard input: name files, folders or URLs")
        try:
            for state in found_states(context, source):
                found.setdefault(state_id_of(state.uri), state)
        except StoreError as error:
            missing.append((source, error.on_command_line))
    return found, missing


def _normal(source: str) -> str:
    return source if "://" in source or source.startswith("git:") else os.path.abspath(source)  # noqa: PTH100


def _made_by(options: IndexOptions) -> str:
    """Return what rows depend on beside their state: release, rules and what is stored."""
    rules = sha256(" ".join(sorted(all_codes())).encode()).hexdigest()[:8] if options.checks else "no rules"
    return f"statetool {__version__}, {rules}" + (", attributes" if options.attributes else "")


def _is_due(state: SourceState, known: KnownState | None, made_by: str) -> bool:
    if known is None or known.failed or known.made_by != made_by:
        return True
    return state.version is None or state.version != known.version


def _task(state: SourceState, state_id: str, made_by: str) -> Task:
    origin = StateOrigin(state_id, state.uri, state.source, state.workspace, state.version, made_by)
    return Task(state.name, origin, state.size)


def _read(context: RunContext, wanted: Wanted, checks: bool, task: Task) -> StateRows:
    return read_rows(context, task.name, task.origin, wanted, checks=checks)


def _spread(workers: int | None, work: int) -> Spread:
    # Forking is unsafe on systems whose libraries start threads, such as macOS.
    if not sys.platform.startswith("linux"):
        return InProcess()
    count = min(len(os.sched_getaffinity(0)), _MOST) if workers is None else workers
    count = min(count, work)
    return Processes(count) if count > 1 else InProcess()
