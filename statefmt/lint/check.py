"""Runs the rules over a state or a configuration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from statefmt.formats.reading import Inspection, inspect, without_pointers
from statefmt.formats.releases import Release
from statefmt.formats.writing.write import write
from statefmt.lint.registry import rules_for
from statefmt.lint.rule import Rule, found_while_reading
from statefmt.lint.settings import refuse_unknown_code
from statefmt.lint.subject import Subject
from statefmt.model import findings as codes
from statefmt.model.findings import NO_FIX, Finding, Fix, Place
from statefmt.model.snapshot import Snapshot

if TYPE_CHECKING:
    # Not imported at run time: most runs have no configuration.
    from statefmt.configuration.provider_instances import ProviderReferences
    from statefmt.encryption import Opened
    from statefmt.lifecycle.schema import ProviderSchemas
    from statefmt.lint.plan_subject import PlanSubject


class SelectedRules(NamedTuple):
    """The rules of a run by code; `looking` are the rules with their own check."""

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
    schemas: ProviderSchemas | None = None,
    json_schema: bool = False,
    upgraded_pointers: bool = False,
) -> list[Finding]:
    """Return all findings of the selected rules, with the rules' severities, sorted by address, code and place.

    Args:
        data: The state. An Inspection is not read again.
        select: Rule codes or prefixes of codes; None selects all rules.
        ignore: Rule codes or prefixes of codes; takes precedence over `select`.
        release: Also report the losses that this release would cause.
        name: The state's file, for the commands that findings suggest.
        configuration: Also compare the state with this configuration.
        opened: The decrypted file, if it was encrypted; `data` is its plain text then.
        schemas: Also compare the state with the schemas of its providers.
        json_schema: Also validate the state against the JSON schema of its format.
        upgraded_pointers: For a state of an older format, keep the pointers, which refer to the upgraded document.

    Raises ValueError if a code matches no rule.
    """
    given = {"configuration": configuration, "schemas": schemas}
    inputs = frozenset(name for name, value in given.items() if value is not None)
    rules = selected_rules(select, ignore, inputs)
    if isinstance(data, Snapshot):
        data = write(data, canonical=False)
    inspection = data if isinstance(data, Inspection) else inspect(data)
    subject = Subject(inspection, release, name, configuration, opened, schemas, json_schema)
    findings = [finding for finding in inspection.findings if finding.code in rules.by_code]
    for rule in rules.looking:
        found = list(rule.check(subject))
        if found:
            findings += found if rule.reads_file or upgraded_pointers else without_pointers(found, inspection.version)
    if configuration is not None:
        from statefmt.lint.configurations import anchored

        findings = anchored(findings, configuration.configuration)
    return sorted(
        _weighed(findings, rules.by_code, subject),
        key=lambda finding: (finding.address, finding.code, finding.pointer, finding.detail),
    )


def check_configuration(
    configuration: ProviderReferences, *, select: Sequence[str] | None = None, ignore: Sequence[str] | None = None
) -> list[Finding]:
    """Return all findings about a configuration alone, in the order of its files.

    If OpenTofu only warns about a problem, the finding is a warning. Raises ValueError if a code matches no rule.
    """
    rules = selected_rules(select, ignore, frozenset({"configuration"}))
    # Imported late: most runs have no configuration.
    from statefmt.lint.configurations import anchored

    findings = [
        finding
        for rule in rules.by_code.values()
        if rule.check_configuration is not None
        for finding in rule.check_configuration(configuration)
    ]
    findings = anchored(findings, configuration.configuration)
    return sorted(findings, key=lambda finding: (_order(finding.place), finding.code, finding.detail))


def check_plan(
    subject: PlanSubject, *, select: Sequence[str] | None = None, ignore: Sequence[str] | None = None
) -> list[Finding]:
    """Return all findings about a plan, sorted by address and code; their pointers refer to the plan.

    Raises ValueError if a code matches no rule.
    """
    # The rules for applies compare the plan with the configuration, too.
    rules = selected_rules(select, ignore, frozenset({"a plan", "an apply"}))
    checks = [rule.check_plan for rule in rules.by_code.values() if rule.check_plan is not None]
    return sorted(
        (finding for check_rule in checks for finding in check_rule(subject)),
        key=lambda finding: (finding.address, finding.code),
    )


def _order(place: Place | None) -> tuple[str, int, int]:
    return (place.file, place.line, place.column) if place else ("", 0, 0)


def _weighed(findings: Iterable[Finding], rules: Mapping[str, Rule], subject: Subject) -> Iterator[Finding]:
    """Yield findings with the severity of their rule, and the fix of the reader, then of the rule."""
    # The fixes of a rule, shared by all of its findings, which may be very many.
    last: dict[str, tuple[Fix, Fix]] = {}
    for given in findings:
        rule, fix = rules[given.code], given.fix
        if rule.fix is not None:
            before, fix = last.get(given.code, (NO_FIX, NO_FIX))
            if fix is NO_FIX or given.fix != before:
                fix = Fix.of(given.fix, " " if given.fix.advice else "", subject.once(rule.fix))
                last[given.code] = given.fix, fix
        elif given.severity is rule.severity:
            yield given
            continue
        yield Finding(
            given.code, rule.severity, given.summary, given.detail, given.address, given.pointer, fix, given.place,
            given.anchor,
        )  # fmt: skip


def selected_rules(
    select: Sequence[str] | None, ignore: Sequence[str] | None = None, inputs: frozenset[str] = frozenset()
) -> SelectedRules:
    """Return the rules that match `select` (None matches all) and not `ignore`.

    Includes rules that need more than a state if the further input is among `inputs`, as in rules_for(). Always
    includes rules for files that are not usable states. Raises ValueError if a code matches no rule.
    """
    return _selected(None if select is None else tuple(select), tuple(ignore or ()), inputs)


@cache
def _selected(select: tuple[str, ...] | None, ignore: tuple[str, ...], inputs: frozenset[str]) -> SelectedRules:
    rules = rules_for(inputs)
    for prefix in (*(select or ()), *ignore):
        refuse_unknown_code(prefix)
    chosen = {
        code: rule
        for code, rule in rules.items()
        if code in codes.NO_STATE or ((select is None or code.startswith(select)) and not code.startswith(ignore))
    }
    return SelectedRules(chosen, tuple(rule for rule in chosen.values() if rule.check is not found_while_reading))
