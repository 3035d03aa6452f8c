"""Renders the problems of a configuration beside the result of another command."""

from __future__ import annotations

from collections.abc import Iterable

from statefmt.model.findings import Finding
from statefmt.render.findings import finding_text
from statefmt.render.printable import printable
from statefmt.render.terminal import Terminal


def configuration_problems_text(findings: Iterable[Finding], terminal: Terminal) -> str:
    """Render a paragraph for each finding, with its place."""
    return "\n".join(finding_text(each, terminal, place=printable(str(each.place or ""))) for each in findings)


def configuration_problems_json(findings: Iterable[Finding]) -> list[dict[str, object]]:
    """Return the member `problems` of JSON outputs."""
    return [
        {
            "code": finding.code,
            "severity": finding.severity.value,
            "summary": finding.summary,
            "detail": finding.detail,
            "address": finding.address,
            "file": finding.place.file if finding.place else None,
            "line": finding.place.line if finding.place else None,
            "column": finding.place.column if finding.place else None,
        }
        for finding in findings
    ]
