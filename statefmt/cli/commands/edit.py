"""`statetool edit`: edits a state, or the attributes of one instance, in an editor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

import statefmt
from statefmt import EditResult, StoreError
from statefmt.cli.command_line import command_line
from statefmt.cli.confirmation import ADVICE, asking
from statefmt.cli.editing.editors import Discretion, Editor, user_editor
from statefmt.cli.editing.kept_copies import forget_kept, kept_copies
from statefmt.cli.editing.private_copy import private_copy
from statefmt.cli.editing.session import EditingSession
from statefmt.cli.failure import show_failure
from statefmt.cli.named_state import state_name
from statefmt.cli.options.surgery_options import SurgeryOptions, surgery_options
from statefmt.cli.options.takes import declared, takes
from statefmt.cli.run import run_context
from statefmt.cli.streams import say
from statefmt.cli.target import kept_text
from statefmt.locations import STANDARD_INPUT


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        ("Edit the attributes of an instance.", "statetool edit 'aws_instance.web[0]'"),
        ("Edit the whole state, and see what would change.", "statetool edit --dry-run"),
        ("Repair a damaged state by hand.", "statetool edit --state terraform.tfstate"),
    ),
)
@takes(options=surgery_options)
def edit_command(
    address: Annotated[
        str | None, Argument(metavar="[ADDRESS]", help="Edit only the attributes of this instance.")
    ] = None,
    text: Annotated[
        Path | None, Option("--text", metavar="FILE", help="Start with the text in FILE, which an earlier edit kept.")
    ] = None,
    plain_file: Annotated[
        bool, Option("--plain-file", help="Allow a plain-text copy of an encrypted state on disk.")
    ] = False,
    *,
    options: SurgeryOptions,
) -> int:
    """Edit a state in the editor that VISUAL or EDITOR names.

    Locks the state, and opens a private copy of it, with all secrets, in memory if possible. Refuses an edit that adds
    an error, and keeps its text until that is written or discarded. A damaged state can be edited, too.
    """
    name, write = state_name(options.state), options.write
    if name == STANDARD_INPUT:
        raise StoreError("standard input cannot be edited, since the editor needs it; name a file with --state")
    if asking() is None and not (write.yes or write.dry_run):
        raise StoreError(
            f"{name}: edit needs confirmation, and there is no terminal to ask on; nothing was written. {ADVICE}"
        )
    context = run_context()
    editor = user_editor(context.environment)
    earlier = None if text is None else context.read(str(text))
    _name_kept(text)

    def written(result: EditResult) -> None:
        where = "standard output" if write.out == STANDARD_INPUT else write.out or name
        say(f"{where}: written{kept_text(result.backup, 'state')}")
        if text is not None and forget_kept(text, context.environment):
            say(f"{text}: removed, since it was written")

    with statefmt.open(name, context=context, read=False).edit_text(
        address,
        message=command_line(),
        **write.edit_arguments(write.out),
        config=options.configuration.loaded(),
        written=written,
    ) as edit:
        needs_memory = edit.is_encrypted and not plain_file
        _check_discretion(editor, needs_memory=needs_memory)
        if edit.damage is not None:
            show_failure(edit.damage, name)
        file_name = "state.tfstate.json" if address is None else "attributes.json"
        content = edit.text if earlier is None else earlier
        with private_copy(content, file_name, context.environment, needs_memory=needs_memory) as copy:
            lock = "; the state is locked" if write.lock and not (write.out or write.dry_run) else ""
            say(f"{name}: waiting for the editor, {editor.name}{lock}")
            return EditingSession(name, edit, copy, editor, options).run()


def _check_discretion(editor: Editor, *, needs_memory: bool) -> None:
    """Refuse an editor that is known to keep plain copies of an encrypted state; note others."""
    if editor.discretion is Discretion.KEEPS_COPIES:
        if needs_memory:
            raise StoreError(
                f"the state is encrypted, and {editor.name} keeps copies of edited files in its own folders; nothing "
                "was written. Name another editor in VISUAL, such as vim, or allow it with --plain-file"
            )
        say(f"statetool: {editor.name} keeps copies of edited files in its own folders")
    elif editor.discretion is Discretion.UNKNOWN and needs_memory:
        say(f"statetool: {editor.name} is not a known editor: check that it keeps no copies of what it edits")


def _name_kept(text: Path | None) -> None:
    """Say which texts earlier edits have kept, since they contain secrets."""
    for path in kept_copies(run_context().environment):
        if text is None or path != text.absolute():
            say(f"statetool: an earlier edit kept its text in {path}; delete it if you do not need it")
