"""A state that was rewritten for a release."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from statefmt.edit.requests.migrate import Migrated
from statefmt.formats.providers.registry import SourceReport
from statefmt.formats.reading.inspect import read
from statefmt.formats.releases.loss import Loss
from statefmt.model.addrs.provider import LEGACY_NAMESPACE
from statefmt.model.findings import Finding
from statefmt.model.snapshot import Snapshot


class SourceChange(NamedTuple):
    """A provider source that was replaced, in so many `addresses`; `origin` says where an inferred one was found."""

    old: str
    new: str
    addresses: int
    origin: str = ""


@dataclass(frozen=True)
class Migration:
    """A state in canonical format version 4, for a release.

    `data` are the new bytes, in plain; `version` is the format version that the state had, 1 to 4. `notes` are findings
    on each choice, change and loss on the way. `dropped` are the members that `downgrade()` left out on request.
    `sources` are the provider sources that were replaced, and `unresolved` counts the addresses with a provider that is
    still known by its type only, by type. `written` and `backup` are set by `State.upgrade()` and `State.downgrade()`.
    """

    data: bytes
    version: int
    notes: tuple[Finding, ...]
    dropped: tuple[Loss, ...] = ()
    sources: tuple[SourceChange, ...] = ()
    unresolved: tuple[tuple[str, int], ...] = ()
    written: bool = False
    backup: Path | None = None

    @cached_property
    def snapshot(self) -> Snapshot:
        """All that the new state says."""
        return read(self.data).snapshot


def migration_of(made: Migrated) -> Migration:
    """Return what a request made of a state, before it is written."""
    report = made.loaded.sources
    return Migration(
        made.rewritten.content,
        made.loaded.result.version,
        made.rewritten.notes,
        made.dropped,
        tuple(SourceChange(old, new, count, _origin(report, old)) for (old, new), count in report.changes.items()),
        tuple(sorted(report.unresolved.items())),
    )


def _origin(report: SourceReport, old: str) -> str:
    _, _, type_ = old.partition(f"/{LEGACY_NAMESPACE}/")
    return report.origins.get(type_, "")
