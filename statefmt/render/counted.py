"""Numbers with their nouns: `1 object`, `1,500 objects`."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """Format a number and its noun; the plural adds an s unless it is given."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
