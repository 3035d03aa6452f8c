"""Models findings: problems in readable data, with their severity and their fix."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Severity(Enum):
    """The severity of a finding; compare by `rank`."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    # Members are compared by identity. That of Enum is not in C, and is asked several times for each finding.
    __hash__ = object.__hash__

    @property
    def rank(self) -> int:
        """2 for an error, 1 for a warning, 0 for information."""
        return _RANKS[self]


_RANKS = {Severity.INFO: 0, Severity.WARNING: 1, Severity.ERROR: 2}


@dataclass(frozen=True, slots=True)
class Place:
    """A range in a file, counted as editors do: lines and columns from 1, the end after the last character."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Command:
    """A statetool command: its name and its arguments, without shell quoting."""

    name: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fix:
    """How to fix a finding: advice with the commands to run, and configuration to paste."""

    advice: tuple[str | Command, ...] = ()
    snippet: str = ""

    @classmethod
    def of(cls, *parts: str | Command | Fix, snippet: str = "") -> Fix:
        """Join parts into one fix; a Fix among them contributes its own parts. Empty strings are dropped."""
        advice: list[str | Command] = []
        for part in parts:
            if isinstance(part, Fix):
                advice += part.advice
            elif part:
                advice.append(part)
        return cls(tuple(advice), snippet)

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands in the order of the advice. The advice says which are alternatives."""
        return tuple([part for part in self.advice if isinstance(part, Command)])


NO_FIX: Final = Fix()


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem in readable data.

    `code` is the stable code of a rule (`PRV001`). `summary` is OpenTofu's wording if OpenTofu has a diagnostic for
    the case, so that people can search for it; `detail` may say more. `address` is the resource, instance or output
    (empty for the whole file), `pointer` an RFC 6901 JSON pointer into the file. `fix` says what to do. `place` is the
    location of a problem in a configuration instead of the checked state. `anchor` identifies such a finding when
    lines move; it is not meant for display.
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

    def as_dict(self) -> dict[str, object]:
        """Return the finding as values that JSON has; the commands of the fix are lists of words."""
        place = self.place
        return {
            "code": str(self.code),
            "severity": self.severity.value,
            "summary": self.summary,
            "detail": self.detail,
            "address": self.address,
            "pointer": self.pointer,
            "commands": [["statetool", *command.name.split(), *command.arguments] for command in self.fix.commands],
            "snippet": self.fix.snippet,
            "place": place and {name: getattr(place, name) for name in place.__slots__},
        }
