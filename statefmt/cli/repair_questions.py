"""Asks on the terminal what to do about each defect of a state."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from typing import Final, TypeAlias

import typer

from statefmt import SurgeryError
from statefmt.cli.streams import message_terminal, say
from statefmt.render.findings import finding_text
from statefmt.render.repair import choice_line
from statefmt.render.terminal import counted
from statefmt.repairs import Choice, Defect, FoundDefects, check_choice, decision_places, is_fatal
from statefmt.text import printable

_SKIP: Final = "s"
_QUIT: Final = "q"
# What a value names that fits one defect only.
_OF_ONE: Final = frozenset({"ID", "JSON", "KEY"})

# The code and the choices: defects that have both in common can be mended alike.
_Kind: TypeAlias = "tuple[str, tuple[str, ...]]"


class Questions:
    """The questions of one repair, and the answers that were given for several defects."""

    def __init__(self, found: FoundDefects, name: str) -> None:
        """Ask about the defects found in the state `name`; mending them may show others.

        `answers` are the answers so far, as decisions.
        """
        self._name = name
        self._positions = found
        self._total = sum(bool(defect.choices) for defect in found.defects)
        self._left = Counter(_kind(defect) for defect in found.defects if defect.choices)
        self._asked = 0
        self._for_all: dict[_Kind, str | None] = {}
        self._skipped: set[tuple[str, str, str]] = set()
        self._places = {
            (defect.finding.code, defect.finding.pointer): place
            for defect, place in zip(found.defects, decision_places(found.defects), strict=True)
        }
        self.answers: list[str] = []

    def ask(self, defect: Defect) -> str | None:
        """Return the choice for a defect, None to leave it. Raises Abort at the end of input."""
        kind, finding = _kind(defect), defect.finding
        self._left[kind] -= 1
        self._asked += 1
        if kind in self._for_all:
            return self._noted(defect, self._for_all[kind])
        # Rounds after the first show what is still there again.
        is_later = self._asked > self._total
        if is_later and (finding.code, finding.address, finding.detail) in self._skipped:
            return None
        self._show(defect)
        choice = _answer(defect)
        if choice is None:
            self._skipped.add((finding.code, finding.address, finding.detail))
        self._offer_all(kind, defect, choice)
        return self._noted(defect, choice)

    def _noted(self, defect: Defect, choice: str | None) -> str | None:
        """Keep an answer as a decision, for the case that the repair fails."""
        if choice is not None:
            code = defect.finding.code
            place = self._places.get((code, defect.finding.pointer)) or defect.place
            self.answers.append(f"{code} {place} {choice}")
        return choice

    def _show(self, defect: Defect) -> None:
        terminal = message_terminal()
        position = self._positions.position(defect)
        place = "" if position is None else f"{self._name}:{position.line}:{position.column}"
        number = f"{self._asked} of {self._total}" if self._asked <= self._total else f"{self._asked}"
        readable = "" if is_fatal(defect) else " (the state can be read nevertheless)"
        lines = [f"\nDefect {number}{readable}", finding_text(defect.finding, terminal, place=printable(place))]
        for number_of_choice, choice in enumerate(defect.choices, 1):
            lines.append(f"  {number_of_choice:2}  {choice_line(choice, terminal, '      ').lstrip()}")
        print("\n".join(lines), file=sys.stderr)

    def _offer_all(self, kind: _Kind, defect: Defect, choice: str | None) -> None:
        """Ask whether the answer is that for all other defects of the kind, if there are any."""
        others = self._left[kind]
        named = _named(defect, choice)
        if others <= 0 or (named is not None and named.value in _OF_ONE):
            return
        what = "Skip" if choice is None else "Do the same for"
        if typer.confirm(f"{what} the {counted(others, 'other defect')} like this one?", err=True):
            self._for_all[kind] = choice


def _answer(defect: Defect) -> str | None:
    numbered: Mapping[str, Choice] = {str(number): choice for number, choice in enumerate(defect.choices, 1)}
    while True:
        prompt = f"Choice (1-{len(numbered)}, {_SKIP} to skip, {_QUIT} to quit)"
        text = str(typer.prompt(prompt, default=_SKIP, err=True)).strip()
        if text == _SKIP:
            return None
        if text == _QUIT:
            raise typer.Abort
        picked = numbered.get(text)
        if picked is not None:
            value = str(typer.prompt(picked.value, err=True)).strip() if picked.value else ""
            text = f"{picked.name}={value}" if picked.value else picked.name
        try:
            check_choice(defect, text)
        except SurgeryError as error:
            say(error.on_command_line, "  ")
        else:
            return text


def _named(defect: Defect, choice: str | None) -> Choice | None:
    """Return the choice that an answer names."""
    if choice is None:
        return None
    plain = (one for one in defect.choices if not one.value and one.name == choice)
    return next(plain, None) or next(one for one in defect.choices if one.value and choice.startswith(f"{one.name}="))


def _kind(defect: Defect) -> _Kind:
    return defect.finding.code, tuple(choice.label for choice in defect.choices)
