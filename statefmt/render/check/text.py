"""Prints findings as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from statefmt.lint.checked import CheckedState
from statefmt.lint.registry import all_rules
from statefmt.model.findings import Finding
from statefmt.render.counted import counted
from statefmt.render.findings import COLOURS, counts_text, finding_text
from statefmt.render.printable import printable
from statefmt.render.terminal import Terminal


def check_text(states: Sequence[CheckedState], terminal: Terminal) -> str:
    """Return the findings of each state, with their positions, and a summary line."""
    parts = [_state_text(state, terminal) for state in states if state.findings]
    return "\n\n".join([*parts, _summary(states, terminal)])


def statistics_text(states: Sequence[CheckedState], terminal: Terminal) -> str:
    """Return how often each rule found something, most frequent first, and a summary line."""
    rules = all_rules()
    counts = Counter(finding.code for finding in _all_findings(states))
    severities = {finding.code: finding.severity for finding in _all_findings(states)}
    width = max((len(str(count)) for count in counts.values()), default=0)
    lines = []
    for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        severity = terminal.paint(f"{severities[code].value:<7}", COLOURS[severities[code]])
        name = f"  {rules[code].name}" if code in rules else ""
        lines.append(f"{count:>{width}}  {terminal.paint(code, 'bold')}  {severity}{name}")
    return "\n".join([*lines, *([""] if lines else []), _summary(states, terminal)])


def _state_text(state: CheckedState, terminal: Terminal) -> str:
    lines = []
    for finding in state.findings:
        file, position = state.place(finding)
        name = printable(file)
        place = f"{name}:{position.line}:{position.column}" if position else name
        lines.append(finding_text(finding, terminal, place=place))
    return "\n".join(lines)


def _summary(states: Sequence[CheckedState], terminal: Terminal) -> str:
    """Return `2 states checked: 1 error, 3 warnings; 4 hidden`."""
    configurations = sum(state.is_configuration for state in states)
    kinds = [(len(states) - configurations, "state"), (configurations, "configuration")]
    checked = " and ".join(counted(count, kind) for count, kind in kinds if count) or counted(0, "state")
    held_back = sum(state.hidden for state in states)
    worst = max((finding.severity for finding in _all_findings(states)), key=lambda each: each.rank, default=None)
    counts = terminal.paint(counts_text(_all_findings(states)), "bold", COLOURS[worst] if worst else "green")
    hidden = f"; {held_back} hidden" if held_back else ""
    return f"{checked} checked: {counts}{hidden}"


def _all_findings(states: Sequence[CheckedState]) -> Iterator[Finding]:
    for state in states:
        yield from state.findings
