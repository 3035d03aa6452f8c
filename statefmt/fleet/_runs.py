"""Finds the runs that an index records, and compares two of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from statefmt.fleet.connection import open_to_read, way_out
from statefmt.fleet.tables import RUN_TABLES, FleetError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


RunChangeKind: TypeAlias = Literal["added", "removed", "changed"]


class StateFacts(Struct, frozen=True):
    """A state at the end of a run. If it could not be read, `error` says why, and most other fields are empty."""

    error: str | None
    format_version: int | None
    terraform_version: str | None
    lineage: str | None
    serial: int | None
    encrypted: bool
    size: int | None
    n_resources: int
    n_objects: int
    errors: int
    warnings: int
    infos: int


class ObjectDifference(Struct, frozen=True):
    """An object that was added, removed or changed; `what` lists the changes, such as `attributes`."""

    address: str
    deposed: str
    kind: RunChangeKind
    what: tuple[str, ...] = ()


class OutputDifference(Struct, frozen=True):
    """An output that was added, removed or changed. A new value of a sensitive output is not detected."""

    name: str
    kind: RunChangeKind


class FindingDifference(Struct, array_like=True, frozen=True):
    """Equal findings; `count` is the number of new findings or, if negative, of gone findings."""

    code: str
    severity: Literal["error", "warning", "info"]
    address: str
    summary: str
    count: int


class StateDifference(Struct, frozen=True):
    """A state that differs. `before` is None if it was added, `after` if it was removed.

    Objects, outputs and findings are compared only if both runs have the state and could read it.
    """

    uri: str
    before: StateFacts | None
    after: StateFacts | None
    objects: tuple[ObjectDifference, ...] = ()
    outputs: tuple[OutputDifference, ...] = ()
    findings: tuple[FindingDifference, ...] = ()

    @property
    def kind(self) -> RunChangeKind:
        """Whether the state was added, removed or changed."""
        return kind_of(self.before, self.after)


class RunDifference(Struct, frozen=True):
    """The differences between the index at the ends of two runs.

    `compares_findings` is False if a run did not run the rules. `same_rules` is False if the runs had different rules,
    so that unchanged states may have new findings.
    """

    before: FleetRun
    after: FleetRun
    states: tuple[StateDifference, ...]
    compares_findings: bool
    same_rules: bool


def kind_of(gone: object, came: object) -> RunChangeKind:
    """Return the kind of a change from `gone` to `came`, each None if there is none."""
    return "added" if gone is None else "removed" if came is None else "changed"


class _Parts(NamedTuple):
    objects: dict[str, list[ObjectDifference]]
    outputs: dict[str, list[OutputDifference]]
    findings: dict[str, list[FindingDifference]]


_FACTS: Final = StateFacts.__struct_fields__
# The columns of `objects` to compare, by the name of their change.
_OBJECT_FACTS: Final = ("status", "provider instance", "schema version", "id", "attributes")
_COUNTS: Final = ("errors", "warnings", "infos")


def run_difference(index: Path, before: str = "previous", after: str = "latest") -> RunDifference:
    """Compare two runs of an index, in either order. Raises FleetError if the index or a run does not exist.

    `before` and `after` are numbers of runs, `latest`, `previous`, `first`, places from the end such as `-1`, or times
    in ISO 8601 for the last run that began by then.
    """
    connection = open_to_read(index)
    import duckdb

    try:
        runs = finished_runs(connection)
        one, other = named_run(runs, before), named_run(runs, after)
        compares_findings = one.checks and other.checks
        parts = _parts(connection, one, other, compares_findings=compares_findings)
        return RunDifference(
            before=one,
            after=other,
            states=tuple(_states(connection, one, other, parts, compares_findings=compares_findings)),
            compares_findings=compares_findings,
            same_rules=one.made_by == other.made_by,
        )
    except FleetError as error:
        raise FleetError(f"{index}: {error}") from error
    except (duckdb.Error, msgspec.ValidationError) as error:
        raise FleetError(
            f"{index}: cannot compare runs: {str(error).splitlines()[0]}{way_out(index, error)}"
        ) from error
    finally:
        connection.close()


def _states(
    connection: DuckDBPyConnection, one: FleetRun, other: FleetRun, parts: _Parts, *, compares_findings: bool
) -> Iterable[StateDifference]:
    rows = connection.execute(_STATES, [one.run_id, other.run_id])
    while row := rows.fetchone():
        state_id, uri = msgspec.convert(row[:2], tuple[str, str])
        is_before, is_after, *facts = row[2:]
        before = _facts(facts[: len(_FACTS)]) if is_before else None
        after = _facts(facts[len(_FACTS) :]) if is_after else None
        if before is None or after is None or before.error is not None or after.error is not None:
            if before != after:
                yield StateDifference(uri, before, after)
            continue
        found = StateDifference(
            uri,
            before,
            after,
            tuple(parts.objects.get(state_id, ())),
            tuple(parts.outputs.get(state_id, ())),
            tuple(parts.findings.get(state_id, ())),
        )
        compared = [name for name in _FACTS if compares_findings or name not in _COUNTS]
        is_changed = any(getattr(before, name) != getattr(after, name) for name in compared)
        if is_changed or found.objects or found.outputs or found.findings:
            yield found


# From `history`, which has every state of the index at the end of each run.
_STATES: Final = f"""
    SELECT state_id, coalesce(later.uri, earlier.uri) AS uri, earlier.run_id IS NOT NULL, later.run_id IS NOT NULL,
        {", ".join(f"earlier.{name}" for name in _FACTS)}, {", ".join(f"later.{name}" for name in _FACTS)}
    FROM (FROM history WHERE run_id = $1) AS earlier
    FULL JOIN (FROM history WHERE run_id = $2) AS later USING (state_id)
    ORDER BY uri
"""


def _facts(values: Sequence[object]) -> StateFacts:
    return msgspec.convert(dict(zip(_FACTS, values, strict=True)), StateFacts)


def _parts(connection: DuckDBPyConnection, one: FleetRun, other: FleetRun, *, compares_findings: bool) -> _Parts:
    """Return the changes within states, by the ids of states."""
    parts = _Parts(defaultdict(list), defaultdict(list), defaultdict(list))
    for (state_id, address, deposed), gone, came in _pairs(_changes(connection, "object_changes", one, other), key=3):
        what = tuple(name for name, old, new in zip(_OBJECT_FACTS, gone or (), came or (), strict=False) if old != new)
        parts.objects[state_id].append(ObjectDifference(address, deposed, kind_of(gone, came), what))
    for (state_id, name), gone, came in _pairs(_changes(connection, "output_changes", one, other), key=2):
        parts.outputs[state_id].append(OutputDifference(name, kind_of(gone, came)))
    if compares_findings:
        for state_id, *finding in _changes(connection, "finding_changes", one, other):
            parts.findings[state_id].append(msgspec.convert(finding, FindingDifference))
    return parts


def _changes(connection: DuckDBPyConnection, table: str, one: FleetRun, other: FleetRun) -> Sequence[tuple[Any, ...]]:
    """Return the changes between two runs: the sum of the changes of each run, grouped by the other columns."""
    fields = msgspec.structs.fields(RUN_TABLES[table])[1:]
    names = ", ".join(field.name for field in fields[:-1])
    sign, first, last = (1, one, other) if one.run_id <= other.run_id else (-1, other, one)
    rows = connection.execute(
        f"SELECT {names}, (? * sum(change))::BIGINT AS change FROM {table} "
        "WHERE run_id > ? AND run_id <= ? GROUP BY ALL HAVING sum(change) != 0 ORDER BY ALL",
        [sign, first.run_id, last.run_id],
    ).fetchall()
    # The index may come from a stranger.
    found: list[tuple[Any, ...]] = msgspec.convert(rows, list[tuple[tuple(field.type for field in fields)]])  # type: ignore[misc]
    return found


def _pairs(
    rows: Sequence[tuple[Any, ...]], key: int
) -> Iterable[tuple[tuple[str, ...], tuple[Any, ...] | None, tuple[Any, ...] | None]]:
    """Yield each key (the first `key` columns) with the other columns of a removed and an added row.

    A key may have several of both if a state has an address twice.
    """
    grouped: dict[tuple[str, ...], tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]] = {}
    for row in rows:
        gone, came = grouped.setdefault(row[:key], ([], []))
        (came if row[-1] > 0 else gone).extend([row[key:-1]] * abs(row[-1]))
    for name, (gone, came) in grouped.items():
        for old, new in zip_longest(gone, came):
            yield name, old, new


# Words for places from the end.
_WORDS: Final = {"latest": -1, "previous": -2}
_FORMS: Final = "write a number, -1 or latest, -2 or previous, first, or a date such as 2026-01-31"
_DATE: Final = len("2026-01-31")


class FleetRun(Struct, array_like=True, frozen=True):
    """A finished run: its number, its start in UTC, the origin of its rows, and whether it ran the rules."""

    run_id: int
    started: datetime
    made_by: str
    checks: bool
    n_states: int


def finished_runs(connection: DuckDBPyConnection) -> list[FleetRun]:
    """Return the finished runs of an index, in order."""
    rows = connection.execute(
        "SELECT run_id, started, made_by, checks, (SELECT count(*) FROM history WHERE history.run_id = runs.run_id) "
        "FROM runs WHERE finished IS NOT NULL ORDER BY run_id"
    ).fetchall()
    runs = msgspec.convert(rows, list[FleetRun])
    return [msgspec.structs.replace(run, started=run.started.replace(tzinfo=UTC)) for run in runs]


def named_run(runs: Sequence[FleetRun], name: str) -> FleetRun:
    """Return a run by its name. Raises FleetError if there is none.

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
