"""Prepares findings for a page: those with one cause together, with the fix for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from statefmt.lint.registry import all_rules
from statefmt.model.findings import Command, Finding, Fix
from statefmt.render.check.grouping import Group, grouped
from statefmt.render.findings import message
from statefmt.render.fixes import fix_text

_MOST_FINDINGS: Final = 100


class AdvicePart(NamedTuple):
    """A part of the advice: text, or a command line."""

    text: str
    is_command: bool


class FoundGroup(NamedTuple):
    """Findings with one cause; `shown` has the address and the message of each, `omitted` counts the rest."""

    code: str
    severity: str
    rule: str
    number: int
    shown: tuple[tuple[str, str], ...]
    omitted: int
    advice: tuple[AdvicePart, ...]
    snippet: str


def found_groups(findings: Sequence[Finding]) -> tuple[FoundGroup, ...]:
    """Group findings, the most severe first."""
    groups = sorted(grouped(findings), key=lambda group: -group.findings[0].severity.rank)
    return tuple(map(_group, groups))


def _group(group: Group) -> FoundGroup:
    first = group.findings[0]
    rule = all_rules().get(first.code)
    shown = group.findings[:_MOST_FINDINGS]
    return FoundGroup(
        first.code,
        first.severity.value,
        first.summary if rule is None else rule.name,
        len(group.findings),
        tuple((finding.address, message(finding)) for finding in shown),
        len(group.findings) - len(shown),
        _advice(group.fix),
        group.fix.snippet,
    )


def _advice(fix: Fix) -> tuple[AdvicePart, ...]:
    return tuple(
        AdvicePart(fix_text(Fix((part,))).strip("`"), True) if isinstance(part, Command) else AdvicePart(part, False)
        for part in fix.advice
    )
