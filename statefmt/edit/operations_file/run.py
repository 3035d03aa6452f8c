"""Runs the operations of a file in order over the snapshots of its states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

import msgspec

from statefmt.analysis.selection import Criteria, select
from statefmt.edit.arguments.assignment import assignment
from statefmt.edit.arguments.destinations import destinations
from statefmt.edit.arguments.key_map import WHOLE_NUMBER, KeyMap, parse_key_map
from statefmt.edit.changes.composed import composed
from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations.replace_provider import parse_replaced
from statefmt.edit.operations.transfer import CrossingDependency, transfer
from statefmt.edit.operations_file._addresses import StateAddress, by_state, state_address
from statefmt.edit.operations_file._model import (
    FileOperation,
    ForgetBlock,
    ForgetDeposedBlock,
    MoveBlock,
    OperationsFile,
    RebindBlock,
    RekeyBlock,
    ReplaceProviderBlock,
    SetBlock,
    TaintBlock,
    UnsetBlock,
    UntaintBlock,
)
from statefmt.edit.requests.choose import Note
from statefmt.edit.requests.forget_deposed import forget_deposed_request
from statefmt.edit.requests.known_providers import KnownProviders
from statefmt.edit.requests.mv import mv_request
from statefmt.edit.requests.rebind import rebind_request
from statefmt.edit.requests.rekey import rekey_request
from statefmt.edit.requests.replace_provider import replace_provider_request
from statefmt.edit.requests.rm import rm_request
from statefmt.edit.requests.set import set_request
from statefmt.edit.requests.taint import taint_request, untaint_request
from statefmt.edit.requests.unset import unset_request
from statefmt.model.addrs import AbsResourceInstance, ConfigProviderConfig, StringKey
from statefmt.model.errors import SelectionError, SurgeryError
from statefmt.model.instances import instances
from statefmt.model.snapshot import Snapshot


class StateCrossing(NamedTuple):
    """A dependency that was dropped because its ends are in two states, and the states that it led from and to."""

    source: str
    target: str
    dependency: CrossingDependency


class FileEdits(NamedTuple):
    """What the operations make of the states, by name: an edit for each one that has operations.

    `crossing` are the dependencies that were dropped. `new_providers` are provider configurations that moves bring to
    states that had none of them. `arrived` are the instances that came from other states, by their state and their
    address there, each with the state that it came from.
    """

    edits: Mapping[str, Edit]
    crossing: tuple[StateCrossing, ...] = ()
    new_providers: Mapping[str, tuple[ConfigProviderConfig, ...]] = {}
    arrived: Mapping[str, Mapping[AbsResourceInstance, str]] = {}


# Makes the edit of one state that an operation selects instances in.
_Edit: TypeAlias = Callable[[Snapshot, Criteria], Edit]


def run(file: OperationsFile, snapshots: Mapping[str, Snapshot], note: Note = lambda _: None) -> FileEdits:
    """Run the operations in order; `snapshots` has all states of the file by their names.

    Raises SurgeryError with the position of the operation that does not apply.
    """
    running = _Run(snapshots, note)
    for operation in file.operations:
        try:
            running.run(operation)
        except (SelectionError, SurgeryError) as error:
            place = f"{operation.range}: " if not file.in_memory else ""
            raise SurgeryError(place, *error.parts, address=error.address) from error
    return running.result


class _Run:
    """The states while the operations run."""

    def __init__(self, snapshots: Mapping[str, Snapshot], note: Note) -> None:
        self._now = dict(snapshots)
        self._edits: dict[str, Edit] = {}
        self._crossing: list[StateCrossing] = []
        self._new: dict[str, dict[ConfigProviderConfig, None]] = {}
        self._arrived: dict[str, dict[AbsResourceInstance, str]] = {}
        self._note = note

    @property
    def result(self) -> FileEdits:
        new = {name: tuple(found) for name, found in self._new.items()}
        return FileEdits(self._edits, tuple(self._crossing), new, self._arrived)

    def run(self, operation: FileOperation) -> None:
        block = operation.block
        if isinstance(block, MoveBlock):
            self._move(block)
        elif isinstance(block, ReplaceProviderBlock):
            self._replace_provider(block)
        else:
            edit = self._operation(block)
            for name, selectors in by_state(block.of, self._now).items():
                self._apply(name, edit(self._now[name], Criteria(selectors=selectors)))

    def _operation(
        self,
        block: ForgetBlock
        | RekeyBlock
        | RebindBlock
        | TaintBlock
        | UntaintBlock
        | ForgetDeposedBlock
        | SetBlock
        | UnsetBlock,
    ) -> _Edit:
        note = self._note
        match block:
            case ForgetBlock():
                return lambda state, chosen: rm_request(state, chosen, keep_dangling=block.keep_dangling, note=note)
            case RekeyBlock():
                if (block.keys is None) == (block.by is None):
                    raise SurgeryError("rekey: give either keys or by")
                keys = _keys(block.keys)
                return lambda state, chosen: rekey_request(
                    state, chosen, keys=keys, by=block.by, count=block.count, note=note
                )
            case RebindBlock():
                keys, known = _keys(block.keys), _known(new_provider=block.new_provider)
                return lambda state, chosen: rebind_request(
                    state,
                    chosen,
                    block.provider,
                    mapping=keys,
                    whole_resource=block.whole_resource,
                    known=known,
                    note=note,
                )
            case TaintBlock():
                return lambda state, chosen: taint_request(state, chosen, note=note)
            case UntaintBlock():
                return lambda state, chosen: untaint_request(state, chosen, note=note)
            case ForgetDeposedBlock():
                return lambda state, chosen: forget_deposed_request(state, chosen, block.key, note=note)
            case SetBlock():
                given = [assignment(path, _json(value)) for path, value in block.values.items()]
                return lambda state, chosen: set_request(
                    state, chosen, (), given, force_type=block.force_type, note=note
                )
            case UnsetBlock():
                paths = (block.paths,) if isinstance(block.paths, str) else block.paths
                return lambda state, chosen: unset_request(state, chosen, paths, note=note)

    def _move(self, block: MoveBlock) -> None:
        source, target = (state_address(text, self._now) for text in (block.from_, block.to))
        if source.state == target.state:
            edit = mv_request(self._now[source.state], source.selector, target.selector, rebind=block.rebind)
            self._apply(source.state, edit)
            return
        self._transfer(source, target, rebind=block.rebind)

    def _transfer(self, source: StateAddress, target: StateAddress, *, rebind: bool) -> None:
        here, there = self._now[source.state], self._now[target.state]
        found = select(instances(here), Criteria(selectors=(source.selector,)))
        moved = destinations([instance.addr for instance in found], source.selector, target.selector)
        made = transfer(here, there, moved, rebind=rebind)
        self._crossing += [StateCrossing(source.state, target.state, one) for one in made.crossing]
        self._new.setdefault(target.state, {}).update(dict.fromkeys(made.new_providers))
        self._apply(source.state, made.source)
        self._apply(target.state, made.target)
        left = self._arrived.setdefault(source.state, {})
        came = {other: left.pop(one, source.state) for one, other in moved.items()}
        self._arrived.setdefault(target.state, {}).update(
            (addr, home) for addr, home in came.items() if home != target.state
        )

    def _replace_provider(self, block: ReplaceProviderBlock) -> None:
        if (block.of is None) == (block.state is None) and len(self._now) > 1:
            raise SurgeryError("replace_provider: give either of or state")
        old, new = parse_replaced(block.old), parse_replaced(block.new)
        if block.of is not None:
            chosen = {name: Criteria(selectors=found) for name, found in by_state(block.of, self._now).items()}
        else:
            name = next(iter(self._now)) if block.state is None else block.state
            if name not in self._now:
                raise SelectionError(f"the file names no state {name!r}")
            chosen = {name: Criteria()}
        for name, criteria in chosen.items():
            edit = replace_provider_request(
                self._now[name],
                criteria,
                old,
                new,
                whole_resource=block.whole_resource,
                known=_known(new_provider=block.new_provider),
                note=self._note,
            )
            self._apply(name, edit)

    def _apply(self, name: str, edit: Edit) -> None:
        earlier = self._edits.get(name)
        self._edits[name] = edit if earlier is None else composed(earlier, edit)
        here = self._arrived.get(name, {})
        if edit.moved and here:
            self._arrived[name] = {edit.moved.get(addr, addr): home for addr, home in here.items()}
        self._now[name] = edit.snapshot


def _keys(keys: Mapping[str, str | int | None] | None) -> KeyMap | None:
    """Return the keys as the command line takes them: a whole number is a `count` key, and "" or null is no key."""
    if keys is None:
        return None
    return parse_key_map([f"{_key(old, is_old=True)}={_key(new)}" for old, new in keys.items()])


def _key(key: str | int | None, *, is_old: bool = False) -> str:
    # The names of an object are strings, whatever was written.
    if not key or isinstance(key, int) or (is_old and WHOLE_NUMBER.fullmatch(key)):
        return "" if key in (None, "") else str(key)
    return str(StringKey(key))[1:-1]


def _json(value: object) -> str:
    return msgspec.json.Encoder(decimal_format="number").encode(value).decode()


def _known(*, new_provider: bool) -> KnownProviders | None:
    return None if new_provider else KnownProviders("write new_provider = true")
