"""Parses decisions on how to mend defects: `CODE PLACE CHOICE`, one per line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from json import dumps, loads
from typing import Final, NamedTuple

from statefmt.edit.repairs.defect import Choice, Defect
from statefmt.model.errors import SurgeryError
from statefmt.model.findings import Code
from statefmt.text import pattern

ANYWHERE: Final = "*"
# An address may have spaces in the strings of its keys.
_PLACE: Final = pattern(r'(?:[^\s"]|"(?:[^"\\]|\\.)*")+')
_DECISION: Final = pattern(r'\s*([A-Z]{3}[0-9]{3})\s+((?:[^\s"]|"(?:[^"\\]|\\.)*")+)\s+(\S.*?)\s*')
# An address that ends in a key, with the address of the resource.
_INSTANCE: Final = pattern(r'(.+)\[(?:-?[0-9]+|"(?:[^"\\]|\\.)*")\](?: \(.*\))?')


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice for the defects of one code at a place: an address, the address of a resource, a pointer, or `*`.

    A pointer leads into the file that is read, also to what shows when other defects are mended.

    `origin` is where it was read, as `FILE:LINE`; "" if it is not from a file.
    """

    code: str
    place: str
    choice: str
    origin: str = field(default="", compare=False)

    def __str__(self) -> str:
        """Return the line that parse_decision() reads."""
        return f"{self.code} {written_place(self.place)} {self.choice}"


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

    def decided(self, defect: Defect) -> Decided | None:
        """Return the choice that is decided for a defect: by its pointer, its address, its resource, or all places.

        The closest counts. Raises SurgeryError if the defect does not have the choice.
        """
        # Another decision may have to come first: it is then made in a later round.
        if not defect.choices:
            return None
        finding = defect.finding
        instance = _INSTANCE.fullmatch(finding.address)
        for place in (finding.pointer, finding.address, instance[1] if instance else ANYWHERE, ANYWHERE):
            closest = self._by_place.get((finding.code, place))
            if closest:
                return _made(defect, closest)
        return None


def parse_decision(text: str, origin: str = "") -> Decision:
    """Parse `CODE PLACE CHOICE`, read at `origin`. Raises SurgeryError."""
    match = _DECISION.fullmatch(text)
    if match is None:
        raise SurgeryError(
            f"{origin and f'{origin}: '}invalid decision {text!r}: write CODE PLACE CHOICE, such as "
            "ADR002 aws_vpc.main keep=first"
        )
    return Decision(match[1], _pointer(match[2]) or match[2], match[3], origin)


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
    found = _made(defect, [decision_for(defect, choice)])
    if found is not None:
        found.choice.changes(found.value)


def decision_places(defects: Sequence[Defect]) -> list[str]:
    """Return how a decision names the place of each defect: by its address, unless others of the code have it, too.

    A place that cannot be written on a line is a JSON pointer in quotes; the whole file is `*`.
    """
    count = Counter((defect.finding.code, defect.finding.address) for defect in defects)
    return [_place(defect, count[defect.finding.code, defect.finding.address] == 1) for defect in defects]


def _place(defect: Defect, is_alone: bool) -> str:
    finding = defect.finding
    if not finding.pointer:
        return finding.address or ANYWHERE
    return finding.address if is_alone and _is_word(finding.address) else written_place(finding.pointer)


def written_place(place: str) -> str:
    """Return a place as a line of a decision can have it: a pointer with spaces, say, as a JSON string."""
    return place if _is_word(place) or not place.startswith("/") else dumps(place)


def _is_word(place: str) -> bool:
    return place.isprintable() and _PLACE.fullmatch(place) is not None and not place.startswith('"')


def _pointer(text: str) -> str:
    """Return the pointer that a JSON string has; "" if the text is none."""
    try:
        return str(loads(text)) if text.startswith('"/') else ""
    except ValueError:
        return ""


def _made(defect: Defect, closest: Sequence[Decision]) -> Decided | None:
    """Return the choice of decisions on a defect, which must agree."""
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


def chosen(choices: Sequence[Choice], text: str) -> tuple[Choice, str] | None:
    """Return the choice that a text names, with its value; None if there is none."""
    for choice in choices:
        if not choice.value and choice.name == text:
            return choice, ""
    for choice in choices:
        if choice.value and text.startswith(f"{choice.name}="):
            return choice, text[len(choice.name) + 1 :]
    return None
