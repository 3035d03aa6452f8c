"""Prints the findings of `check` as text, and the pages of rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from statefmt.lint.checked import CheckedState, Fixable, Group, grouped, without_address
from statefmt.lint.registry import Page, all_rules
from statefmt.model.findings import Finding, Severity
from statefmt.render.findings import COLOURS, finding_text, fix_lines, fix_text, kind_text, message, severities_text
from statefmt.render.json_output import document
from statefmt.render.terminal import Terminal, counted, one_line
from statefmt.text import printable


def check_text(states: Iterable[CheckedState], terminal: Terminal) -> Iterator[str]:
    """Yield the lines about each state, its findings with their positions, and finally a summary line.

    `[*]` marks the findings that `check --fix` fixes.
    """
    tally = Tally()
    for state in tally.of(states):
        if state.findings:
            groups = grouped(state.findings, state.short_selectors)
            yield "".join([f"{_group_text(group, state, terminal)}\n" for group in groups])
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


def _group_text(group: Group, state: CheckedState, terminal: Terminal) -> str:
    """Return a single finding in full; of several, the common part once, and the rest below each address."""
    first = group.findings[0]
    if len(group.findings) == 1:
        return finding_text(first, terminal, place=place_text(state, first), mark=_mark(state, first))
    head = terminal.paint(kind_text(first, padded=True, mark=_mark(state, first)), "bold", COLOURS[first.severity])
    # The summary of the messages is printed once, if all have the same.
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


def check_concise(states: Iterable[CheckedState], terminal: Terminal) -> Iterator[str]:
    """Yield a line per finding, never wrapped; an unknown position is 1:1.

    `[*]` marks the findings that `check --fix` fixes.
    """
    return (_line(finding, state, terminal) for state in states for finding in state.findings)


def _line(finding: Finding, state: CheckedState, terminal: Terminal) -> str:
    file, position = state.place(finding)
    line, column = position or (1, 1)
    colour = COLOURS[finding.severity]
    parts = [
        terminal.paint(f"{printable(file)}:{line}:{column}:", "dim"),
        terminal.paint(finding.code, "bold", colour),
        terminal.paint(printable(finding.address), "bold") if finding.address else "",
        one_line(message(finding)),
        FIXABLE_MARK if state.way(finding) is Fixable.SAFE else "",
        terminal.paint(f"[{finding.severity.value}]", colour),
    ]
    return " ".join(filter(None, parts))


def place_text(state: CheckedState, finding: Finding) -> str:
    """Return `file:line:column`, or only the file if the position is unknown."""
    file, position = state.place(finding)
    name = printable(file)
    return f"{name}:{position.line}:{position.column}" if position else name


# Marks a finding that `check --fix` fixes.
FIXABLE_MARK: Final = "[*]"


def advice_text(state: CheckedState, finding: Finding) -> str:
    """Return the advice of a finding, and the options of `check` that fix it, if any."""
    way = state.way(finding)
    option = "" if way is None else f"`statetool check {way.options}` fixes this."
    return " ".join(filter(None, (fix_text(finding.fix), option)))


def fixable_text(tally: Tally) -> str:
    """Return `2 fixable with --fix, 1 more with --unsafe-fixes`; "" if nothing is fixable."""
    safe, unsafe = tally.fixable[Fixable.SAFE], tally.fixable[Fixable.UNSAFE]
    if not safe:
        return f"{unsafe} fixable with --fix --unsafe-fixes" if unsafe else ""
    more = f", {unsafe} more with --unsafe-fixes" if unsafe else ""
    return f"{safe} fixable with --fix{more}"


class Tally:
    """Counts of the states that have passed through `of()`: mutable, for one output."""

    def __init__(self) -> None:
        self.states = self.configurations = self.plans = self.hidden = 0
        self.severities: Counter[Severity] = Counter()
        self.fixable: Counter[Fixable] = Counter()

    def of(self, states: Iterable[CheckedState]) -> Iterator[CheckedState]:
        """Yield states, counting each one as it is yielded."""
        for state in states:
            self.add(state)
            yield state

    def add(self, state: CheckedState) -> None:
        """Count a state and its findings."""
        self.states += 1
        self.configurations += state.is_configuration
        self.plans += state.is_plan
        self.hidden += state.hidden
        self.severities.update([finding.severity for finding in state.findings])
        self.fixable.update([way for finding in state.findings if (way := state.way(finding))])


def rules_table(pages: Sequence[Page], terminal: Terminal) -> str:
    """Return one line for each rule: code, severity, title, and the options of `check` that fix it."""
    lines = []
    for page in pages:
        severity = terminal.paint(f"{page.rule.severity.value:<7}", COLOURS[page.rule.severity])
        mark = "" if page.rule.mend is None else terminal.paint(f"  ({page.rule.mend.options})", "dim")
        lines.append(f"{terminal.paint(page.rule.code, 'bold')}  {severity}  {page.title}{mark}")
    return "\n".join(lines)


def rule_page(page: Page, terminal: Terminal) -> str:
    """Return a rule's page for the terminal: its Markdown with the headings highlighted."""
    # `check` prints no pages.
    from textwrap import indent

    rule = page.rule
    head = f"{rule.code} {rule.name} ({rule.severity.value})"
    parts = [terminal.paint(head, "bold", COLOURS[rule.severity]), terminal.wrap(page.title, "")]
    # Every second part is a code block, whose lines are kept.
    for number, text in enumerate(re.split(r"^```.*$", page.text, flags=re.MULTILINE)):
        if number % 2:
            parts.append(indent(text.strip("\n"), "    "))
        else:
            parts += [_paragraph(block, terminal) for block in re.split(r"\n(?=## )|\n\n", text) if block.strip()]
    return "\n\n".join(parts)


def _paragraph(block: str, terminal: Terminal) -> str:
    """Format a paragraph of Markdown, with its heading if it has one."""
    heading, _, text = block.strip().partition("\n") if block.strip().startswith("## ") else ("", "", block)
    body = "\n".join(terminal.wrap(item, "  ") for item in re.split(r"\n(?=- )", text.strip())) if text.strip() else ""
    if not heading:
        return body
    title = terminal.paint(heading.removeprefix("## "), "bold")
    return f"{title}\n{body}" if body else title


def rules_json(pages: Sequence[Page]) -> bytes:
    """Return rules with their pages (schema: `rule-output.schema.json`)."""
    return document(rules=[_rule(page) for page in pages])


def _rule(page: Page) -> dict[str, object]:
    mend = page.rule.mend
    return {
        "code": page.rule.code,
        "name": page.rule.name,
        "severity": page.rule.severity.value,
        "title": page.title,
        "page": page.text,
        "fix": None if mend is None else Fixable.SAFE if mend.is_safe else Fixable.UNSAFE,
    }
