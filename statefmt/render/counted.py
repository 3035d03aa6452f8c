"""Numbers with their nouns: `1 object`, `1,500 objects`."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """Format a number and its noun; the plural adds an s unless it is given."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size_text(number: int) -> str:
    """Format a number of bytes: `812 B`, `3.4 kB`, `86.8 MB`, with a factor of 1000."""
    if number < 1000:
        return f"{number} B"
    return f"{number / 1e3:,.1f} kB" if number < 1e6 else f"{number / 1e6:,.1f} MB"
