"""`statetool edit`: edits a state, or the attributes of one instance, in an editor."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Annotated, Final, NamedTuple, Optional

import typer

from statefmt import EditResult, StateError, StatetoolError, StoreError
from statefmt.cli.confirmation import asking
from statefmt.cli.editing.editors import Discretion, Editor, user_editor
from statefmt.cli.editing.private_copy import PrivateCopy, private_copy
from statefmt.cli.editing.running import run_editor
from statefmt.cli.exit_status import FAILED, FINE
from statefmt.cli.failure import show_failure
from statefmt.cli.named_state import state_name
from statefmt.cli.options.surgery_options import SurgeryOptions, surgery_options
from statefmt.cli.options.takes import takes
from statefmt.cli.options.write import store_of
from statefmt.cli.run import run_context
from statefmt.cli.streams import message_terminal, say
from statefmt.cli.surgery import show_result
from statefmt.cli.target import kept_text, why_not
from statefmt.edit.damaged import loaded_to_mend
from statefmt.edit.hand.attributes import instance_text
from statefmt.edit.hand.text import EditableText, text_of_state
from statefmt.edit.hand.whole_state import refuse_older_format, replaced_by
from statefmt.edit.pipeline import OpenedEdit, Operation, opened_edit
from statefmt.edit.session import LoadedState, StateFileError
from statefmt.edit.surgical import EditOutcome, surgical
from statefmt.formats.raw_json.positions import finding_positions
from statefmt.library.edit_result import committed, result_of
from statefmt.locations import STANDARD_INPUT
from statefmt.render.diff.values import Manner
from statefmt.render.printable import printable
from statefmt.store.remote.interruption import interruptible

EXAMPLES: Final = (
    ("Edit the attributes of an instance.", "statetool edit 'aws_instance.web[0]'"),
    ("Edit the whole state, and see what would change.", "statetool edit --dry-run"),
    ("Mend a damaged state by hand.", "statetool edit --state terraform.tfstate"),
)
_AGAIN: Final = "Edit again?"


class _Subject(NamedTuple):
    """What is edited: its text, the name of the copy, and what to do with the edited text.

    `is_whole` if the places of findings are places in the text.
    """

    text: EditableText
    file_name: str
    operation: Callable[[bytes], Operation[EditOutcome]]
    is_whole: bool


@takes(options=surgery_options)
def command(
    address: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(metavar="[ADDRESS]", help="Edit only the attributes of this instance."),
    ] = None,
    plain_file: Annotated[
        bool, typer.Option("--plain-file", help="Allow plain copies of an encrypted state on the disk.")
    ] = False,
    *,
    options: SurgeryOptions,
) -> int:
    """Edit a state in the editor that VISUAL or EDITOR names.

    The state is locked, and the editor gets a private copy, in memory if possible, with all secrets. What adds an
    error to the state is refused. A damaged state can be mended; the serial rises by itself.
    """
    name = state_name(options.state)
    if name == STANDARD_INPUT:
        raise StoreError("standard input cannot be edited, since the editor needs it; name a file with --state")
    if asking() is None and not (options.write.yes or options.write.dry_run):
        raise StoreError(
            f"{name}: edit needs confirmation, and there is no terminal to ask on; nothing was written. "
            "Use --dry-run to see the changes, or --yes to write them"
        )
    editor = user_editor(run_context().environment)
    # SIGHUP and SIGTERM remove the copy and give the lock back.
    with interruptible():
        return _edit(name, address, editor, options, plain_file=plain_file)


def _edit(name: str, address: str | None, editor: Editor, options: SurgeryOptions, *, plain_file: bool) -> int:
    context, store = run_context(), store_of(name)
    terms = options.write.terms(name, "edit", to=options.write.out)
    damage: list[StateFileError] = []

    def opening(data: bytes) -> LoadedState:
        state, error = loaded_to_mend(context, name, data)
        damage.extend([error] if error else [])
        return state

    with opened_edit(context, store, terms, opening=opening) as opened:
        is_encrypted = opened.state.seal is not None
        _check_discretion(editor, is_encrypted=is_encrypted, plain_file=plain_file)
        if damage:
            show_failure(damage[0])
        subject = _subject(opened, address, damage, options)
        with private_copy(
            subject.text.shown, subject.file_name, context.environment, needs_memory=is_encrypted and not plain_file
        ) as copy:
            lock = "; the state is locked" if terms.in_place and terms.lock else ""
            say(f"{name}: waiting for the editor, {editor.name}{lock}")
            status = _session(opened, subject, copy, editor, options)
    if status == FINE and terms.in_place:
        store.tidy()
    return status


def _subject(
    opened: OpenedEdit, address: str | None, damage: list[StateFileError], options: SurgeryOptions
) -> _Subject:
    state = opened.state
    references = options.configuration.loaded()
    if address is None:
        if not damage:
            refuse_older_format(state)
        text = text_of_state(state.data)

        def whole(edited: bytes) -> Operation[EditOutcome]:
            return replaced_by(text.restored(edited), is_damaged=bool(damage), references=references)

        return _Subject(text, "state.tfstate.json", whole, is_whole=True)
    if damage:
        raise damage[0]
    instance = instance_text(state.result.snapshot, address)

    def attributes(edited: bytes) -> Operation[EditOutcome]:
        return surgical(lambda snapshot: instance.edit(snapshot, edited), references)

    return _Subject(instance.text, "attributes.json", attributes, is_whole=False)


def _session(opened: OpenedEdit, subject: _Subject, copy: PrivateCopy, editor: Editor, options: SurgeryOptions) -> int:
    """Have the text edited until the result is written or given up; return the exit status."""
    name, write = opened.state.name, options.write
    target = name if write.out is None else write.out
    ask = None if write.yes else asking()
    while True:
        run_editor(editor, copy.path, run_context().environment)
        edited = copy.read()
        if edited == subject.text.shown:
            say(f"{name}: nothing was edited; nothing was written")
            return FINE
        try:
            proposal = opened.proposed(subject.operation(edited))
        except StatetoolError as error:
            _show_refusal(error, edited if subject.is_whole else None)
            if (again := asking()) is not None and again(_AGAIN):
                continue
            say(f"{name}: the edit was given up; nothing was written")
            return FAILED
        result = result_of(proposal.outcome)
        manner = Manner(show_sensitive=options.show_sensitive)
        show_result(result, manner, None, to_messages=write.out == STANDARD_INPUT or ask is not None)
        if ask is None or write.dry_run or not (result.diff or result.notes) or ask(f"Write this to {target}?"):
            break
        if not ask(_AGAIN):
            say(f"{name}: nothing was written")
            return FAILED
    done: list[EditResult] = []
    committed(opened, proposal, lambda result: _ended(result, target, done))
    if not done[0].written:
        say(f"{name}: {why_not(write.out if result.diff else None, dry_run=write.dry_run)}; nothing was written")
    return FINE


def _ended(result: EditResult, target: str, done: list[EditResult]) -> None:
    done.append(result)
    if result.written:
        where = "standard output" if target == STANDARD_INPUT else target
        say(f"{where}: written{kept_text(result.backup, 'state')}")


def _check_discretion(editor: Editor, *, is_encrypted: bool, plain_file: bool) -> None:
    """Refuse an editor that is known to keep plain copies of an encrypted state; note one that is unknown."""
    if not is_encrypted or plain_file or editor.discretion is Discretion.KEEPS_NOTHING:
        return
    if editor.discretion is Discretion.KEEPS_COPIES:
        raise StoreError(
            f"the state is encrypted, and {editor.name} keeps copies of edited files in its own folders; nothing was "
            "written. Name another editor in VISUAL, such as vim, or allow it with --plain-file"
        )
    say(f"statetool: {editor.name} is not a known editor: check that it keeps no copies of what it edits")


def _show_refusal(error: StatetoolError, text: bytes | None) -> None:
    """Print why an edit is refused; if `text` is the edited state, with the line and column of each reason."""
    if not isinstance(error, StateError) or text is None:
        show_failure(error)
        return
    from statefmt.render.findings import finding_text

    terminal = message_terminal()
    places: Mapping[str, tuple[int, int]] = finding_positions(text, error.reasons)
    print("statetool: the edit is refused:", file=sys.stderr)
    for finding in error.reasons[:10]:
        line, column = places.get(finding.pointer, (1, 1))
        print(finding_text(finding, terminal, "  ", f"line {line}, column {column}"), file=sys.stderr)
    if len(error.reasons) > 10:
        print(printable(f"  … and {len(error.reasons) - 10} more"), file=sys.stderr)
