"""Decides defects as a test wants it: by their first choices, or by one choice in particular, with values that fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from statefmt.edit.repairs import Decided, MendedDefect, one_round
from statefmt.edit.repairs.find import defects, is_fatal
from statefmt.edit.repairs.member_choices import Choice, Defect
from statefmt.formats.writing.changes import changed
from statefmt.model.errors import SurgeryError
from tests.edit.repairs.consequences import allowed
from tests.edit.repairs.unchanged import Path

_VALUES: Final = {
    "ADDRESS": 'provider["registry.opentofu.org/hashicorp/aws"]',
    "JSON": '"x"',
    "VERSION": "1.9.4",
    "KEY": "0badc0de",
    "IDENTIFIER": "mended",
    "NUMBER": "58",
    "LINEAGE": "5e2f80b6-c47a-1e9d-30f5-b6d8a9417c2e",
    "REFERENCE": "provider.aws",
}
# By code, where another kind of value is asked for by the same name.
_OF_CODES: Final = {
    ("ADR001", "ADDRESS"): "module.mended",
    ("DEP001", "ADDRESS"): "aws_vpc.mended",
    ("DEP002", "ADDRESS"): "aws_vpc.mended",
    ("CHK001", "ADDRESS"): "check.mended",
    ("STA005", "ADDRESS"): "aws_instance.mended",
    ("STA005", "JSON"): '["root","mended"]',
    ("INS003", "JSON"): "[]",
    ("OUT001", "JSON"): '"string"',
}
Decider = Callable[[Defect], Decided | None]


class Round(NamedTuple):
    """One round of a repair: the text before and after, and what was mended."""

    before: bytes
    after: bytes
    mended: tuple[MendedDefect, ...]

    @property
    def allowed(self) -> set[Path]:
        """The paths at or under which the round may change something."""
        return {path for one in self.mended for path in allowed(one, self.before)}


def value_for(defect: Defect, choice: Choice) -> str:
    """A value that a choice should take; "" if it takes none."""
    code = str(defect.finding.code)
    return _OF_CODES.get((code, choice.value), _VALUES.get(choice.value, "")) if choice.value else ""


def first_choice(defect: Defect) -> Decided | None:
    """The first choice that needs no value, else the first one; None for what the reader accepts."""
    if not is_fatal(defect) or not defect.choices:
        return None
    choice = next((choice for choice in defect.choices if not choice.value), defect.choices[0])
    return Decided(choice, value_for(defect, choice))


def only(wanted: Defect, choice: Choice, value: str) -> Decider:
    """Decide one defect of a text by a choice, and the others by their first choices."""

    left = [(wanted.finding.code, wanted.path)]

    def decide(defect: Defect) -> Decided | None:
        if (defect.finding.code, defect.path) not in left:
            return first_choice(defect)
        left.clear()
        return Decided(choice, value)

    return decide


def rounds(data: bytes, decide: Decider) -> list[Round]:
    """Repair round by round, so that the paths of each lead into the text that it was given."""
    found: list[Round] = []
    while True:
        step = one_round(defects(data), decide)
        if not step.changes:
            return found
        after = changed(data, step.changes)
        if after in (data, *(one.before for one in found)):
            raise SurgeryError("a choice leads back to the state as it was before")
        found.append(Round(data, after, step.mended))
        data = after
