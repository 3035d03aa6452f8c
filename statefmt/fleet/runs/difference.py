"""Compares two runs of an index: the states that came, went and changed, with their objects, outputs and findings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from statefmt.fleet.errors import FleetError
from statefmt.fleet.index.connection import open_to_read
from statefmt.fleet.runs.named import FleetRun, finished_runs, named_run

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

RunChangeKind: TypeAlias = Literal["added", "removed", "changed"]


class StateFacts(Struct, frozen=True):
    """What a state was at the end of a run. Of one that could not be read, most is None or zero, and `error` is not."""

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
    """An object that came, went or changed; `what` has the changed columns of `objects`, such as `attributes`."""

    address: str
    deposed: str
    kind: RunChangeKind
    what: tuple[str, ...] = ()


class OutputDifference(Struct, frozen=True):
    """An output that came, went or changed. A new value of a sensitive one is not seen."""

    name: str
    kind: RunChangeKind


class FindingDifference(Struct, frozen=True):
    """Equal findings that came (`count` above zero) or went (below)."""

    code: str
    severity: str
    address: str
    summary: str
    count: int


class StateDifference(Struct, frozen=True):
    """A state that differs. `before` is None if it came, `after` if it went; then only these facts are compared.

    So it is if it could not be read in one of the runs.
    """

    uri: str
    before: StateFacts | None
    after: StateFacts | None
    objects: tuple[ObjectDifference, ...] = ()
    outputs: tuple[OutputDifference, ...] = ()
    findings: tuple[FindingDifference, ...] = ()

    @property
    def kind(self) -> RunChangeKind:
        """Whether the state came, went or changed."""
        return _kind(self.before, self.after)


class RunDifference(Struct, frozen=True):
    """In what the index at the end of one run differs from that of another.

    Without `compares_findings`, one of the runs was without rules. `same_rules` is False if another release or other
    settings made the findings of the later one, so that new findings may be in states that are as before.
    """

    before: FleetRun
    after: FleetRun
    states: tuple[StateDifference, ...]
    compares_findings: bool
    same_rules: bool


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
            one,
            other,
            tuple(_states(connection, one, other, parts, compares_findings=compares_findings)),
            compares_findings,
            one.made_by == other.made_by,
        )
    except FleetError as error:
        raise FleetError(f"{index}: {error}") from error
    except duckdb.Error as error:
        raise FleetError(f"{index}: cannot compare runs: {str(error).splitlines()[0]}") from error
    finally:
        connection.close()


def _states(
    connection: DuckDBPyConnection, one: FleetRun, other: FleetRun, parts: _Parts, *, compares_findings: bool
) -> Iterable[StateDifference]:
    rows = connection.execute(_STATES, [one.run_id, other.run_id])
    while row := rows.fetchone():
        state_id, uri, is_before, is_after, *facts = row
        before = StateFacts(*facts[: len(_FACTS)]) if is_before else None
        after = StateFacts(*facts[len(_FACTS) :]) if is_after else None
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


def _parts(connection: DuckDBPyConnection, one: FleetRun, other: FleetRun, *, compares_findings: bool) -> _Parts:
    """Return what changed within states, by their ids."""
    parts = _Parts(defaultdict(list), defaultdict(list), defaultdict(list))
    names = "address, deposed, status, provider_instance, schema_version, remote_id, attr_hash"
    for (state_id, address, deposed), gone, came in _pairs(_changes(connection, "object", names, one, other), key=3):
        what = tuple(name for name, old, new in zip(_OBJECT_FACTS, gone or (), came or (), strict=False) if old != new)
        parts.objects[state_id].append(ObjectDifference(address, deposed, _kind(gone, came), what))
    for (state_id, name), gone, came in _pairs(
        _changes(connection, "output", "name, sensitive, value_hash", one, other), key=2
    ):
        parts.outputs[state_id].append(OutputDifference(name, _kind(gone, came)))
    if compares_findings:
        names = "code, severity, address, summary"
        for state_id, code, severity, address, summary, count in _changes(connection, "finding", names, one, other):
            parts.findings[state_id].append(FindingDifference(code, severity, address, summary, count))
    return parts


def _changes(
    connection: DuckDBPyConnection, what: str, names: str, one: FleetRun, other: FleetRun
) -> Sequence[tuple[Any, ...]]:
    """Return the rows that came (a last column above zero) or went between two runs: the sum of what each changed."""
    sign, first, last = (1, one, other) if one.run_id <= other.run_id else (-1, other, one)
    return connection.execute(
        f"SELECT state_id, {names}, (? * sum(change))::BIGINT AS change FROM {what}_changes "
        "WHERE run_id > ? AND run_id <= ? GROUP BY ALL HAVING sum(change) != 0 ORDER BY ALL",
        [sign, first.run_id, last.run_id],
    ).fetchall()


def _pairs(
    rows: Sequence[tuple[Any, ...]], key: int
) -> Iterable[tuple[tuple[str, ...], tuple[Any, ...] | None, tuple[Any, ...] | None]]:
    """Yield each key, the first `key` columns, with the other columns of a row that went and of one that came.

    Rows of one key are neighbours. There may be several if a state has an address twice.
    """
    grouped: dict[tuple[str, ...], tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]] = {}
    for row in rows:
        gone, came = grouped.setdefault(row[:key], ([], []))
        (came if row[-1] > 0 else gone).extend([row[key:-1]] * abs(row[-1]))
    for name, (gone, came) in grouped.items():
        for old, new in zip_longest(gone, came):
            yield name, old, new


def _kind(gone: object, came: object) -> RunChangeKind:
    return "added" if gone is None else "removed" if came is None else "changed"
