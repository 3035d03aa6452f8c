"""Makes the terms of an edit from the arguments of the methods of `State`."""

from __future__ import annotations

import os
from dataclasses import replace

from statefmt.context import RunContext
from statefmt.edit.copies import FileCopy, OutputCopy
from statefmt.edit.pipeline import Terms
from statefmt.model.errors import StoreError
from statefmt.store.reading import STANDARD_INPUT


def edit_terms(
    operation: str,
    message: str,
    lock: bool,
    lock_timeout: float,
    backup: str | os.PathLike[str] | None,
    keep_backup: bool,
    dry_run: bool,
) -> Terms:
    """Return the terms of an edit that writes the state itself."""
    return Terms(
        operation=operation,
        command=message or operation,
        backup=None if backup is None else os.fspath(backup),
        keeps_backup=keep_backup,
        dry_run=dry_run,
        lock=lock,
        timeout=lock_timeout,
    )


def full_terms(
    terms: Terms,
    context: RunContext,
    out: str | os.PathLike[str] | None,
    overwrite: bool,
    expect_serial: int | None,
    expect_hash: str | None,
) -> Terms:
    """Return the terms of an edit on conditions, whose result goes to `out` if that is given."""
    terms = replace(terms, serial=expect_serial, checksum=expect_hash)
    if out is None:
        return terms
    if terms.backup is not None:
        raise StoreError("backup= cannot be combined with out=: the state stays as it is")
    if out == STANDARD_INPUT:
        return replace(terms, copy=OutputCopy(context))
    return replace(
        terms,
        copy=FileCopy(
            context=context,
            path=os.fspath(out),
            command=terms.command,
            replace=overwrite,
            keeps_replaced=terms.keeps_backup,
        ),
    )
