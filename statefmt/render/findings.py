"""Prints findings as text and as JSON, for `check`, for reports of other commands and for errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from statefmt.model.findings import Command, Finding, Fix, Severity
from statefmt.render.terminal import Terminal, counted, printable_lines
from statefmt.text import pattern, printable, shell_line

COLOURS: Final = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}
# The plurals of the severities; info has none.
_PLURALS: Final = {Severity.ERROR: "errors", Severity.WARNING: "warnings", Severity.INFO: "info"}
_WIDEST: Final = max(len(severity.value) for severity in Severity)
_WORD: Final = pattern(r"\w+")


def findings_text(findings: Iterable[Finding], terminal: Terminal) -> str:
    """Render one paragraph per finding: severity, code and address; the problem; the fix."""
    return "\n".join(finding_text(finding, terminal, "  ") for finding in findings)


def finding_text(finding: Finding, terminal: Terminal, indent: str = "", place: str = "", mark: str = "") -> str:
    """Render a finding as a paragraph: severity, code and address on the first line, then the problem and the fix.

    `place` is the position of the finding in a file. If it is given, severities are padded to the same width, and a
    place that does not fit on the first line gets its own. `mark` follows the code.
    """
    address = printable(finding.address)
    kind = kind_text(finding, padded=bool(place), mark=mark)
    head = terminal.paint(kind, "bold", COLOURS[finding.severity])
    if address:
        head += f" {terminal.paint(address, 'bold')}"
    if place:
        fits = len(f"{indent}{kind} {address}  {place}") <= terminal.width
        head += f"{'  ' if fits else f'{chr(10)}{indent}  '}{terminal.paint(place, 'dim')}"
    lines = [indent + head, terminal.wrap(message(finding), indent + "  "), *fix_lines(finding.fix, terminal, indent)]
    return "\n".join(lines)


def kind_text(finding: Finding, *, padded: bool, mark: str = "") -> str:
    """Return severity, code and mark; `padded` gives all severities the same width."""
    kind = f"{finding.severity.value:<{_WIDEST if padded else 0}} {finding.code}"
    return f"{kind} {mark}" if mark else kind


def fix_lines(fix: Fix, terminal: Terminal, indent: str = "") -> Iterator[str]:
    """Yield the lines of a fix below its finding; none without a fix."""
    if fix.advice:
        yield terminal.wrap(f"→ {fix_text(fix)}", indent + "  ", hanging="  ")
    if fix.snippet:
        # Not wrapped, so that users can paste it.
        yield from (f"{indent}      {line}".rstrip() for line in printable_lines(fix.snippet).split("\n"))


def message(finding: Finding) -> str:
    """Join summary and detail; the summary is omitted if the detail contains all of its words."""
    summary, detail = finding.summary, finding.detail
    if not detail or not summary:
        return summary or detail
    text = detail.lower()
    if all(_is_in(word, text) for word in _words(summary)):
        return detail
    stop = "" if summary[-1] in ".:!?" else ":" if detail[0].islower() else "."
    return f"{summary}{stop} {detail}"


@lru_cache
def _words(summary: str) -> frozenset[str]:
    """Return the words of a summary, which many findings have."""
    return frozenset(_WORD.findall(summary.lower()))


def _is_in(word: str, text: str) -> bool:
    """Return whether a text contains a word; much faster than splitting it into words."""
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        if not _continues(text[start - 1 : start]) and not _continues(text[end : end + 1]):
            return True
        start = text.find(word, end)
    return False


def _continues(character: str) -> bool:
    return character.isalnum() or character == "_"


def counts_text(findings: Iterable[Finding]) -> str:
    """Format the number of findings by severity: `2 errors, 1 warning`, or `no findings`."""
    return severities_text(Counter(finding.severity for finding in findings))


def severities_text(counts: Mapping[Severity, int]) -> str:
    """Format numbers by severity, as counts_text() does."""
    parts = [
        counted(counts[severity], severity.value, _PLURALS[severity]) for severity in Severity if counts.get(severity)
    ]
    return ", ".join(parts) or "no findings"


def fix_text(fix: Fix) -> str:
    """Render the advice without the snippet; an empty string if there is no advice."""
    return "".join(
        f"`{shell_line(('statetool', part.name, *part.arguments))}`" if isinstance(part, Command) else part
        for part in fix.advice
    )


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
