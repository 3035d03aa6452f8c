"""What a rule is, and how all of them are found.

A rule is a module in the folder of its prefix (`rules/prv/prv001_…`), with a constant `RULE`. Its docstring is
its page: the first line is the title, then `## What it does`, `## Why is this bad?`, `## Example` and
`## What to do`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding, Fix, Severity

if TYPE_CHECKING:
    # Most runs have no configuration, and load nothing of this.
    from statefmt.configuration.providers.references import ProviderReferences


def found_while_reading(subject: Subject) -> Iterable[Finding]:
    """The check of a rule whose findings the reader itself makes."""
    return ()


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its stable code, which has its name and severity, and what finds it.

    `check` yields findings that reading the file did not make; their severity is set to the rule's. Their pointers
    lead into the v4 document, which is the file itself only where that has version 4, or, where `reads_file`, into
    the file of whatever version. `fix` says what to do about a finding that the reader made and that does not say so.
    `check_configuration` looks at a configuration alone, without any state.
    """

    code: Code
    check: Callable[[Subject], Iterable[Finding]] = found_while_reading
    reads_file: bool = False
    fix: Callable[[Subject], Fix] | None = None
    check_configuration: Callable[[ProviderReferences], Iterable[Finding]] | None = None

    @property
    def name(self) -> str:
        """`provider-missing`."""
        return self.code.slug

    @property
    def severity(self) -> Severity:
        """How bad its findings are."""
        return self.code.severity
