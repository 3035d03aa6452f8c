"""Builds findings for an invalid address in a state."""

from __future__ import annotations

from statefmt.model.codes import Code
from statefmt.model.errors import AddressError
from statefmt.model.findings import Finding


def address_findings(code: Code, error: AddressError, what: str, address: str, pointer: str) -> list[Finding]:
    """Return an error finding for each problem; `what` names the kind of address, `address` what it belongs to."""
    return [
        code.notice(
            problem.summary,
            f"{problem.detail} (column {problem.column} of the {what} {error.text!r})",
            address,
            pointer,
        )
        for problem in error.problems
    ]
