"""What reading a configuration found wrong, as findings."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from statefmt.codes import Code
from statefmt.config.problem import ProblemKind
from statefmt.config.provider_references import ProviderReferences
from statefmt.diagnostics import Finding, Place
from statefmt.rules.configuration_place import place


def problems_of(references: ProviderReferences, kinds: Collection[ProblemKind], code: Code) -> Iterable[Finding]:
    """The problems of some kinds; one without a range is about the directory as a whole."""
    configuration = references.configuration
    whole = Place("", 1, 1, 1, 1)
    for problem in configuration.problems:
        if problem.kind in kinds:
            found = place(problem.range) or whole
            yield Finding(code, problem.severity, problem.summary, problem.detail, place=found)
