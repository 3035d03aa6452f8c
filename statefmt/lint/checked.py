"""What checking one state gave, or that it could not be checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from statefmt.formats.raw_json.positions import Position
from statefmt.model.findings import Finding


@dataclass(frozen=True, slots=True)
class CheckedState:
    """The findings of one state, sorted, and where in its file they are.

    `name` is the path as it was given, or `<standard input>`. `positions` has the place of each pointer that a
    finding names. `hidden` counts the findings that a baseline or a setting holds back. With `is_configuration`
    it is no state but a configuration, by the name of its directory.
    """

    name: str
    findings: tuple[Finding, ...]
    positions: Mapping[str, Position] = field(default_factory=dict)
    hidden: int = 0
    is_configuration: bool = False

    def place(self, finding: Finding) -> tuple[str, Position | None]:
        """The file that a finding is in, and where in it, as far as that is known."""
        if finding.place is not None:
            return finding.place.file, Position(finding.place.line, finding.place.column)
        return self.name, self.positions.get(finding.pointer)


@dataclass(frozen=True, slots=True)
class UnreadableState:
    """A file that could not be read, or a name that leads to none; `message` says why, and names it."""

    name: str
    message: str
