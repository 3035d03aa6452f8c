"""Carries out the edit of a surgery command: asks, writes and shows the changes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from statefmt.analysis.selection import Criteria
from statefmt.cli.confirmation import confirmed
from statefmt.cli.exit_status import FAILED, FINE
from statefmt.cli.options.selecting import selected
from statefmt.cli.options.surgery_options import SurgeryOptions
from statefmt.cli.options.write import store_of
from statefmt.cli.run import run_context
from statefmt.cli.streams import message_terminal, result_terminal, say
from statefmt.cli.target import kept_text, why_not
from statefmt.edit.changes.edit import Edit
from statefmt.edit.copies import FileCopy
from statefmt.edit.pipeline import edit
from statefmt.edit.session import LoadedState, state_name
from statefmt.edit.surgical import EditOutcome, surgical
from statefmt.model.errors import SelectionError
from statefmt.model.instances import InstanceState, instances
from statefmt.model.snapshot import Snapshot
from statefmt.render.diff.text import diff_text
from statefmt.render.diff.values import Manner
from statefmt.render.printable import printable
from statefmt.render.terminal import Terminal
from statefmt.store.protocol import Store
from statefmt.store.reading import STANDARD_INPUT


class Plan(NamedTuple):
    """The edit that a command makes: the name of the operation, the operation, and whether to ask first.

    `said` is the command line to record, if the actual one has secrets. `state` is the name of the state, if it was an
    argument. `checksum` is the required checksum of the file, and `changed` the message if it differs. `store` and
    `opening` read the state, if that needs more than usual. `creates` if the state does not exist, and the edit is one
    of `store`. `hint` is printed after the state was written.
    """

    name: str
    operation: Callable[[Snapshot], Edit]
    asks: bool = False
    said: str = ""
    state: str | None = None
    checksum: str | None = None
    changed: str = ""
    store: Store | None = None
    opening: Callable[[bytes], LoadedState] | None = None
    creates: bool = False
    hint: str = ""


def choose(snapshot: Snapshot, chosen: Criteria) -> list[InstanceState]:
    """Return the selected instances. Raises SelectionError if there are no criteria, or no instance matches."""
    if chosen == Criteria():
        raise SelectionError("no instances selected: give an address, a pattern or a filter option; '**' selects all")
    return selected(instances(snapshot), chosen)


def carry_out(plan: Plan, options: SurgeryOptions) -> int:
    """Carry out the edit of a command, show it, and return the exit status."""
    name = plan.state or state_name(run_context(), options.state)
    terms = options.write.terms(name, plan.name, to=options.write.out, command=plan.said)
    if plan.checksum and not terms.checksum:
        terms = replace(terms, checksum=plan.checksum, changed=plan.changed)
    if plan.creates and terms.copy is None:
        terms = replace(terms, copy=FileCopy(run_context(), name, terms.command))
    manner = Manner(show_sensitive=options.show_sensitive)
    asks = plan.asks and not options.write.yes
    refused: list[EditOutcome] = []

    def agreed(outcome: EditOutcome) -> bool:
        if not asks:
            return True
        _show(outcome, manner, message_terminal(), to_messages=True)
        if confirmed(f"Write this to {printable(name)}?", _refusal(name, plan.name)):
            return True
        refused.append(outcome)
        return False

    target = name if terms.in_place else options.write.out or (name if plan.creates else STANDARD_INPUT)
    was_written: list[bool] = []

    def written(_: EditOutcome, backup: str | None) -> None:
        was_written.append(True)
        what = "state" if terms.in_place else "file"
        done = "created" if plan.creates and target == name else "written"
        say(f"{'standard output' if target == STANDARD_INPUT else target}: {done}{kept_text(backup, what)}")

    operation = surgical(plan.operation)
    store = plan.store or store_of(name)
    outcome = edit(run_context(), store, terms, operation, opening=plan.opening, agreed=agreed, written=written)
    if refused:
        say(f"{name}: nothing was written")
        return FAILED
    writes_here = not terms.dry_run and target == STANDARD_INPUT
    if not asks or not terms.in_place:
        try:
            _show(outcome, manner, message_terminal() if writes_here else result_terminal(), to_messages=writes_here)
            # Keeps the order if both streams go to one file.
            sys.stdout.flush()
        except OSError as error:
            if was_written:
                error.add_note(f"{target} was written nevertheless")
            raise
    if not was_written:
        there = bool(outcome.changes and options.write.out)
        say(f"{name}: {why_not(terms, options.write.out if there else None)}; nothing was written")
    elif plan.hint and terms.in_place:
        say(plan.hint)
    return FINE


def _refusal(name: str, operation: str) -> str:
    return (
        f"{name}: {operation} needs confirmation, and there is no terminal to ask on; nothing was written. "
        "Use --dry-run to see the changes, or --yes to write them"
    )


def _show(outcome: EditOutcome, manner: Manner, terminal: Terminal, *, to_messages: bool) -> None:
    stream = sys.stderr if to_messages else sys.stdout
    for piece in diff_text(outcome.changes, manner, terminal):
        print(piece, file=stream)
    for note in outcome.edit.notes:
        sentence, *listed = note.split("\n")
        print("\n".join(["", terminal.wrap(sentence, "", ""), *map(printable, listed)]), file=stream)
