"""Renders copies of states as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.backends import Transfer
from statefmt.render.json_output import document


def transfers_json(transfers: Sequence[Transfer], *, dry_run: bool) -> bytes:
    """Render what was done with each state, or would be (schemas: `copy-output` and `move-backend-output`)."""
    return document({"states": list(map(_transfer, transfers)), "dry_run": dry_run})


def _transfer(transfer: Transfer) -> dict[str, object]:
    comparison = transfer.comparison
    replaced = comparison.replaced
    return {
        "workspace": transfer.workspace or None,
        "source": transfer.source,
        "target": transfer.target,
        "action": comparison.action.value,
        "serial": comparison.head.serial,
        "lineage": comparison.head.lineage,
        "replaced_serial": None if replaced is None else replaced.serial,
        "encrypted": comparison.head.is_encrypted,
        "size": transfer.size,
        "sha256": transfer.checksum,
        "written": transfer.is_written,
        "backup": transfer.backup,
        "deleted": transfer.is_deleted,
        "deleted_backup": transfer.kept,
    }
