"""Defines a rule.

A rule is a module in the folder of its prefix (`rules/adr/adr006_…`) with a constant `RULE`, and its docstring is the
page of the rule. Short rules, and rules whose findings the reader creates, are entries of `RULES` in the module
`rules/PREFIX`, with their pages. A page has a title, then `## What it does`, `## Why is this bad?`, `## Example` and
`## What to do`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from statefmt.formats.providers import KEEP, SourceChoice
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding, Fix, Severity
from statefmt.model.snapshot import ResourceInstanceObject, ResourceState, Snapshot

if TYPE_CHECKING:
    from statefmt.configuration.provider_instances import ProviderReferences
    from statefmt.lint.plan_subject import PlanSubject


def found_while_reading(subject: Subject) -> Iterable[Finding]:
    """The check of a rule whose findings the reader creates."""
    return ()


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its code, which determines its name and severity, and its checks.

    `check` yields findings that the reader does not create; the engine sets their severity to the rule's. Their
    pointers refer to the v4 document, or, if `reads_file` is set, to the file in its own format version. `fix`
    returns the fix of findings, or the rest of it if the reader gave a part, and `mend` is how `check --fix` fixes
    them. `check_configuration` checks a configuration without a state, and `check_plan` a plan, with its prior state
    if given. `page` is the page of a rule without its own module.
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


class Mending(Struct, frozen=True):
    """The input of a mend: a state, and the addresses of the resources with findings of the rule.

    `sources` has the sources that the configuration gives to providers known only by their type.
    """

    snapshot: Snapshot
    addresses: frozenset[str] = frozenset()
    sources: SourceChoice = KEEP

    def with_resources(self, change: Callable[[ResourceState], ResourceState]) -> Snapshot:
        """Return the state with the resources that have findings replaced by the result of `change`."""
        resources = (
            change(resource) if str(resource.addr) in self.addresses else resource
            for resource in self.snapshot.resources
        )
        return replace(self.snapshot, resources=tuple(resources))

    def with_objects(self, change: Callable[[ResourceInstanceObject], ResourceInstanceObject]) -> Snapshot:
        """Return the state with the objects of these resources replaced by the result of `change`."""
        return self.with_resources(
            lambda resource: replace(resource, objects=tuple([change(obj) for obj in resource.objects]))
        )


class Mend(Struct, frozen=True):
    """How `check --fix` fixes the findings of a rule.

    `does` describes it in a sentence, for the rule's page. A mend `is_safe` if there is one right answer; others are
    applied only on request. `change` is a pure function that returns the fixed state. Without it, the canonical form
    of the state has none of the rule's findings to which the mend `applies`. `needs_sources` if a configuration must
    have the sources of providers.
    """

    does: str
    change: Callable[[Mending], Snapshot] | None = None
    is_safe: bool = True
    needs_sources: bool = False
    applies: Callable[[Finding], bool] = lambda _: True

    @property
    def sentence(self) -> str:
        """A sentence about the mend and its options, for the rule's page."""
        return f"`statetool check {self.options}` {self.does}"

    @property
    def options(self) -> str:
        """The options of `check` that apply the mend."""
        return "--fix" if self.is_safe else "--fix --unsafe-fixes"
