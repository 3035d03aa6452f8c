"""Upgrades or downgrades a state at a place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from statefmt.edit.pipeline import Proposal, Terms
from statefmt.edit.requests.migrate import Migrated
from statefmt.edit.requests.provider_sources import lock_file_folders
from statefmt.edit.session import LoadedState, loaded
from statefmt.library._handle import StateHandle
from statefmt.library._located import located
from statefmt.library.migrating import UpgradeOptions, source_request
from statefmt.library.migration import Migration, migration_of


def migrated(
    handle: StateHandle, terms: Terms, options: UpgradeOptions, request: Callable[[LoadedState], Migrated]
) -> Migration:
    """Migrate a state in one edit; `request` returns its new content."""
    with located(handle.location):
        sources = source_request(options, handle.context.environment)

    def opening(data: bytes) -> LoadedState:
        found = loaded(handle.context, handle.location, data, sources.choice)
        return sources.applied(found, lock_file_folders(handle.location))

    def operation(found: LoadedState) -> Proposal[Migration]:
        made = migration_of(request(found))
        return Proposal(made, [made.data])

    backups: list[str | None] = []
    with handle.opened(terms, opening) as opened:
        proposal = opened.proposed(operation)
        opened.commit(proposal, written=lambda _, backup: backups.append(backup))
    if terms.in_place:
        handle.store.tidy()
    made = proposal.outcome
    if not backups:
        return made
    backup = backups[0]
    return replace(made, written=True, backup=None if backup is None else Path(backup))
