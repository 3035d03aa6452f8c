"""Findings as text: for `check`, for reports on the side of another command, for errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from statefmt.diagnostics import Finding, Severity
from statefmt.render.terminal import Terminal

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}
_PLURALS = {Severity.ERROR: "errors", Severity.WARNING: "warnings", Severity.INFO: "notes"}
_SINGULARS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def findings_text(findings: Iterable[Finding], terminal: Terminal, indent: str = "  ") -> str:
    """One paragraph a finding: severity, code and address; summary; detail; what to do."""
    return "\n".join(_finding_text(finding, terminal, indent) for finding in findings)


def counts_text(findings: Sequence[Finding]) -> str:
    """`2 errors, 1 warning`, or `no findings`."""
    counts = Counter(finding.severity for finding in findings)
    parts = [
        f"{counts[severity]} {_SINGULARS[severity] if counts[severity] == 1 else _PLURALS[severity]}"
        for severity in Severity
        if counts[severity]
    ]
    return ", ".join(parts) or "no findings"


def _finding_text(finding: Finding, terminal: Terminal, indent: str) -> str:
    head = terminal.paint(f"{finding.severity.value} {finding.code}", "bold", _COLOURS[finding.severity])
    address = f" {terminal.paint(finding.address, 'bold')}" if finding.address else ""
    lines = [f"{indent}{head}{address}", terminal.wrap(finding.summary, indent + "  ")]
    if finding.detail:
        lines.append(terminal.wrap(finding.detail, indent + "  "))
    if finding.fix:
        lines.append(terminal.wrap(f"→ {finding.fix}", indent + "  "))
    return "\n".join(lines)
