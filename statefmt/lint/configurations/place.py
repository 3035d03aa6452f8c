"""The places of findings in a configuration."""

from __future__ import annotations

from statefmt.hcl.source.position import Range
from statefmt.model.findings import Place


def place(range_: Range | None) -> Place | None:
    """Convert a range in a configuration to the place of a finding."""
    if range_ is None:
        return None
    return Place(
        file=range_.file, line=range_.line, column=range_.column, end_line=range_.end_line, end_column=range_.end_column
    )


def where(range_: Range) -> str:
    """Format a range for a sentence: `main.tf:3`."""
    return f"{range_.file}:{range_.line}"
