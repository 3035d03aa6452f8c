"""Renders defects and repairs as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statefmt.edit.repairs.defect import Defect
from statefmt.edit.repairs.repair import Mended
from statefmt.render.findings import finding_text
from statefmt.render.printable import printable
from statefmt.render.terminal import Terminal


def defect_lines(defect: Defect, terminal: Terminal) -> Iterator[str]:
    """Yield the problem, its place in the file, and a line for each choice as a decision names it."""
    yield finding_text(defect.finding, terminal)
    if defect.finding.pointer:
        yield f"  {terminal.paint(printable(defect.finding.pointer), 'dim')}"
    if not defect.choices:
        yield "  no choice: no command can mend this"
    for choice in defect.choices:
        yield f"    {terminal.paint(printable(choice.label), 'bold')}: {printable(choice.text)}"


def mended_lines(mended: Iterable[Mended]) -> Iterator[str]:
    """Yield a line for each defect that was mended."""
    for defect, decided in ((one.defect, one.decided) for one in mended):
        label = printable(decided.label)
        yield f"{defect.finding.code} {printable(defect.place)} {label}: {printable(decided.choice.text)}"
