"""Prints the results of an index of states: rows of queries, duplicates, and differences between runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from numbers import Number
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import asdict

from statefmt.model.findings import Severity
from statefmt.render.findings import COLOURS
from statefmt.render.json_output import document, json_text
from statefmt.render.table import csv_text, table
from statefmt.render.terminal import Terminal, counted, one_line, size_text
from statefmt.text import printable

if TYPE_CHECKING:
    # Commands with these types have already imported them.
    from statefmt.fleet import (
        DuplicateObject,
        FindingDifference,
        FleetRun,
        LineageCopies,
        ManagedPlace,
        ObjectDifference,
        RunChangeKind,
        RunDifference,
        SavedQuery,
        StateDifference,
        StateFacts,
        StreamedResult,
    )


# Values that JSON supports.
_PLAIN = (str, int, float, bool, type(None))


def rows_text(result: StreamedResult, terminal: Terminal) -> Iterator[str]:
    """Yield rows as tables, one for each batch, so that the column widths are known; null as an empty cell."""
    yield _table(result.columns, next(result.batches, ()), terminal)
    for batch in result.batches:
        yield _table(result.columns, batch, terminal)


def rows_json(result: StreamedResult) -> Iterator[bytes]:
    """Yield JSON: the names of the columns, and an array for each row (schema: `fleet-query-output.schema.json`)."""
    start, end = document(columns=list(result.columns), rows=[]).rsplit(b"[]", 1)
    yield start + b"["
    before = b"\n    "
    for batch in result.batches:
        lines = [json_text([_json(value) for value in row]) for row in batch]
        yield before + b",\n    ".join(lines)
        before = b",\n    "
    yield (b"]" if before == b"\n    " else b"\n  ]") + end


def rows_csv(result: StreamedResult) -> Iterator[bytes]:
    """Yield CSV with a heading; null as an empty cell."""
    yield csv_text([result.columns])
    for batch in result.batches:
        yield csv_text([[_cell(value) for value in row] for row in batch])


def _table(columns: Sequence[str], batch: Sequence[Sequence[Any]], terminal: Terminal) -> str:
    rows = [["" if value is None else printable(_text(value)) for value in row] for row in batch]
    numbers = [all(isinstance(row[place], (int, float, type(None))) for row in batch) for place in range(len(columns))]
    right = "".join("r" if is_number and rows else "l" for is_number in numbers)
    return table([printable(name) for name in columns], rows, terminal, right=right)


def _cell(value: object) -> object:
    # DuckDB also returns decimals.
    is_number = isinstance(value, Number) and not isinstance(value, bool)
    return value if value is None or is_number else _text(value)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value))
    return str(value)


def _json(value: object) -> object:
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    if isinstance(value, float) and value - value != 0:
        # JSON has no infinity.
        return str(value)
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, (list, tuple)):
        return [_json(item) for item in value]
    if isinstance(value, dict):
        return {str(name): _json(item) for name, item in value.items()}
    return str(value)


def saved_queries_text(queries: Sequence[SavedQuery], terminal: Terminal) -> str:
    """Render saved queries with their titles."""
    return table(("name", "what it shows"), [(printable(one.name), printable(one.title)) for one in queries], terminal)


MATCHES: Final = {"identity": "same identity", "arn": "same ARN", "id": "same type and id"}


def duplicates_text(
    found: Sequence[DuplicateObject], copies: Sequence[LineageCopies] | None, terminal: Terminal
) -> Iterator[str]:
    """Yield the lines of duplicates and, unless None, of copies."""
    for one in found:
        where = [printable(part) for part in (one.region, one.account) if part and part not in one.object]
        about = ", ".join([MATCHES[one.matched_by], *where])
        yield f"{terminal.paint(printable(one.object), 'bold')} ({about})"
        for place in one.places:
            yield f"  {printable(place.uri)}: {_address(place)}"
    if copies is not None:
        for lineage in copies:
            yield terminal.paint(f"lineage {printable(lineage.lineage)}" if lineage.lineage else "no lineage", "bold")
            for state in lineage.states:
                newest = ", newest" if state.newest else ""
                yield f"  {printable(state.uri)}: serial {state.serial}, {counted(state.n_objects, 'object')}{newest}"


def duplicates_json(found: Sequence[DuplicateObject], copies: Sequence[LineageCopies] | None) -> bytes:
    """Render duplicates and, unless None, copies as JSON (schema: `fleet-duplicates-output.schema.json`)."""
    members = {"duplicates": found} if copies is None else {"duplicates": found, "copies": copies}
    return document(**msgspec.to_builtins(members))


def _address(place: ManagedPlace) -> str:
    address = printable(place.address)
    return f"{address} (deposed object {printable(place.deposed)})" if place.deposed else address


_SIGNS: Final[Mapping[RunChangeKind, str]] = {"added": "+", "removed": "-", "changed": "~"}
_COLOURS: Final[Mapping[RunChangeKind, str]] = {"added": "green", "removed": "red", "changed": "yellow"}
# The facts of a state that are shown if they differ, with their names.
_FACTS: Final = (
    ("format_version", "format"),
    ("terraform_version", "release"),
    ("lineage", "lineage"),
    ("serial", "serial"),
    ("encrypted", "encrypted"),
    ("size", "size"),
    ("n_resources", "resources"),
    ("n_objects", "objects"),
)
# The maximum number of objects, outputs and findings of one state, unless all are requested.
_MOST: Final = 10


def run_difference_text(found: RunDifference, terminal: Terminal, *, stat: bool = False, full: bool = False) -> str:
    """Render differences.

    Args:
        found: The differences.
        terminal: The terminal for the output.
        stat: Show only states, without their changes.
        full: Show all objects, outputs and findings of a state, not only the first ten of each.
    """
    lines = [f"{_run_text(found.before)} → {_run_text(found.after)}"]
    if not found.compares_findings:
        without = " and ".join(str(run.run_id) for run in (found.before, found.after) if not run.checks)
        lines.append(f"Findings are not compared: no rules in run {without}.")
    elif not found.same_rules:
        lines.append("The rules differ between these runs, so that findings may differ in states that did not change.")
    lines.append("")
    for one in found.states:
        lines.append(_state_line(one, terminal))
        if not stat:
            lines += _changes(one, terminal, None if full else _MOST)
    if found.states:
        lines.append("")
    return "\n".join([*lines, terminal.paint(_summary(found.states), "bold")])


def _run_text(run: FleetRun) -> str:
    return f"run {run.run_id} ({run.started:%Y-%m-%d %H:%M} UTC, {counted(run.n_states, 'state')})"


def _summary(states: Sequence[StateDifference]) -> str:
    if not states:
        return "no differences"
    counts = Counter(one.kind for one in states)
    first, *others = [kind for kind in _SIGNS if counts[kind]]
    return ", ".join([f"{counted(counts[first], 'state')} {first}", *(f"{counts[kind]:,} {kind}" for kind in others)])


def _state_line(one: StateDifference, terminal: Terminal) -> str:
    head = f"{_sign(one.kind, terminal)} {terminal.paint(printable(one.uri), 'bold')}"
    about = _about(one)
    return f"{head}: {about}" if about else head


def _about(one: StateDifference) -> str:
    if one.before is None or one.after is None:
        facts = one.after or one.before
        assert facts is not None
        return _unreadable(facts) or f"serial {facts.serial}, {counted(facts.n_objects, 'object')}"
    if one.after.error is not None:
        return _unreadable(one.after) + ("" if one.before.error is not None else ", and was readable before")
    if one.before.error is not None:
        return f"readable again: serial {one.after.serial}, {counted(one.after.n_objects, 'object')}"
    before, after = one.before, one.after
    compared = [
        (title, _fact(title, getattr(before, name)), _fact(title, getattr(after, name))) for name, title in _FACTS
    ]
    # Sizes are rounded, so a difference may be invisible.
    return ", ".join(f"{title} {old} → {new}" for title, old, new in compared if old != new)


def _unreadable(facts: StateFacts) -> str:
    return "" if facts.error is None else f"cannot be read: {one_line(facts.error)}"


def _fact(title: str, value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return size_text(value) if title == "size" else str(value) if title == "serial" else f"{value:,}"
    return printable(str(value))


def _changes(one: StateDifference, terminal: Terminal, most: int | None) -> Iterator[str]:
    objects = [_object(each, terminal) for each in one.objects]
    outputs = [f"{_sign(each.kind, terminal)} output {printable(each.name)}" for each in one.outputs]
    findings = [_finding(each, terminal) for each in one.findings]
    for lines, noun in ((objects, "object"), (outputs, "output"), (findings, "finding")):
        yield from (f"    {line}" for line in lines[:most])
        if most is not None and len(lines) > most:
            yield f"    and {counted(len(lines) - most, f'more {noun}')}; --full lists them"


def _object(one: ObjectDifference, terminal: Terminal) -> str:
    name = printable(one.address) + (f" (deposed {printable(one.deposed)})" if one.deposed else "")
    what = f": {', '.join(one.what)}" if one.kind == "changed" else ""
    return f"{_sign(one.kind, terminal)} {name}{what}"


def _finding(one: FindingDifference, terminal: Terminal) -> str:
    is_new = one.count > 0
    colour = COLOURS[Severity(one.severity)] if is_new else "green"
    head = terminal.paint(f"{'new' if is_new else 'gone'}: {one.severity} {printable(one.code)}", colour)
    address = f" {printable(one.address)}" if one.address else ""
    times = f" ({abs(one.count):,} times)" if abs(one.count) > 1 else ""
    return f"{head}{address}: {one_line(one.summary)}{times}"


def _sign(kind: RunChangeKind, terminal: Terminal) -> str:
    return terminal.paint(_SIGNS[kind], _COLOURS[kind])


def run_difference_json(found: RunDifference) -> bytes:
    """Render all differences."""
    return document(
        differs=bool(found.states),
        before=_run_json(found.before),
        after=_run_json(found.after),
        compares_findings=found.compares_findings,
        same_rules=found.same_rules,
        states=[_state(one) for one in found.states],
    )


def _run_json(run: FleetRun) -> dict[str, object]:
    return {
        "run_id": run.run_id,
        "started": run.started.isoformat().replace("+00:00", "Z"),
        "made_by": run.made_by,
        "checks": run.checks,
        "states": run.n_states,
    }


def _state(one: StateDifference) -> dict[str, object]:
    return {
        "uri": one.uri,
        "kind": one.kind,
        "before": None if one.before is None else asdict(one.before),
        "after": None if one.after is None else asdict(one.after),
        "objects": [asdict(changed) for changed in one.objects],
        "outputs": [asdict(changed) for changed in one.outputs],
        "findings": [asdict(changed) for changed in one.findings],
    }
