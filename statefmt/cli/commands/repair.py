"""`statetool repair`: mends states that can be parsed but not loaded."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Final, Optional

import typer

from statefmt import StoreError
from statefmt.cli.confirmation import confirmed
from statefmt.cli.exit_status import FAILED, FINE, FOUND
from statefmt.cli.named_state import state_name
from statefmt.cli.options.shared import StateArgument, StateOption, one_state
from statefmt.cli.options.takes import takes
from statefmt.cli.options.write import WriteOptions, store_of, write_options
from statefmt.cli.run import run_context
from statefmt.cli.streams import message_terminal, result_terminal, say
from statefmt.cli.target import kept_text
from statefmt.edit.pipeline import edit
from statefmt.edit.repairs.decisions import Decided, chosen, decided, parse_decision, parse_decisions
from statefmt.edit.repairs.defect import Defect
from statefmt.edit.repairs.find import defects
from statefmt.edit.repairs.repair import Repair
from statefmt.edit.repairs.state import loaded_to_repair, repairing
from statefmt.locations import STANDARD_INPUT
from statefmt.render.printable import printable
from statefmt.render.repair.text import defect_lines, mended_lines
from statefmt.store.standard_input import StandardInput

EXAMPLES: Final = (
    ("See what is wrong with a state, and the choices.", "statetool repair samples/broken/duplicate-instance.tfstate"),
    (
        "Keep the first of two objects with one address.",
        "statetool repair --choose 'ADR002 * keep=first' samples/broken/duplicate-instance.tfstate",
    ),
    ("Use the decisions of a file, one a line.", "statetool repair --decisions decisions.txt terraform.tfstate"),
    ("Be asked one by one.", "statetool repair --interactive terraform.tfstate"),
)
_ADVICE: Final = "Use --dry-run to see the repair, or --yes to write it"
_SKIP: Final = "s"


@takes(write=write_options)
def command(
    state: StateArgument = None,
    state_option: StateOption = None,
    choose: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option(metavar="DECISION", help="A decision: CODE PLACE CHOICE; PLACE is an address, a pointer or *."),
    ] = None,
    decisions: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="A file of decisions, one a line; lines that start with # are skipped."),
    ] = None,
    interactive: Annotated[bool, typer.Option("--interactive", help="Ask for each defect on the terminal.")] = False,
    *,
    write: WriteOptions,
) -> int:
    """Mend a state that can be parsed but not loaded.

    Without decisions, lists what is wrong with the choices, and exits with 1 if there is anything. With decisions,
    mends what they decide and keeps every other byte; the result must be readable. The serial increases by one.
    """
    context, name = run_context(), state_name(one_state(state, state_option))
    made = [parse_decision(text) for text in choose or ()]
    if decisions is not None:
        made += parse_decisions(_text(decisions))
    if interactive and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise StoreError("--interactive needs a terminal; use --choose or --decisions")
    if not made and not interactive:
        return _listed(name)
    to = write.destination(name)
    # A pipe can be read only once.
    source = store_of(name) if to is None else StandardInput(lambda: context.read(name), name)

    def decide(defect: Defect, pointers: bool) -> Decided | None:
        found = decided(defect, made, pointers=pointers)
        return _asked(defect) if found is None and interactive and defect.choices else found

    def agreed(repair: Repair) -> bool:
        print("\n".join(mended_lines(repair.mended)), file=sys.stderr)
        target = printable(write.out or name)
        return write.yes or confirmed(f"Write this to {target}?", f"{name}: repair", "written", _ADVICE)

    def written(_: Repair, backup: str | None) -> None:
        if to != STANDARD_INPUT:
            say(f"{to or name}: repaired{kept_text(backup)}")
        wrote.append(True)

    wrote: list[bool] = []
    repair = edit(
        context,
        source,
        write.terms(name, "repair", to=to),
        repairing(decide, made),
        opening=lambda data: loaded_to_repair(context, name, data),
        agreed=agreed,
        written=written,
    )
    if write.dry_run:
        print("\n".join(mended_lines(repair.mended)))
        say(f"{name}: dry run; nothing was written")
    elif not wrote:
        say(f"{name}: nothing was written")
        return FAILED if repair.mended else FINE
    return FINE


def _listed(name: str) -> int:
    found = defects(loaded_to_repair(run_context(), name, run_context().read(name)).data)
    terminal = result_terminal()
    for defect in found:
        print("\n".join(defect_lines(defect, terminal)))
    if not found:
        say(f"{name}: nothing to repair")
    return FOUND if found else FINE


def _asked(defect: Defect) -> Decided | None:
    """Ask which choice to make; None to leave the defect."""
    print("\n".join(defect_lines(defect, message_terminal())), file=sys.stderr)
    while True:
        text = typer.prompt(f"Choice, or {_SKIP} to skip", default=_SKIP, err=True)
        if text == _SKIP:
            return None
        found = chosen(defect.choices, text)
        if found is not None:
            return Decided(*found)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path}: cannot read the decisions: {error}") from error
