"""Reads one state and makes its rows; whatever prevents it becomes the error of its row."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.context import RunContext
from statefmt.fleet.limits import StateLimits
from statefmt.fleet.rows.extract import StateOrigin, StateRows, Wanted, rows_of, unreadable
from statefmt.formats.reading import inspect
from statefmt.formats.versions import collector_paused
from statefmt.lint.check import check
from statefmt.model.errors import EncryptionError, StatetoolError
from statefmt.model.findings import Finding
from statefmt.sealed import opened
from statefmt.store.backends import RemoteName


def read_rows(
    context: RunContext,
    name: str,
    origin: StateOrigin,
    wanted: Wanted,
    *,
    checks: bool,
    limits: StateLimits,
    size: int = 0,
) -> StateRows:
    """Return the rows of a state, whose listed `size` is 0 if it is unknown.

    Never raises: a state that cannot be read, or is too large, has a row with its error.
    """
    try:
        if refusal := limits.refusal(size):
            return unreadable(origin, refusal)
        stored = limits.applied(context).read(name)
        if refusal := limits.refusal(len(stored)):
            return unreadable(origin, refusal)
    except StatetoolError as error:
        return unreadable(origin, _reason(error, name))
    except (OSError, MemoryError) as error:
        return unreadable(origin, f"it cannot be read: {error.__class__.__name__}")
    try:
        with collector_paused():
            return _rows(context, name, stored, origin, wanted, checks=checks)
    except StatetoolError as error:
        return unreadable(origin, _reason(error, name), stored, encrypted=isinstance(error, EncryptionError))
    except (RecursionError, MemoryError) as error:
        return unreadable(origin, f"it cannot be read: {error.__class__.__name__}", stored)


def _rows(
    context: RunContext, name: str, stored: bytes, origin: StateOrigin, wanted: Wanted, *, checks: bool
) -> StateRows:
    found = opened(context, name, stored, tolerant=True)
    is_encrypted = found is not None and found.envelope is not None
    inspection = inspect(stored if found is None else found.plain)
    findings: Sequence[Finding] = ()
    if checks:
        # Commands that findings suggest are run in any folder.
        findings = check(inspection, name=name if isinstance(name, RemoteName) else origin.uri, opened=found)
    if inspection.snapshot is None and any(one.code == "STA003" for one in inspection.findings):
        is_encrypted = True
    return rows_of(origin, stored, inspection, findings, wanted, encrypted=is_encrypted)


def _reason(error: StatetoolError, name: str) -> str:
    """Return the message without the name, which is in the row already."""
    return error.on_command_line.removeprefix(f"{name}: ")
