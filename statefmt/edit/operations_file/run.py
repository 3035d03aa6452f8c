"""Runs the operations of a file in order over the snapshots of its states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple
from uuid import UUID

from statefmt.analysis.selection import Criteria, select
from statefmt.edit.arguments.destinations import destinations
from statefmt.edit.changes.arriving import Moved
from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations.envelope import new_lineage, set_serial
from statefmt.edit.operations.join import join
from statefmt.edit.operations.replace_provider import parse_replaced
from statefmt.edit.operations.transfer import CrossingDependency, transfer
from statefmt.edit.operations_file import _parts
from statefmt.edit.operations_file._addresses import by_state, state_address
from statefmt.edit.operations_file._kept import KeptDependency, kept_dependencies
from statefmt.edit.operations_file._model import (
    FileOperation,
    IdentityBlock,
    JoinBlock,
    MoveBlock,
    OperationsFile,
    ReplaceProviderBlock,
    SetSerialBlock,
)
from statefmt.edit.operations_file._selecting import known_providers, selecting
from statefmt.edit.operations_file._working_state import WorkingState
from statefmt.edit.requests.choose import Note
from statefmt.edit.requests.mv import mv_request
from statefmt.edit.requests.replace_provider import replace_provider_request
from statefmt.model.addrs import (
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    ConfigResource,
    parse_module_instance,
)
from statefmt.model.errors import AddressError, SelectionError, SurgeryError
from statefmt.model.instances import instances
from statefmt.model.snapshot import Snapshot


class StateCrossing(NamedTuple):
    """A dependency whose ends are in two states, and these: what moved went from `source` to `target`."""

    source: str
    target: str
    dependency: CrossingDependency


class FileEdits(NamedTuple):
    """What the operations make of the states, by name: an edit for each one that has operations.

    `crossing` are the dependencies that were dropped, and `kept` those that lead from one state to another now.
    `new_providers` are provider configurations that moves bring to states that had none of them. `arrived` are the
    instances that came from other states, by their state and their address there, each with the state that it came
    from. `joined` are pairs of states: the outputs of the first went to the second.
    """

    edits: Mapping[str, Edit]
    crossing: tuple[StateCrossing, ...] = ()
    new_providers: Mapping[str, tuple[ConfigProviderConfig, ...]] = {}
    arrived: Mapping[str, Mapping[AbsResourceInstance, str]] = {}
    joined: frozenset[tuple[str, str]] = frozenset()
    kept: tuple[KeptDependency, ...] = ()


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


class _Goals(NamedTuple):
    """What moves to another state: instances, and the address that they move to; None if they keep theirs."""

    selectors: tuple[str, ...]
    target: str | None = None

    def of(self, state: Snapshot) -> Moved:
        """Return the new addresses by the old ones. Raises SelectionError and SurgeryError."""
        found = [one.addr for one in select(instances(state), Criteria(selectors=self.selectors))]
        if self.target is None:
            return {one: one for one in found}
        return destinations(found, self.selectors[0], self.target)


class _Run:
    """The states while the operations run."""

    def __init__(self, snapshots: Mapping[str, Snapshot], note: Note) -> None:
        self._snapshots = snapshots
        # Those that have operations.
        self._states: dict[str, WorkingState] = {}
        self._crossing: list[StateCrossing] = []
        self._new: dict[str, dict[ConfigProviderConfig, None]] = {}
        self._joined: set[tuple[str, str]] = set()
        # The states that outputs came from, by the state that has them and their names.
        self._output_homes: dict[tuple[str, str], str] = {}
        # Where resources went whose dependants still name their old addresses.
        self._went: dict[ConfigResource, str] = {}
        self._note = note

    @property
    def result(self) -> FileEdits:
        new = {name: tuple(found) for name, found in self._new.items()}
        arrived = {name: homes for name, state in self._states.items() if (homes := state.origins.homes)}
        edits = {name: state.edit for name, state in self._states.items()}
        kept = kept_dependencies({name: one.snapshot for name, one in edits.items()}, self._went) if self._went else ()
        return FileEdits(edits, tuple(self._crossing), new, arrived, frozenset(self._joined), tuple(kept))

    def run(self, operation: FileOperation) -> None:
        block = operation.block
        if isinstance(block, MoveBlock):
            self._move(block)
        elif isinstance(block, JoinBlock):
            self._join(block)
        elif isinstance(block, ReplaceProviderBlock):
            self._replace_provider(block)
        elif isinstance(block, IdentityBlock):
            self._identify(block)
        else:
            edit, part = selecting(block, self._note)
            for name, selectors in by_state(block.of, self._snapshots).items():
                self._edit(name, partial(part, selectors), partial(edit, Criteria(selectors=selectors)))

    def _identify(self, block: IdentityBlock) -> None:
        edit: Callable[[Snapshot], Edit]
        if isinstance(block, SetSerialBlock):
            edit = partial(set_serial, serial=block.serial)
        else:
            try:
                edit = partial(new_lineage, lineage=UUID(block.lineage))
            except ValueError as error:
                raise SurgeryError(f"{block.lineage!r} is not a UUID") from error
        self._edit(self._only(block.state, "state"), lambda _: (), edit)

    def _only(self, name: str | None, arguments: str) -> str:
        """Return the name of a state; None if the file has no other. Raises SurgeryError and SelectionError."""
        if name is None and len(self._snapshots) > 1:
            raise SurgeryError(f"the file names several states: give {arguments}")
        found = next(iter(self._snapshots)) if name is None else name
        if found not in self._snapshots:
            raise SelectionError(f"the file names no state {found!r}")
        return found

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
        whole = self._whole_state(block.to)
        if whole is not None:
            for name, selectors in by_state(block.from_, self._snapshots).items():
                self._transfer(block, name, whole, _Goals(selectors))
            return
        if not isinstance(block.from_, str):
            raise SurgeryError("move: a list goes to a whole state: to = state.NAME")
        source, target = (state_address(text, self._snapshots) for text in (block.from_, block.to))
        if source.state != target.state:
            self._transfer(block, source.state, target.state, _Goals((source.selector,), target.selector))
            return
        self._edit(
            source.state,
            lambda state: _parts.moved_within(state, source.selector, target.selector),
            lambda state: mv_request(state, source.selector, target.selector, rebind=block.rebind),
        )

    def _transfer(self, block: MoveBlock, source: str, target: str, goals: _Goals) -> None:
        if source == target:
            raise SurgeryError(f"move: the instances are in the state {target} already")
        transferred = partial(transfer, rebind=block.rebind, keep_dependencies=block.keep_dependencies)
        here, there = self._state(source), self._state(target)
        try:
            moved = goals.of(here.part(_parts.selected(goals.selectors, here)))
            left = here.part(_parts.left(here, moved, goals.selectors))
            joined = there.part(_parts.joined(there, moved, _parts.sources(here, (r.addr for r in left.resources))))
            made = transferred(left, joined, moved)
        except (SelectionError, SurgeryError):
            left, joined = here.snapshot, there.snapshot
            moved = goals.of(left)
            made = transferred(left, joined, moved)
        self._crossing += [StateCrossing(source, target, one) for one in made.crossing]
        if block.keep_dependencies:
            self._went.update((one.config(), target) for one in moved)
        self._take(source, target, (left, made.source), (joined, made.target), moved)
        self._new.setdefault(target, {}).update(dict.fromkeys(made.new_providers))

    def _join(self, block: JoinBlock) -> None:
        source, target = (self._named(text) for text in (block.from_, block.to))
        if source == target:
            raise SurgeryError(f"join: the state {target} cannot join itself")
        chosen = None if block.outputs_from is None else self._named(block.outputs_from)

        def takes(output: str) -> bool | None:
            homes = [self._output_homes.get((state, output), state) for state in (source, target)]
            return homes[0] == chosen if chosen in homes else None

        try:
            prefix = None if block.prefix is None else parse_module_instance(block.prefix)
        except AddressError as error:
            raise SurgeryError(f"prefix: {block.prefix} is not the address of a module") from error
        left, joined = self._state(source).snapshot, self._state(target).snapshot
        made = join(left, joined, prefix=prefix, takes_output=takes)
        if made.outputs:
            self._joined.add((source, target))
        before, after = ({one.name: one for one in each.outputs} for each in (joined, made.target.snapshot))
        for name in made.outputs:
            if after[name] != before.get(name):
                self._output_homes[target, name] = self._output_homes.get((source, name), source)
        self._take(source, target, (left, made.source), (joined, made.target), made.moved)
        self._new.setdefault(target, {}).update(dict.fromkeys(made.new_providers))

    def _take(
        self, source: str, target: str, left: tuple[Snapshot, Edit], joined: tuple[Snapshot, Edit], moved: Moved
    ) -> None:
        """Take what goes from one state to another: of each the part before, and its edit."""
        here, there = self._state(source), self._state(target)
        homes = {other: here.origins.home(one) or source for one, other in moved.items()}
        here.put(*left)
        there.put(*joined)
        there.origins.arrive({addr: home if home != target else None for addr, home in homes.items()})

    def _whole_state(self, text: str) -> str | None:
        """Return the name of a state if the text is `state.NAME` and nothing else."""
        name = text.removeprefix("state.")
        return name if name != text and name in self._snapshots else None

    def _named(self, text: str) -> str:
        name = self._whole_state(text)
        if name is None:
            raise SelectionError(f"{text}: name a state of the file: state.NAME", address=text)
        return name

    def _replace_provider(self, block: ReplaceProviderBlock) -> None:
        if block.of is not None and block.state is not None:
            raise SurgeryError("replace_provider: give either of or state")
        old, new = parse_replaced(block.old), parse_replaced(block.new)
        chosen: Mapping[str, tuple[str, ...] | None]
        if block.of is not None:
            chosen = by_state(block.of, self._snapshots)
        else:
            chosen = {self._only(block.state, "of or state"): None}
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
