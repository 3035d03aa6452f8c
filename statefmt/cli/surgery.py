"""Carries out the edit of a surgery command: its options, the question, the write, and the changes shown.

With --as-blocks, shows the edit as `moved`, `removed` and `import` blocks of a configuration instead.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple, TypeAlias

from msgspec import structs
from typer import BadParameter, Option

import statefmt
from statefmt import Edit, EditResult, Snapshot, Transaction
from statefmt.cli.command import takes
from statefmt.cli.named_state import state_name
from statefmt.cli.options.configuration import ConfigurationOptions, configuration_options
from statefmt.cli.options.shared import COMMON, CONFIGURATION, ShowSensitiveOption, StateOption
from statefmt.cli.options.write import write_options
from statefmt.cli.outcome import FAILED, FINE, FOUND, kept_text, why_not
from statefmt.cli.run import run_context
from statefmt.cli.streams import ADVICE, confirmed, message_terminal, result_terminal, say, write_result
from statefmt.locations import STANDARD_INPUT
from statefmt.operations_files import EditOptions
from statefmt.render.diff import Manner, diff_text
from statefmt.render.terminal import counted, note_text
from statefmt.text import printable

if TYPE_CHECKING:
    from statefmt.differences import SnapshotDiff
    from statefmt.operations_files import FileOutcome
    from statefmt.provider_schemas import ProviderSchemas
    from statefmt.providers import ProviderReferences


WholeResourceOption = Annotated[
    bool, Option("--whole-resource", help="Extend the selection to all instances of each resource.")
]

NewProviderOption = Annotated[
    bool, Option("--new-provider", help="Allow a provider that neither the state nor --config knows.")
]

AsBlocksOption = Annotated[
    bool,
    Option(
        "--as-blocks",
        help="Print moved, removed and import blocks that do the same; write nothing.",
        rich_help_panel=COMMON,
    ),
]


AllowMismatchOption = Annotated[
    bool,
    Option(
        "--allow-mismatch",
        help="Allow a provider instance of another account or region than that of the object.",
        rich_help_panel=CONFIGURATION,
    ),
]


class SurgeryOptions(NamedTuple):
    """The options of a surgery command."""

    state: str | None
    write: EditOptions
    show_sensitive: bool
    configuration: ConfigurationOptions


@takes(write=write_options, configuration=configuration_options)
def surgery_options(
    *,
    state: StateOption = None,
    write: EditOptions,
    show_sensitive: ShowSensitiveOption = False,
    configuration: ConfigurationOptions,
) -> SurgeryOptions:
    """Return the options as one value."""
    return SurgeryOptions(state, write, show_sensitive, configuration)


_MOST_FINDINGS: Final = 10

# Opens an edit with a configuration, and calls a function after the write.
Editing: TypeAlias = (
    "Callable[[ProviderReferences | None, Callable[[EditResult], None]], AbstractContextManager[Transaction]]"
)


def carry_out(
    name: str,
    operation: Callable[[Snapshot], Edit],
    options: SurgeryOptions,
    *,
    state: str | None = None,
    asks: bool = False,
    depth: int = 0,
    references: ProviderReferences | None = None,
    schemas: ProviderSchemas | None = None,
    as_blocks: bool = False,
    even_damaged: bool = False,
    hint: str = "",
    editing: Editing | None = None,
    creates: bool = False,
    allow_mismatch: bool = False,
) -> int:
    """Make the edit of the command `name`, show it, and return the exit status.

    `state` is the name of the state if it was an argument. `asks` says whether to ask before writing. `depth` is the
    number of steps of a module as the target. `references` is the configuration, if already loaded. `schemas` mark
    further sensitive values in the changes. `as_blocks` prints the changes as blocks of a configuration instead, and
    writes nothing. With `even_damaged`, the state may be unusable. `hint` is printed after the write. `editing` opens
    an unusual edit, which `creates` a state if set. With `allow_mismatch`, objects may be bound to provider instances
    of another account or region.
    """
    state = state or state_name(options.state)
    write = replace(options.write.for_state(state), operation=name, allow_mismatch=allow_mismatch)
    if as_blocks:
        if options.write.out is not None:
            raise BadParameter("cannot be combined with --out: nothing is written", param_hint="--as-blocks")
        # Nothing is written, so no lock is needed.
        write = replace(write, out=None, dry_run=True, lock=False)
    references = references or options.configuration.loaded()
    in_place = write.in_place and not creates
    target = state if in_place or creates else options.write.out or STANDARD_INPUT
    writes_here = not write.dry_run and target == STANDARD_INPUT
    problems: list[OSError] = []

    def written(result: EditResult) -> None:
        what = "state" if in_place else "file"
        done = "created" if creates and target == state else "written"
        where = "standard output" if target == STANDARD_INPUT else target
        say(f"{where}: {done}{kept_text(result.backup, what)}")

    def usual(
        references: ProviderReferences | None, written: Callable[[EditResult], None]
    ) -> AbstractContextManager[Transaction]:
        opened = statefmt.open(state, context=run_context(), read=False)
        return opened.edit(options=write, config=references, even_damaged=even_damaged, written=written)

    with (editing or usual)(references, written) as edit:
        edit.apply(operation, depth=depth)
        proposal = edit.propose()
        if as_blocks:
            return show_as_blocks(proposal.diff, edit.snapshot, show_sensitive=options.show_sensitive)
        asks = bool(proposal.diff and (asks or proposal.joins)) and not (write.yes or write.dry_run)
        try:
            manner = Manner(show_sensitive=options.show_sensitive)
            show_result(proposal, manner, schemas, to_messages=writes_here or asks)
        except OSError as error:
            # The edit must be written even if its output fails.
            problems.append(error)
        question = f"Write this to {'standard output' if target == STANDARD_INPUT else printable(target)}?"
        if asks and not confirmed(question, f"{state}: {name}", "written", ADVICE):
            edit.cancel()
    if edit.is_cancelled:
        say(f"{state}: nothing was written")
        return FAILED
    if problems:
        if edit.is_written:
            problems[0].add_note(f"{target} was written nevertheless")
        raise problems[0]
    if not edit.is_written:
        there = options.write.out if proposal.diff else None
        say(f"{state}: {why_not(there, dry_run=write.dry_run)}; nothing was written")
    elif hint and in_place:
        say(hint)
    return FINE


def show_result(result: EditResult, manner: Manner, schemas: ProviderSchemas | None, *, to_messages: bool) -> None:
    """Print the changes, the notes and the new warnings of an edit, to standard output or as messages."""
    terminal, stream = (message_terminal(), sys.stderr) if to_messages else (result_terminal(), sys.stdout)
    changes = result.diff
    if schemas is not None:
        from statefmt.differences import typed_changes

        changes, manner = typed_changes(changes, schemas), structs.replace(manner, schemas=schemas)
    for piece in diff_text(changes, manner, terminal):
        print(piece, file=stream)
    for note in result.notes:
        print(f"\n{note_text(note, terminal)}", file=stream)
    if result.findings:
        from statefmt.render.findings import counts_text, findings_text

        print(f"\nThis edit adds {counts_text(result.findings)}:", file=stream)
        print(findings_text(result.findings[:_MOST_FINDINGS], terminal), file=stream)
        if len(result.findings) > _MOST_FINDINGS:
            more = len(result.findings) - _MOST_FINDINGS
            print(f"  … and {more} more; `statetool check` shows all of them", file=stream)
    # Keeps the order if both streams go to one file.
    stream.flush()


def show_as_blocks(changes: SnapshotDiff, after: Snapshot, *, show_sensitive: bool) -> int:
    """Print the blocks for the edit of a state, and return the exit status.

    For objects with a new resource type, prints two alternatives: not every provider can move them.
    """
    from statefmt.render.diff.blocks import apart_by_type

    apart = apart_by_type(changes)
    if apart is None:
        return _shown([("", changes, after)], show_sensitive=show_sensitive)
    titled = [
        ("# 1. If the provider can move them to the other type, as its documentation says:\n\n", changes, after),
        ("# 2. If not, forget the objects, and import them by their ids:\n\n", apart, after),
    ]
    return _shown(titled, show_sensitive=show_sensitive, done="paste the blocks of one of the two ways")


def show_outcome_as_blocks(names: Mapping[str, str], outcome: FileOutcome, *, show_sensitive: bool) -> int:
    """Print the blocks for the changes of many states, each under its name, and return the exit status."""
    titled = [
        (f"# For the configuration of the state {short}: {printable(names[short])}\n\n", one.changes, one.edit.snapshot)
        for short in names
        if (one := outcome.outcomes.get(short)) and one.changes
    ]
    return _shown(titled, show_sensitive=show_sensitive)


def _shown(
    edits: Iterable[tuple[str, SnapshotDiff, Snapshot]], *, show_sensitive: bool, done: str = "paste the blocks"
) -> int:
    from statefmt.render.diff.blocks import edit_blocks

    left, texts = 0, list[str]()
    for title, changes, after in edits:
        found = edit_blocks(changes, after, show_sensitive=show_sensitive)
        left += len(found.left)
        if found.text:
            texts.append(title + found.text)
        for warning in found.warnings:
            say(f"statetool: warning: {warning}")
    write_result("\n".join(texts).encode())
    if not texts:
        say("no block is needed; nothing was written")
    elif left:
        say(f"statetool: warning: blocks do not do all of it: see {counted(left, 'comment')}; nothing was written")
    else:
        say(f"nothing was written; change the configuration to the new addresses, {done}, and plan")
    return FOUND if left else FINE
