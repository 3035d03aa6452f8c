"""Commits an edit, and says what it did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from statefmt.analysis.diff.model import SnapshotDiff
from statefmt.edit.pipeline import OpenedEdit, Proposal
from statefmt.edit.surgical import EditOutcome
from statefmt.model.findings import Finding


@dataclass(frozen=True, slots=True)
class EditResult:
    """What an edit did, or would do as a dry run or a proposal.

    `diff` has the changes, with that of the serial; it is empty if nothing changed. `serial` is that of the result.
    `backup` is the path of the backup; None if there is none. `findings` are the warnings that the edit adds, `notes`
    sentences about it, of which `joins` say what joins an existing resource or module: ask before such an edit.
    `written` is whether the result was written, to the state or to `out`.
    """

    diff: SnapshotDiff
    serial: int
    backup: Path | None
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    written: bool
    joins: tuple[str, ...] = ()


def result_of(outcome: EditOutcome) -> EditResult:
    """Return the result of an edit that is not written."""
    edit = outcome.edit
    notes = (*edit.notes, *edit.joins)
    return EditResult(outcome.changes, outcome.serial, None, outcome.findings, notes, written=False, joins=edit.joins)


def committed(opened: OpenedEdit, proposal: Proposal[EditOutcome], end: Callable[[EditResult], None]) -> None:
    """Write the result of an edit on an opened state, and pass it to `end`; see `OpenedEdit` for the errors.

    What was written is passed on at once, before a signal that arrived meanwhile stops the program.
    """
    result = result_of(proposal.outcome)
    written: list[bool] = []

    def was_written(_: EditOutcome, backup: str | None) -> None:
        written.append(True)
        end(replace(result, backup=None if backup is None else Path(backup), written=True))

    opened.commit(proposal, written=was_written)
    if not written:
        end(result)
