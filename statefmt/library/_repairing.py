"""Finds the defects of a state at a place, and repairs them as decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from statefmt.configuration.providers.references import ProviderReferences
from statefmt.edit.pipeline import Terms
from statefmt.edit.repairs.decisions import Decision
from statefmt.edit.repairs.defect import Defect
from statefmt.edit.repairs.listed import FoundDefects, found_defects
from statefmt.edit.repairs.state import RepairResult, loaded_to_repair, repairing
from statefmt.edit.session import LoadedState
from statefmt.library._handle import StateHandle
from statefmt.library._located import located
from statefmt.store.remote.interruption import interruptible


def listed_defects(handle: StateHandle, references: ProviderReferences | None, *, show_sensitive: bool) -> FoundDefects:
    """Return the defects of a state, read anew; see `State.defects()`."""
    handle.refuse_nested()
    with located(handle.location):
        data = handle.context.read(handle.location)
        found = loaded_to_repair(handle.context, handle.location, data)
        return found_defects(found, references, show_sensitive=show_sensitive)


def repaired(
    handle: StateHandle,
    terms: Terms,
    decisions: Sequence[Decision],
    ask: Callable[[Defect], str | None] | None,
    references: ProviderReferences | None,
    *,
    show_sensitive: bool,
    agreed: Callable[[RepairResult], bool],
    written: Callable[[RepairResult], None],
) -> RepairResult:
    """Repair a state in one edit; see `State.repair()`."""
    ended: list[RepairResult] = []

    def was_written(result: RepairResult, kept: str | None) -> None:
        ended.append(replace(result, backup=None if kept is None else Path(kept), written=True))
        written(ended[0])

    def opening(data: bytes) -> LoadedState:
        return loaded_to_repair(handle.context, handle.location, data)

    # While somebody is asked, a signal must not leave the lock behind.
    signals = nullcontext() if ask is None else interruptible()
    with signals, handle.opened(terms, opening) as opened:
        proposal = opened.proposed(repairing(decisions, ask, references, show_sensitive=show_sensitive))
        was_agreed = opened.commit(proposal, agreed=agreed, written=was_written)
    if terms.in_place and was_agreed:
        handle.store.tidy()
    return ended[0] if ended else proposal.outcome
