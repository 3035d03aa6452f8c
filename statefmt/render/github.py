"""What `check` found, as workflow commands of GitHub Actions, which marks the lines in the files of a pull request.

Source: GitHub, "Workflow commands"; the escapes are those of `actions/toolkit`, `packages/core/src/command.ts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from statefmt.diagnostics import Finding, Severity
from statefmt.render.file_path import relative_path
from statefmt.render.findings_text import message
from statefmt.render.printable import one_line, printable
from statefmt.rules.checked import CheckedState
from statefmt.store.reading import STANDARD_INPUT, display_name

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_MESSAGE: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY: Final = _MESSAGE | str.maketrans({":": "%3A", ",": "%2C"})


def check_github(states: Sequence[CheckedState], folder: Path | None = None) -> str:
    """One command a finding and a line; empty where nothing was found. Paths are relative to `folder`."""
    folder = folder or Path.cwd()
    return "\n".join(_command(finding, state, folder) for state in states for finding in state.findings)


def _command(finding: Finding, state: CheckedState, folder: Path) -> str:
    properties: dict[str, object] = {}
    if state.name != display_name(STANDARD_INPUT):
        properties["file"] = printable(relative_path(state.name, folder) or state.name)
        if position := state.positions.get(finding.pointer):
            properties |= {"line": position.line, "col": position.column}
    properties["title"] = " ".join(filter(None, (finding.code, printable(finding.address))))
    listed = ",".join(f"{name}={str(value).translate(_PROPERTY)}" for name, value in properties.items())
    text = "\n".join(filter(None, (one_line(message(finding)), one_line(finding.fix))))
    return f"::{_COMMANDS[finding.severity]} {listed}::{text.translate(_MESSAGE)}"
