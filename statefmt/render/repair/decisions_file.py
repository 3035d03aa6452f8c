"""Renders the defects of a state as a file of decisions to edit, in which nothing is decided yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from statefmt.edit.repairs.decisions import decision_places
from statefmt.edit.repairs.listed import FoundDefects
from statefmt.render.findings import message
from statefmt.render.printable import one_line, printable
from statefmt.text import shell_line


def decisions_text(found: FoundDefects, name: str, words: Sequence[str]) -> Iterator[str]:
    """Yield the lines of the file; `words` name the state on the command line."""
    yield f"# Defects of {printable(name)}"
    yield "# Remove the # before one choice of each defect, and fill in words in capitals; then run"
    yield f"# statetool repair --decisions FILE --dry-run {shell_line(words)}"
    for defect, place in zip(found.defects, decision_places(found.defects), strict=True):
        position = found.position(defect)
        where = "" if position is None else f", line {position.line}"
        yield ""
        yield f"# {printable(defect.place)}{where}: {one_line(message(defect.finding))}"
        if not defect.choices:
            yield "# no choice"
        for choice in defect.choices:
            yield f"# {one_line(choice.text)}:"
            yield f"#{defect.finding.code} {place} {printable(choice.label)}"
