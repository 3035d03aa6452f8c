"""Prints where states are and why there, as text, as JSON and as a backend block."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

from statefmt.model.addrs import hcl_quote
from statefmt.redaction.partial import HIDDEN
from statefmt.render.json_output import document, json_text
from statefmt.render.table import table
from statefmt.render.terminal import Terminal
from statefmt.store.backends.description import SettingValue, WorkspaceSource, without_credentials
from statefmt.store.backends.settings import BackendSetting, SettingSource
from statefmt.text import printable, shell_line
from statefmt.whereabouts import (
    Workspaces,
    described_locks,
    inside_state,
    is_known,
    is_record_itself,
    is_supported,
    local_state,
    locks_off,
    state_in_record,
)
from statefmt.whereabouts.find import BackendSource, FoundState, declaration, programs_of

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


def where_json(found: FoundState, history: str | None) -> bytes:
    """Render where a state is (schema: `where-output.schema.json`)."""
    backend, workspace, file = found.backend, found.backend.workspace, state_path(found)
    return document(
        {
            "location": str(file) if file is not None else found.location,
            "file": None if file is None else {"path": str(file), "outside": inside_state(found) is None},
            "folder": str(backend.folder),
            "backend": {"type": backend.type, "source": backend.source.value, "place": backend.place or None},
            "workspace": {"name": workspace.name, "source": workspace.source.value, "place": workspace.place or None},
            "supported": is_supported(found),
            "locks": list(described_locks(found)),
            "history": history,
            "settings": [_setting(setting) for setting in found.settings],
            "missing": list(found.missing),
            "programs": list(programs(found)),
            "notes": list(notes(found)),
        }
    )


def workspaces_json(found: Workspaces) -> bytes:
    """Render workspaces (schema: `workspaces-output.schema.json`)."""
    listed = [{"name": name, "current": name == found.current} for name in found.names]
    return document({"workspaces": listed, "current": found.current})


def _setting(setting: BackendSetting) -> dict[str, object]:
    return {
        "name": setting.name,
        "value": None if setting.secret else shown_value(setting),
        "secret": setting.secret,
        "source": setting.source.value,
        "place": setting.place or None,
    }


def backend_block(found: FoundState) -> str:
    """Render the settings that the configuration has; a comment says how each of the others is set."""
    lines = ["terraform {", f"  backend {hcl_quote(found.backend.type)} {{"]
    explicit = [one for one in found.settings if one.source is not SettingSource.DEFAULT]
    for block, settings in groupby(explicit, key=lambda one: one.name.rpartition(".")[0]):
        inner = list(_lines(settings))
        lines += (
            [f"    {block} = {{", *(f"      {line}" for line in inner), "    }"]
            if block
            else [f"    {line}" for line in inner]
        )
    return "\n".join([*lines, "  }", "}"])


def _lines(settings: Iterable[BackendSetting]) -> Iterator[str]:
    for setting in settings:
        name = setting.name.rpartition(".")[2]
        if setting.source is SettingSource.ENVIRONMENT:
            yield f"# {name}: set {setting.place} in the environment"
        elif setting.secret or shown_value(setting) != setting.value:
            yield f"# {name}: a secret; set it with -backend-config or in the environment"
        else:
            yield f"{name} = {_literal(setting.value)}"


def _literal(value: SettingValue) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return printable(hcl_quote(value))
        case list():
            return "[" + ", ".join(map(_literal, value)) + "]"
        case dict():
            return "{ " + ", ".join(f"{hcl_quote(name)} = {_literal(member)}" for name, member in value.items()) + " }"
        case None:
            return "null"
    return str(value)


# Source: OpenTofu `internal/backend/local/backend_apply.go` (backupStateForError).
_ERRORED: Final = "errored.tfstate"


def shown_value(setting: BackendSetting) -> SettingValue:
    """Return the value of a setting that is not secret, without the credentials of URLs in it."""
    return _without_credentials(setting.public)


def _without_credentials(value: SettingValue) -> SettingValue:
    match value:
        case str():
            return without_credentials(value)
        case list():
            return [_without_credentials(item) for item in value]
        case dict():
            return {name: _without_credentials(member) for name, member in value.items()}
    return value


def state_path(found: FoundState) -> Path | None:
    """Return the file of a state in the backend `local`, None for others and for invalid settings."""
    return local_state(found) if found.backend.type == "local" and not found.missing else None


def programs(found: FoundState) -> tuple[str, ...]:
    """Return the programs that the folder may belong to."""
    return programs_of(found.backend)


def notes(found: FoundState) -> Iterator[str]:
    """Yield what else matters about the location, as sentences."""
    for name in found.missing:
        yield f"{name} has no value; set it with --backend-config, or run init first."
    if found.backend.type == "local":
        if not found.missing and inside_state(found) is None:
            yield (
                "The file is outside of this folder: commands refuse it unless --state names it, or --allow-path "
                "allows it."
            )
    elif not is_supported(found):
        using = " or ".join(f"`{program} state pull`" for program in programs(found))
        if said := declaration(found.backend):
            yield f"{said}."
        elif not is_known(found):
            yield f"statetool does not know the backend {found.backend.type!r}."
        yield f"statetool does not open states in this backend itself, only in local, http, pg and s3; use {using}."
    if wrong := state_in_record(found.backend):
        yield f"{wrong}."
    if is_record_itself(found):
        yield (
            "The path of this backend is the file in which init records the backend. OpenTofu and Terraform refuse a "
            "folder whose record is a state: choose another path."
        )
    # Path.is_file raises if the folder may not be searched.
    errored = found.backend.folder / _ERRORED
    if found.backend.source is not BackendSource.URL and os.path.isfile(errored):  # noqa: PTH113
        command = shell_line(["statetool", "reconcile", str(errored)])
        yield f"An apply could not save its state, and left {_ERRORED}; `{command}` says what to do."
