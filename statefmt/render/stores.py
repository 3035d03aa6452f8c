"""Prints the locations of states, their locks, their versions, and copies between stores."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

from statefmt.backends import BackendMove, Transfer, TransferAction
from statefmt.model.addrs import hcl_quote
from statefmt.redaction.partial import HIDDEN
from statefmt.render.json_output import document, json_text
from statefmt.render.table import table
from statefmt.render.terminal import Terminal, size_text, time_text
from statefmt.store.backends.description import SettingValue, WorkspaceSource, without_credentials
from statefmt.store.backends.settings import BackendSetting, SettingSource
from statefmt.store.local.locks import ending_command
from statefmt.store.protocol import LockState, LockStatus, lock_lines
from statefmt.store.remote.client import ObjectVersion
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
from statefmt.whereabouts.find import BackendSource, FoundState, declaration, folder_programs, programs_of

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
    """Render the location of a state, the backend, the workspace and the settings, each with its origin.

    `history` is the folder of its history, if it has a separate one.
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
    """Render the location of a state (schema: `where-output.schema.json`)."""
    backend, workspace, file = found.backend, found.backend.workspace, state_path(found)
    return document(
        location=str(file) if file is not None else found.location,
        file=None if file is None else {"path": str(file), "outside": inside_state(found) is None},
        folder=str(backend.folder),
        backend={"type": backend.type, "source": backend.source.value, "place": backend.place or None},
        workspace={"name": workspace.name, "source": workspace.source.value, "place": workspace.place or None},
        supported=is_supported(found),
        locks=list(described_locks(found)),
        history=history,
        settings=[_setting(setting) for setting in found.settings],
        missing=list(found.missing),
        programs=list(programs_of(found.backend)),
        notes=list(notes(found)),
    )


def workspaces_json(found: Workspaces) -> bytes:
    """Render workspaces (schema: `workspaces-output.schema.json`)."""
    listed = [{"name": name, "current": name == found.current} for name in found.names]
    return document(workspaces=listed, current=found.current)


def _setting(setting: BackendSetting) -> dict[str, object]:
    return {
        "name": setting.name,
        "value": None if setting.secret else shown_value(setting),
        "secret": setting.secret,
        "source": setting.source.value,
        "place": setting.place or None,
    }


def backend_block(found: FoundState) -> str:
    """Render the settings in the configuration; a comment gives the origin of each other setting."""
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
    """Return the value of a setting that is not secret, without credentials in URLs."""
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
    """Return the file of a state in the backend `local`, None for other backends and for invalid settings."""
    return local_state(found) if found.backend.type == "local" and not found.missing else None


def notes(found: FoundState) -> Iterator[str]:
    """Yield notes on the location, as sentences."""
    for name in found.missing:
        yield f"{name} has no value; set it with --backend-config, or run init first."
    if found.backend.type == "local":
        if not found.missing and inside_state(found) is None:
            yield (
                "The file is outside of this folder: commands refuse it unless --state names it, or --allow-path "
                "allows it."
            )
    elif not is_supported(found):
        using = " or ".join(f"`{program} state pull`" for program in programs_of(found.backend))
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


STATUSES: Final = {
    LockStatus.FREE: "not locked",
    LockStatus.HELD: "locked",
    LockStatus.LEFT: "not locked; a process that ended left its lock information behind",
    LockStatus.UNKNOWN: "not known: this backend cannot be asked who holds a lock",
    LockStatus.NONE: "never locked: the backend is not set up to lock",
}


def locks_text(states: Iterable[LockState], terminal: Terminal) -> str:
    """Render the status of each state, followed by the owner of its lock."""
    lines: list[str] = []
    for state in states:
        lines.append(f"{terminal.paint(printable(state.name), 'bold')}: {_status(state)}")
        if state.holder is not None:
            lines.append(lock_lines(state.holder))
        if state.change is not None:
            finish, take_back = (ending_command(state.change.ending, option) for option in ("--resume", "--abort"))
            lines.append(terminal.wrap(f"{finish} finishes the change, and {take_back} takes it back", "  "))
    return "\n".join(lines)


def _status(state: LockState) -> str:
    if state.change is not None and not state.process:
        return "locked until a change of several states has ended"
    return STATUSES[state.status] + (f" by process {state.process}" if state.process else "")


def locks_json(states: Sequence[LockState]) -> bytes:
    """Render the status of each state (schema: `locks-output.schema.json`)."""
    locked = sum(state.status is LockStatus.HELD for state in states)
    return document(states=list(map(_state, states)), locked=locked)


def _state(state: LockState) -> dict[str, object]:
    holder, change = state.holder, state.change
    return {
        "state": state.name,
        "status": state.status.value,
        "process": state.process or None,
        "lock": None
        if holder is None
        else {
            "id": holder.ID,
            "operation": holder.Operation,
            "info": holder.Info,
            "who": holder.Who,
            "version": holder.Version,
            "created": holder.Created,
            "path": holder.Path,
        },
        "change": None
        if change is None
        else {
            "id": change.id,
            "states": change.states,
            **{end: ending_command(change.ending, f"--{end}")[1:-1] for end in ("resume", "abort", "leave")},
        },
    }


def versions_text(versions: Sequence[ObjectVersion], terminal: Terminal) -> str:
    """Render versions, newest first, the current one with a star."""
    rows = [
        ("*" if version.is_current else "", printable(version.id), time_text(version.time), size_text(version.size))
        for version in versions
    ]
    return table(["", "version", "time", "size"], rows, terminal, right="lllr")


def versions_json(location: str, versions: Sequence[ObjectVersion]) -> bytes:
    """Render versions, newest first (schema: `versions-output.schema.json`)."""
    listed = [
        {"id": version.id, "time": version.time, "size": version.size, "current": version.is_current}
        for version in versions
    ]
    return document(location=location, versions=listed)


def transfers_text(transfers: Sequence[Transfer], terminal: Terminal, *, done: bool) -> str:
    """Render a row for each state: the planned effect on the target or, if it is `done`, the actual one."""
    named = any(transfer.workspace for transfer in transfers)
    headings = [*(["workspace"] if named else []), "from", "to", "serial", "SHA-256", "target"]
    rows = [
        [
            *([printable(transfer.workspace)] if named else []),
            printable(transfer.source),
            printable(transfer.target),
            str(transfer.comparison.head.serial),
            transfer.checksum[:12],
            _change(transfer, done=done),
        ]
        for transfer in transfers
    ]
    return table(headings, rows, terminal, right="l" * (3 if named else 2) + "r")


def _change(transfer: Transfer, *, done: bool) -> str:
    replaced = transfer.comparison.replaced
    match transfer.comparison.action:
        case TransferAction.CREATE:
            return "created" if done else "is created"
        case TransferAction.REPLACE:
            serial = f" (serial {replaced.serial})" if replaced is not None else ""
            return f"{'replaced' if done else 'is replaced'}{serial}"
        case TransferAction.NOTHING:
            return "has the same content"


def transfers_json(transfers: Sequence[Transfer], *, dry_run: bool) -> bytes:
    """Render the transfer of each state, done or planned (schemas: `copy-output` and `move-backend-output`)."""
    return document(states=list(map(_transfer, transfers)), dry_run=dry_run)


def _transfer(transfer: Transfer) -> dict[str, object]:
    comparison = transfer.comparison
    replaced = comparison.replaced
    return {
        "workspace": transfer.workspace or None,
        "source": transfer.source,
        "target": transfer.target,
        "action": comparison.action.value,
        "serial": comparison.head.serial,
        "lineage": comparison.head.lineage,
        "replaced_serial": None if replaced is None else replaced.serial,
        "encrypted": comparison.head.is_encrypted,
        "size": transfer.size,
        "sha256": transfer.checksum,
        "written": transfer.is_written,
        "backup": transfer.backup,
        "deleted": transfer.is_deleted,
        "deleted_backup": transfer.kept,
    }


# The state that init finds before the new backend.
# Source: OpenTofu `internal/command/meta_backend.go` (backend_C_r_s).
_LOCAL_STATE: Final = "terraform.tfstate"


def next_steps(move: BackendMove, *, deleted: bool) -> Iterator[str]:
    """Yield sentences: the `init` that records the new backend, and its questions. `deleted` are the sources."""
    backend = move.target.backend
    folder = str(backend.folder)
    chdir = [] if folder == "." else [f"-chdir={folder}"]
    lines = [shell_line([program, *chdir, "init", "-reconfigure"]) for program in folder_programs(backend.folder)]
    yield f"now run {' or '.join(f'`{line}`' for line in lines)} with this backend block, and then a plan"
    if move.source.location == _LOCAL_STATE and move.source.backend.folder == backend.folder and not deleted:
        yield (
            "if init asks whether to migrate workspaces, it has found the old files: answer `yes`, which changes "
            "nothing, since it compares the states"
        )
