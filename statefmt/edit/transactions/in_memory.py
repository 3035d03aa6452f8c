"""Runs operations files that commands make in memory, and ends such runs after a crash."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from msgspec import structs

from statefmt.context import RunContext
from statefmt.edit.ending import Ending
from statefmt.edit.operations_file import OperationsFile, StateBlock, read_operations_file
from statefmt.edit.session import loaded
from statefmt.edit.transactions._intent import Intent
from statefmt.edit.transactions._opened import OpenedOperations, states_of
from statefmt.edit.transactions._operations import NO_REFERENCES, References, expected
from statefmt.edit.transactions._outcome import Agreed, FileOutcome
from statefmt.model.snapshot import Snapshot
from statefmt.store.local.journal import checksum
from statefmt.store.local.store import create_file
from statefmt.text import printable


class CommandOperations(NamedTuple):
    """An operations file that a command makes in memory: its text, with paths of states relative to `folder`.

    `words` are the command line without the program, and without secrets; they start with the name of the command. With
    `--resume`, `--abort` or `--leave`, it makes the same text again after a crash, and ends what it began.
    `create_options` are the options that create states, by the names of these.
    """

    text: str
    words: tuple[str, ...]
    create_options: Mapping[str, str] = MappingProxyType({})
    folder: str = "."


def planned_in_memory(
    context: RunContext, made: CommandOperations, agreed: Agreed, *, references: References = NO_REFERENCES
) -> FileOutcome:
    """Run operations on their states, without a lock, and show the results to `agreed`; write nothing.

    Raises StatetoolError.
    """
    opened = _opened(context, made)
    outcome = opened.planned(context, references).staged.outcome
    agreed(opened.names, outcome)
    return outcome


def applied_in_memory(
    context: RunContext,
    made: CommandOperations,
    command: str,
    *,
    timeout: float | None = 0,
    keeps_backup: bool = True,
    references: References = NO_REFERENCES,
    agreed: Agreed = lambda _names, _outcome: True,
) -> FileOutcome:
    """Run operations on their states, and write all results or none; see `applied_operations`.

    `command` is the whole command line, for locks and histories. With the `references` of configurations, by the names
    of states, the edits of these are also checked against them.
    """
    opened = _opened(context, made, command, timeout, keeps_backup=keeps_backup)
    return opened.applied(context, agreed, references)


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
    create_file(Path(path), encoded(text))


def encoded(text: str) -> bytes:
    """Return the content of an operations file; paths in it may have any bytes."""
    return text.encode("utf-8", "surrogateescape")


def key_of(command: str, content: bytes) -> str:
    """Return what tells the operations of a command from all others."""
    return f"{command} {checksum(content)}"


def snapshots_in_memory(context: RunContext, states: Mapping[str, StateBlock]) -> dict[str, Snapshot]:
    """Read states with absolute paths, by their names, without a lock. Raises StatetoolError."""
    found = states_of(context, "", OperationsFile(states, (), in_memory=True), Path())
    context.phase("reading")
    return {name: loaded(context, one.store.name, one.read().data).result.snapshot for name, one in found.items()}


def _opened(
    context: RunContext,
    made: CommandOperations,
    command: str = "",
    timeout: float | None = 0,
    *,
    keeps_backup: bool = True,
) -> OpenedOperations:
    name, content = made.words[0], encoded(made.text)
    file = structs.replace(read_operations_file(name, content), in_memory=True)
    intent = Intent(
        f"statetool {name}",
        checksum(content),
        command,
        timeout,
        keeps_backup,
        key=key_of(name, content),
        words=tuple(map(printable, made.words)),
    )
    states = states_of(context, name, file, Path(made.folder))
    states |= {
        short: states[short]._replace(create_option=option)
        for short, option in made.create_options.items()
        if not states[short].is_created
    }
    return OpenedOperations(file, states, intent, expected(file))
