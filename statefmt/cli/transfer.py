"""Copies states from one place to another for a command: asks, copies and shows what was done."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from statefmt.backends import Route, Transfer, TransferAction, TransferTerms, transferred
from statefmt.cli.command_line import command_line
from statefmt.cli.confirmation import confirmed
from statefmt.cli.options.shared import OutputFormat
from statefmt.cli.options.transfer_options import TransferOptions
from statefmt.cli.run import run_context
from statefmt.cli.streams import message_terminal, result_terminal, say
from statefmt.render.stores import transfers_text
from statefmt.render.terminal import counted

_ADVICE: Final = "Use --dry-run to see what would be copied, or --yes to copy"


def copied(
    routes: Sequence[Route], options: TransferOptions, operation: str, *, delete_source: bool = False
) -> tuple[Transfer, ...] | None:
    """Copy states, show what was done, and return it; None if the user did not agree.

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
        timeout=options.lock_timeout,
        dry_run=options.dry_run,
        delete_source=delete_source,
        agreed=agreed,
    )
    transfers = transferred(run_context(), routes, terms)
    if refused:
        say("nothing was written")
        return None
    if options.output_format is OutputFormat.JSON:
        from statefmt.render.stores import transfers_json

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
