"""Stages the operations of a file: the results of its states, in the order in which they are written."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from msgspec import structs
from msgspec.structs import replace

from statefmt.analysis.diff import Passages, passages
from statefmt.context import RunContext
from statefmt.edit.added_findings import refuse_new_errors
from statefmt.edit.changes import OtherBindingError
from statefmt.edit.operations_file import run
from statefmt.edit.operations_file.model import OperationsFile, StateBlock
from statefmt.edit.operations_file.working_states import FileEdits, KeptDependency
from statefmt.edit.pipeline import EditOutcome, spliced, surgical
from statefmt.edit.session import LoadedState, state_name
from statefmt.edit.transactions.plan import Pin, Staged, Staging, Write
from statefmt.model.addrs import AbsResource, AbsResourceInstance
from statefmt.model.errors import StoreError, SurgeryError, Wording
from statefmt.model.findings import Code
from statefmt.model.snapshot import ResourceState, Snapshot, instances
from statefmt.pieces import joined
from statefmt.store.backends import RemoteName
from statefmt.store.backends.options import BackendOptions, allowed_paths
from statefmt.store.files import inside_name, is_inside
from statefmt.store.reading import GIT, STANDARD_INPUT, is_folder
from statefmt.text import printable, shell_word

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.configuration.provider_instances import ProviderReferences


References: TypeAlias = "Mapping[str, ProviderReferences]"
NO_REFERENCES: Final[References] = MappingProxyType({})


def state_names(context: RunContext, file: OperationsFile, folder: Path, *, begun: bool = False) -> dict[str, str]:
    """Return the names of the states of a file that is in a folder, by their short names.

    Raises StoreError, also for a state outside the folder that the user does not allow, unless the change has `begun`:
    it ends only in the states of its journal, which were allowed.
    """
    if file.in_memory:
        return {short: _name(context, block, folder) for short, block in file.states.items()}
    roots: tuple[Path | str, ...] = ("/",) if begun else (folder, *allowed_paths(context.backend, context.environment))
    return {
        short: _name(context, block, folder, f"{file.places[short].file}:{file.places[short].line}", roots)
        for short, block in file.states.items()
    }


def expected(file: OperationsFile) -> dict[str, Pin]:
    """Return the conditions of the file on its states."""
    expect = file.expect
    return {
        name: Pin(expect.lineage.get(name), expect.serial.get(name), stored=expect.hash.get(name))
        for name in file.states
    }


def staging(
    file: OperationsFile,
    note: Callable[[str], None] = lambda _: None,
    references: References = NO_REFERENCES,
    *,
    allow_mismatch: bool = False,
) -> Staging[FileOutcome]:
    """Return a function that stages the operations of a file. It raises StatetoolError if they do not apply.

    With the `references` of configurations, by the names of states, their edits are also checked against the
    configurations; with `allow_mismatch`, objects may be bound to provider instances of another account or region.
    """

    def stage(states: Mapping[str, LoadedState]) -> Staged[FileOutcome]:
        snapshots = {name: state.result.snapshot for name, state in states.items()}
        try:
            edits = run(file, snapshots, note)
        except OtherBindingError as error:
            if not references:
                raise
            # Imported late: most runs have no configuration, or are not refused.
            from statefmt.edit.operations.by_configuration import as_declared_there

            target, declared = next(iter(references.items()))
            raise as_declared_there(error, snapshots, target, declared, allow_mismatch=allow_mismatch) from error
        outcomes: dict[str, EditOutcome] = {}
        contents: dict[str, Write] = {}
        for name, state in states.items():
            edit = edits.edits.get(name)
            if edit is None:
                continue
            if name in references and not allow_mismatch:
                from statefmt.edit.operations.by_configuration import refuse_mismatch

                refuse_mismatch(snapshots[name], edit, references[name])
            proposal = surgical(partial(lambda made, _before: made, edit), references.get(name))(state)
            content = joined(state.data, proposal.pieces)
            if proposal.check:
                refuse_new_errors(state, content, proposal.moved)
            # Without findings about dependencies that were kept on request.
            kept = {str(one.dependant.containing_resource()) for one in edits.kept if one.state == name}
            found = proposal.outcome.findings
            left = tuple(one for one in found if one.code is not Code.DEPENDENCY_DANGLING or one.address not in kept)
            outcomes[name] = dataclasses.replace(proposal.outcome, findings=left)
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
    yield from writes_in_order(states, flows, outcomes, contents, arrived)


def writes_in_order(
    states: Mapping[str, LoadedState],
    flows: Collection[tuple[str, str]],
    outcomes: Mapping[str, EditOutcome],
    contents: Mapping[str, Write],
    arrived: Mapping[str, Collection[AbsResourceInstance]],
) -> Iterator[Write]:
    """Yield the writes of `contents` such that objects arrive in one state before they leave another.

    `arrived` are the instances that come from other states; `flows` are as for write_order().
    """
    for name, only_arrives in write_order(list(states), flows):
        if name in contents and not only_arrives:
            yield contents[name]
        elif name in contents:
            state, outcome = states[name], outcomes[name]
            after = structs.replace(outcome.edit.snapshot, serial=outcome.serial)
            yield Write(name, spliced(state, with_arrivals(state.result.snapshot, after, arrived[name])))


def _name(
    context: RunContext, block: StateBlock, folder: Path, named_by: str = "", roots: Sequence[Path | str] = ()
) -> str:
    """Return the name of a state. With `named_by`, the place of a file, it must be in one of the roots."""
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
        if not is_inside(path, *roots):
            raise _outside(named_by, path, folder)
        # A folder may keep its state wherever the file may name a state.
        options = structs.replace(options, allowed_paths=tuple(map(str, roots)))
    found = state_name(dataclasses.replace(context, backend=options), str(path) if is_path(block) else block.path)
    if "://" in block.path and not isinstance(found, RemoteName):
        raise StoreError(f"{printable(block.path)}: no backend has such URLs; name a file by its path")
    return found


def is_path(block: StateBlock) -> bool:
    """Return whether a block names a file or a folder."""
    return not (block.path == STANDARD_INPUT or block.path.startswith(GIT) or "://" in block.path)


def _outside(named_by: str, path: Path, folder: Path) -> StoreError:
    real = os.path.realpath(path)
    return StoreError(
        f"{printable(named_by)}: {printable(str(path))} is outside of the folder of this file, "
        f"{printable(os.path.realpath(folder))}; nothing was written. If you trust the file, ",
        Wording(f"use --allow-path {shell_word(real)}", f"put {real!r} in the allowed_paths of BackendOptions"),
    )


class OrderedWrite(NamedTuple):
    """A write of a state: of its result or, if it `only_arrives`, of its old content with the arrived objects."""

    state: str
    only_arrives: bool = False


def write_order(states: Sequence[str], flows: Collection[tuple[str, str]]) -> tuple[OrderedWrite, ...]:
    """Return the writes in order: each state after the states that its objects go to.

    `flows` are pairs of states: objects go from the first to the second. In a cycle, the first state in `states` is
    written twice, first with the arriving objects.
    """
    waits = {state: {target for source, target in flows if source == state != target} for state in states}
    left = list(states)
    order: list[OrderedWrite] = []
    while left:
        free = next((state for state in left if not waits[state]), None)
        if free is not None:
            left.remove(free)
        written = OrderedWrite(free) if free is not None else OrderedWrite(_first_in_circle(left, waits), True)
        order.append(written)
        for targets in waits.values():
            targets.discard(written.state)
    return tuple(order)


def _first_in_circle(left: Sequence[str], waits: dict[str, set[str]]) -> str:
    """Return a state of a cycle; each remaining state waits for another."""
    way: list[str] = []
    state = left[0]
    while state not in way:
        way.append(state)
        state = min(waits[state], key=left.index)
    return min(way[way.index(state) :], key=left.index)


_PARKED: Final = "statetool_arriving_"


def with_arrivals(before: Snapshot, after: Snapshot, arrived: Collection[AbsResourceInstance]) -> Snapshot:
    """Return `before` with the instances that `arrived` from other states, taken from `after`, and its serial.

    If `before` has their resource, they get a temporary name, so that nothing joins or replaces it.
    """
    taken = {resource.addr for resource in before.resources}
    came: list[ResourceState] = []
    for resource in after.resources:
        objects = [obj for obj in resource.objects if resource.addr.instance(obj.key) in arrived]
        if objects:
            addr = _free(resource.addr, taken)
            taken.add(addr)
            new = tuple(replace(obj, origin=None) for obj in objects)
            came.append(replace(resource, addr=addr, objects=new, origin=()))
    return replace(before, serial=after.serial, resources=(*before.resources, *came))


def _free(addr: AbsResource, taken: Collection[AbsResource]) -> AbsResource:
    """Return the address, or one with another name if it is taken."""
    number = count(2)
    free, name = addr, _PARKED + addr.resource.name
    while free in taken:
        free = replace(addr, resource=replace(addr.resource, name=name))
        name = f"{_PARKED}{next(number)}_{addr.resource.name}"
    return free


class FileOutcome(NamedTuple):
    """The effects of the operations of a file, on each state that changes and across states. States are by short names.

    `created` are the new states.
    """

    outcomes: Mapping[str, EditOutcome]
    edits: FileEdits
    created: frozenset[str] = frozenset()

    def passages(self) -> dict[str, Passages]:
        """Return the objects that move between states, from the view of each state."""
        changes = {short: one.changes for short, one in self.outcomes.items()}
        return passages(changes, {short: one.edit.snapshot for short, one in self.outcomes.items()})

    def dropped(self, across: Mapping[str, Passages]) -> Iterator[KeptDependency]:
        """Yield the dropped dependencies, with the final addresses of both ends.

        `across` is the result of `passages`.
        """
        went = {(state, addr): one for state, each in across.items() for addr, one in each.sent.items()}
        resources = {(state, addr.config()): one for (state, addr), one in went.items()}
        for source, target, lost in self.edits.crossing:
            ends = (source, target) if lost.is_leaving else (target, source)
            found = KeptDependency(ends[0], lost.dependant, ends[1], lost.now)
            one, other = went.get((found.state, found.dependant)), resources.get((found.other, found.needs))
            here = (one.other, one.change.addr) if one else (found.state, found.dependant)
            there = (other.other, other.change.addr.config()) if other else (found.other, found.needs)
            yield KeptDependency(*here, *there)


# Receives the names of the states by their short names, and the results; returns whether to write them.
Agreed: TypeAlias = Callable[[Mapping[str, str], FileOutcome], bool]
