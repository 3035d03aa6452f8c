"""What a change of a configuration would do to a state, as text."""

from __future__ import annotations

from statefmt.render.counted import counted
from statefmt.render.findings_text import findings_text
from statefmt.render.printable import printable
from statefmt.render.terminal import Terminal
from statefmt.simulation import Simulation


def simulation_text(found: Simulation, terminal: Terminal) -> str:
    """What would lose its provider, with what to do, and what would be destroyed as it should."""
    parts = []
    if found.orphaned:
        parts.append(f"{counted(len(found.orphaned), 'object')} would lose the provider:")
        parts.append(findings_text(found.orphaned, terminal))
    else:
        parts.append("Nothing would lose its provider.")
    if found.destroyed:
        count = counted(len(found.destroyed), "resource instance")
        parts.append(f"{count} would be destroyed, with the provider there:")
        parts.append("\n".join(f"  {printable(str(address))}" for address in found.destroyed))
    if found.unknown:
        parts.append(f"Of {counted(found.unknown, 'object')} it can't be told; `statetool check --config` says why.")
    return "\n\n".join(parts)
