"""Shows what operations do to many states: a comparison for each, and what goes from one to another."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from statefmt.addrs import AbsResourceInstance, ConfigResource
from statefmt.cli.streams import message_terminal, result_terminal
from statefmt.operations_files import EditOutcome, FileEdits, FileOutcome, KeptDependency, StateCrossing
from statefmt.render.counted import counted
from statefmt.render.diff.text import diff_text
from statefmt.render.diff.values import Manner
from statefmt.render.file_path import path_within
from statefmt.render.findings import findings_text
from statefmt.render.printable import printable
from statefmt.render.terminal import Terminal


def show_outcome(names: Mapping[str, str], outcome: FileOutcome, manner: Manner, *, to_messages: bool) -> None:
    """Print the changes to standard output or as messages; `names` are the states by their short names."""
    terminal, stream = (message_terminal(), sys.stderr) if to_messages else (result_terminal(), sys.stdout)
    for piece in (*_pieces(names, outcome.outcomes, manner, terminal), *_across(outcome.edits, terminal)):
        print(piece, file=stream)
    # Keeps the order if both streams go to one file.
    stream.flush()


def from_here(name: str) -> str:
    """Return the absolute path of a state relative to the current folder, if it is below; other names as they are."""
    return (Path(name).is_absolute() and path_within(name, Path.cwd())) or name


def _pieces(
    names: Mapping[str, str], outcomes: Mapping[str, EditOutcome], manner: Manner, terminal: Terminal
) -> Iterator[str]:
    changed = {short: one for short, one in outcomes.items() if one.changes}
    for number, (short, one) in enumerate(changed.items()):
        separator = "\n" if number else ""
        # States without a short name are by their names.
        place = printable(from_here(names[short]))
        named = place if short == names[short] else f"{short}: {place}"
        yield separator + terminal.paint(f"State {named}", "bold")
        yield from diff_text(one.changes, manner, terminal)
        for note in one.edit.notes:
            yield "\n" + terminal.wrap(printable(note), "")
        if one.findings:
            yield f"\nThis edit adds {counted(len(one.findings), 'finding')}:\n{findings_text(one.findings, terminal)}"


def _across(edits: FileEdits, terminal: Terminal) -> Iterator[str]:
    for short, configs in edits.new_providers.items():
        if configs:
            listed = ", ".join(map(str, configs))
            yield "\n" + terminal.wrap(
                f"The state {short} had no objects of these provider configurations: {listed}", ""
            )
    if edits.crossing:
        yield "\nDependencies that would lead from one state to another are dropped:"
        yield from map(_crossing, edits.crossing)
    if edits.kept:
        yield "\nConfigurations need outputs of other states, since dependencies lead there:"
        yield from _kept(edits.kept)


def _crossing(one: StateCrossing) -> str:
    dependant, needs = one.dependency.dependant, one.dependency.needs
    here, there = (one.source, one.target) if one.dependency.is_leaving else (one.target, one.source)
    return f"  {dependant} in {here} needs {needs}, which is in {there}"


def _kept(found: Iterable[KeptDependency]) -> Iterator[str]:
    """Yield a line for each resource that another state needs."""
    dependants: dict[tuple[str, str, ConfigResource], list[AbsResourceInstance]] = {}
    for one in found:
        dependants.setdefault((one.state, one.other, one.needs), []).append(one.dependant)
    for (here, there, needs), instances in dependants.items():
        more = f" and {len(instances) - 1:,} more" if len(instances) > 1 else ""
        yield f"  {here} needs {needs} in {there}, for {instances[0]}{more}"
