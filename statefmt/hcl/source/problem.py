"""Problems found in a configuration: they become findings once the rules assign a code."""

from __future__ import annotations

from enum import Enum

import msgspec

from statefmt.hcl.source.position import Range
from statefmt.model.findings import Severity


class ProblemKind(Enum):
    """What a problem is about; the rules assign each kind a code."""

    UNREADABLE = "unreadable"  # a file or directory that cannot be read
    SYNTAX = "syntax"  # a file that is not valid HCL or JSON
    BLOCK = "block"  # an invalid block or argument
    DUPLICATE = "duplicate"  # something declared twice
    MODULE = "module"  # a child module that is missing or calls itself
    VARIABLE = "variable"  # a value for an input variable
    PROVIDER_BLOCK = "provider block"  # a provider block with for_each and no alias, or with a reserved argument
    NO_PROVIDER = "no provider"  # a reference to a missing provider configuration
    EVALUATION = "evaluation"  # an expression that OpenTofu would refuse to evaluate


class Problem(msgspec.Struct, frozen=True):
    """A problem, with OpenTofu's summary if it has one. `range` is None for a whole directory."""

    kind: ProblemKind
    severity: Severity
    summary: str
    detail: str
    range: Range | None = None


def error(kind: ProblemKind, summary: str, detail: str, range_: Range | None = None) -> Problem:
    """Create a problem that makes OpenTofu stop."""
    return Problem(kind, Severity.ERROR, summary, detail, range_)


def warning(kind: ProblemKind, summary: str, detail: str, range_: Range | None = None) -> Problem:
    """Create a problem that does not stop OpenTofu, or that hides part of the configuration from statetool."""
    return Problem(kind, Severity.WARNING, summary, detail, range_)
