"""Prints `moved` blocks of a configuration."""

from __future__ import annotations


def moved_block(source: object, target: object) -> str:
    """Return a block, ready to paste. Both addresses must have names that are valid in configuration."""
    return f"moved {{\n  from = {source}\n  to   = {target}\n}}\n"
