"""What `check` found, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from statefmt.diagnostics import Finding, Severity
from statefmt.render.findings_text import counts_text, findings_text
from statefmt.render.json_output import document
from statefmt.render.terminal import Terminal


def check_text(files: Mapping[str, Sequence[Finding]], terminal: Terminal) -> str:
    """The findings of each file under its name, and a summary line."""
    parts = [
        f"{terminal.paint(name, 'bold')}\n{findings_text(findings, terminal)}\n"
        for name, findings in files.items()
        if findings
    ]
    count = len(files)
    every = [finding for findings in files.values() for finding in findings]
    parts.append(f"{count} {'state' if count == 1 else 'states'} checked: {counts_text(every)}")
    return "\n".join(parts)


def check_json(files: Mapping[str, Sequence[Finding]]) -> bytes:
    """All findings (schema: `check-output.schema.json`)."""
    counts = Counter(finding.severity for findings in files.values() for finding in findings)
    return document(
        {
            "files": [
                {"path": name, "findings": [_finding(finding) for finding in findings]}
                for name, findings in files.items()
            ],
            "summary": {severity.value: counts[severity] for severity in Severity},
        }
    )


def _finding(finding: Finding) -> dict[str, object]:
    return asdict(finding) | {"severity": finding.severity.value}
