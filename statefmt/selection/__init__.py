"""Choosing resource instances, for every command that takes selectors."""

from statefmt.selection.criteria import Criteria
from statefmt.selection.select import select

__all__ = ["Criteria", "select"]
