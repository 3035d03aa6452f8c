"""Renders the report of an upgrade, for standard error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from statefmt.edit.session import LoadedState, Rewritten
from statefmt.formats.providers.sources import SourceChoice
from statefmt.formats.reading.inspect import CURRENT_VERSION
from statefmt.formats.versions.upgrade_report import UpgradeNoteKind
from statefmt.model.codes import Code
from statefmt.model.findings import Finding
from statefmt.model.snapshot import Snapshot
from statefmt.render.counted import counted
from statefmt.render.formats.provider_sources import sources_text
from statefmt.render.terminal import Terminal
from statefmt.store.reading import display_name

_LABELS: Mapping[str, str] = {UpgradeNoteKind.CHOSEN: "chosen", UpgradeNoteKind.NOT_CARRIED_OVER: "not carried over"}


def upgrade_report(
    loaded: LoadedState, rewritten: Rewritten, sources: SourceChoice, terminal: Terminal, *, dropped_unknown: bool
) -> str:
    """Render every decision, every loss and every rewritten provider source of an upgrade."""
    result, name = loaded.result, display_name(loaded.name)
    head = f"{name}: format version {result.version} → {CURRENT_VERSION}"
    if result.version == CURRENT_VERSION:
        head = f"{name}: has format version {CURRENT_VERSION} already"
        head += ", rewritten in canonical form" if rewritten.content != loaded.data else " and is canonical"
    lines = [
        terminal.paint(terminal.wrap(head, "", "  "), "bold"),
        size_text(result.snapshot, result.snapshot.serial - loaded.sources.changed),
    ]
    if rewritten.notes:
        lines.append(notes_text(rewritten.notes, terminal, dropped_unknown=dropped_unknown))
    if loaded.sources.changes or loaded.sources.unresolved:
        lines.append(sources_text(loaded.sources, sources, terminal))
    return "\n".join(lines)


def size_text(snapshot: Snapshot, serial: int) -> str:
    """Render the contents of a state in numbers, and its serial before and after."""
    objects = sum(len(resource.objects) for resource in snapshot.resources)
    parts = ((len(snapshot.resources), "resource"), (objects, "object"), (len(snapshot.outputs), "output"))
    after = f" → {snapshot.serial}" if snapshot.serial != serial else ""
    return f"  {', '.join(counted(number, noun) for number, noun in parts)}; serial {serial}{after}"


def notes_text(notes: Sequence[Finding], terminal: Terminal, *, dropped_unknown: bool) -> str:
    """Render each decision, change and loss on the way to canonical form."""
    lines = [_note(finding, terminal) for finding in notes]
    if dropped_unknown and any(finding.code == Code.UNKNOWN_MEMBER for finding in notes):
        lines.append("  The unknown members were dropped.")
    return "\n".join(lines)


def _note(finding: Finding, terminal: Terminal) -> str:
    """Render a note. Notes of an upgrade are labelled by kind, other findings by severity and code."""
    if finding.code != Code.UPGRADE_CHOICE:
        return terminal.wrap(f"{finding.severity.value} {finding.code}: {finding.detail}", "  ")
    about = f"{finding.address}: " if finding.address else ""
    return terminal.wrap(f"{_LABELS[finding.summary]}: {about}{finding.detail}", "  ")
