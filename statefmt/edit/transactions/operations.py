"""Plans and applies operations files, including in-memory files of commands, and ends interrupted changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from msgspec import structs

from statefmt.context import RunContext
from statefmt.edit.changes import Ending
from statefmt.edit.operations_file.model import OperationsFile, StateBlock
from statefmt.edit.operations_file.read import LARGEST_OPERATIONS, read_operations_file
from statefmt.edit.pipeline import EditOptions
from statefmt.edit.session import LoadedState, loaded, managed_store_at
from statefmt.edit.transactions._ending import OpenedOperations, states_of
from statefmt.edit.transactions._participants import Participant, opened_journal
from statefmt.edit.transactions.plan import (
    Intent,
    OperationsPlan,
    Pin,
    PlannedFile,
    PlannedState,
    encoded_plan,
    hash_before,
    is_plan,
    read_plan,
    relative,
    version_text,
)
from statefmt.edit.transactions.staging import NO_REFERENCES, Agreed, FileOutcome, References, expected, is_path
from statefmt.model.errors import ChangedError, StoreError, SurgeryError, Wording
from statefmt.model.snapshot import Snapshot
from statefmt.store.backends.options import allowed_paths
from statefmt.store.files import is_inside, read_bounded
from statefmt.store.local.journal import checksum
from statefmt.store.local.store import create_file
from statefmt.store.protocol import ManagedStore
from statefmt.store.reading import is_folder, reason_of
from statefmt.text import printable, shell_word

# A plan takes no lock and writes nothing.
_PLANNING: Final = EditOptions(dry_run=True, lock=False)


class PlannedOperations(NamedTuple):
    """The planned effects of an operations file. `names` are the states by their short names."""

    names: Mapping[str, str]
    outcome: FileOutcome
    plan: OperationsPlan


def planned_operations(context: RunContext, path: str, plan_path: str | None = None) -> PlannedOperations:
    """Run the operations of a file on its states, without a lock, and write nothing.

    The plan contains the path of the file relative to `plan_path`. Raises SettingsError if the file is invalid, and
    StatetoolError if a state cannot be read or an operation does not apply.
    """
    opened = _opened(context, path)
    stored, states, staged = opened.planned(context)
    results = {write.state: checksum(write.content) for write in staged.writes}

    def planned(name: str, state: LoadedState) -> PlannedState:
        snapshot, before = state.result.snapshot, hash_before(state)
        version = version_text(stored[name].version)
        location = _location(opened.states[name], path)
        return PlannedState(location, snapshot.lineage, snapshot.serial, before, version, results.get(name, before))

    where = Path(relative(str(Path(path).parent), Path(plan_path or path).parent), Path(path).name)
    plan = OperationsPlan(
        operations_file=PlannedFile(where.as_posix(), opened.intent.checksum),
        states={name: planned(name, states[name]) for name in opened.file.states},
    )
    return PlannedOperations(opened.names, staged.outcome, plan)


def write_plan(path: str, planned: PlannedOperations) -> None:
    """Write a plan to a new file, with mode 0600. Raises StoreError if the file exists."""
    create_file(Path(path), encoded_plan(planned.plan))


def paths_to_allow(path: str) -> tuple[str, ...]:
    """Return the places outside its folder that an operations file or a plan names, for a permission.

    Raises StoreError, and SettingsError if the file is invalid.
    """
    content, folder = _content(path), Path(path).parent
    if is_plan(content):
        named = [str(Path(read_plan(path, content).operations_file.path).parent)]
    else:
        named = [block.path for block in read_operations_file(path, content).states.values() if is_path(block)]
    places = (folder / name for name in named)
    return tuple(dict.fromkeys(os.path.realpath(place) for place in places if not is_inside(place, folder)))


def is_plan_file(path: str) -> bool:
    """Return whether a file is a plan, and not an operations file. Raises StoreError."""
    return is_plan(_content(path))


def applied_operations(
    context: RunContext,
    path: str,
    options: EditOptions = EditOptions(),
    *,
    agreed: Agreed = lambda _names, _outcome: True,
) -> FileOutcome:
    """Run the operations of a file, or of the file of a plan, and write all results or none.

    A plan must match the file, the states and the results. `agreed` gets the names of the states and the results before
    the first write; a dry run ends after that. Raises StatetoolError; see `applied`.
    """
    return _opened(context, path, options).applied(context, agreed)


def ended_operations(
    context: RunContext, path: str, ending: Ending, options: EditOptions = EditOptions()
) -> tuple[str, ...]:
    """End an interrupted apply of a file, or of the file of a plan.

    Returns the names of the states that it writes. Raises StatetoolError; see `ended`.
    """
    # The states may have changed since the beginning, so their pins do not apply.
    opened = _opened(context, path, options, is_begun=True)
    return opened.ended(context, ending)


def _opened(
    context: RunContext, path: str, options: EditOptions = _PLANNING, *, is_begun: bool = False
) -> OpenedOperations:
    content = _content(path)
    plan = None
    if is_plan(content):
        plan = read_plan(path, content)
        path = _planned_file(context, path, plan)
        content = _content(path)
    hashed = checksum(content)
    if plan is not None and hashed != plan.operations_file.hash and not is_begun:
        raise ChangedError(
            f"{path}: the file was changed since it was planned; nothing was written. Plan again", hashed
        )
    file = read_operations_file(path, content)
    states = states_of(context, path, file, Path(path).parent, begun=is_begun)
    intent = Intent(path, hashed, options)
    if is_begun:
        return OpenedOperations(file, states, intent)
    pins = expected(file) if plan is None else _planned_pins(path, plan, states)
    return OpenedOperations(file, states, intent, pins)


def _planned_file(context: RunContext, path: str, plan: OperationsPlan) -> str:
    """Return the path of the operations file of a plan. Raises StoreError if it is outside the folder and not allowed.

    The folder of the file determines the written states, and the plan may come from a stranger.
    """
    file = Path(path).parent / plan.operations_file.path
    folder = os.path.realpath(file.parent)
    roots: tuple[Path | str, ...] = (Path(path).parent, *allowed_paths(context.backend, context.environment))
    if not is_inside(folder, *roots):
        raise StoreError(
            f"{path}: the plan names an operations file outside of its folder, {printable(str(file))}; nothing was "
            "written. If you trust the plan, ",
            Wording(f"use --allow-path {shell_word(folder)}", f"put {folder!r} in the allowed_paths of BackendOptions"),
        )
    return str(file)


def _content(path: str) -> bytes:
    if is_folder(path):
        raise StoreError(f"{path}: this is a folder, not an operations file")
    try:
        return read_bounded(path, LARGEST_OPERATIONS, pipes=True)
    except OSError as error:
        raise StoreError(f"{path}: {reason_of(error)}") from error


def _planned_pins(path: str, plan: OperationsPlan, states: Mapping[str, Participant]) -> dict[str, Pin]:
    """Return the conditions of a plan on states. Raises ChangedError if they are in other places."""
    missing = next((name for name in states if name not in plan.states), None)
    if missing is not None:
        raise ChangedError(f"{path}: the plan lacks the state {missing}; nothing was written. Plan again", missing)
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


def planned_in_memory(context: RunContext, made: CommandOperations, agreed: Agreed) -> FileOutcome:
    """Run operations on their states, without a lock, and show the results to `agreed`; write nothing.

    Raises StatetoolError.
    """
    return _opened_in_memory(context, made, EditOptions(dry_run=True)).applied(context, agreed)


def applied_in_memory(
    context: RunContext,
    made: CommandOperations,
    options: EditOptions = EditOptions(),
    *,
    references: References = NO_REFERENCES,
    agreed: Agreed = lambda _names, _outcome: True,
) -> FileOutcome:
    """Run operations on their states, and write all results or none; see `applied_operations`.

    With the `references` of configurations, by the names
    of states, the edits of these are also checked against them.
    """
    return _opened_in_memory(context, made, options).applied(context, agreed, references)


def ended_in_memory(
    context: RunContext, made: CommandOperations, ending: Ending, options: EditOptions = EditOptions()
) -> tuple[str, ...]:
    """End a run of the same operations that was interrupted; see `ended_operations`."""
    return _opened_in_memory(context, made, options).ended(context, ending)


def write_operations(path: str, text: str) -> None:
    """Write the text of an operations file to a new file, with mode 0600.

    Raises StoreError if the file exists, or if it would be too large to be read again.
    """
    content = encoded(text)
    if len(content) > LARGEST_OPERATIONS:
        raise StoreError(
            f"{path}: not written: it would have {len(content):,} bytes, and files of operations with more than "
            f"{LARGEST_OPERATIONS:,} bytes are not read; ",
            Wording("use --yes without a file", "apply the operations without a file"),
        )
    create_file(Path(path), content)


def encoded(text: str) -> bytes:
    """Return the content of an operations file; paths in it may have any bytes."""
    return text.encode("utf-8", "surrogateescape")


def key_of(command: str, content: bytes) -> str:
    """Return the key of a command's operations."""
    return f"{command} {checksum(content)}"


def snapshots_in_memory(context: RunContext, states: Mapping[str, StateBlock]) -> dict[str, Snapshot]:
    """Read states with absolute paths, by their names, without a lock. Raises StatetoolError."""
    found = states_of(context, "", OperationsFile(states, (), in_memory=True), Path())
    context.phase("reading")
    return {name: loaded(context, one.store.name, one.read().data).result.snapshot for name, one in found.items()}


def _opened_in_memory(
    context: RunContext, made: CommandOperations, options: EditOptions = _PLANNING
) -> OpenedOperations:
    name, content = made.words[0], encoded(made.text)
    file = structs.replace(read_operations_file(name, content), in_memory=True)
    intent = Intent(
        f"statetool {name}",
        checksum(content),
        options,
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
    """Return the unfinished operations of a command that derives them from a state: from its current content, or the
    content before its last edit.

    Without an unfinished change, returns the operations for the current content. Raises StatetoolError.
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
