"""Prints findings one per line, for editors, grep and people in a hurry: `file:line:column: CODE address message`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statefmt.lint.checked import CheckedState, Fixable
from statefmt.model.findings import Finding
from statefmt.render.check.advice import FIXABLE_MARK
from statefmt.render.findings import COLOURS, message
from statefmt.render.printable import one_line, printable
from statefmt.render.terminal import Terminal


def check_concise(states: Iterable[CheckedState], terminal: Terminal) -> Iterator[str]:
    """Yield a line per finding, never wrapped; an unknown position is 1:1.

    `[*]` marks what `check --fix` mends.
    """
    return (_line(finding, state, terminal) for state in states for finding in state.findings)


def _line(finding: Finding, state: CheckedState, terminal: Terminal) -> str:
    file, position = state.place(finding)
    line, column = position or (1, 1)
    colour = COLOURS[finding.severity]
    parts = [
        terminal.paint(f"{printable(file)}:{line}:{column}:", "dim"),
        terminal.paint(finding.code, "bold", colour),
        terminal.paint(printable(finding.address), "bold") if finding.address else "",
        one_line(message(finding)),
        FIXABLE_MARK if state.way(finding) is Fixable.SAFE else "",
        terminal.paint(f"[{finding.severity.value}]", colour),
    ]
    return " ".join(filter(None, parts))
