"""Carries out the edit of a surgery command: its options, the question, the write, and the changes shown.

With --as-blocks, shows the edit as `moved`, `removed` and `import` blocks of a configuration instead.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple, TypeAlias

from typer import BadParameter, Option

import statefmt
from statefmt import ChangedError, Edit, EditResult, Finding, Snapshot, StoreError, Transaction
from statefmt.cli.command import takes
from statefmt.cli.named_state import state_name
from statefmt.cli.options.configuration import ConfigurationOptions, configuration_options
from statefmt.cli.options.shared import COMMON, CONFIGURATION, ShowSensitiveOption, StateOption
from statefmt.cli.options.write import WriteOptions, write_options
from statefmt.cli.outcome import FAILED, FINE, FOUND
from statefmt.cli.run import command_line, run_context
from statefmt.cli.streams import ADVICE, confirmed, message_terminal, result_terminal, say, write_result
from statefmt.cli.target import kept_text, why_not
from statefmt.locations import STANDARD_INPUT
from statefmt.render.diff.items import Manner
from statefmt.render.diff.text import diff_text
from statefmt.render.terminal import Terminal, counted, note_text
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
    write: WriteOptions
    show_sensitive: bool
    configuration: ConfigurationOptions


@takes(write=write_options, configuration=configuration_options)
def surgery_options(
    *,
    state: StateOption = None,
    write: WriteOptions,
    show_sensitive: ShowSensitiveOption = False,
    configuration: ConfigurationOptions,
) -> SurgeryOptions:
    """Return the options as one value."""
    return SurgeryOptions(state, write, show_sensitive, configuration)


_MOST_FINDINGS: Final = 10

# Opens an edit that is checked against a configuration, and calls a function when it is written.
Editing: TypeAlias = (
    "Callable[[ProviderReferences | None, Callable[[EditResult], None]], AbstractContextManager[Transaction]]"
)


class Plan(NamedTuple):
    """The edit that a command makes: the name of the operation, the operation, and whether to ask first.

    `said` is the command line to record, if the actual one has secrets. `state` is the name of the state, if it was an
    argument. `checksum` is the required checksum of the file, and `changed` the message if it differs. `editing` opens
    the edit, if that needs more than usual. `creates` if the state does not exist, `even_damaged` if it may be one that
    cannot be used. `hint` is printed after the state was written. `depth` is the number of steps of the target if that
    is a module. `references` is the configuration, if the command has already loaded it. `schemas` say what else is
    sensitive in the changes. `as_blocks` prints the changes as blocks of a configuration, and writes nothing.
    With `allow_mismatch`, objects may be bound to provider instances of another account or region.
    """

    name: str
    operation: Callable[[Snapshot], Edit]
    asks: bool = False
    said: str = ""
    state: str | None = None
    checksum: str | None = None
    changed: str = ""
    editing: Editing | None = None
    creates: bool = False
    even_damaged: bool = False
    hint: str = ""
    depth: int = 0
    references: ProviderReferences | None = None
    schemas: ProviderSchemas | None = None
    as_blocks: bool = False
    allow_mismatch: bool = False


def carry_out(plan: Plan, options: SurgeryOptions) -> int:
    """Carry out the edit of a command, show it, and return the exit status."""
    name, write = plan.state or state_name(options.state), options.write
    if plan.as_blocks:
        return _carry_out_as_blocks(plan, options, name)
    references = plan.references or options.configuration.loaded()
    manner = Manner(show_sensitive=options.show_sensitive)
    in_place = write.destination(name) is None and not plan.creates and not write.dry_run
    target = name if in_place or plan.creates else write.out or STANDARD_INPUT
    writes_here = not write.dry_run and target == STANDARD_INPUT
    problems: list[OSError] = []

    def written(result: EditResult) -> None:
        what = "state" if in_place else "file"
        done = "created" if plan.creates and target == name else "written"
        where = "standard output" if target == STANDARD_INPUT else target
        say(f"{where}: {done}{kept_text(result.backup, what)}")

    with _opened(plan, name, options, references, written) as edit:
        edit.apply(plan.operation, depth=plan.depth)
        proposal = edit.propose()
        asks = bool(proposal.diff and (plan.asks or proposal.joins)) and not (write.yes or write.dry_run)
        try:
            show_result(proposal, manner, plan.schemas, to_messages=writes_here or asks)
        except OSError as error:
            # The edit was asked for, whether or not anyone reads about it.
            problems.append(error)
        question = f"Write this to {'standard output' if target == STANDARD_INPUT else printable(target)}?"
        if asks and not confirmed(question, f"{name}: {plan.name}", "written", ADVICE):
            edit.cancel()
    if edit.is_cancelled:
        say(f"{name}: nothing was written")
        return FAILED
    if problems:
        if edit.is_written:
            problems[0].add_note(f"{target} was written nevertheless")
        raise problems[0]
    if not edit.is_written:
        there = write.out if proposal.diff else None
        say(f"{name}: {why_not(there, dry_run=write.dry_run)}; nothing was written")
    elif plan.hint and in_place:
        say(plan.hint)
    return FINE


def _carry_out_as_blocks(plan: Plan, options: SurgeryOptions, name: str) -> int:
    if options.write.out is not None:
        raise BadParameter("cannot be combined with --out: nothing is written", param_hint="--as-blocks")
    # Nothing is written, and nothing needs a lock.
    write = options.write._replace(dry_run=True, lock=False)
    references = plan.references or options.configuration.loaded()
    with _opened(plan, name, options._replace(write=write), references, lambda _: None) as edit:
        edit.apply(plan.operation, depth=plan.depth)
        changes = edit.propose().diff
    return show_as_blocks(changes, edit.snapshot, show_sensitive=options.show_sensitive)


@contextmanager
def _opened(
    plan: Plan,
    name: str,
    options: SurgeryOptions,
    references: ProviderReferences | None,
    written: Callable[[EditResult], None],
) -> Iterator[Transaction]:
    """Open the edit of a plan. Raises StoreError with the message of the plan if the state has changed."""
    if plan.editing is not None:
        with plan.editing(references, written) as edit:
            yield edit
        return
    write, to = options.write, options.write.destination(name)
    write = write._replace(backup=write.backup if to is None else None, expect_hash=write.expect_hash or plan.checksum)
    state = statefmt.open(name, context=run_context(), read=False)
    try:
        with state.edit(
            plan.said or command_line(),
            operation=plan.name,
            **write.edit_arguments(to),
            config=references,
            even_damaged=plan.even_damaged,
            allow_mismatch=plan.allow_mismatch,
            written=written,
        ) as edit:
            yield edit
    except ChangedError as error:
        if options.write.expect_hash or error.expected != plan.checksum:
            raise
        raise StoreError(f"{name}: {plan.changed}") from error


def show_result(result: EditResult, manner: Manner, schemas: ProviderSchemas | None, *, to_messages: bool) -> None:
    """Print the changes of an edit, its notes and the warnings that it adds, to standard output or as messages."""
    terminal, stream = (message_terminal(), sys.stderr) if to_messages else (result_terminal(), sys.stdout)
    changes = result.diff
    if schemas is not None:
        from statefmt.differences import typed_changes

        changes, manner = typed_changes(changes, schemas), replace(manner, schemas=schemas)
    for piece in diff_text(changes, manner, terminal):
        print(piece, file=stream)
    for note in result.notes:
        print(f"\n{note_text(note, terminal)}", file=stream)
    if result.findings:
        print(f"\n{_findings_text(result.findings, terminal)}", file=stream)
    # Keeps the order if both streams go to one file.
    stream.flush()


def _findings_text(findings: Sequence[Finding], terminal: Terminal) -> str:
    from statefmt.render.findings import counts_text, findings_text

    more = len(findings) - _MOST_FINDINGS
    lines = [f"This edit adds {counts_text(findings)}:", findings_text(findings[:_MOST_FINDINGS], terminal)]
    return "\n".join([*lines, *([f"  … and {more} more; `statetool check` shows all of them"] if more > 0 else [])])


def show_as_blocks(changes: SnapshotDiff, after: Snapshot, *, show_sensitive: bool) -> int:
    """Print the blocks for the edit of a state, and return the exit status.

    For objects that get another resource type, there are two ways: not every provider can move them.
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
    """Print the blocks for what operations do to many states, each under its name, and return the exit status."""
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
