"""Compares two runs of an index: their states, with the objects, outputs and findings of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from statefmt.fleet.errors import FleetError
from statefmt.fleet.index.connection import open_to_read, way_out
from statefmt.fleet.runs.model import (
    FindingDifference,
    ObjectDifference,
    OutputDifference,
    RunDifference,
    StateDifference,
    StateFacts,
    kind_of,
)
from statefmt.fleet.runs.named import FleetRun, finished_runs, named_run
from statefmt.fleet.tables import RUN_TABLES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class _Parts(NamedTuple):
    objects: dict[str, list[ObjectDifference]]
    outputs: dict[str, list[OutputDifference]]
    findings: dict[str, list[FindingDifference]]


_FACTS: Final = StateFacts.__struct_fields__
# The columns of `objects` that are compared, and what a change of each is called.
_OBJECT_FACTS: Final = ("status", "provider instance", "schema version", "id", "attributes")
_COUNTS: Final = ("errors", "warnings", "infos")


def run_difference(index: Path, before: str = "previous", after: str = "latest") -> RunDifference:
    """Compare two runs of an index, in either order. Raises FleetError if there is no such index or run.

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


# Facts are from `history`, which has every state of the index at the end of each run.
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
    """Return what changed within states, by their ids."""
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
    """Return what changed between two runs: the sum of the changes of each run, in the last column, by the others."""
    fields = msgspec.structs.fields(RUN_TABLES[table])[1:]
    names = ", ".join(field.name for field in fields[:-1])
    sign, first, last = (1, one, other) if one.run_id <= other.run_id else (-1, other, one)
    rows = connection.execute(
        f"SELECT {names}, (? * sum(change))::BIGINT AS change FROM {table} "
        "WHERE run_id > ? AND run_id <= ? GROUP BY ALL HAVING sum(change) != 0 ORDER BY ALL",
        [sign, first.run_id, last.run_id],
    ).fetchall()
    # A stranger may have made the index.
    found: list[tuple[Any, ...]] = msgspec.convert(rows, list[tuple[tuple(field.type for field in fields)]])  # type: ignore[misc]
    return found


def _pairs(
    rows: Sequence[tuple[Any, ...]], key: int
) -> Iterable[tuple[tuple[str, ...], tuple[Any, ...] | None, tuple[Any, ...] | None]]:
    """Yield each key, the first `key` columns, with the other columns of a removed row and of an added one.

    A key may have several of either if a state has an address twice.
    """
    grouped: dict[tuple[str, ...], tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]] = {}
    for row in rows:
        gone, came = grouped.setdefault(row[:key], ([], []))
        (came if row[-1] > 0 else gone).extend([row[key:-1]] * abs(row[-1]))
    for name, (gone, came) in grouped.items():
        for old, new in zip_longest(gone, came):
            yield name, old, new
