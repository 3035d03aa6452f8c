"""What rules find, above info, in the recorded states that OpenTofu takes without a word."""

from __future__ import annotations

from collections.abc import Callable

from statefmt.lint.check import check
from statefmt.model.findings import Finding, Severity
from tests.formats.recorded import CASES, input_of

_GROUPS = ("random", "modules-sorting", "attributes-fidelity")


def found_in_good_states(prefixes: tuple[str, ...], evidence: Callable[[Finding], str]) -> dict[str, list[str]]:
    """For each code that starts with one of `prefixes`: case id and evidence of each finding, in order."""
    found: dict[str, list[str]] = {}
    for case in CASES:
        if case["outcome"] == "ok" and not case["diagnostics"] and case["group"] in _GROUPS:
            for finding in check(input_of(case), select=prefixes):
                if finding.severity is not Severity.INFO and finding.code.startswith(prefixes):
                    found.setdefault(finding.code, []).append(f"{case['id']} {evidence(finding)}")
    return found
