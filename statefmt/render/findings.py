"""Renders findings as text, for `check`, for reports of other commands and for errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from statefmt.model.findings import Finding, Severity
from statefmt.render.fixes import fix_text
from statefmt.render.printable import printable, printable_lines
from statefmt.render.terminal import Terminal
from statefmt.text.pattern import pattern

COLOURS: Final = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}
_PLURALS: Final = {Severity.ERROR: "errors", Severity.WARNING: "warnings", Severity.INFO: "notes"}
_SINGULARS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_WIDEST: Final = max(len(severity.value) for severity in Severity)
_WORD: Final = pattern(r"\w+")


def findings_text(findings: Iterable[Finding], terminal: Terminal, indent: str = "  ") -> str:
    """Render one paragraph per finding: severity, code and address; the problem; the fix."""
    return "\n".join(finding_text(finding, terminal, indent) for finding in findings)


def finding_text(finding: Finding, terminal: Terminal, indent: str = "", place: str = "") -> str:
    """Render a finding as a paragraph: severity, code and address on the first line, then the problem and the fix.

    `place` is where the finding is in a file. If it is given, severities are padded to the same width, and a place that
    does not fit on the first line gets its own.
    """
    address = printable(finding.address)
    kind = f"{finding.severity.value:<{_WIDEST if place else 0}} {finding.code}"
    head = terminal.paint(kind, "bold", COLOURS[finding.severity])
    if address:
        head += f" {terminal.paint(address, 'bold')}"
    if place:
        fits = len(f"{indent}{kind} {address}  {place}") <= terminal.width
        head += f"{'  ' if fits else f'{chr(10)}{indent}  '}{terminal.paint(place, 'dim')}"
    lines = [indent + head, terminal.wrap(message(finding), indent + "  ")]
    if finding.fix.advice:
        lines.append(terminal.wrap(f"→ {fix_text(finding.fix)}", indent + "  ", hanging="  "))
    if finding.fix.snippet:
        # Not wrapped, so that it can be pasted.
        lines += (f"{indent}      {line}".rstrip() for line in printable_lines(finding.fix.snippet).split("\n"))
    return "\n".join(lines)


def message(finding: Finding) -> str:
    """Join summary and detail; the summary is omitted if the detail contains all of its words."""
    summary, detail = finding.summary, finding.detail
    if not detail or not summary:
        return summary or detail
    if set(_WORD.findall(summary.lower())) <= set(_WORD.findall(detail.lower())):
        return detail
    stop = "" if summary[-1] in ".:!?" else ":" if detail[0].islower() else "."
    return f"{summary}{stop} {detail}"


def counts_text(findings: Iterable[Finding]) -> str:
    """Format the number of findings by severity: `2 errors, 1 warning`, or `no findings`."""
    counts = Counter(finding.severity for finding in findings)
    parts = [
        f"{counts[severity]} {_SINGULARS[severity] if counts[severity] == 1 else _PLURALS[severity]}"
        for severity in Severity
        if counts[severity]
    ]
    return ", ".join(parts) or "no findings"
