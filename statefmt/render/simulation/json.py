"""Renders the effects of a configuration change on a state as JSON."""

from __future__ import annotations

from statefmt.lint.simulation import Simulation
from statefmt.render.configuration_problems import configuration_problems_json
from statefmt.render.fixes import fix_text
from statefmt.render.json_output import document


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
