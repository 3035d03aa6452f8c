"""`statetool history`: shows the edits that statetool made to a state, and the content before each."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from statefmt.cli.command_line import command_line
from statefmt.cli.exit_status import FINE
from statefmt.cli.options.shared import FormatOption, OutputFormat, StateArgument, StateOption, one_state
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal, say
from statefmt.edit.session import state_name
from statefmt.model.errors import StoreError
from statefmt.store.local.history import load_history
from statefmt.store.local.history_contents import compress_one, kept_content
from statefmt.store.local.journal import checksum
from statefmt.store.local.transaction import open_state
from statefmt.store.reading import STANDARD_INPUT


def command(
    state: StateArgument = None,
    state_option: StateOption = None,
    content: Annotated[
        Optional[int],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option(metavar="EDIT", help="Print the exact content of the state before this edit."),
    ] = None,
    keep: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(metavar="N", min=1, help="Keep N edits from now on, and forget older ones; initially 20."),
    ] = None,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """Show the edits that statetool made to a state and that undo can revert, newest first."""
    name = state_name(run_context(), one_state(state, state_option))
    if name == STANDARD_INPUT:
        raise StoreError("standard input has no history; name a file")
    path = Path(name)
    if content is not None:
        if keep is not None or output_format is OutputFormat.JSON:
            raise typer.BadParameter("cannot be combined with --keep or --format", param_hint="--content")
        sys.stdout.buffer.write(_content_before(path, content))
        return FINE
    if keep is not None:
        with open_state(path, run_context().lock_info(path, "history", command_line()), run_context().note) as opened:
            opened.keep_history(keep)
    compress_one(path)
    history = load_history(path)
    changed = bool(history.entries) and checksum(run_context().read(name)) != history.entries[-1].after
    if output_format is OutputFormat.JSON:
        from statefmt.render.history.json import history_json

        sys.stdout.buffer.write(history_json(history, changed=changed))
    elif history.entries:
        from statefmt.render.history.text import history_text

        print(history_text(history, result_terminal(), changed=changed))
    else:
        say(f"statetool: {name}: no edits by statetool are recorded")
    return FINE


def _content_before(path: Path, number: int) -> bytes:
    entries = load_history(path).entries
    found = next((entry for entry in entries if entry.number == number), None)
    if found is None:
        raise StoreError(f"{path}: there is no edit {number}; `statetool history` lists the edits")
    return kept_content(path, found.before)
