"""Running the rules over a state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from statefmt import codes
from statefmt.diagnostics import Finding, Severity
from statefmt.rules.rule import Rule, all_rules, found_while_reading
from statefmt.rules.subject import Subject
from statefmt.statefile.inspect import inspect, without_pointers
from statefmt.statefile.releases import Release
from statefmt.statefile.write import write
from statefmt.states import Snapshot


def check(
    data: bytes | Snapshot,
    *,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    release: Release | None = None,
) -> list[Finding]:
    """All findings of the selected rules, with the rules' severities, sorted by address, code and place.

    `select` and `ignore` are codes or the beginnings of codes; `ignore` wins. With `release`, what that release
    would lose of the state is among the findings. Raises ValueError for a code that fits no rule.
    """
    if isinstance(data, Snapshot):
        data = write(data, canonical=False)
    rules = selected_rules(None if select is None else tuple(select), tuple(ignore or ()))
    subject = Subject(data, inspect(data), release)
    findings = [finding for finding in subject.inspection.findings if finding.code in rules]
    version = subject.inspection.version
    for rule in rules.values():
        if rule.check is not found_while_reading:
            found = rule.check(subject)
            findings += found if rule.reads_file else without_pointers(found, version)
    weighed = (_weighed(finding, rules[finding.code].severity) for finding in findings)
    return sorted(weighed, key=lambda finding: (finding.address, finding.code, finding.pointer, finding.detail))


def _weighed(finding: Finding, severity: Severity) -> Finding:
    return finding if finding.severity is severity else replace(finding, severity=severity)


@cache
def selected_rules(select: tuple[str, ...] | None, ignore: tuple[str, ...]) -> Mapping[str, Rule]:
    """The rules that `select` (all, where it is None) leaves after `ignore`, by code.

    Where there is no state to check, no choice of rules hides that. Raises ValueError for what fits no rule.
    """
    rules = all_rules()
    for prefix in (*(select or ()), *ignore):
        if not prefix or not any(code.startswith(prefix) for code in rules):
            raise ValueError(f"no rule has a code that starts with {prefix!r}; `statetool rule` lists them")
    return {
        code: rule
        for code, rule in rules.items()
        if code in codes.NO_STATE or ((select is None or code.startswith(select)) and not code.startswith(ignore))
    }
