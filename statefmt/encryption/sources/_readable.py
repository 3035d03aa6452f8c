"""What is wrong with the text of a configuration, said without a word of it: any of them can be of a passphrase."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from statefmt.configuration import Declarations
from statefmt.hcl.source.problem import Problem, ProblemKind
from statefmt.model.errors import ConfigurationError
from statefmt.model.findings import Severity

# Problems whose detail has nothing of the text in it.
_PLAIN: Final = frozenset({
    "Argument or block definition required",
    "Invalid JSON",
    "Invalid expression",
    "Invalid multi-line string",
    "Invalid single-argument block definition",
    "Missing attribute separator",
    "Missing newline after argument",
    "Missing newline after block definition",
    "Missing symbol",
})  # fmt: skip
# What keeps a file from being read in full; all else that is wrong in a module is the business of `check`.
_UNREAD: Final = (ProblemKind.SYNTAX, ProblemKind.UNREADABLE)


def check_readable(problems: Iterable[Problem], declarations: Declarations, directory: Path) -> None:
    """Raises ConfigurationError where a file cannot be read in full: what is missing would be guessed."""
    for problem in problems:
        if problem.severity is Severity.ERROR and problem.kind in _UNREAD:
            raise unreadable(problem, declarations, directory)


def unreadable(problem: Problem, declarations: Declarations, directory: Path) -> ConfigurationError:
    """The error for a problem, with its place; files of the module are in its directory."""
    place = problem.range
    if problem.kind is ProblemKind.UNREADABLE or place is None:
        return ConfigurationError(problem.detail)
    file = os.path.normpath(directory / place.file) if place.file in declarations.files else place.file
    detail = f". {problem.detail}" if problem.summary in _PLAIN else ""
    return ConfigurationError(f"{msgspec.structs.replace(place, file=file)}: {problem.summary}{detail}")
