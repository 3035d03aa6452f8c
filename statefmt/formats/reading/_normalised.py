"""Builds the finding for a value that is not in canonical form."""

from __future__ import annotations

from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def normalised(what: str, value: str, address: str, pointer: str) -> Finding:
    """Build an info finding; `what` names the value as written, `value` is what it is read as."""
    about = f"{address}: " if address else ""
    return Code.NORMALISED_VALUE.notice(
        "Value not in canonical form", f"{about}{what} is read as {value}.", address, pointer
    )
