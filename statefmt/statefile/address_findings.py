"""Findings for an address in a state that cannot be parsed."""

from __future__ import annotations

from statefmt.codes import Code
from statefmt.diagnostics import Finding
from statefmt.errors import AddressError


def address_findings(code: Code, error: AddressError, what: str, address: str, pointer: str) -> list[Finding]:
    """One error finding for each problem; `what` names the kind of address, `address` what it belongs to."""
    return [
        code.notice(
            problem.summary,
            f"{problem.detail} (column {problem.column} of the {what} {error.text!r})",
            address,
            pointer,
        )
        for problem in error.problems
    ]
