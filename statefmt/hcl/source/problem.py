"""What is wrong with a configuration: a finding in the making, which has a place and no code yet."""

from __future__ import annotations

from enum import Enum

import msgspec

from statefmt.hcl.source.position import Range
from statefmt.model.findings import Severity


class ProblemKind(Enum):
    """What a problem is about; the rules give each kind its code."""

    UNREADABLE = "unreadable"  # a file or a directory that cannot be read at all
    SYNTAX = "syntax"  # a file that is not HCL, or not JSON
    BLOCK = "block"  # a block or an argument that is not what it must be
    DUPLICATE = "duplicate"  # something declared twice
    MODULE = "module"  # a child module that is missing, or calls itself
    VARIABLE = "variable"  # a value given to an input variable
    PROVIDER_BLOCK = "provider block"  # a provider block with for_each and no alias, or with a reserved argument
    NO_PROVIDER = "no provider"  # a reference to a provider configuration that is not there
    EVALUATION = "evaluation"  # an expression that OpenTofu would refuse to evaluate


class Problem(msgspec.Struct, frozen=True):
    """One thing that is wrong, with OpenTofu's summary where it has one. `range` is None for a whole directory."""

    kind: ProblemKind
    severity: Severity
    summary: str
    detail: str
    range: Range | None = None


def error(kind: ProblemKind, summary: str, detail: str, range_: Range | None = None) -> Problem:
    """A problem that OpenTofu would stop at."""
    return Problem(kind, Severity.ERROR, summary, detail, range_)


def warning(kind: ProblemKind, summary: str, detail: str, range_: Range | None = None) -> Problem:
    """A problem that OpenTofu would go on with, or that keeps statetool from seeing everything."""
    return Problem(kind, Severity.WARNING, summary, detail, range_)
