"""`statetool repair`: repairs states that are JSON but cannot be read, and asks about each defect."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

import statefmt
from statefmt import StoreError, SurgeryError
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.named_state import state_name
from statefmt.cli.options.configuration import ConfigurationOptions, configuration_options
from statefmt.cli.options.shared import ShowSensitiveOption, StateArgument, StateOption, one_state
from statefmt.cli.options.write import write_options
from statefmt.cli.outcome import FAILED, FINE, FOUND, kept_text, why_not
from statefmt.cli.run import command_with, run_context
from statefmt.cli.streams import asking, confirmed, message_terminal, result_terminal, say
from statefmt.locations import STANDARD_INPUT, display_name, state_words
from statefmt.operations_files import EditOptions
from statefmt.render.findings import finding_text
from statefmt.render.repair import choice_line, decisions_text, defects_json, defects_text, repair_text
from statefmt.render.terminal import counted
from statefmt.repairs import (
    Choice,
    Decision,
    Defect,
    FoundDefects,
    RepairResult,
    check_choice,
    decision_places,
    is_fatal,
    keep_decision,
    parse_decision,
    parse_decisions,
)
from statefmt.store.files import read_bounded
from statefmt.text import printable, shell_line

if TYPE_CHECKING:
    from statefmt.providers import ProviderReferences


# In bytes, of a file with decisions.
_LARGEST: Final = 16 << 20
_ADVICE: Final = "Use --dry-run to see the repair, or --yes to write it"


class DefectFormat(StrEnum):
    """The format of the list of defects."""

    TEXT = "text"
    JSON = "json"
    DECISIONS = "decisions"


@examples(
    ("List the defects of a state, and the choices.", "statetool repair samples/broken/duplicate-instance.tfstate"),
    (
        "Keep the first of two objects with one address.",
        "statetool repair --choose 'ADR002 * keep=first' samples/broken/duplicate-instance.tfstate",
    ),
    ("Write all choices to a file, and decide in an editor.", "statetool repair --format decisions > decisions.txt"),
    ("Show what the decisions in a file change.", "statetool repair --decisions decisions.txt --dry-run"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(write=write_options, configuration=configuration_options)
def repair_command(
    state: StateArgument = None,
    state_option: StateOption = None,
    choose: Annotated[
        list[str] | None,
        typer.Option(metavar="DECISION", help="Decide: CODE PLACE CHOICE; PLACE is an address, a JSON pointer or *."),
    ] = None,
    decisions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Read decisions from FILE, one per line; # starts a comment.")
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(metavar="WHICH", help="Of objects with the same address, keep first, last, newest or id=VALUE."),
    ] = None,
    interactive: Annotated[bool, typer.Option("--interactive", help="Ask about each defect on the terminal.")] = False,
    list_format: Annotated[
        DefectFormat | None,
        typer.Option("--format", help="The format of the list; decisions prints a file to edit for --decisions."),
    ] = None,
    show_sensitive: ShowSensitiveOption = False,
    *,
    write: EditOptions,
    configuration: ConfigurationOptions,
) -> int:
    """Mend a state that is JSON but cannot be read.

    Without decisions, list the defects and the choices for each. With decisions, mend these defects and keep every
    other byte; the result must be readable. The serial rises by one.

    Exit status 0: nothing to repair, or repaired; 1: defects listed; 2: failure.
    """
    name = state_name(one_state(state, state_option))
    made = [parse_decision(text) for text in choose or ()]
    made += [] if decisions is None else parse_decisions(_text(decisions), str(decisions))
    if decisions is not None and not made:
        raise StoreError(f"{decisions}: no decisions: remove the # before one choice of each defect")
    made += [] if keep is None else [keep_decision(keep)]
    if not made and not interactive:
        found = _found(name, configuration.loaded(), show_sensitive=show_sensitive)
        return _listed(name, found, list_format or DefectFormat.TEXT)
    if list_format is not None:
        raise typer.BadParameter("cannot be combined with decisions", param_hint="--format")
    if interactive and asking() is None:
        raise StoreError("--interactive needs a terminal; use --choose or --decisions")
    return _Run(name, write, configuration.loaded(), show_sensitive).repaired(made, interactive=interactive)


def _listed(name: str, found: FoundDefects, wanted: DefectFormat) -> int:
    shown, words = display_name(name), state_words(name)
    if wanted is DefectFormat.JSON:
        sys.stdout.buffer.write(defects_json(found, shown))
    elif wanted is DefectFormat.DECISIONS:
        print("\n".join(decisions_text(found, shown, words)))
    else:
        for line in defects_text(found, shown, words, result_terminal()):
            print(line)
    if not found.defects:
        say(f"{shown}: nothing to repair")
    return FOUND if found.defects else FINE


def _found(name: str, references: ProviderReferences | None, *, show_sensitive: bool) -> FoundDefects:
    state = statefmt.open(name, context=run_context(), read=False)
    return state.defects(config=references, show_sensitive=show_sensitive)


class _Run:
    """One repair of the state `name`, with its output and questions."""

    def __init__(
        self, name: str, write: EditOptions, references: ProviderReferences | None, show_sensitive: bool
    ) -> None:
        self._name, self._references, self._show_sensitive = name, references, show_sensitive
        self._write = replace(write.for_state(name), operation="repair")
        self._to = self._write.out
        self._target = "standard output" if self._to == STANDARD_INPUT else self._to or name
        self._asks = not (write.yes or write.dry_run)

    def repaired(self, decisions: list[Decision], *, interactive: bool) -> int:
        """Repair the state by decisions and answers, and return the exit status."""
        write, questions = self._write, None
        if interactive:
            found = _found(self._name, self._references, show_sensitive=self._show_sensitive)
            questions = Questions(found, display_name(self._name))
        state = statefmt.open(self._name, context=run_context(), read=False)
        try:
            result = state.repair(
                decisions,
                ask=None if questions is None else questions.ask,
                config=self._references,
                show_sensitive=self._show_sensitive,
                options=write,
                agreed=self._agreed,
                written=self._written,
            )
        except typer.Abort:
            # The terminal shows ^C or the question on this line.
            print(file=sys.stderr)
            say(f"{display_name(self._name)}: nothing was written")
            self._say_how_to_repeat(questions)
            raise
        except SurgeryError:
            if questions is not None and questions.answers:
                lines = [f"{self._name}: the answers, for --choose or --decisions:", *questions.answers]
                print("\n  ".join(map(printable, lines)), file=sys.stderr)
            raise
        if result.written:
            return FINE
        if not result.mended:
            say(f"{display_name(self._name)}: {'nothing was decided' if result.left else 'nothing to repair'}")
            return FOUND if result.left else FINE
        if write.dry_run:
            self._show(result)
        say(f"{display_name(self._name)}: {f'{why_not(None, dry_run=True)}; ' * write.dry_run}nothing was written")
        self._say_how_to_repeat(questions)
        return FINE if write.dry_run else FAILED

    def _say_how_to_repeat(self, questions: Questions | None) -> None:
        """Print the command line that repeats the answers, in case they were not written."""
        if questions is not None and questions.answers:
            chosen = [word for answer in questions.answers for word in ("--choose", answer)]
            say("To give these answers again, run:")
            print(printable(f"  {shell_line(command_with('repair', *chosen))}"), file=sys.stderr)

    def _agreed(self, result: RepairResult) -> bool:
        self._show(result)
        name = display_name(self._name)
        question = f"Write this to {printable(self._target)}?"
        return not self._asks or confirmed(question, f"{name}: repair", "written", _ADVICE)

    def _written(self, result: RepairResult) -> None:
        say(f"{self._target}: repaired{kept_text(result.backup, 'state')}")

    def _show(self, result: RepairResult) -> None:
        to_messages = self._asks or (self._to == STANDARD_INPUT and not self._write.dry_run)
        stream = sys.stderr if to_messages else sys.stdout
        for line in repair_text(result, message_terminal() if to_messages else result_terminal()):
            print(line, file=stream)
        stream.flush()


def _text(path: Path) -> str:
    try:
        # Some editors begin a file with a byte order mark.
        return read_bounded(path, _LARGEST, pipes=True).decode("utf-8-sig")
    except OSError as error:
        raise StoreError(f"{path}: cannot read the decisions: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise StoreError(f"{path}: cannot read the decisions: the file is not UTF-8") from error


_SKIP: Final = "s"
_QUIT: Final = "q"
# The values of choices that fit a single defect.
_OF_ONE: Final = frozenset({"ID", "JSON", "KEY"})

# The code and the choices: defects with equal ones can be repaired alike.
_Kind: TypeAlias = "tuple[str, tuple[str, ...]]"


class Questions:
    """The questions of one repair, and the answers for several defects."""

    def __init__(self, found: FoundDefects, name: str) -> None:
        """Ask about the defects of the state `name`; their repair may reveal others.

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
        # Rounds after the first show new defects.
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
        """Keep an answer as a decision, in case the repair fails."""
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
        """Offer the same answer for all other defects of the kind, if any."""
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
    """Return the choice in an answer."""
    if choice is None:
        return None
    plain = (one for one in defect.choices if not one.value and one.name == choice)
    return next(plain, None) or next(one for one in defect.choices if one.value and choice.startswith(f"{one.name}="))


def _kind(defect: Defect) -> _Kind:
    return defect.finding.code, tuple(choice.label for choice in defect.choices)
