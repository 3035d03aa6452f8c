"""Renders the differences between two runs of an index as text: a line for each state, and its changes below it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from statefmt.model.findings import Severity
from statefmt.render.counted import counted, size_text
from statefmt.render.findings import COLOURS
from statefmt.render.printable import one_line, printable
from statefmt.render.terminal import Terminal

if TYPE_CHECKING:
    # The command that makes them has imported them.
    from statefmt.fleet import (
        FindingDifference,
        FleetRun,
        ObjectDifference,
        RunChangeKind,
        RunDifference,
        StateDifference,
        StateFacts,
    )

_SIGNS: Final[Mapping[RunChangeKind, str]] = {"added": "+", "removed": "-", "changed": "~"}
_COLOURS: Final[Mapping[RunChangeKind, str]] = {"added": "green", "removed": "red", "changed": "yellow"}
# The facts of a state that are shown if they differ, and what each is called.
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
# Of objects, outputs and findings of one state, unless all are wanted.
_MOST: Final = 10


def run_difference_text(found: RunDifference, terminal: Terminal, *, stat: bool = False, full: bool = False) -> str:
    """Render differences.

    Args:
        found: The differences.
        terminal: Where they are shown.
        stat: Show only states, without what changed in them.
        full: Show all objects, outputs and findings of a state, not only the first ten of each.
    """
    lines = [f"{_run(found.before)} → {_run(found.after)}"]
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


def _run(run: FleetRun) -> str:
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
    # Sizes are rounded: a difference may not show.
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
