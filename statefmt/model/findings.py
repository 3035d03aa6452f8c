"""What statetool says about readable data: a severity and a finding."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final


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
class Command:
    """A command of statetool: its name, and its arguments as the program gets them, without quotes of a shell."""

    name: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fix:
    """How to mend what a finding reports: advice with the commands to run, and configuration to paste."""

    advice: tuple[str | Command, ...] = ()
    snippet: str = ""

    @classmethod
    def of(cls, *parts: str | Command | Fix, snippet: str = "") -> Fix:
        """A fix whose advice is joined of parts; those of another fix come in its place."""
        advice: list[str | Command] = []
        for part in parts:
            if isinstance(part, Fix):
                advice += part.advice
            elif part:
                advice.append(part)
        return cls(tuple(advice), snippet)

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands to run, in the order of the advice. Some are alternatives; the advice says so."""
        return tuple([part for part in self.advice if isinstance(part, Command)])


NO_FIX: Final = Fix()


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem in readable data.

    `code` is a rule's stable code (`PRV001`). `summary` is OpenTofu's wording where OpenTofu has a
    diagnostic for the case, so that people can search for it; `detail` may say more. `address` is the
    resource, instance or output concerned (empty for the whole file), `pointer` an RFC 6901 JSON pointer
    into the file. `fix` says what to do. `place` is where the problem is, if that is in another file than the one
    that was checked: in a configuration. `anchor` identifies such a finding when lines move; it is no text for people.
    """

    code: str
    severity: Severity
    summary: str
    detail: str = ""
    address: str = ""
    pointer: str = ""
    fix: Fix = NO_FIX
    place: Place | None = None
    anchor: str = ""
