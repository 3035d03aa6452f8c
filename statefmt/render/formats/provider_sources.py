"""Renders which provider sources were rewritten, and which are unknown, for standard error."""

from __future__ import annotations

from collections.abc import Iterable

from statefmt.formats.providers import SourceChoice, SourceReport
from statefmt.model.addrs.provider import LEGACY_NAMESPACE, TERRAFORM_HOST
from statefmt.render.counted import counted
from statefmt.render.terminal import Terminal


def sources_text(report: SourceReport, choice: SourceChoice, terminal: Terminal) -> str:
    """Render each rewritten source and each type whose source is unknown; an empty string if there are none."""
    lines = [
        terminal.wrap(f"rewritten: {old} → {new} ({_addresses(count)}){_origin(report, old)}", "  ", "  ")
        for (old, new), count in sorted(report.changes.items())
    ]
    lines += [_unresolved(type_, count, choice, terminal) for type_, count in sorted(report.unresolved.items())]
    return "\n".join(lines)


def unused_text(choice: SourceChoice, used: Iterable[str], terminal: Terminal) -> str:
    """Render each --legacy-provider type that no state has; an empty string if there are none."""
    return "\n".join(
        terminal.wrap(f"--legacy-provider {type_}=… is unused: no address names {type_} by its type only", "", "  ")
        for type_ in sorted(set(choice.legacy) - set(used))
    )


def _unresolved(type_: str, count: int, choice: SourceChoice, terminal: Terminal) -> str:
    text = (
        f"unknown source: provider {type_} ({_addresses(count)}) is known by its type only. "
        f"Set it with --legacy-provider {type_}=NAMESPACE/{type_}."
    )
    if choice.host == TERRAFORM_HOST:
        text += " Terraform silently drops resources with such an address."
    return terminal.wrap(text, "  ", "  ")


def _origin(report: SourceReport, old: str) -> str:
    """Return where the new source of a provider known by its type only was found."""
    _, _, type_ = old.partition(f"/{LEGACY_NAMESPACE}/")
    origin = report.origins.get(type_)
    return f", {origin}" if origin else ""


def _addresses(count: int) -> str:
    return counted(count, "address", "addresses")
