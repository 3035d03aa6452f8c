"""Prints findings as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from statefmt.lint.checked import CheckedState, Fixable, Group, grouped, without_address
from statefmt.lint.registry import all_rules
from statefmt.model.findings import Finding, Severity
from statefmt.render.check.advice import FIXABLE_MARK, fixable_text
from statefmt.render.check.place import place_text
from statefmt.render.check.tally import Tally
from statefmt.render.counted import counted
from statefmt.render.findings import COLOURS, finding_text, fix_lines, kind_text, message, severities_text
from statefmt.render.printable import printable
from statefmt.render.terminal import Terminal


def check_text(states: Iterable[CheckedState], terminal: Terminal) -> Iterator[str]:
    """Yield the lines about each state, its findings with their positions, and at the end a summary line.

    `[*]` marks the findings that `check --fix` mends.
    """
    tally = Tally()
    for state in tally.of(states):
        if state.findings:
            yield f"{_state_text(state, terminal)}\n"
    if tally.states:
        yield _summary(tally, terminal)


def statistics_text(states: Iterable[CheckedState], terminal: Terminal) -> str:
    """Return the number of findings of each rule, most frequent first, and a summary line; "" without a state."""
    tally = Tally()
    counts: Counter[str] = Counter()
    severities: dict[str, Severity] = {}
    for state in tally.of(states):
        counts.update(finding.code for finding in state.findings)
        severities.update((finding.code, finding.severity) for finding in state.findings)
    if not tally.states:
        return ""
    rules = all_rules()
    width = max((len(str(count)) for count in counts.values()), default=0)
    lines = []
    for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        severity = terminal.paint(f"{severities[code].value:<7}", COLOURS[severities[code]])
        name = f"  {rules[code].name}" if code in rules else ""
        lines.append(f"{count:>{width}}  {terminal.paint(code, 'bold')}  {severity}{name}")
    return "\n".join([*lines, *([""] if lines else []), _summary(tally, terminal)])


def _state_text(state: CheckedState, terminal: Terminal) -> str:
    groups = grouped(state.findings, state.short_selectors)
    return "\n".join([_group_text(group, state, terminal) for group in groups])


def _group_text(group: Group, state: CheckedState, terminal: Terminal) -> str:
    """Return one finding as usual; of several, what they share once, and the rest below each address."""
    first = group.findings[0]
    if len(group.findings) == 1:
        return finding_text(first, terminal, place=place_text(state, first), mark=_mark(state, first))
    head = terminal.paint(kind_text(first, padded=True, mark=_mark(state, first)), "bold", COLOURS[first.severity])
    # The summary of each message is printed once, if all have the same.
    is_shared = all(
        finding.summary == first.summary and finding.summary and message(finding) != finding.detail
        for finding in group.findings
    )
    if is_shared:
        head += f" {terminal.paint(printable(first.summary), 'bold')}"
    number = counted(len(group.findings), "finding")
    lines = [f"{head} {terminal.paint(f'({number})', 'dim')}"]
    by_text: dict[str, list[Finding]] = {}
    for finding in group.findings:
        text = without_address(finding.detail if is_shared else message(finding), finding.address)
        by_text.setdefault(text, []).append(finding)
    for text, findings in by_text.items():
        lines += [_place_line(finding, state, terminal) for finding in findings]
        only = findings[0] if len(findings) == 1 else None
        own = text if only is None else only.detail if is_shared else message(only)
        if own:
            lines.append(terminal.wrap(own, "    "))
    return "\n".join([*lines, *fix_lines(group.fix, terminal)])


def _place_line(finding: Finding, state: CheckedState, terminal: Terminal) -> str:
    address, place = printable(finding.address), place_text(state, finding)
    if not address:
        return f"  {terminal.paint(place, 'dim')}"
    fits = len(f"  {address}  {place}") <= terminal.width
    between = "  " if fits else "\n    "
    return f"  {terminal.paint(address, 'bold')}{between}{terminal.paint(place, 'dim')}"


def _mark(state: CheckedState, finding: Finding) -> str:
    return FIXABLE_MARK if state.way(finding) is Fixable.SAFE else ""


def _summary(tally: Tally, terminal: Terminal) -> str:
    """Return `2 states checked: 1 error, 3 warnings; 4 hidden`, and a line `2 fixable with --fix` if there are any."""
    others = tally.configurations + tally.plans
    kinds = [(tally.states - others, "state"), (tally.configurations, "configuration"), (tally.plans, "plan")]
    *first, last = [counted(count, kind) for count, kind in kinds if count]
    checked = f"{', '.join(first)} and {last}" if first else last
    worst = max(tally.severities, key=lambda each: each.rank, default=None)
    counts = terminal.paint(severities_text(tally.severities), "bold", COLOURS[worst] if worst else "green")
    hidden = f"; {tally.hidden} hidden" if tally.hidden else ""
    return "\n".join(filter(None, [f"{checked} checked: {counts}{hidden}", fixable_text(tally)]))
