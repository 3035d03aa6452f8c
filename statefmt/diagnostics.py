"""What statetool says about readable data: a severity and a finding."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Severity(Enum):
    """How bad a finding is; `Severity.ERROR.rank > Severity.INFO.rank`."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """2 for an error, 1 for a warning, 0 for information."""
        return _RANKS[self]


_RANKS = {Severity.INFO: 0, Severity.WARNING: 1, Severity.ERROR: 2}


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a file, as editors count: lines and columns from 1, the end after the last character."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem in readable data.

    `code` is a rule's stable code (`PRV001`). `summary` is OpenTofu's wording where OpenTofu has a
    diagnostic for the case, so that people can search for it; `detail` may say more. `address` is the
    resource, instance or output concerned (empty for the whole file), `pointer` an RFC 6901 JSON pointer
    into the file. `fix` says what to do, often a command; `snippet` is configuration to paste for it. `place` is
    where it stands, if that is in another file than the one that was checked: in a configuration. `anchor` is what
    such a finding is known by when lines move; it is no text for people.
    """

    code: str
    severity: Severity
    summary: str
    detail: str = ""
    address: str = ""
    pointer: str = ""
    fix: str = ""
    snippet: str = ""
    place: Place | None = None
    anchor: str = ""
