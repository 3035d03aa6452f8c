"""Prints what stores have: the locks of states, their versions, and copies from one store to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from statefmt.backends import BackendMove, Transfer, TransferAction
from statefmt.render.json_output import document
from statefmt.render.table import table
from statefmt.render.terminal import Terminal, size_text
from statefmt.store.local.locks import ending_command
from statefmt.store.protocol import LockState, LockStatus, lock_lines
from statefmt.store.remote.client import ObjectVersion
from statefmt.text import printable, shell_line
from statefmt.whereabouts.find import folder_programs

STATUSES: Final = {
    LockStatus.FREE: "not locked",
    LockStatus.HELD: "locked",
    LockStatus.LEFT: "not locked; a process that ended left its lock information behind",
    LockStatus.UNKNOWN: "not known: this backend cannot be asked who holds a lock",
    LockStatus.NONE: "never locked: the backend is not set up to lock",
}


def locks_text(states: Iterable[LockState], terminal: Terminal) -> str:
    """Render the status of each state, and below it who holds the lock."""
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
    return document({"states": list(map(_state, states)), "locked": locked})


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


_SECONDS: Final = len("2026-01-01T00:00:00")


def versions_text(versions: Sequence[ObjectVersion], terminal: Terminal) -> str:
    """Render versions, newest first, the current one with a star."""
    rows = [
        ("*" if version.is_current else "", printable(version.id), _time(version.time), size_text(version.size))
        for version in versions
    ]
    return table(["", "version", "time", "size"], rows, terminal, right="lllr")


def _time(text: str) -> str:
    """Format a time to the second."""
    return printable(text[:_SECONDS].replace("T", " ") + "Z")


def versions_json(location: str, versions: Sequence[ObjectVersion]) -> bytes:
    """Render versions, newest first (schema: `versions-output.schema.json`)."""
    listed = [
        {"id": version.id, "time": version.time, "size": version.size, "current": version.is_current}
        for version in versions
    ]
    return document({"location": location, "versions": listed})


def transfers_text(transfers: Sequence[Transfer], terminal: Terminal, *, done: bool) -> str:
    """Render a row for each state: what happens to the target, or has happened if it is `done`."""
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
    """Render what was done with each state, or would be (schemas: `copy-output` and `move-backend-output`)."""
    return document({"states": list(map(_transfer, transfers)), "dry_run": dry_run})


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


# Where init looks for a state before the new backend.
# Source: OpenTofu `internal/command/meta_backend.go` (backend_C_r_s).
_LOCAL_STATE: Final = "terraform.tfstate"


def next_steps(move: BackendMove, *, deleted: bool) -> Iterator[str]:
    """Yield sentences: the `init` that records the new backend, and what it may ask. `deleted` are the sources."""
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
