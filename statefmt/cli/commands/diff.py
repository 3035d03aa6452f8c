"""`statetool diff`: what really differs between two states."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Optional

import typer

from statefmt.analysis.diff import (
    Kind,
    SnapshotDiff,
    diff,
    kinds,
    narrowed,
)
from statefmt.analysis.diff.narrow import AddressTest
from statefmt.analysis.selection import Criteria, select
from statefmt.cli.exit_status import DETAILED_EXITCODE, FINE, FOUND
from statefmt.cli.options.selecting import ExcludeOption
from statefmt.cli.options.shared import ShowSensitiveOption
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal, say
from statefmt.edit.session import LoadedState, load, loaded
from statefmt.model.instances import instances
from statefmt.render.diff.values import Manner
from statefmt.store.git_object import PREFIX, read_git_object
from statefmt.store.reading import STANDARD_INPUT, display_name


class DiffFormat(StrEnum):
    """How to show the differences."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


_SIDE = "A state file, git:REVISION:PATH for one in git, or - for standard input."


def command(
    old: Annotated[str, typer.Argument(metavar="OLD", help=_SIDE)],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The same for the other side.")],
    output_format: Annotated[
        DiffFormat, typer.Option("--format", show_default=False, help="How to show the result; default: text.")
    ] = DiffFormat.TEXT,
    stat: Annotated[bool, typer.Option("--stat", help="Only count, by resource.")] = False,
    name_only: Annotated[bool, typer.Option("--name-only", help="Only the addresses of what differs.")] = False,
    moved_blocks: Annotated[
        bool,
        typer.Option("--moved-blocks", help="Print the moved, removed and import blocks that say it in configuration."),
    ] = False,
    only: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(metavar="KIND,...", help=f"Only these kinds of differences: {', '.join(Kind)}."),
    ] = None,
    ignore: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(metavar="KIND,...", help="All but these kinds of differences."),
    ] = None,
    selectors: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--select", metavar="SELECTOR", help="Only instances that this selector fits, on either side."),
    ] = None,
    excluded: ExcludeOption = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Tell 1 from 1.0, and texts that are JSON by their letters.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Show long values in full.")] = False,
    show_sensitive: ShowSensitiveOption = False,
    detailed_exitcode: Annotated[
        bool, typer.Option(DETAILED_EXITCODE, help="Exit like a plan: 0 same, 2 different, 1 could not do it.")
    ] = False,
) -> int:
    """Show what really differs between two states: by address, by remote object, value by value.

    An instance that stands at another address is one that moved, if type and identity (or id, or all attributes) agree.
    Exit status: 0 same, 1 different, 2 could not do it.
    """
    wanted = kinds(_kinds(only, "--only"), _kinds(ignore, "--ignore"))
    if stat + name_only + moved_blocks + (output_format is not DiffFormat.TEXT) > 1:
        raise typer.BadParameter("choose one of --stat, --name-only, --moved-blocks and --format")
    before, after = _both(old, new)
    manner = Manner(show_sensitive=show_sensitive, exact=exact, full=full)
    changes = narrowed(
        diff(
            before.result.snapshot,
            after.result.snapshot,
            exact=exact,
            versions=(before.result.version, after.result.version),
        ),
        wanted,
        _address_test(before, after, selectors, excluded),
    )
    _warn_of_lineage(before, after)
    if stat or name_only or moved_blocks:
        _print_part(changes, after, stat=stat, name_only=name_only, show_sensitive=show_sensitive)
    elif output_format is DiffFormat.JSON:
        from statefmt.render.diff.json import diff_json

        sys.stdout.buffer.write(diff_json(changes, manner))
    elif output_format is DiffFormat.MARKDOWN:
        from statefmt.render.diff.markdown import diff_markdown

        print(diff_markdown(changes, manner, display_name(before.name), display_name(after.name)))
    else:
        from statefmt.render.diff.text import diff_text

        for piece in diff_text(changes, manner, result_terminal()):
            print(piece)
    return FOUND if changes else FINE


def _both(old: str, new: str) -> tuple[LoadedState, LoadedState]:
    """Both states. Raises StoreError and StateFileError."""
    if old == new == STANDARD_INPUT:
        raise typer.BadParameter("only one of the two can come from standard input")
    return _side(old), _side(new)


def _side(name: str) -> LoadedState:
    context = run_context()
    if name.startswith(PREFIX):
        return loaded(context, name, read_git_object(name, context.environment))
    return load(context, name)


def _kinds(texts: Sequence[str] | None, option: str) -> list[Kind]:
    names = [name.strip() for text in texts or () for name in text.split(",")]
    known = {kind.value for kind in Kind}
    for name in names:
        if name not in known:
            raise typer.BadParameter(f"{name!r} is no kind; there are: {', '.join(Kind)}", param_hint=option)
    return [Kind(name) for name in names]


def _address_test(
    old: LoadedState, new: LoadedState, selectors: Sequence[str] | None, excluded: Sequence[str] | None
) -> AddressTest | None:
    """Whether an address was asked for; None where all were. Raises SelectionError."""
    if not selectors and not excluded:
        return None
    known = [*instances(old.result.snapshot), *instances(new.result.snapshot)]
    found = select(known, Criteria(selectors=tuple(selectors or ()), excluded=tuple(excluded or ())))
    return {instance.addr for instance in found}.__contains__


def _warn_of_lineage(old: LoadedState, new: LoadedState) -> None:
    before, after = old.result.snapshot.lineage, new.result.snapshot.lineage
    if before and after and before != after:
        text = "statetool: warning: the lineages differ: these are states of two different things, not two of one"
        say(text)


def _print_part(
    changes: SnapshotDiff, after: LoadedState, *, stat: bool, name_only: bool, show_sensitive: bool
) -> None:
    if name_only:
        from statefmt.render.diff.names import diff_names

        sys.stdout.buffer.write(diff_names(changes))
    elif stat:
        from statefmt.render.diff.stat import diff_stat

        print(diff_stat(changes, result_terminal()))
    else:
        from statefmt.render.diff.statements import diff_statements

        sys.stdout.buffer.write(diff_statements(changes, after.result.snapshot, show_sensitive=show_sensitive).encode())
