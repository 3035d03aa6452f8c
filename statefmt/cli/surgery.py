"""Carries out the edit of a surgery command: asks, writes and shows the changes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from statefmt.cli.confirmation import confirmed
from statefmt.cli.exit_status import FAILED, FINE
from statefmt.cli.options.surgery_options import SurgeryOptions
from statefmt.cli.options.write import store_of
from statefmt.cli.run import run_context
from statefmt.cli.streams import message_terminal, result_terminal, say
from statefmt.cli.target import kept_text, why_not
from statefmt.edit.changes.edit import Edit, with_note
from statefmt.edit.copies import FileCopy
from statefmt.edit.pipeline import edit
from statefmt.edit.requests.declared_targets import refuse_undeclared
from statefmt.edit.session import LoadedState, state_name
from statefmt.edit.surgical import EditOutcome, surgical
from statefmt.model.findings import Finding
from statefmt.model.snapshot import Snapshot
from statefmt.render.diff.text import diff_text
from statefmt.render.diff.values import Manner
from statefmt.render.printable import printable
from statefmt.render.terminal import Terminal
from statefmt.store.protocol import Store
from statefmt.store.reading import STANDARD_INPUT

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.configuration.providers.references import ProviderReferences

_MOST_FINDINGS: Final = 10
_ADVICE: Final = "Use --dry-run to see the changes, or --yes to write them"


class Plan(NamedTuple):
    """The edit that a command makes: the name of the operation, the operation, and whether to ask first.

    `said` is the command line to record, if the actual one has secrets. `state` is the name of the state, if it was an
    argument. `checksum` is the required checksum of the file, and `changed` the message if it differs. `store` and
    `opening` read the state, if that needs more than usual. `creates` if the state does not exist, and the edit is one
    of `store`. `hint` is printed after the state was written. `depth` is the number of steps of the target if that is a
    module. `references` is the configuration, if the command has already loaded it.
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
    depth: int = 0
    references: ProviderReferences | None = None


def carry_out(plan: Plan, options: SurgeryOptions) -> int:
    """Carry out the edit of a command, show it, and return the exit status."""
    name = plan.state or state_name(run_context(), options.state)
    terms = options.write.terms(name, plan.name, to=options.write.out, command=plan.said)
    if plan.checksum and not terms.checksum:
        terms = replace(terms, checksum=plan.checksum, changed=plan.changed)
    if plan.creates and terms.copy is None:
        terms = replace(terms, copy=FileCopy(run_context(), name, terms.command))
    references = plan.references or options.configuration.loaded()
    manner = Manner(show_sensitive=options.show_sensitive)
    target = name if terms.in_place or plan.creates else options.write.out or STANDARD_INPUT
    writes_here = not terms.dry_run and target == STANDARD_INPUT
    shown: list[EditOutcome] = []
    refused: list[EditOutcome] = []
    was_written: list[bool] = []
    problems: list[OSError] = []

    def show(outcome: EditOutcome, *, to_messages: bool) -> None:
        shown.append(outcome)
        try:
            _show(outcome, manner, to_messages=to_messages)
        except OSError as error:
            # The edit was asked for, whether or not anyone reads about it.
            problems.append(error)

    def agreed(outcome: EditOutcome) -> bool:
        asks = (plan.asks or outcome.edit.joins) and not options.write.yes
        show(outcome, to_messages=writes_here or bool(asks))
        question = f"Write this to {'standard output' if target == STANDARD_INPUT else printable(target)}?"
        if not asks or confirmed(question, f"{name}: {plan.name}", "written", _ADVICE):
            return True
        refused.append(outcome)
        return False

    def written(_: EditOutcome, backup: str | None) -> None:
        was_written.append(True)
        what = "state" if terms.in_place else "file"
        done = "created" if plan.creates and target == name else "written"
        say(f"{'standard output' if target == STANDARD_INPUT else target}: {done}{kept_text(backup, what)}")

    operation = surgical(partial(_validated, plan, references), references)
    store = plan.store or store_of(name)
    outcome = edit(run_context(), store, terms, operation, opening=plan.opening, agreed=agreed, written=written)
    if refused:
        say(f"{name}: nothing was written")
        return FAILED
    if not shown:
        show(outcome, to_messages=writes_here)
    if problems:
        if was_written:
            problems[0].add_note(f"{target} was written nevertheless")
        raise problems[0]
    if not was_written:
        there = bool(outcome.changes and options.write.out)
        say(f"{name}: {why_not(terms, options.write.out if there else None)}; nothing was written")
    elif plan.hint and terms.in_place:
        say(plan.hint)
    return FINE


def _validated(plan: Plan, references: ProviderReferences | None, snapshot: Snapshot) -> Edit:
    """Return the edit of a plan, with notes on what it moves. Raises SurgeryError for an undeclared destination."""
    edit = plan.operation(snapshot)
    if references is not None and edit.moved:
        edit = with_note(edit, *refuse_undeclared(edit, references, plan.depth))
    return edit


def _show(outcome: EditOutcome, manner: Manner, *, to_messages: bool) -> None:
    terminal, stream = (message_terminal(), sys.stderr) if to_messages else (result_terminal(), sys.stdout)
    for piece in diff_text(outcome.changes, manner, terminal):
        print(piece, file=stream)
    for note in (*outcome.edit.notes, *outcome.edit.joins):
        sentence, *listed = note.split("\n")
        print("\n".join(["", terminal.wrap(sentence, "", ""), *map(printable, listed)]), file=stream)
    if outcome.findings:
        print(f"\n{_findings_text(outcome.findings, terminal)}", file=stream)
    # Keeps the order if both streams go to one file.
    stream.flush()


def _findings_text(findings: Sequence[Finding], terminal: Terminal) -> str:
    from statefmt.render.findings import counts_text, findings_text

    more = len(findings) - _MOST_FINDINGS
    lines = [f"This edit adds {counts_text(findings)}:", findings_text(findings[:_MOST_FINDINGS], terminal)]
    return "\n".join([*lines, *([f"  … and {more} more; `statetool check` shows all of them"] if more > 0 else [])])
