"""Prints findings as workflow commands for GitHub Actions, which annotates the lines of a pull request.

Source: GitHub, "Workflow commands"; escapes as in `actions/toolkit`, `packages/core/src/command.ts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from statefmt.lint.checked import CheckedState, UnreadableState
from statefmt.model.findings import Severity
from statefmt.render.check.advice import advice_text
from statefmt.render.file_path import path_within
from statefmt.render.findings import message
from statefmt.render.printable import one_line, printable, printable_lines
from statefmt.store.backends import RemoteLocation
from statefmt.store.reading import STANDARD_INPUT, display_name

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def check_github(
    states: Iterable[CheckedState], folder: Path | None = None, *, unreadable: Sequence[UnreadableState] = ()
) -> Iterator[str]:
    """Yield a command, which is one line, for each finding and each unreadable file.

    Paths are relative to `folder` (default: the working directory).
    """
    folder = folder or Path.cwd()
    for state in states:
        yield from _commands(state, folder)
    for missing in unreadable:
        yield _unreadable_command(missing, folder)


def _path(name: str, folder: Path) -> str:
    no_file = name == display_name(STANDARD_INPUT) or isinstance(name, RemoteLocation)
    return "" if no_file else path_within(name, folder) or name


def _unreadable_command(state: UnreadableState, folder: Path) -> str:
    path = _path(state.name, folder)
    file = f"file={_escaped_property(printable(path))}," if path else ""
    return f"::error {file}title=Unreadable state::{_escaped(one_line(state.message))}"


def _commands(state: CheckedState, folder: Path) -> Iterator[str]:
    for finding in state.findings:
        file, position = state.place(finding)
        path = _path(file, folder)
        properties: dict[str, object] = {}
        if path:
            properties["file"] = printable(path)
            if position:
                properties |= {"line": position.line, "col": position.column}
        properties["title"] = " ".join(filter(None, (finding.code, printable(finding.address))))
        listed = ",".join(f"{name}={_escaped_property(str(value))}" for name, value in properties.items())
        advice = one_line(advice_text(state, finding))
        text = "\n".join(filter(None, (one_line(message(finding)), advice, printable_lines(finding.fix.snippet))))
        yield f"::{_COMMANDS[finding.severity]} {listed}::{_escaped(text)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
