"""`statetool copy` and `move-backend`: copy states from one place to another."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Final, NamedTuple

from typer import Argument, Option

from statefmt.backends import (
    PlaceName,
    Route,
    Transfer,
    TransferAction,
    TransferTerms,
    backend_move,
    route,
    transferred,
)
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.named_state import named_folder
from statefmt.cli.options.shared import COMMON, AgreedOption, FormatOption, OutputFormat, seconds
from statefmt.cli.outcome import FAILED, FINE
from statefmt.cli.run import command_line, run_context
from statefmt.cli.streams import confirmed, message_terminal, result_terminal, say
from statefmt.render.stores import backend_block, next_steps, transfers_json, transfers_text
from statefmt.render.terminal import counted


class TransferOptions(NamedTuple):
    """Options for copying states."""

    dry_run: Annotated[
        bool, Option("--dry-run", help="Show what would be copied, but write nothing.", rich_help_panel=COMMON)
    ] = False
    lock: Annotated[
        bool,
        Option("--lock/--no-lock", help="Lock both places as OpenTofu does (the default).", rich_help_panel=COMMON),
    ] = True
    lock_timeout: Annotated[
        str,
        Option(
            metavar="DURATION", help="How long to wait for each lock, such as 10s; default: 0s.", rich_help_panel=COMMON
        ),
    ] = "0s"
    yes: AgreedOption = False
    output_format: FormatOption = OutputFormat.TEXT

    @property
    def timeout(self) -> float | None:
        """The seconds to wait for each lock, None for no lock. Raises BadParameter for an invalid duration."""
        timeout = seconds(self.lock_timeout, "--lock-timeout")
        return timeout if self.lock else None


@examples(
    ("Save the state of this directory in a file, byte for byte.", "statetool copy . saved.tfstate"),
    ("Show what copying it back would do.", "statetool copy saved.tfstate . --dry-run"),
    ("Copy the state of a workspace to another one.", "statetool copy . . --from-workspace prod --to-workspace blue"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(options=TransferOptions)
def copy_command(
    source: Annotated[str, Argument(metavar="FROM_STATE", help="A state file, a folder that has one, or a URL.")],
    target: Annotated[str, Argument(metavar="TO_STATE", help="The same; nothing needs to be there yet.")],
    from_workspace: Annotated[
        str | None, Option(metavar="WORKSPACE", help="Copy from this workspace of the folder, not the current one.")
    ] = None,
    to_workspace: Annotated[
        str | None, Option(metavar="WORKSPACE", help="Copy to this workspace of the folder, not the current one.")
    ] = None,
    *,
    options: TransferOptions,
) -> int:
    """Copy a state to another place byte for byte: a file, or the state of a folder in its backend.

    Unlike `state push`, this keeps the serial and the bytes; an encrypted state stays as it is. Both places are locked,
    and the copy is verified by its hash. A target that has a state is replaced only if that has the same lineage and a
    lower serial; it keeps a backup. The source is not changed.
    """
    one = route(run_context(), PlaceName(source, from_workspace), PlaceName(target, to_workspace))
    return FAILED if copied([one], options, "copy") is None else FINE


@examples(
    (
        "After the backend block was changed: show what moving all workspaces would do.",
        "statetool move-backend --dry-run",
    ),
    ("Move them, and delete the old states.", "statetool move-backend --delete-source"),
    ("Copy the states of a root module to the backend of another.", "statetool move-backend old new"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(options=TransferOptions)
def move_backend_command(
    source: Annotated[
        str | None, Argument(metavar="[FROM_DIR]", help="The folder whose states are moved; default: the current one.")
    ] = None,
    target: Annotated[
        str | None,
        Argument(metavar="[TO_DIR]", help="The folder whose configuration names the new one; default: FROM_DIR."),
    ] = None,
    backend_config: Annotated[
        list[str] | None, Option(metavar="KEY=VALUE|FILE", help="Set arguments of the new backend block, as for init.")
    ] = None,
    delete_source: Annotated[
        bool, Option("--delete-source", help="At the end, delete each state in the version that was copied.")
    ] = False,
    *,
    options: TransferOptions,
) -> int:
    """Copy the states of all workspaces from a backend to another one, byte for byte, each verified by its hash.

    Without TO_DIR, they are copied from the backend that `init` recorded to the one that the configuration names by
    now, as `init -migrate-state` does. All states are compared before the first is written: if one is refused, as by
    `statetool copy`, none is written. After an interruption, the same command goes on.
    """
    move = backend_move(run_context(), named_folder(source), named_folder(target), backend_config or ())
    if copied(move.routes, options, "move-backend", delete_source=delete_source) is None:
        return FAILED
    if options.output_format is OutputFormat.TEXT:
        print(f"\n{backend_block(move.target)}")
    if not options.dry_run:
        for sentence in next_steps(move, deleted=delete_source):
            say(sentence)
    return FINE


_ADVICE: Final = "Use --dry-run to see what would be copied, or --yes to copy"


def copied(
    routes: Sequence[Route], options: TransferOptions, operation: str, *, delete_source: bool = False
) -> tuple[Transfer, ...] | None:
    """Copy states, show and return the result; None if the user did not agree.

    Asks before a state is replaced or deleted. Raises StatetoolError.
    """
    refused = False

    def agreed(transfers: Sequence[Transfer]) -> bool:
        nonlocal refused
        replaced = sum(one.comparison.action is TransferAction.REPLACE for one in transfers)
        if options.yes or not (replaced or delete_source):
            return True
        print(transfers_text(transfers, message_terminal(), done=False), file=sys.stderr)
        what = [f"replace {counted(replaced, 'state')}"] if replaced else []
        what += [f"delete {counted(len(transfers), 'source')}"] if delete_source else []
        refused = not confirmed(f"{' and '.join(what).capitalize()}?", operation, "written", _ADVICE)
        return not refused

    terms = TransferTerms(
        operation=operation,
        command=command_line(),
        timeout=options.timeout,
        dry_run=options.dry_run,
        delete_source=delete_source,
        agreed=agreed,
    )
    transfers = transferred(run_context(), routes, terms)
    if refused:
        say("nothing was written")
        return None
    if options.output_format is OutputFormat.JSON:
        sys.stdout.buffer.write(transfers_json(transfers, dry_run=options.dry_run))
    else:
        print(transfers_text(transfers, result_terminal(), done=not options.dry_run))
    if options.dry_run:
        say("dry run: nothing was written")
    for transfer in transfers:
        if transfer.backup is not None:
            say(f"{transfer.target}: the state before is in {transfer.backup}")
        if transfer.is_deleted:
            kept = "" if transfer.kept is None else f"; it is kept in {transfer.kept}"
            say(f"{transfer.source}: deleted{kept}")
    encrypted = sum(one.comparison.head.is_encrypted for one in transfers)
    if encrypted:
        say(
            f"{counted(encrypted, 'state')} copied as encrypted: the configuration that uses the target needs the same "
            "encryption block"
        )
    return transfers
