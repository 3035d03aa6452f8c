"""Running the rules over a state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from statefmt.formats.reading.inspect import Inspection, inspect, without_pointers
from statefmt.formats.releases.releases import Release
from statefmt.formats.writing.write import write
from statefmt.lint.registry import all_codes, all_rules, state_rules
from statefmt.lint.rule import Rule, found_while_reading
from statefmt.lint.subject import Subject
from statefmt.model import codes
from statefmt.model.findings import NO_FIX, Finding, Place
from statefmt.model.snapshot import Snapshot

if TYPE_CHECKING:
    # Most runs have no configuration, and load nothing of this.
    from statefmt.configuration.providers.references import ProviderReferences
    from statefmt.encryption import Opened


class SelectedRules(NamedTuple):
    """The rules of a run by their codes, and those of them that look at a state themselves once it is read."""

    by_code: Mapping[str, Rule]
    looking: Sequence[Rule]


def check(
    data: bytes | Snapshot | Inspection,
    *,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    release: Release | None = None,
    name: str | None = None,
    configuration: ProviderReferences | None = None,
    opened: Opened | None = None,
    upgraded_pointers: bool = False,
) -> list[Finding]:
    """All findings of the selected rules, with the rules' severities, sorted by address, code and place.

    What was inspected already is not read again. `select` and `ignore` are codes or the beginnings of codes;
    `ignore` wins. With `release`, what that release would lose of the state is among the findings. `name` is that
    of the state's file, for the commands that findings suggest. With `configuration`, the state is held against it,
    too. `opened` is what an encryption configuration has made of the file; its plain bytes are the data then. For a
    state of an older format, `upgraded_pointers` keeps the pointers, which lead into the upgraded document. Raises
    ValueError for a code that fits no rule.
    """
    rules = selected_rules(
        None if select is None else tuple(select), tuple(ignore or ()), with_configuration=configuration is not None
    )
    if isinstance(data, Snapshot):
        data = write(data, canonical=False)
    inspection = data if isinstance(data, Inspection) else inspect(data)
    subject = Subject(inspection, release, name, configuration, opened)
    findings = [finding for finding in inspection.findings if finding.code in rules.by_code]
    for rule in rules.looking:
        found = list(rule.check(subject))
        if found:
            findings += found if rule.reads_file or upgraded_pointers else without_pointers(found, inspection.version)
    if configuration is not None:
        from statefmt.lint.configurations.anchor import anchored

        findings = anchored(findings, configuration.configuration)
    weighed = [_completed(finding, rules.by_code[finding.code], subject) for finding in findings]
    return sorted(weighed, key=lambda finding: (finding.address, finding.code, finding.pointer, finding.detail))


def check_configuration(
    configuration: ProviderReferences, *, select: Sequence[str] | None = None, ignore: Sequence[str] | None = None
) -> list[Finding]:
    """All findings about a configuration alone, in the order of its files. Where OpenTofu only warns, so do they.

    Raises ValueError for a code that fits no rule.
    """
    rules = selected_rules(None if select is None else tuple(select), tuple(ignore or ()), with_configuration=True)
    # Most runs have no configuration, and load nothing of this.
    from statefmt.lint.configurations.anchor import anchored

    findings = [
        finding
        for rule in rules.by_code.values()
        if rule.check_configuration is not None
        for finding in rule.check_configuration(configuration)
    ]
    findings = anchored(findings, configuration.configuration)
    return sorted(findings, key=lambda finding: (_order(finding.place), finding.code, finding.detail))


def _order(place: Place | None) -> tuple[str, int, int]:
    return (place.file, place.line, place.column) if place else ("", 0, 0)


def _completed(finding: Finding, rule: Rule, subject: Subject) -> Finding:
    """A finding with the severity of its rule, and with what to do."""
    if rule.fix is not None and finding.fix == NO_FIX:
        return replace(finding, severity=rule.severity, fix=rule.fix(subject))
    return finding if finding.severity is rule.severity else replace(finding, severity=rule.severity)


@cache
def selected_rules(
    select: tuple[str, ...] | None, ignore: tuple[str, ...], *, with_configuration: bool = False
) -> SelectedRules:
    """The rules that `select` (all, where it is None) leaves after `ignore`; those about configurations on request.

    Where there is no state to check, no choice of rules hides that. Raises ValueError for what fits no rule.
    """
    rules = all_rules() if with_configuration else state_rules()
    for prefix in (*(select or ()), *ignore):
        if not prefix or not any(code.startswith(prefix) for code in all_codes()):
            raise ValueError(f"no rule has a code that starts with {prefix!r}; `statetool rule` lists them")
    chosen = {
        code: rule
        for code, rule in rules.items()
        if code in codes.NO_STATE or ((select is None or code.startswith(select)) and not code.startswith(ignore))
    }
    return SelectedRules(chosen, tuple(rule for rule in chosen.values() if rule.check is not found_while_reading))
