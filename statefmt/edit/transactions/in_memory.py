"""Runs operations files that commands make in memory, and ends such runs after a crash."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from msgspec import structs

from statefmt.context import RunContext
from statefmt.edit.changes import Ending
from statefmt.edit.operations_file.model import OperationsFile, StateBlock
from statefmt.edit.operations_file.read import read_operations_file
from statefmt.edit.session import loaded
from statefmt.edit.stores import managed_store_at
from statefmt.edit.transactions._ending import OpenedOperations, states_of
from statefmt.edit.transactions._journal import opened_journal
from statefmt.edit.transactions.plan import Intent
from statefmt.edit.transactions.staging import NO_REFERENCES, Agreed, FileOutcome, References, expected
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import Snapshot
from statefmt.store.local.journal import checksum
from statefmt.store.local.store import create_file
from statefmt.store.protocol import ManagedStore
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


def begun_text(context: RunContext, command: str, state: str, text_of: Callable[[Snapshot], str]) -> str:
    """Return the unfinished operations of a command that makes them from a state: of now, or before its last edit.

    If none have begun, returns those that it would make now. Raises StatetoolError.
    """
    store = managed_store_at(context, state)
    texts: list[str] = []
    refusal: SurgeryError | None = None
    for content in _last_contents(store):
        try:
            text = text_of(loaded(context, store.name, content).result.snapshot)
        except SurgeryError as error:
            refusal = error
            continue
        with opened_journal(context.connection().state_home, key_of(command, encoded(text))) as folder:
            if folder.read() is not None:
                return text
        texts.append(text)
    if refusal is not None and not texts:
        raise refusal
    return texts[0]


def _last_contents(store: ManagedStore) -> Iterator[bytes]:
    yield store.read().data
    for entry in store.versions()[-1:]:
        if not entry.creates:
            yield store.content(entry.before)
