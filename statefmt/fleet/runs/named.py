"""Finds a run of an index by what users call it: its number, its place from the end, a word, or a time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from statefmt.fleet.errors import FleetError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Words for places from the end.
_WORDS: Final = {"latest": -1, "previous": -2}
_FORMS: Final = "write a number, -1 or latest, -2 or previous, first, or a date such as 2026-01-31"
_DATE: Final = len("2026-01-31")


class FleetRun(Struct, array_like=True, frozen=True):
    """A run that ended: its number, when it began in UTC, what made its rows, and whether the rules were run."""

    run_id: int
    started: datetime
    made_by: str
    checks: bool
    n_states: int


def finished_runs(connection: DuckDBPyConnection) -> list[FleetRun]:
    """Return the runs of an index that ended, in order. Those that were killed are left out."""
    rows = connection.execute(
        "SELECT run_id, started, made_by, checks, (SELECT count(*) FROM history WHERE history.run_id = runs.run_id) "
        "FROM runs WHERE finished IS NOT NULL ORDER BY run_id"
    ).fetchall()
    runs = msgspec.convert(rows, list[FleetRun])
    return [msgspec.structs.replace(run, started=run.started.replace(tzinfo=UTC)) for run in runs]


def named_run(runs: Sequence[FleetRun], name: str) -> FleetRun:
    """Return the run that a name means. Raises FleetError if there is none.

    Args:
        runs: The runs to choose from, in order.
        name: The number of a run; `-1` or `latest`; `-2` or `previous`, and so on; `first`; or a time in ISO 8601, in
            UTC unless it has an offset, for the last run that began by then. A date stands for its end.
    """
    if not runs:
        raise FleetError("this index has no finished run; `statetool fleet index` makes one")
    if name == "first":
        return runs[0]
    place = _WORDS.get(name)
    if place is None and name.startswith("-") and _is_number(name[1:]):
        place = int(name)
    if place is not None:
        if not -len(runs) <= place < 0:
            what = "previous run" if name == "previous" else f"run {name}"
            raise FleetError(f"there is no {what}: {_has(runs)}")
        return runs[place]
    if _is_number(name):
        found = next((run for run in runs if run.run_id == int(name)), None)
        if found is None:
            raise FleetError(f"there is no finished run {name}: {_has(runs)}")
        return found
    until = _time(name)
    found = next((run for run in reversed(runs) if run.started <= until), None)
    if found is None:
        raise FleetError(f"there is no run until {name}: {_has(runs)}")
    return found


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < _DATE


def _time(name: str) -> datetime:
    try:
        time = datetime.fromisoformat(name)
        if len(name) <= _DATE:
            time += timedelta(days=1, microseconds=-1)
        return time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise FleetError(f"invalid run {name!r}: {_FORMS}") from error


def _has(runs: Sequence[FleetRun]) -> str:
    first, last = runs[0], runs[-1]
    began = f"{first.started:%Y-%m-%d %H:%M} UTC"
    if first == last:
        return f"the index has one finished run, {first.run_id}, of {began}"
    return f"the index has {len(runs)} finished runs, {first.run_id} to {last.run_id}; the first began {began}"
