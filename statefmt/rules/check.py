"""Running the rules over a state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from statefmt import codes
from statefmt.diagnostics import Finding
from statefmt.rules.rule import Rule, all_rules
from statefmt.rules.subject import Subject
from statefmt.statefile.inspect import inspect
from statefmt.statefile.write import canonical
from statefmt.states import Snapshot


def check(
    data: bytes | Snapshot, *, select: Sequence[str] | None = None, ignore: Sequence[str] | None = None
) -> list[Finding]:
    """All findings of the selected rules, with the rules' severities, sorted by address, code and place.

    `select` and `ignore` are codes or the beginnings of codes; `ignore` wins. Raises ValueError for one that
    fits no rule.
    """
    if isinstance(data, Snapshot):
        data = data.source.data if data.source else canonical(data, keep_unknown=True)
    rules = selected_rules(select, ignore)
    subject = Subject(data, inspect(data))
    # Where there is no state to check, no choice of rules hides that.
    rules |= {code: rule for code, rule in all_rules().items() if code in codes.NO_STATE}
    findings = [finding for finding in subject.inspection.findings if finding.code in rules]
    for rule in rules.values():
        findings += rule.check(subject)
    weighed = (replace(finding, severity=rules[finding.code].severity) for finding in findings)
    return sorted(weighed, key=lambda finding: (finding.address, finding.code, finding.pointer, finding.detail))


def selected_rules(select: Sequence[str] | None, ignore: Sequence[str] | None) -> dict[str, Rule]:
    """The rules that `select` (all, where it is None) leaves after `ignore`, by code."""
    rules = all_rules()
    for prefix in (*(select or ()), *(ignore or ())):
        if not prefix or not any(code.startswith(prefix) for code in rules):
            raise ValueError(f"no rule has a code that starts with {prefix!r}; `statetool rule` lists them")
    return {
        code: rule
        for code, rule in rules.items()
        if (select is None or _fits(code, select)) and not _fits(code, ignore or ())
    }


def _fits(code: str, prefixes: Iterable[str]) -> bool:
    return any(code.startswith(prefix) for prefix in prefixes)
