"""Choosing resource instances, for every command that takes selectors."""

from statefmt.analysis.selection._criteria import Criteria
from statefmt.analysis.selection.select import select

__all__ = ["Criteria", "select"]
