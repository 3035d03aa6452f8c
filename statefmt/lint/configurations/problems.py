"""Turns problems found while reading a configuration into findings."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from statefmt.configuration.providers.references import ProviderReferences
from statefmt.hcl.source.problem import ProblemKind
from statefmt.lint.configurations.place import place
from statefmt.model.codes import Code
from statefmt.model.findings import Finding, Place


def problems_of(references: ProviderReferences, kinds: Collection[ProblemKind], code: Code) -> Iterable[Finding]:
    """Yield findings for the problems of some kinds; one without a range is about the whole directory."""
    configuration = references.configuration
    whole = Place(file="", line=1, column=1, end_line=1, end_column=1)
    for problem in configuration.problems:
        if problem.kind in kinds:
            found = place(problem.range) or whole
            yield Finding(code, problem.severity, problem.summary, problem.detail, place=found)
