"""Renders where states are as text."""

from __future__ import annotations

from statefmt.redaction.partial import HIDDEN
from statefmt.render.json_output import json_text
from statefmt.render.printable import printable
from statefmt.render.table import table
from statefmt.render.terminal import Terminal
from statefmt.render.whereabouts._shown import notes, shown_value, state_path
from statefmt.store.backends.description import WorkspaceSource
from statefmt.store.backends.settings import BackendSetting, SettingSource
from statefmt.whereabouts import Workspaces, described_locks, locks_off
from statefmt.whereabouts.find import BackendSource, FoundState

_ORIGINS = {
    BackendSource.RECORD: "recorded by init in {}",
    BackendSource.BLOCK: "from {}",
    BackendSource.URL: "named by a URL",
    BackendSource.DEFAULT: "since neither init nor the configuration names another",
}
_CHOICES = {
    WorkspaceSource.OPTION: "from {}",
    WorkspaceSource.ENVIRONMENT: "from {}",
    WorkspaceSource.FILE: "selected in {}",
    WorkspaceSource.URL: "named by a URL",
    WorkspaceSource.DEFAULT: "since no other is selected",
}


def where_text(found: FoundState, history: str | None, terminal: Terminal) -> str:
    """Render where a state is, the backend and the workspace with what chose them, and the settings with theirs.

    `history` is the folder of its history, if it has one of its own.
    """
    backend, workspace, file = found.backend, found.backend.workspace, state_path(found)
    location = (str(file) if file is not None else found.location) or "not known"
    origin = _ORIGINS[backend.source].format(printable(backend.place))
    choice = _CHOICES[workspace.source].format(printable(workspace.place))
    lines = [
        terminal.paint(printable(location), "bold"),
        "",
        f"  backend    {printable(backend.type)}, {origin}",
        f"  workspace  {printable(workspace.name)}, {choice}",
        *(f"  lock       {printable(lock)}" for lock in described_locks(found)),
        *([f"  lock       none: {locks_off(found)}"] if locks_off(found) else []),
        *([f"  history    {printable(history)}"] if history else []),
    ]
    if found.settings:
        rows = [(setting.name, _value(setting), _origin(setting)) for setting in found.settings]
        lines += ["", table(("setting", "value", "from"), rows, terminal)]
    for note in notes(found):
        lines += ["", terminal.wrap(note, "", "")]
    return "\n".join(lines)


def workspaces_text(found: Workspaces, terminal: Terminal) -> str:
    """Render workspaces, one on each line, the current one with a star."""
    lines = [
        terminal.paint(f"* {printable(name)}", "bold") if name == found.current else f"  {printable(name)}"
        for name in found.names
    ]
    if found.current not in found.names:
        lines.append(f"* {printable(found.current)} (it has no state yet)")
    return "\n".join(lines)


def _value(setting: BackendSetting) -> str:
    if setting.secret:
        return str(HIDDEN)
    value = shown_value(setting)
    return printable(value) if isinstance(value, str) else json_text(value).decode()


def _origin(setting: BackendSetting) -> str:
    if setting.source is SettingSource.URL:
        return "the URL"
    return "default" if setting.source is SettingSource.DEFAULT else printable(setting.place)
