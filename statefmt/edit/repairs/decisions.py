"""Parses decisions on how to mend defects: `CODE PLACE CHOICE`, one per line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from statefmt.edit.repairs.defect import Choice, Defect
from statefmt.model.codes import Code
from statefmt.model.errors import SurgeryError
from statefmt.text.pattern import pattern

ANYWHERE: Final = "*"
# An address may have spaces in the strings of its keys.
_DECISION: Final = pattern(r'\s*([A-Z]{3}[0-9]{3})\s+((?:[^\s"]|"(?:[^"\\]|\\.)*")+)\s+(\S.*?)\s*')
_BRACKET: Final = pattern(r"\[")


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice for the defects of one code at a place: an address, the address of a resource, a pointer, or `*`.

    `origin` is where it was read, as `FILE:LINE`; "" if it is not from a file.
    """

    code: str
    place: str
    choice: str
    origin: str = field(default="", compare=False)

    def __str__(self) -> str:
        """Return the line that parse_decision() reads."""
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


class DecisionIndex:
    """Decisions by code and place: thousands of defects may have a decision each."""

    def __init__(self, decisions: Iterable[Decision]) -> None:
        self._by_place: dict[tuple[str, str], list[Decision]] = {}
        for decision in decisions:
            self._by_place.setdefault((decision.code, decision.place), []).append(decision)

    def near(self, defect: Defect) -> list[Decision]:
        """Return all decisions that may be about a defect."""
        code, address = defect.finding.code, defect.finding.address
        resources = (address[: match.start()] for match in _BRACKET.finditer(address))
        places = dict.fromkeys((ANYWHERE, address, defect.finding.pointer, *resources))
        return [decision for place in places for decision in self._by_place.get((code, place), ())]


def parse_decision(text: str, origin: str = "") -> Decision:
    """Parse `CODE PLACE CHOICE`, read at `origin`. Raises SurgeryError."""
    match = _DECISION.fullmatch(text)
    if match is None:
        raise SurgeryError(
            f"{origin and f'{origin}: '}invalid decision {text!r}: write CODE PLACE CHOICE, such as "
            "ADR002 aws_vpc.main keep=first"
        )
    return Decision(match[1], match[2], match[3], origin)


def parse_decisions(text: str, name: str = "decisions") -> list[Decision]:
    """Parse the lines of a decisions file; empty lines and lines that start with # are skipped.

    Raises SurgeryError with the `name` of the file and the line.
    """
    # Only line feeds end a line: a key may hold every other character that Python takes for a line end.
    lines = ((number, line.strip()) for number, line in enumerate(text.split("\n"), 1))
    return [parse_decision(line, f"{name}:{number}") for number, line in lines if line and not line.startswith("#")]


def keep_decision(kept: str) -> Decision:
    """Return the decision to keep one of the objects of every instance that the state has more than once.

    `kept` is `first`, `last`, `newest` or `id=VALUE`.
    """
    return Decision(Code.DUPLICATE_INSTANCE, ANYWHERE, f"keep={kept}")


def decision_for(defect: Defect, choice: str) -> Decision:
    """Return the decision for one defect alone."""
    return Decision(defect.finding.code, defect.finding.pointer or defect.place, choice)


def check_choice(defect: Defect, choice: str) -> None:
    """Raise SurgeryError if a defect does not have a choice, or if its value is not valid."""
    found = decided(defect, [decision_for(defect, choice)], pointers=True)
    if found is not None:
        found.choice.changes(found.value)


def decision_places(defects: Sequence[Defect]) -> list[str]:
    """Return how a decision names the place of each defect: by its address, unless others of the code have it, too.

    A place that cannot be written on a line, or not at all, is `*`.
    """
    count = Counter((defect.finding.code, defect.finding.address) for defect in defects)
    return [_written_place(defect, count[defect.finding.code, defect.finding.address] == 1) for defect in defects]


def _written_place(defect: Defect, is_alone: bool) -> str:
    for place in (defect.finding.address if is_alone else "", defect.finding.pointer):
        match = _DECISION.fullmatch(f"{defect.finding.code} {place} x") if place.isprintable() else None
        if match is not None and match[2] == place:
            return place
    return ANYWHERE


def decided(defect: Defect, decisions: Iterable[Decision], *, pointers: bool) -> Decided | None:
    """Return the choice that decisions make for a defect: one for its place, for its resource, or for all places.

    Raises SurgeryError if the defect does not have the choice.
    """
    about = [decision for decision in decisions if decision.is_about(defect, pointers=pointers)]
    # Another decision may have to come first: it is then made in a later round.
    if not about or not defect.choices:
        return None
    nearest = min(_distance(decision, defect) for decision in about)
    closest = [decision for decision in about if _distance(decision, defect) == nearest]
    decision = closest[0]
    other = next((one for one in closest if one.choice != decision.choice), None)
    if other is not None:
        raise SurgeryError(
            f"{other.origin and f'{other.origin}: '}two decisions for {defect.finding.code} at {defect.place}: "
            f"{decision.choice} and {other.choice}",
            address=defect.finding.address or None,
        )
    found = chosen(defect.choices, decision.choice)
    if found is None:
        offered = ", ".join(choice.label for choice in defect.choices)
        raise SurgeryError(
            f"{decision.origin and f'{decision.origin}: '}{defect.finding.code} at {defect.place} has no choice "
            f"{decision.choice!r}; its choices are: {offered}",
            address=defect.finding.address or None,
        )
    if found[0].alone and decision.place == ANYWHERE:
        # Such as a provider that is no part of this conflict.
        return None
    return Decided(*found, decision)


def _distance(decision: Decision, defect: Defect) -> int:
    if decision.place == ANYWHERE:
        return 2
    return 0 if decision.place in (defect.finding.address, defect.finding.pointer) else 1


def chosen(choices: Sequence[Choice], text: str) -> tuple[Choice, str] | None:
    """Return the choice that a text names, with its value; None if there is none."""
    for choice in choices:
        if not choice.value and choice.name == text:
            return choice, ""
    for choice in choices:
        if choice.value and text.startswith(f"{choice.name}="):
            return choice, text[len(choice.name) + 1 :]
    return None
