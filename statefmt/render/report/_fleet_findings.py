"""Prepares the findings of many states for a page: by rule, and the states that have most of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from statefmt.lint.checked import CheckedState
from statefmt.lint.registry import all_rules
from statefmt.model.findings import Finding
from statefmt.render.findings import message

_MOST_STATES: Final = 20


class RuleTally(NamedTuple):
    """How often a rule found something; `share` is the part of the rule that found most, from 0 to 1.

    `first` is one of its messages; `most` has the states with most of its findings, `omitted` counts the others.
    """

    code: str
    severity: str
    rule: str
    findings: int
    states: int
    share: float
    first: str
    option: str
    most: Sequence[tuple[str, int]]
    omitted: int


class FleetFindings(NamedTuple):
    """The findings of all states by rule, the most severe first; `hidden` counts those in the baseline."""

    rules: Sequence[RuleTally]
    severities: Mapping[str, int]
    hidden: int


def fleet_findings(checked: Iterable[CheckedState]) -> FleetFindings:
    """Count the findings of states, none of which is kept."""
    first: dict[str, Finding] = {}
    options: dict[str, str] = {}
    states: dict[str, Counter[str]] = {}
    severities: Counter[str] = Counter()
    hidden = 0
    for state in checked:
        hidden += state.hidden
        for finding in state.findings:
            first.setdefault(finding.code, finding)
            states.setdefault(finding.code, Counter())[state.name] += 1
            severities[finding.severity.value] += 1
        options |= {code: way.options for code, way in state.fixes.items()}
    numbers = {code: of.total() for code, of in states.items()}
    ranked = sorted(first, key=lambda code: (-first[code].severity.rank, -numbers[code], code))
    most = max(numbers.values(), default=1)
    rules = all_rules()
    tallies = (
        RuleTally(
            code=code,
            severity=first[code].severity.value,
            rule=rules[code].name if code in rules else first[code].summary,
            findings=numbers[code],
            states=len(states[code]),
            share=numbers[code] / most,
            first=message(first[code]),
            option=options.get(code, ""),
            most=states[code].most_common(_MOST_STATES),
            omitted=max(0, len(states[code]) - _MOST_STATES),
        )
        for code in ranked
    )
    return FleetFindings(tuple(tallies), severities, hidden)
