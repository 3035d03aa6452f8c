"""Models a defect of a state and the choices that mend it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from statefmt.formats.writing.changes import Changes, JsonPath
from statefmt.model.findings import Finding


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to mend a defect.

    `name` selects it in a decision. `value` names what the user must add (`ADDRESS`), or is "" if nothing.
    `text` says what it does. `changes` returns the changes to the file for the value given; it raises SurgeryError
    if the value is not valid. A choice that fits one defect `alone` is not made by a decision for all places.
    """

    name: str
    text: str
    changes: Callable[[str], Changes]
    value: str = ""
    alone: bool = False

    @property
    def label(self) -> str:
        """How a decision names the choice: `remove`, `provider=ADDRESS`."""
        return f"{self.name}={self.value}" if self.value else self.name


@dataclass(frozen=True, slots=True)
class Defect:
    """A problem that keeps a state from being read, or that has more than one right answer.

    `path` leads to the part with the problem. `choices` begin with the one that loses least; there are none if no
    command can mend it.
    """

    finding: Finding
    path: JsonPath
    choices: tuple[Choice, ...] = ()

    @property
    def place(self) -> str:
        """The address, or the pointer if the defect has no address."""
        return self.finding.address or self.finding.pointer
