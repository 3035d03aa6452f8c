"""The places of findings in a configuration."""

from __future__ import annotations

from statefmt.hcl.source.position import Range
from statefmt.model.findings import Place


def place(range_: Range | None) -> Place | None:
    """Convert a range in a configuration to the place of a finding."""
    if range_ is None:
        return None
    return Place(range_.file, range_.line, range_.column, range_.end_line, range_.end_column)


def where(range_: Range) -> str:
    """Format a range for a sentence: `main.tf:3`."""
    return f"{range_.file}:{range_.line}"
