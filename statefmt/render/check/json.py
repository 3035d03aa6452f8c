"""Prints findings as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from statefmt.formats.versions.structure import member_at
from statefmt.lint.baseline import fingerprint
from statefmt.lint.checked import CheckedState, Fixable, UnreadableState
from statefmt.model.findings import Finding, Severity
from statefmt.render.check.tally import Tally
from statefmt.render.fixes import fix_text
from statefmt.render.json_output import document_of


def check_json(states: Iterable[CheckedState], unreadable: Sequence[UnreadableState] = ()) -> Iterator[bytes]:
    """Yield the pieces of a document with all findings and unreadable files (schema: `check-output.schema.json`)."""
    tally = Tally()
    return document_of("files", map(_file, tally.of(states)), lambda: _rest(tally, unreadable))


def _rest(tally: Tally, unreadable: Sequence[UnreadableState]) -> dict[str, object]:
    return {
        "unreadable": [{"path": state.name, "message": state.message} for state in unreadable],
        "summary": {
            "files": tally.states,
            **{severity.value: tally.severities[severity] for severity in Severity},
            "hidden": tally.hidden,
            "fixable": tally.fixable[Fixable.SAFE],
            "fixable_unsafe": tally.fixable[Fixable.UNSAFE],
        },
    }


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
        "fixable": state.way(finding),
        "file": file,
        "line": position.line if position else None,
        "column": position.column if position else None,
        "fingerprint": fingerprint(finding),
    }
