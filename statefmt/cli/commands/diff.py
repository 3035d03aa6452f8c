"""`statetool diff`: shows the differences between two states."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Final

from typer import Argument, BadParameter, Option

from statefmt import State, StoreError
from statefmt.cli.command import declared, examples
from statefmt.cli.named_state import opened_state, state_name
from statefmt.cli.options.configuration import SchemasOption, provider_schemas
from statefmt.cli.options.selecting import ExcludeOption
from statefmt.cli.options.shared import ShowSensitiveOption
from statefmt.cli.outcome import DETAILED_EXITCODE, FINE, FOUND, UsageError, require_templates
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal, say, write_result
from statefmt.differences import AddressTest, Kind, SnapshotDiff, diff, kinds, narrowed
from statefmt.locations import STANDARD_INPUT, RemoteName, display_name
from statefmt.render.diff import Manner
from statefmt.render.show import unmarked_note
from statefmt.selection import Criteria, select
from statefmt.snapshots import instances


class DiffFormat(StrEnum):
    """The output format."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"


_COMPARED: Final = "What is compared"
_SIDE = "A state file, a folder or URL of a state, git:REVISION:PATH for one in git, or - for standard input."


@examples(
    ("Show what has changed since the last backup.", "statetool diff --backup"),
    ("Compare the last commit with the state in the working tree.", "statetool diff --head prod.tfstate"),
    ("Print moved, removed and import blocks to paste.", "statetool diff --moved-blocks old.tfstate new.tfstate"),
    ("Write a page for a review.", "statetool diff --format html old.tfstate new.tfstate > diff.html"),
)
@declared(paged=True, decrypts=True, connects=True)
def diff_command(
    old: Annotated[str | None, Argument(metavar="OLD", help=_SIDE)] = None,
    new: Annotated[
        str | None,
        Argument(metavar="[NEW]", help="The newer state, in the same forms; default: that of the current workspace."),
    ] = None,
    output_format: Annotated[
        DiffFormat, Option("--format", metavar="FORMAT", help="text (the default), json, markdown or html.")
    ] = DiffFormat.TEXT,
    stat: Annotated[bool, Option("--stat", help="Show only the number of changes, by resource.")] = False,
    name_only: Annotated[bool, Option("--name-only", help="Show only the addresses that differ.")] = False,
    moved_blocks: Annotated[
        bool, Option("--moved-blocks", help="Print moved, removed and import blocks for the differences.")
    ] = False,
    only: Annotated[
        list[str] | None,
        Option(
            metavar="KIND,...",
            help=f"Show only these kinds of differences: {', '.join(Kind)}.",
            rich_help_panel=_COMPARED,
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None, Option(metavar="KIND,...", help="Hide these kinds of differences.", rich_help_panel=_COMPARED)
    ] = None,
    selectors: Annotated[
        list[str] | None,
        Option(
            "--select",
            metavar="SELECTOR",
            help="Only instances that match this selector, on either side.",
            rich_help_panel=_COMPARED,
        ),
    ] = None,
    excluded: ExcludeOption = None,
    exact: Annotated[
        bool,
        Option(
            "--exact",
            help="Compare literally: 1 differs from 1.0, and strings are not parsed as JSON.",
            rich_help_panel=_COMPARED,
        ),
    ] = False,
    full: Annotated[bool, Option("--full", help="Show long values in full.", rich_help_panel=_COMPARED)] = False,
    show_sensitive: ShowSensitiveOption = False,
    schemas: SchemasOption = None,
    version: Annotated[
        str | None,
        Option(
            metavar="ID",
            help="Compare this version of the state, which `versions` lists, with the current one.",
            rich_help_panel=_COMPARED,
        ),
    ] = None,
    backup: Annotated[
        bool,
        Option("--backup", help="Compare the newest backup of the state with the state.", rich_help_panel=_COMPARED),
    ] = False,
    head: Annotated[
        bool, Option("--head", help="Compare the state in git's HEAD with the state.", rich_help_panel=_COMPARED)
    ] = False,
    detailed_exitcode: Annotated[
        bool, Option(DETAILED_EXITCODE, help="Exit like `tofu plan`: 0 no differences, 2 differences, 1 failure.")
    ] = False,
) -> int:
    """Show the differences between two states, by address, object and value.

    With one state, compare it with that of the current workspace. With --version, --backup or --head, OLD is the state
    that has it.

    Sensitive values, and what rules SEC001 to SEC004 and OUT004 take for a secret, are hidden, even where they differ.
    An instance at another address has moved if its type and identity (or id, or all attributes) are the same.

    Exit status 0: no differences; 1: differences; 2: failure.
    """
    wanted = kinds(_kinds(only, "--only"), _kinds(ignore, "--ignore"))
    if stat + name_only + moved_blocks + (output_format is not DiffFormat.TEXT) > 1:
        raise BadParameter("choose one of --stat, --name-only, --moved-blocks and --format")
    if exact and schemas is not None:
        raise BadParameter("cannot be combined with --schemas", param_hint="--exact")
    by_type = provider_schemas(schemas)
    if backup + head + (version is not None) > 1:
        raise BadParameter("choose one of --version, --backup and --head")
    if version is not None:
        before, after = _versions(old, new, version)
    elif backup or head:
        option = "--backup" if backup else "--head"
        if new is not None:
            raise BadParameter("name one state: an earlier one is compared with it", param_hint=option)
        name = state_name(old, to_read=True)
        # Imported late: most comparisons are of two files.
        from statefmt.differences import newest_backup, version_in_head

        before = opened_state(newest_backup(name) if backup else version_in_head(run_context(), name))
        after = opened_state(name, like=before)
    else:
        before, after = _both(old, new)
    run_context().phase("comparing")
    one, other = before.snapshot, after.snapshot
    if by_type is not None:
        from statefmt.provider_schemas import typed_pair

        one, other = typed_pair(one, other, by_type)
    manner = Manner(show_sensitive=show_sensitive, exact=exact, full=full, schemas=by_type)
    changes = narrowed(
        diff(one, other, exact=exact, versions=(before.version, after.version)),
        wanted,
        _address_test(before, after, selectors, excluded),
    )
    _warn_of_lineage(before, after)
    if stat or name_only or moved_blocks:
        _print_part(changes, after, stat=stat, name_only=name_only, show_sensitive=show_sensitive)
    elif output_format is DiffFormat.JSON:
        from statefmt.render.diff.reports import diff_json

        sys.stdout.buffer.write(diff_json(changes, manner))
    elif output_format is DiffFormat.MARKDOWN:
        from statefmt.render.diff.reports import diff_markdown

        print(diff_markdown(changes, manner, display_name(before.location), display_name(after.location)))
    elif output_format is DiffFormat.HTML:
        write_result(_page(changes, manner, before, after))
    else:
        from statefmt.render.diff import diff_text

        for piece in diff_text(changes, manner, result_terminal()):
            print(piece)
    if not (show_sensitive or stat or name_only or moved_blocks):
        _note_unmarked(changes)
    return FOUND if changes else FINE


def _note_unmarked(changes: SnapshotDiff) -> None:
    """Report how many changed values are hidden without a mark."""
    changed = [change for change in changes.instances if change.old is not None and change.new is not None]
    sides = [side for change in changed for side in (change.old, change.new) if side is not None]
    outputs = [side for change in changes.outputs for side in (change.old, change.new) if side is not None]
    note = unmarked_note(sides, outputs)
    if note:
        say(f"statetool: {note}")


def _page(changes: SnapshotDiff, manner: Manner, before: State, after: State) -> bytes:
    require_templates()
    from statefmt.render.report.state_pages import diff_page

    return diff_page(changes, manner, before, after, run_context().clock())


def _versions(state: str | None, other: str | None, version_id: str) -> tuple[State, State]:
    """Load a version of a state and the state itself. Raises StoreError and StateError."""
    if other is not None:
        raise BadParameter("name one state: its version is compared with it", param_hint="--version")
    before = opened_state(state, version_id)
    return before, opened_state(state, like=before)


def _both(old: str | None, new: str | None) -> tuple[State, State]:
    """Load both states. Raises StoreError and StateError."""
    if old is None:
        raise UsageError("Missing argument 'OLD'.")
    if new is None:
        new = _current(old)
    if old == new == STANDARD_INPUT:
        raise BadParameter("only one of the two can come from standard input")
    before = opened_state(old)
    return before, opened_state(new, like=before)


def _current(old: str) -> str:
    """Return the state of the current workspace. Raises StoreError if there is none, or if it is `old`."""
    name = state_name(None, to_read=True)
    if isinstance(name, RemoteName):
        if state_name(old, to_read=True) == name:
            raise StoreError(f"{old} is the state of the current workspace itself; name the state to compare it with")
        return name
    if not os.path.lexists(name):
        raise StoreError(f"there is no {name} to compare {display_name(old)} with; name the second state, too")
    if os.path.exists(old) and os.path.exists(name) and os.path.samefile(old, name):  # noqa: PTH110, PTH121
        raise StoreError(f"{old} is the state of the current workspace itself; name the state to compare it with")
    return name


def _kinds(texts: Sequence[str] | None, option: str) -> list[Kind]:
    names = [name.strip() for text in texts or () for name in text.split(",")]
    known = {kind.value for kind in Kind}
    for name in names:
        if name not in known:
            raise BadParameter(f"{name!r} is not a kind; choose from: {', '.join(Kind)}", param_hint=option)
    return [Kind(name) for name in names]


def _address_test(
    old: State, new: State, selectors: Sequence[str] | None, excluded: Sequence[str] | None
) -> AddressTest | None:
    """Return a test for selected addresses; None if all are selected. Raises SelectionError."""
    if not selectors and not excluded:
        return None
    known = [*instances(old.snapshot), *instances(new.snapshot)]
    found = select(known, Criteria(selectors=tuple(selectors or ()), excluded=tuple(excluded or ())))
    return {instance.addr for instance in found}.__contains__


def _warn_of_lineage(old: State, new: State) -> None:
    before, after = old.snapshot.lineage, new.snapshot.lineage
    if before and after and before != after:
        say("statetool: warning: the lineages differ: these are not two versions of one state")


def _print_part(changes: SnapshotDiff, after: State, *, stat: bool, name_only: bool, show_sensitive: bool) -> None:
    if name_only:
        from statefmt.render.diff.reports import diff_names

        sys.stdout.buffer.write(diff_names(changes))
    elif stat:
        from statefmt.render.diff.reports import diff_stat

        print(diff_stat(changes, result_terminal()))
    else:
        from statefmt.render.diff.blocks import diff_statements

        sys.stdout.buffer.write(diff_statements(changes, after.snapshot, show_sensitive=show_sensitive).encode())
