"""Prints findings as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from statefmt.formats.members import member_at
from statefmt.lint.checked import CheckedState, UnreadableState
from statefmt.lint.fingerprint import fingerprint
from statefmt.lint.fixable import Fixable
from statefmt.model.findings import Finding, Severity
from statefmt.render.fixes import fix_text
from statefmt.render.json_output import document


def check_json(states: Sequence[CheckedState], unreadable: Sequence[UnreadableState] = ()) -> bytes:
    """Return all findings and unreadable files (schema: `check-output.schema.json`)."""
    counts = Counter(finding.severity for state in states for finding in state.findings)
    return document(
        {
            "files": [_file(state) for state in states],
            "unreadable": [{"path": state.name, "message": state.message} for state in unreadable],
            "summary": {
                "files": len(states),
                **{severity.value: counts[severity] for severity in Severity},
                "hidden": sum(state.hidden for state in states),
                "fixable": sum(len(state.fixable(Fixable.SAFE)) for state in states),
                "fixable_unsafe": sum(len(state.fixable(Fixable.UNSAFE)) for state in states),
            },
        }
    )


def _file(state: CheckedState) -> dict[str, object]:
    return {
        "path": state.name,
        "findings": [_finding(finding, state) for finding in state.findings],
        "hidden": state.hidden,
    }


def _finding(finding: Finding, state: CheckedState) -> dict[str, object]:
    file, position = state.place(finding)
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "summary": finding.summary,
        "detail": finding.detail,
        "address": finding.address,
        "pointer": finding.pointer,
        "member": ".".join(member_at(finding.pointer)),
        "fix": fix_text(finding.fix),
        "snippet": finding.fix.snippet,
        "fixable": state.fixes.get(finding.code),
        "file": file,
        "line": position.line if position else None,
        "column": position.column if position else None,
        "fingerprint": fingerprint(finding),
    }
