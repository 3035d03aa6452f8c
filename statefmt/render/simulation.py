"""Prints the effects of a configuration change on a state, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from statefmt.lint.simulation import Orphan, Simulation
from statefmt.model.addrs import NO_KEY, ConfigProviderConfig
from statefmt.model.findings import Code, Severity
from statefmt.render.findings import COLOURS, configuration_problems_json, finding_text, findings_text, fix_text
from statefmt.render.json_output import document
from statefmt.render.terminal import Terminal, counted, printable_lines
from statefmt.text import printable

_TWO_STEPS: Final = (
    "→ Make the change in two steps. First remove the elements from the for_each of resources and modules only, keep "
    "them in that of the provider, and apply; then remove them there. The block in between:"
)


def simulation_text(found: Simulation, terminal: Terminal) -> str:
    """Render what would lose its provider, with what to do, and what would be destroyed as intended."""
    parts = []
    if found.orphaned:
        their = "its provider" if len(found.orphaned) == 1 else "their provider"
        parts.append(f"{counted(len(found.orphaned), 'object')} would lose {their}:")
        parts += _groups(found.orphaned, terminal)
    elif found.unknown or any(problem.severity is Severity.ERROR for problem in found.problems):
        parts.append("As far as is known, nothing would lose its provider.")
    else:
        parts.append("Nothing would lose its provider.")
    if found.destroyed:
        count = counted(len(found.destroyed), "resource instance")
        parts.append(f"{count} would be destroyed while the provider still exists:")
        parts.append("\n".join(f"  {printable(str(address))}" for address in found.destroyed))
    if found.unknown:
        parts.append(f"For {counted(found.unknown, 'object')}, the result is unknown:")
        parts.append(findings_text(found.reasons, terminal))
    return "\n\n".join(parts)


def _groups(orphaned: Sequence[Orphan], terminal: Terminal) -> Iterator[str]:
    """Yield groups of objects whose provider instance is gone, by configuration; then all other findings."""
    groups: dict[tuple[ConfigProviderConfig, bool], list[Orphan]] = {}
    others = []
    for orphan in orphaned:
        if orphan.finding.code == Code.PROVIDER_INSTANCE_GONE:
            groups.setdefault((orphan.provider.config, orphan.provider.key is NO_KEY), []).append(orphan)
        else:
            others.append(orphan.finding)
    for of in groups.values():
        yield "\n".join(_group(of, terminal))
    yield from (finding_text(finding, terminal, "  ") for finding in others)


def _group(orphaned: Sequence[Orphan], terminal: Terminal) -> Iterator[str]:
    of = orphaned[0].finding
    place = f"  {terminal.paint(printable(str(of.place)), 'dim')}" if of.place else ""
    kind = f"{of.severity.value} {of.code} {of.summary}"
    yield f"  {terminal.paint(kind, 'bold', COLOURS[of.severity])}{place}"
    by_provider: dict[str, list[str]] = {}
    for finding, provider in orphaned:
        by_provider.setdefault(str(provider), []).append(finding.address)
    for name, addresses in by_provider.items():
        yield f"    {printable(name)}"
        yield from (f"      {terminal.paint(printable(address), 'bold')}" for address in addresses)
    yield terminal.wrap(_TWO_STEPS, "    ", hanging="  ")
    yield from (f"        {line}".rstrip() for line in printable_lines(of.fix.snippet).split("\n"))


def simulation_json(found: Simulation) -> bytes:
    """Render a simulation (schema: `simulate-output.schema.json`)."""
    return document(
        {
            "orphaned": [
                {
                    "code": finding.code,
                    "summary": finding.summary,
                    "detail": finding.detail,
                    "address": finding.address,
                    "pointer": finding.pointer,
                    "provider": str(provider),
                    "fix": fix_text(finding.fix),
                    "snippet": finding.fix.snippet,
                    "file": finding.place.file if finding.place else None,
                    "line": finding.place.line if finding.place else None,
                    "column": finding.place.column if finding.place else None,
                }
                for finding, provider in found.orphaned
            ],
            "destroyed": [str(address) for address in found.destroyed],
            "unknown": found.unknown,
            "unknown_reasons": [finding.detail for finding in found.reasons],
            "problems": configuration_problems_json(found.problems),
        }
    )
