"""`statetool repair`: mends states that are JSON but cannot be read."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

import statefmt
from statefmt import StoreError, SurgeryError
from statefmt.cli.command_line import command_line, command_with
from statefmt.cli.confirmation import asking, confirmed
from statefmt.cli.exit_status import FAILED, FINE, FOUND
from statefmt.cli.named_state import state_name
from statefmt.cli.options.configuration import ConfigurationOptions, configuration_options
from statefmt.cli.options.shared import ShowSensitiveOption, StateArgument, StateOption, one_state
from statefmt.cli.options.takes import declared, takes
from statefmt.cli.options.write import WriteOptions, write_options
from statefmt.cli.repair_questions import Questions
from statefmt.cli.run import run_context
from statefmt.cli.streams import message_terminal, result_terminal, say
from statefmt.cli.target import kept_text, why_not
from statefmt.locations import STANDARD_INPUT, display_name, state_words
from statefmt.repairs import Decision, FoundDefects, RepairResult, keep_decision, parse_decision, parse_decisions
from statefmt.store.files import read_bounded
from statefmt.text import printable, shell_line

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.providers import ProviderReferences

# In bytes, of a file with decisions.
_LARGEST: Final = 16 << 20
_ADVICE: Final = "Use --dry-run to see the repair, or --yes to write it"


class DefectFormat(StrEnum):
    """The format of the list of defects."""

    TEXT = "text"
    JSON = "json"
    DECISIONS = "decisions"


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        ("List the defects of a state, and the choices.", "statetool repair samples/broken/duplicate-instance.tfstate"),
        (
            "Keep the first of two objects with one address.",
            "statetool repair --choose 'ADR002 * keep=first' samples/broken/duplicate-instance.tfstate",
        ),
        (
            "Write all choices to a file, and decide in an editor.",
            "statetool repair --format decisions > decisions.txt",
        ),
        ("Show what the decisions in a file change.", "statetool repair --decisions decisions.txt --dry-run"),
    ),
)
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
    write: WriteOptions,
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
        from statefmt.render.repair import defects_json

        sys.stdout.buffer.write(defects_json(found, shown))
    elif wanted is DefectFormat.DECISIONS:
        from statefmt.render.repair import decisions_text

        print("\n".join(decisions_text(found, shown, words)))
    else:
        from statefmt.render.repair import defects_text

        for line in defects_text(found, shown, words, result_terminal()):
            print(line)
    if not found.defects:
        say(f"{shown}: nothing to repair")
    return FOUND if found.defects else FINE


def _found(name: str, references: ProviderReferences | None, *, show_sensitive: bool) -> FoundDefects:
    state = statefmt.open(name, context=run_context(), read=False)
    return state.defects(config=references, show_sensitive=show_sensitive)


class _Run:
    """One repair of the state `name`, with what it shows and asks."""

    def __init__(
        self, name: str, write: WriteOptions, references: ProviderReferences | None, show_sensitive: bool
    ) -> None:
        self._name, self._write, self._references, self._show_sensitive = name, write, references, show_sensitive
        self._to = write.destination(name)
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
                message=command_line(),
                **write.edit_arguments(self._to),
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
        """Print the command line that repeats the answers, for the case that they were not written."""
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
        from statefmt.render.repair import repair_text

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
