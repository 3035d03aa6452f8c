"""Reports syntax problems of a configuration without quoting it: any part of the text may be a passphrase."""

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

# Problems whose detail does not quote the text.
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
# Problems that prevent reading a file completely; `check` reports the others.
_UNREAD: Final = (ProblemKind.SYNTAX, ProblemKind.UNREADABLE)


def check_readable(problems: Iterable[Problem], declarations: Declarations, directory: Path) -> None:
    """Raise ConfigurationError if a file cannot be read completely: missing parts would have to be guessed."""
    for problem in problems:
        if problem.severity is Severity.ERROR and problem.kind in _UNREAD:
            raise unreadable(problem, declarations, directory)


def unreadable(problem: Problem, declarations: Declarations, directory: Path) -> ConfigurationError:
    """Return the error for a problem, with its position; paths of module files include `directory`."""
    place = problem.range
    if problem.kind is ProblemKind.UNREADABLE or place is None:
        return ConfigurationError(problem.detail)
    file = os.path.normpath(directory / place.file) if place.file in declarations.files else place.file
    detail = f". {problem.detail}" if problem.summary in _PLAIN else ""
    return ConfigurationError(f"{msgspec.structs.replace(place, file=file)}: {problem.summary}{detail}")
