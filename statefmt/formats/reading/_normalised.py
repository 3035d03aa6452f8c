"""The finding for a value that is read in another form than it stands in the file."""

from __future__ import annotations

from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def normalised(what: str, value: str, address: str, pointer: str) -> Finding:
    """An info finding; `what` names the value as it stands, `value` is what it is read as."""
    about = f"{address}: " if address else ""
    return Code.NORMALISED_VALUE.notice(
        "Value is read in another form than it is written",
        f"{about}{what} is read as {value}.",
        address,
        pointer,
    )
