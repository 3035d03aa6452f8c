"""Prepares findings for a page: those with one cause together, with the fix for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from statefmt.lint.checked import CheckedState, Group, grouped
from statefmt.lint.registry import all_rules
from statefmt.model.findings import Command, Fix
from statefmt.render.check.place import place_text
from statefmt.render.findings import message
from statefmt.render.fixes import fix_text

_MOST_FINDINGS: Final = 100


class AdvicePart(NamedTuple):
    """A part of the advice: text, or a command line."""

    text: str
    is_command: bool


class FoundPlace(NamedTuple):
    """One finding: its address or "", where it is in the file, and what is wrong."""

    address: str
    place: str
    message: str


class FoundGroup(NamedTuple):
    """Findings with one cause; `shown` has some of them, `omitted` counts the rest.

    `option` has the options of `check` that mend them, if there are any.
    """

    code: str
    severity: str
    rule: str
    number: int
    shown: tuple[FoundPlace, ...]
    omitted: int
    advice: tuple[AdvicePart, ...]
    snippet: str
    option: str


def found_groups(checked: Sequence[CheckedState]) -> tuple[FoundGroup, ...]:
    """Group the findings about a state and what it is compared with, the most severe first."""
    groups = [(state, group) for state in checked for group in grouped(state.findings, state.short_selectors)]
    groups.sort(key=lambda pair: -pair[1].findings[0].severity.rank)
    return tuple(_group(state, group) for state, group in groups)


def _group(state: CheckedState, group: Group) -> FoundGroup:
    first = group.findings[0]
    rule = all_rules().get(first.code)
    way = next(filter(None, map(state.way, group.findings)), None)
    shown = group.findings[:_MOST_FINDINGS]
    return FoundGroup(
        first.code,
        first.severity.value,
        first.summary if rule is None else rule.name,
        len(group.findings),
        tuple(FoundPlace(finding.address, place_text(state, finding), message(finding)) for finding in shown),
        len(group.findings) - len(shown),
        _advice(group.fix),
        group.fix.snippet,
        "" if way is None else way.options,
    )


def _advice(fix: Fix) -> tuple[AdvicePart, ...]:
    return tuple(
        AdvicePart(fix_text(Fix((part,))).strip("`"), True) if isinstance(part, Command) else AdvicePart(part, False)
        for part in fix.advice
    )
