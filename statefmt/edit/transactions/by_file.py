"""Plans and applies operations files, and ends applies that were interrupted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from statefmt.context import RunContext
from statefmt.edit.operations_file import OperationsFile, created_states, read_operations_file
from statefmt.edit.session import LoadedState
from statefmt.edit.transactions._apply import applied
from statefmt.edit.transactions._contents import before_change, hash_before
from statefmt.edit.transactions._intent import Intent
from statefmt.edit.transactions._operations import FileOutcome, expected, staging, state_names
from statefmt.edit.transactions._participants import Participant, participants
from statefmt.edit.transactions._pins import Pin, version_text
from statefmt.edit.transactions._plan import (
    OperationsPlan,
    PlannedFile,
    PlannedState,
    encoded_plan,
    is_plan,
    read_plan,
    relative,
)
from statefmt.edit.transactions._unfinished import Ending, ended
from statefmt.model.errors import ChangedError, SettingsError
from statefmt.store.local.journal import checksum
from statefmt.store.local.store import create_file
from statefmt.store.reading import read_bytes


class PlannedOperations(NamedTuple):
    """What an operations file does, when it was planned. `names` are the states by their short names."""

    names: Mapping[str, str]
    outcome: FileOutcome
    plan: OperationsPlan


class _Opened(NamedTuple):
    """An operations file, its states, and what they must be."""

    path: str
    checksum: str
    file: OperationsFile
    states: Mapping[str, Participant]
    pins: Mapping[str, Pin]

    def intent(self, command: str, timeout: float | None, *, keeps_backup: bool) -> Intent:
        return Intent(self.path, self.checksum, command, timeout, keeps_backup)


def planned_operations(context: RunContext, path: str, plan_path: str | None = None) -> PlannedOperations:
    """Run the operations of a file on its states, without a lock, and write nothing.

    The plan has the path of the file relative to `plan_path`. Raises SettingsError if the file is invalid, and
    StatetoolError if a state cannot be read or an operation does not apply.
    """
    opened = _opened(context, path)
    context.phase("reading")
    stored = {name: one.read() for name, one in opened.states.items()}
    contents = {name: one.data for name, one in stored.items()}
    states = before_change(context, opened.states, opened.checksum, contents)
    for name, pin in opened.pins.items():
        pin.refuse_other(states[name], stored[name])
    context.phase("editing")
    staged = staging(opened.file, context.note)(states)
    results = {write.state: checksum(write.content) for write in staged.writes}

    def planned(name: str, state: LoadedState) -> PlannedState:
        snapshot, before = state.result.snapshot, hash_before(state)
        version = version_text(stored[name].version)
        location = _location(opened.states[name], path)
        return PlannedState(location, snapshot.lineage, snapshot.serial, before, version, results.get(name, before))

    where = relative(path, Path(plan_path or path).parent)
    plan = OperationsPlan(
        operations_file=PlannedFile(where, opened.checksum),
        states={name: planned(name, states[name]) for name in opened.file.states},
    )
    return PlannedOperations(_names(opened.states), staged.outcome, plan)


def write_plan(path: str, planned: PlannedOperations) -> None:
    """Write a plan to a new file, with mode 0600. Raises StoreError if the file exists."""
    create_file(Path(path), encoded_plan(planned.plan))


def is_plan_file(path: str) -> bool:
    """Return whether a file is a plan, and not an operations file. Raises StoreError."""
    return is_plan(read_bytes(path))


def applied_operations(
    context: RunContext,
    path: str,
    command: str,
    *,
    timeout: float | None = 0,
    keeps_backup: bool = True,
    agreed: Callable[[Mapping[str, str], FileOutcome], bool] = lambda _names, _outcome: True,
) -> FileOutcome:
    """Run the operations of a file, or of the file of a plan, and write all results or none.

    A plan must match: the file, the states and the results. `command` is recorded in locks and histories; `timeout` is
    in seconds, for each lock, None for no locks. `agreed` gets the names of the states and the results before the first
    write. Raises StatetoolError; see `applied`.
    """
    opened = _opened(context, path)
    names = _names(opened.states)
    return applied(
        context,
        opened.states,
        opened.intent(command, timeout, keeps_backup=keeps_backup),
        staging(opened.file, context.note),
        pins=opened.pins,
        agreed=lambda outcome: agreed(names, outcome),
    ).outcome


def ended_operations(
    context: RunContext, path: str, ending: Ending, *, timeout: float | None = 0, keeps_backup: bool = True
) -> tuple[str, ...]:
    """End an apply of a file, or of the file of a plan, that was interrupted.

    Returns the names of the states that it writes. Raises StatetoolError; see `ended`.
    """
    # The states are what they were when it began, or not any more: their pins say nothing.
    opened = _opened(context, path, is_begun=True)
    intent = opened.intent("", timeout, keeps_backup=keeps_backup)
    written = ended(context, opened.states, intent, staging(opened.file), ending)
    return tuple(opened.states[name].store.name for name in written)


def _opened(context: RunContext, path: str, *, is_begun: bool = False) -> _Opened:
    content = read_bytes(path)
    plan = None
    if is_plan(content):
        plan = read_plan(path, content)
        path = str(Path(path).parent / plan.operations_file.path)
        content = read_bytes(path)
    hashed = checksum(content)
    if plan is not None and hashed != plan.operations_file.hash and not is_begun:
        raise ChangedError(
            f"{path}: the file was changed since it was planned; nothing was written. Plan again", hashed
        )
    file = read_operations_file(path, content)
    if not file.states:
        raise SettingsError(f"{path}: the file names no state")
    states = participants(context, state_names(context, file, Path(path).parent), created_states(file))
    if is_begun:
        return _Opened(path, hashed, file, states, {})
    pins = expected(file) if plan is None else _planned_pins(path, plan, states)
    return _Opened(path, hashed, file, states, pins)


def _planned_pins(path: str, plan: OperationsPlan, states: Mapping[str, Participant]) -> dict[str, Pin]:
    """Return what a plan says of states. Raises ChangedError if they are in other places."""
    for name, one in plan.states.items():
        found = _location(states[name], path) if name in states else "nowhere"
        if found != one.location:
            raise ChangedError(
                f"{path}: the state {name} was planned in {one.location}, and is {found}; nothing was written. Plan "
                "again",
                one.location,
            )
    return {name: one.pin for name, one in plan.states.items()}


def _location(state: Participant, path: str) -> str:
    return state.location if state.is_remote else relative(state.store.name, Path(path).parent)


def _names(states: Mapping[str, Participant]) -> dict[str, str]:
    return {name: one.store.name for name, one in states.items()}
