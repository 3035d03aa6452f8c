"""Prints why an edited text is refused, with its lines and columns."""

from __future__ import annotations

import sys

from statefmt import StateError, StatetoolError, TextEdit
from statefmt.cli.failure import show_failure
from statefmt.cli.streams import message_terminal

_MOST_FINDINGS = 10


def show_refusal(error: StatetoolError, edit: TextEdit, text: bytes) -> int | None:
    """Print why an edit fails; return the first line of the text that is a reason, None if there is none."""
    if not isinstance(error, StateError):
        show_failure(error)
        return None
    from statefmt.render.findings import finding_text

    terminal, shown = message_terminal(), error.reasons[:_MOST_FINDINGS]
    places = edit.positions(text, shown)
    print("statetool: the edit is refused:", file=sys.stderr)
    for finding in shown:
        place = places.get(finding.pointer)
        where = "" if place is None else f"line {place.line}, column {place.column}"
        print(finding_text(finding, terminal, "  ", where), file=sys.stderr)
    if len(error.reasons) > len(shown):
        print(f"  … and {len(error.reasons) - len(shown)} more", file=sys.stderr)
    return min((place.line for place in places.values()), default=None)
