"""Commits an edit, and says what it did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from statefmt.analysis.diff import SnapshotDiff
from statefmt.edit.changes.edit import Edit
from statefmt.edit.pipeline import OpenedEdit
from statefmt.edit.surgical import surgical
from statefmt.model.findings import Finding
from statefmt.model.snapshot import Snapshot

if TYPE_CHECKING:
    # Most edits have no configuration.
    from statefmt.configuration.providers.references import ProviderReferences


@dataclass(frozen=True, slots=True)
class EditResult:
    """What an edit did, or would do as a dry run.

    `diff` has the changes, with that of the serial; it is empty if nothing changed. `serial` is that of the result.
    `backup` is the path of the backup; None if there is none. `findings` are the warnings that the edit adds, `notes`
    sentences about it. `written` is whether the result was written, to the state or to `out`.
    """

    diff: SnapshotDiff
    serial: int
    backup: str | None
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    written: bool


def committed(
    opened: OpenedEdit, operation: Callable[[Snapshot], Edit], references: ProviderReferences | None = None
) -> EditResult:
    """Run an operation on an opened state and write the result; see `OpenedEdit` for the errors.

    With the `references` of a configuration, the findings include what the edit adds to those against it.
    """
    proposal = opened.proposed(surgical(operation, references))
    backups: list[str | None] = []
    opened.commit(proposal, written=lambda _, backup: backups.append(backup))
    outcome = proposal.outcome
    notes = (*outcome.edit.notes, *outcome.edit.joins)
    backup = backups[0] if backups else None
    return EditResult(outcome.changes, outcome.serial, backup, outcome.findings, notes, bool(backups))
