"""Makes the terms of an edit from the arguments of the methods of `State`."""

from __future__ import annotations

import os

from statefmt.context import RunContext
from statefmt.edit.copies import FileCopy, OutputCopy
from statefmt.edit.pipeline import Terms
from statefmt.model.errors import StoreError
from statefmt.store.reading import STANDARD_INPUT


def edit_terms(
    context: RunContext,
    operation: str,
    *,
    message: str,
    lock: bool,
    lock_timeout: float,
    backup: str | os.PathLike[str] | None,
    keep_backup: bool,
    dry_run: bool,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    expect_serial: int | None = None,
    expect_hash: str | None = None,
) -> Terms:
    """Return the terms; the arguments are those of `State.edit()`. Raises StoreError if they contradict each other."""
    if out is not None and backup is not None:
        raise StoreError("backup= cannot be combined with out=: the state stays as it is")
    command = message or operation
    copy = None if out is None else FileCopy(context, os.fspath(out), command, overwrite, keep_backup)
    return Terms(
        operation=operation,
        command=command,
        copy=OutputCopy(context) if out == STANDARD_INPUT else copy,
        backup=None if backup is None else os.fspath(backup),
        keeps_backup=keep_backup,
        dry_run=dry_run,
        lock=lock,
        timeout=lock_timeout,
        serial=expect_serial,
        checksum=expect_hash,
    )
