"""Runs the rules over a plan."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.lint.check import selected_rules
from statefmt.lint.plans.subject import PlanSubject
from statefmt.model.findings import Finding


def check_plan(
    subject: PlanSubject, *, select: Sequence[str] | None = None, ignore: Sequence[str] | None = None
) -> list[Finding]:
    """Return all findings of the selected rules about a plan, in the order of the plan.

    Their pointers lead into the plan. Raises ValueError if a code matches no rule.
    """
    rules = selected_rules(None if select is None else tuple(select), tuple(ignore or ()), with_configuration=True)
    found = [
        (rule.code, number, finding)
        for rule in rules.by_code.values()
        if rule.check_plan is not None
        for number, finding in enumerate(rule.check_plan(subject))
    ]
    return [finding for *_, finding in sorted(found, key=lambda each: (each[2].address, each[0], each[1]))]
