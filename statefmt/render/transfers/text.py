"""Renders copies of states as text."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.backends import Transfer, TransferAction
from statefmt.render.printable import printable
from statefmt.render.table import table
from statefmt.render.terminal import Terminal


def transfers_text(transfers: Sequence[Transfer], terminal: Terminal, *, done: bool) -> str:
    """Render a row for each state: what happens to the target, or has happened if it is `done`."""
    named = any(transfer.workspace for transfer in transfers)
    headings = [*(["workspace"] if named else []), "from", "to", "serial", "SHA-256", "target"]
    rows = [
        [
            *([printable(transfer.workspace)] if named else []),
            printable(transfer.source),
            printable(transfer.target),
            str(transfer.comparison.head.serial),
            transfer.checksum[:12],
            _change(transfer, done=done),
        ]
        for transfer in transfers
    ]
    return table(headings, rows, terminal, right="l" * (3 if named else 2) + "r")


def _change(transfer: Transfer, *, done: bool) -> str:
    replaced = transfer.comparison.replaced
    match transfer.comparison.action:
        case TransferAction.CREATE:
            return "created" if done else "is created"
        case TransferAction.REPLACE:
            serial = f" (serial {replaced.serial})" if replaced is not None else ""
            return f"{'replaced' if done else 'is replaced'}{serial}"
        case TransferAction.NOTHING:
            return "has the same content"
