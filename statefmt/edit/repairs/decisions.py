"""Reads decisions, which say how to mend defects: `CODE PLACE CHOICE`, one a line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from statefmt.edit.repairs.defect import Choice, Defect
from statefmt.model.errors import SurgeryError
from statefmt.text.pattern import pattern

ANYWHERE: Final = "*"
# An address may have spaces in the strings of its keys.
_DECISION: Final = pattern(r'\s*([A-Z]{3}[0-9]{3})\s+((?:[^\s"]|"(?:[^"\\]|\\.)*")+)\s+(\S.*?)\s*')


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice for the defects of one code at a place: an address, the address of a resource, a pointer, or `*`."""

    code: str
    place: str
    choice: str

    def __str__(self) -> str:
        return f"{self.code} {self.place} {self.choice}"

    def is_about(self, defect: Defect, *, pointers: bool) -> bool:
        """Return whether it decides a defect; `pointers` whether pointers still lead where the user saw them."""
        address, place = defect.finding.address, self.place
        return self.code == defect.finding.code and (
            place in (ANYWHERE, address)
            or address.startswith(f"{place}[")
            or (pointers and place == defect.finding.pointer)
        )


class Decided(NamedTuple):
    """A choice that was made, its value, and the decision, if there was one."""

    choice: Choice
    value: str
    decision: Decision | None = None

    @property
    def label(self) -> str:
        """How a decision names it."""
        return f"{self.choice.name}={self.value}" if self.choice.value else self.choice.name


def parse_decision(text: str) -> Decision:
    """Parse `CODE PLACE CHOICE`. Raises SurgeryError."""
    match = _DECISION.fullmatch(text)
    if match is None:
        raise SurgeryError(
            f"invalid decision {text!r}: write CODE PLACE CHOICE, such as ADR002 aws_vpc.main keep=first"
        )
    return Decision(match[1], match[2], match[3])


def parse_decisions(text: str) -> list[Decision]:
    """Parse the lines of a decisions file; empty lines and lines that start with # are skipped."""
    lines = (line.strip() for line in text.splitlines())
    return [parse_decision(line) for line in lines if line and not line.startswith("#")]


def decided(defect: Defect, decisions: Iterable[Decision], *, pointers: bool) -> Decided | None:
    """Return the choice that decisions make for a defect: one for its place before one for all places.

    Raises SurgeryError if the defect does not have the choice.
    """
    about = [decision for decision in decisions if decision.is_about(defect, pointers=pointers)]
    # Another decision may have to come first: it is then made in a later round.
    if not about or not defect.choices:
        return None
    decision = min(about, key=lambda one: one.place == ANYWHERE)
    found = chosen(defect.choices, decision.choice)
    if found is None:
        offered = ", ".join(choice.label for choice in defect.choices) or "none"
        raise SurgeryError(
            f"{defect.place}: {defect.finding.code} has no choice {decision.choice!r}; its choices are: {offered}"
        )
    return Decided(*found, decision)


def chosen(choices: Sequence[Choice], text: str) -> tuple[Choice, str] | None:
    """Return the choice that a text names, with its value; None if there is none."""
    for choice in choices:
        if not choice.value and choice.name == text:
            return choice, ""
    for choice in choices:
        if choice.value and text.startswith(f"{choice.name}="):
            return choice, text[len(choice.name) + 1 :]
    return None
