"""Which provider sources were rewritten, and which could not be, for standard error."""

from __future__ import annotations

from collections.abc import Iterable

from statefmt.formats.providers.registry import SourceReport
from statefmt.formats.providers.sources import SourceChoice
from statefmt.model.addrs import TERRAFORM_HOST
from statefmt.render.counted import counted
from statefmt.render.terminal import Terminal


def sources_text(report: SourceReport, choice: SourceChoice, terminal: Terminal) -> str:
    """A line or more for each source that was rewritten, and for each type that nobody knows; "" for none."""
    lines = [
        terminal.wrap(f"rewritten: {old} → {new} ({_addresses(count)})", "  ", "  ")
        for (old, new), count in sorted(report.changes.items())
    ]
    lines += [_unresolved(type_, count, choice, terminal) for type_, count in sorted(report.unresolved.items())]
    return "\n".join(lines)


def unused_text(choice: SourceChoice, used: Iterable[str], terminal: Terminal) -> str:
    """A line for each legacy type whose source was given and that no state has; "" for none."""
    return "\n".join(
        terminal.wrap(
            f"--legacy-provider {type_}=… was not needed: no address names {type_} by its type only", "", "  "
        )
        for type_ in sorted(set(choice.legacy) - set(used))
    )


def _unresolved(type_: str, count: int, choice: SourceChoice, terminal: Terminal) -> str:
    text = (
        f"not known: where the provider {type_} comes from ({_addresses(count)}); it is still known by its type only. "
        f"--legacy-provider {type_}=NAMESPACE/{type_} says it."
    )
    if choice.host == TERRAFORM_HOST:
        text += " Terraform leaves out resources with such an address, without a word."
    return terminal.wrap(text, "  ", "  ")


def _addresses(count: int) -> str:
    return counted(count, "address", "addresses")
