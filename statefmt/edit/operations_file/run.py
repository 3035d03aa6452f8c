"""Runs the operations of a file in order over the snapshots of its states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

from statefmt.analysis.selection import Criteria, select
from statefmt.edit.arguments.destinations import destinations
from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations.replace_provider import parse_replaced
from statefmt.edit.operations.transfer import CrossingDependency, transfer
from statefmt.edit.operations_file import _parts
from statefmt.edit.operations_file._addresses import StateAddress, by_state, state_address
from statefmt.edit.operations_file._model import FileOperation, MoveBlock, OperationsFile, ReplaceProviderBlock
from statefmt.edit.operations_file._selecting import known_providers, selecting
from statefmt.edit.operations_file._working_state import WorkingState
from statefmt.edit.requests.choose import Note
from statefmt.edit.requests.mv import mv_request
from statefmt.edit.requests.replace_provider import replace_provider_request
from statefmt.model.addrs import AbsResource, AbsResourceInstance, ConfigProviderConfig
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


def run(file: OperationsFile, snapshots: Mapping[str, Snapshot], note: Note = lambda _: None) -> FileEdits:
    """Run the operations in order; `snapshots` has all states of the file by their names.

    Raises SurgeryError with the position of the operation that does not apply.
    """
    running = _Run(snapshots, note)
    for operation in file.operations:
        try:
            running.run(operation)
        except (SelectionError, SurgeryError) as error:
            raise SurgeryError(f"{operation.range}: ", *error.parts, address=error.address) from error
    return running.result


class _Run:
    """The states while the operations run."""

    def __init__(self, snapshots: Mapping[str, Snapshot], note: Note) -> None:
        self._snapshots = snapshots
        # Those that have operations.
        self._states: dict[str, WorkingState] = {}
        self._crossing: list[StateCrossing] = []
        self._new: dict[str, dict[ConfigProviderConfig, None]] = {}
        self._note = note

    @property
    def result(self) -> FileEdits:
        new = {name: tuple(found) for name, found in self._new.items()}
        arrived = {name: homes for name, state in self._states.items() if (homes := state.origins.homes)}
        return FileEdits(
            {name: state.edit for name, state in self._states.items()}, tuple(self._crossing), new, arrived
        )

    def run(self, operation: FileOperation) -> None:
        block = operation.block
        if isinstance(block, MoveBlock):
            self._move(block)
        elif isinstance(block, ReplaceProviderBlock):
            self._replace_provider(block)
        else:
            edit, part = selecting(block, self._note)
            for name, selectors in by_state(block.of, self._snapshots).items():
                self._edit(name, partial(part, selectors), partial(edit, Criteria(selectors=selectors)))

    def _edit(
        self, name: str, part: Callable[[WorkingState], Iterable[AbsResource]], edit: Callable[[Snapshot], Edit]
    ) -> None:
        """Run an operation on the part of a state that it concerns."""
        state = self._state(name)
        try:
            before = state.part(part(state))
            made = edit(before)
        except (SelectionError, SurgeryError):
            # The message may name what the part lacks.
            before = state.snapshot
            made = edit(before)
        state.put(before, made)

    def _state(self, name: str) -> WorkingState:
        if name not in self._states:
            self._states[name] = WorkingState(self._snapshots[name])
        return self._states[name]

    def _move(self, block: MoveBlock) -> None:
        source, target = (state_address(text, self._snapshots) for text in (block.from_, block.to))
        if source.state != target.state:
            self._transfer(source, target, rebind=block.rebind)
            return
        self._edit(
            source.state,
            lambda state: _parts.moved_within(state, source.selector, target.selector),
            lambda state: mv_request(state, source.selector, target.selector, rebind=block.rebind),
        )

    def _transfer(self, source: StateAddress, target: StateAddress, *, rebind: bool) -> None:
        here, there = self._state(source.state), self._state(target.state)
        try:
            moved = _parts.goals(here, source.selector, target.selector)
            left = here.part(_parts.left(here, moved, source.selector))
            joined = there.part(_parts.joined(there, moved, _parts.sources(here, (r.addr for r in left.resources))))
            made = transfer(left, joined, moved, rebind=rebind)
        except (SelectionError, SurgeryError):
            left, joined = here.snapshot, there.snapshot
            found = select(instances(left), Criteria(selectors=(source.selector,)))
            moved = destinations([instance.addr for instance in found], source.selector, target.selector)
            made = transfer(left, joined, moved, rebind=rebind)
        self._crossing += [StateCrossing(source.state, target.state, one) for one in made.crossing]
        self._new.setdefault(target.state, {}).update(dict.fromkeys(made.new_providers))
        homes = {other: here.origins.home(one) or source.state for one, other in moved.items()}
        here.put(left, made.source)
        there.put(joined, made.target)
        there.origins.arrive({addr: home if home != target.state else None for addr, home in homes.items()})

    def _replace_provider(self, block: ReplaceProviderBlock) -> None:
        if (block.of is None) == (block.state is None) and len(self._snapshots) > 1:
            raise SurgeryError("replace_provider: give either of or state")
        old, new = parse_replaced(block.old), parse_replaced(block.new)
        chosen: Mapping[str, tuple[str, ...] | None]
        if block.of is not None:
            chosen = by_state(block.of, self._snapshots)
        else:
            name = next(iter(self._snapshots)) if block.state is None else block.state
            if name not in self._snapshots:
                raise SelectionError(f"the file names no state {name!r}")
            chosen = {name: None}
        known = known_providers(new_provider=block.new_provider)
        for name, selectors in chosen.items():
            self._edit(
                name,
                partial(_parts.provided, selectors, old, new),
                partial(
                    replace_provider_request,
                    chosen=Criteria(selectors=selectors or ()),
                    old=old,
                    new=new,
                    whole_resource=block.whole_resource,
                    known=known,
                    note=self._note,
                ),
            )
