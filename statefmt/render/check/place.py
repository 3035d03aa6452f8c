"""Formats where a finding is."""

from __future__ import annotations

from statefmt.lint.checked import CheckedState
from statefmt.model.findings import Finding
from statefmt.render.printable import printable


def place_text(state: CheckedState, finding: Finding) -> str:
    """Return `file:line:column`, or only the file if the position is unknown."""
    file, position = state.place(finding)
    name = printable(file)
    return f"{name}:{position.line}:{position.column}" if position else name
