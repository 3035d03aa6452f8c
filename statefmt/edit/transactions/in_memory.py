"""Runs operations files that commands make in memory, and ends such runs after a crash."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from statefmt.context import RunContext
from statefmt.edit.operations_file import OperationsFile, StateBlock, read_operations_file
from statefmt.edit.transactions._intent import Intent
from statefmt.edit.transactions._opened import Agreed, OpenedOperations, states_of
from statefmt.edit.transactions._operations import FileOutcome, expected
from statefmt.edit.transactions._unfinished import Ending
from statefmt.model.snapshot import Snapshot
from statefmt.store.local.journal import checksum
from statefmt.store.local.store import create_file


class CommandOperations(NamedTuple):
    """An operations file that a command makes in memory: its text, with paths relative to `folder`.

    The same arguments in the same folder give the same text. After a crash, the command that has them and `--resume`,
    `--abort` or `--leave` ends what it began. `arguments` start with the name of the command, and have no secrets.
    """

    text: str
    arguments: tuple[str, ...]
    folder: str


def planned_in_memory(context: RunContext, made: CommandOperations, agreed: Agreed) -> FileOutcome:
    """Run operations on their states, without a lock, and show the results to `agreed`; write nothing.

    Raises StatetoolError.
    """
    opened = _opened(context, made)
    outcome = opened.planned(context).staged.outcome
    agreed(opened.names, outcome)
    return outcome


def applied_in_memory(
    context: RunContext,
    made: CommandOperations,
    command: str,
    *,
    timeout: float | None = 0,
    keeps_backup: bool = True,
    agreed: Agreed = lambda _names, _outcome: True,
) -> FileOutcome:
    """Run operations on their states, and write all results or none; see `applied_operations`.

    `command` is the whole command line, for locks and histories.
    """
    return _opened(context, made, command, timeout, keeps_backup=keeps_backup).applied(context, agreed)


def ended_in_memory(
    context: RunContext,
    made: CommandOperations,
    ending: Ending,
    *,
    timeout: float | None = 0,
    keeps_backup: bool = True,
) -> tuple[str, ...]:
    """End a run of the same operations that was interrupted; see `ended_operations`."""
    return _opened(context, made, "", timeout, keeps_backup=keeps_backup).ended(context, ending)


def write_operations(path: str, text: str) -> None:
    """Write the text of an operations file to a new file, with mode 0600. Raises StoreError if the file exists."""
    create_file(Path(path), text.encode())


def snapshots_in_memory(context: RunContext, states: Mapping[str, StateBlock], folder: str) -> dict[str, Snapshot]:
    """Read states, by their names, without a lock; their paths are relative to `folder`. Raises StatetoolError."""
    file = OperationsFile(states, ())
    opened = OpenedOperations(file, states_of(context, folder, file, Path(folder)), Intent("", "", ""))
    return {name: state.result.snapshot for name, state in opened.planned(context).states.items()}


def _opened(
    context: RunContext,
    made: CommandOperations,
    command: str = "",
    timeout: float | None = 0,
    *,
    keeps_backup: bool = True,
) -> OpenedOperations:
    name, content = made.arguments[0], made.text.encode("utf-8", "surrogateescape")
    file = structs.replace(read_operations_file(name, content), in_memory=True)
    intent = Intent("", checksum(content), command, timeout, keeps_backup, made.arguments, made.folder)
    return OpenedOperations(file, states_of(context, name, file, Path(made.folder)), intent, expected(file))
