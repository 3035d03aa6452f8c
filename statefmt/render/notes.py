"""Renders the notes of an edit."""

from __future__ import annotations

from statefmt.render.printable import printable
from statefmt.render.terminal import Terminal


def note_text(note: str, terminal: Terminal) -> str:
    """Return a note: a sentence, and perhaps a line for each thing that it is about."""
    sentence, *listed = note.split("\n")
    return "\n".join([terminal.wrap(printable(sentence), ""), *map(printable, listed)])
