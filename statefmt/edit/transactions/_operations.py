"""Stages the operations of a file: the results of its states, in the order in which they are written."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import structs

from statefmt.context import RunContext
from statefmt.edit.added_findings import refuse_new_errors
from statefmt.edit.changes.arriving import OtherBindingError
from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations_file import FileEdits, OperationsFile, StateBlock, run
from statefmt.edit.session import LoadedState, state_name
from statefmt.edit.surgical import EditOutcome, spliced, surgical
from statefmt.edit.transactions._arrivals import with_arrivals
from statefmt.edit.transactions._order import write_order
from statefmt.edit.transactions._outcome import FileOutcome
from statefmt.edit.transactions._pins import Pin
from statefmt.edit.transactions._staged import Staged, Staging, Write
from statefmt.model.errors import StoreError, SurgeryError, Wording
from statefmt.model.findings import Code
from statefmt.model.snapshot import Snapshot, instances
from statefmt.pieces import joined
from statefmt.store.backends import RemoteName
from statefmt.store.backends.options import BackendOptions, allowed_paths
from statefmt.store.files import is_inside
from statefmt.store.inside import inside_name
from statefmt.store.reading import GIT, STANDARD_INPUT, is_folder
from statefmt.text import printable, shell_word

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.configuration.provider_instances import ProviderReferences


References: TypeAlias = "Mapping[str, ProviderReferences]"
NO_REFERENCES: Final[References] = MappingProxyType({})


def state_names(context: RunContext, file: OperationsFile, folder: Path, *, begun: bool = False) -> dict[str, str]:
    """Return the names of the states of a file that is in a folder, by their short names.

    Raises StoreError, also for a state outside of the folder that the user does not allow, unless the change has
    `begun`: it ends only in the states that were allowed then, which its journal identifies.
    """
    if file.in_memory:
        return {short: _name(context, block, folder) for short, block in file.states.items()}
    roots: tuple[Path | str, ...] = ("/",) if begun else (folder, *allowed_paths(context.backend, context.environment))
    return {
        short: _name(context, block, folder, f"{file.places[short].file}:{file.places[short].line}", roots)
        for short, block in file.states.items()
    }


def expected(file: OperationsFile) -> dict[str, Pin]:
    """Return what the file expects of its states."""
    expect = file.expect
    return {
        name: Pin(expect.lineage.get(name), expect.serial.get(name), stored=expect.hash.get(name))
        for name in file.states
    }


def staging(
    file: OperationsFile, note: Callable[[str], None] = lambda _: None, references: References = NO_REFERENCES
) -> Staging[FileOutcome]:
    """Return the function that stages the operations of a file. It raises StatetoolError if they do not apply.

    With the `references` of configurations, by the names of states, their edits are also checked against these.
    """

    def stage(states: Mapping[str, LoadedState]) -> Staged[FileOutcome]:
        snapshots = {name: state.result.snapshot for name, state in states.items()}
        try:
            edits = run(file, snapshots, note)
        except OtherBindingError as error:
            if not references:
                raise
            # Imported late: most runs have no configuration, or are not refused.
            from statefmt.edit.requests.declared_bindings import as_declared_there

            target, declared = next(iter(references.items()))
            raise as_declared_there(error, snapshots[target], declared) from error
        outcomes: dict[str, EditOutcome] = {}
        contents: dict[str, Write] = {}
        for name, state in states.items():
            edit = edits.edits.get(name)
            if edit is None:
                continue
            proposal = surgical(partial(_made, edit), references.get(name))(state)
            content = joined(state.data, proposal.pieces)
            if proposal.check:
                refuse_new_errors(state, content, proposal.moved)
            outcomes[name] = _without_intended(name, edits, proposal.outcome)
            if proposal.outcome.changes or not state.is_new:
                contents[name] = Write(name, content, proposal.pieces)
        created = frozenset(name for name in contents if states[name].is_new)
        writes = tuple(_ordered(file, states, edits, outcomes, contents))
        return Staged(writes, FileOutcome(outcomes, edits, created))

    return stage


def _refuse_plain(file: OperationsFile, states: Mapping[str, LoadedState], flows: Iterable[tuple[str, str]]) -> None:
    """Raise SurgeryError if objects move between an encrypted state and a plain one, unless the file allows it."""
    for source, target in sorted(flows):
        is_leaving, is_arriving = states[source].seal is not None, states[target].seal is not None
        if is_leaving == is_arriving or file.states[target].allow_plain:
            continue
        if is_leaving:
            problem = (
                f"the state {source} is encrypted and {target} is not, so what moves there would be written in plain; "
                f"nothing was written. Encrypt {target} first: `statetool encrypt`. If it may be plain"
            )
        else:
            problem = (
                f"the state {target} is encrypted and {source} is not, so what moves there stays in plain in the "
                f"backups and the history of {source}; nothing was written. If that is fine"
            )
        in_block = f"write allow_plain = true in the block of the state {target}"
        raise SurgeryError(f"{problem}, ", Wording("use --allow-plain", in_block) if file.in_memory else in_block)


def _without_intended(state: str, edits: FileEdits, outcome: EditOutcome) -> EditOutcome:
    """Return the outcome without the findings that say what was asked for: dependencies that were kept."""
    kept = {str(one.dependant.containing_resource()) for one in edits.kept if one.state == state}
    left = [one for one in outcome.findings if one.code is not Code.DEPENDENCY_DANGLING or one.address not in kept]
    return dataclasses.replace(outcome, findings=tuple(left))


def _made(edit: Edit, _before: Snapshot) -> Edit:
    return edit


def _ordered(
    file: OperationsFile,
    states: Mapping[str, LoadedState],
    edits: FileEdits,
    outcomes: Mapping[str, EditOutcome],
    contents: Mapping[str, Write],
) -> Iterator[Write]:
    arrived = {
        name: found.keys() & {one.addr for one in instances(edits.edits[name].snapshot)}
        for name, found in edits.arrived.items()
        if name in edits.edits
    }
    flows = {(edits.arrived[name][addr], name) for name, found in arrived.items() for addr in found} | edits.joined
    _refuse_plain(file, states, flows)
    for write in write_order(list(states), flows):
        name = write.state
        if name not in contents:
            continue
        if not write.only_arrives:
            yield contents[name]
            continue
        state = states[name]
        after = structs.replace(edits.edits[name].snapshot, serial=outcomes[name].serial)
        yield Write(name, spliced(state, with_arrivals(state.result.snapshot, after, arrived[name])))


def _name(
    context: RunContext, block: StateBlock, folder: Path, named_by: str = "", roots: Sequence[Path | str] = ()
) -> str:
    """Return the name of a state. With the place of the file that it is `named_by`, it must be in one of the roots."""
    if "\0" in block.path:
        raise StoreError(f"{printable(block.path)}: the path of a state has no NUL")
    options = structs.replace(context.backend or BackendOptions(), named_by=named_by)
    if block.workspace is not None:
        if not (is_path(block) and is_folder(folder / block.path)):
            raise StoreError(f"{block.path}: only a folder has workspaces, and this is none")
        options = structs.replace(options, workspace=block.workspace)
    path = folder / block.path
    if named_by and is_path(block) and not is_folder(path):
        inside = inside_name(path, roots)
        if inside is None:
            raise _outside(named_by, path, folder)
        return inside
    if named_by and is_path(block):
        if not any(is_inside(path, root) for root in roots):
            raise _outside(named_by, path, folder)
        # It may keep its state wherever the file may name one.
        options = structs.replace(options, allowed_paths=tuple(map(str, roots)))
    found = state_name(dataclasses.replace(context, backend=options), str(path) if is_path(block) else block.path)
    if "://" in block.path and not isinstance(found, RemoteName):
        raise StoreError(f"{printable(block.path)}: no backend has such URLs; name a file by its path")
    return found


def is_path(block: StateBlock) -> bool:
    """Return whether a block names a file or a folder, and not a URL, a version in git or standard input."""
    return not (block.path == STANDARD_INPUT or block.path.startswith(GIT) or "://" in block.path)


def _outside(named_by: str, path: Path, folder: Path) -> StoreError:
    real = os.path.realpath(path)
    return StoreError(
        f"{printable(named_by)}: {printable(str(path))} is outside of the folder of this file, "
        f"{printable(os.path.realpath(folder))}; nothing was written. If you trust the file, ",
        Wording(f"use --allow-path {shell_word(real)}", f"put {real!r} in the allowed_paths of BackendOptions"),
    )
