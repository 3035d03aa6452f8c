"""Defines what a rule is.

A rule with a check of its own is a module in the folder of its prefix (`rules/prv/prv001_…`), with a constant `RULE`;
its docstring is the page of the rule. The other rules of a prefix are in `RULES` of the module `rules/PREFIX`, with
their pages. A page has a title, then `## What it does`, `## Why is this bad?`, `## Example` and `## What to do`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from statefmt.lint.mend import Mend
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding, Fix, Severity

if TYPE_CHECKING:
    # Not imported at run time: most runs have no configuration.
    from statefmt.configuration.providers.references import ProviderReferences
    from statefmt.lint.plan_subject import PlanSubject


def found_while_reading(subject: Subject) -> Iterable[Finding]:
    """The check of a rule whose findings the reader creates."""
    return ()


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its code, which determines its name and severity, and its checks.

    `check` yields findings that the reader does not create; the engine sets their severity to the rule's. Their
    pointers refer to the v4 document, or, if `reads_file` is set, to the file in its own format version. `fix` returns
    the fix of findings, or the rest of it if the reader gave a part, and `mend` is what `check --fix` does with them.
    `check_configuration` checks a configuration without a state, and `check_plan` a plan, with the state it was made
    for if that is given. `page` is the page of a rule without a module of its own.
    """

    code: Code
    check: Callable[[Subject], Iterable[Finding]] = found_while_reading
    reads_file: bool = False
    fix: Callable[[Subject], Fix] | None = None
    mend: Mend | None = None
    check_configuration: Callable[[ProviderReferences], Iterable[Finding]] | None = None
    check_plan: Callable[[PlanSubject], Iterable[Finding]] | None = None
    page: str = ""

    @property
    def name(self) -> str:
        """The name of the rule: `provider-missing`."""
        return self.code.slug

    @property
    def severity(self) -> Severity:
        """The severity of its findings."""
        return self.code.severity
