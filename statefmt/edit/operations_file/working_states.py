"""The states of a file while its operations run: edits of one state, and what goes from one to another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from statefmt.edit.changes import Edit, Moved
from statefmt.edit.operations.transfer import CrossingDependency, Joined, Transferral, join, transfer
from statefmt.edit.operations_file import _working_state as parts
from statefmt.edit.operations_file._working_state import WorkingState
from statefmt.edit.operations_file.model import MoveBlock
from statefmt.model.addrs import AbsResource, AbsResourceInstance, ConfigProviderConfig, ConfigResource, ModuleInstance
from statefmt.model.errors import SelectionError, SurgeryError
from statefmt.model.snapshot import Snapshot


class WorkingStates:
    """The states of a file by their names, and what operations made of them so far."""

    def __init__(self, snapshots: Mapping[str, Snapshot]) -> None:
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

    @property
    def result(self) -> FileEdits:
        """All operations, as an edit for each state."""
        new = {name: tuple(found) for name, found in self._new.items()}
        arrived = {name: homes for name, state in self._states.items() if (homes := state.origins.homes)}
        edits = {name: state.edit for name, state in self._states.items()}
        kept = kept_dependencies({name: one.snapshot for name, one in edits.items()}, self._went) if self._went else ()
        return FileEdits(edits, tuple(self._crossing), new, arrived, frozenset(self._joined), tuple(kept))

    def edit(
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

    def transfer(self, block: MoveBlock, source: str, target: str, selectors: Sequence[str], goal: str | None) -> None:
        """Move what selectors match from one state to another; `goal` is the new address, None if all keep theirs."""
        if source == target:
            raise SurgeryError(f"move: the instances are in the state {target} already")
        transferred = partial(transfer, rebind=block.rebind, keep_dependencies=block.keep_dependencies)
        here, there = self._state(source), self._state(target)
        try:
            moved = parts.goals(here.part(parts.selected(selectors, here)), selectors, goal)
            left = here.part(parts.left(here, moved, selectors))
            joined = there.part(parts.joined(there, moved, parts.sources(here, (r.addr for r in left.resources))))
            made = transferred(left, joined, moved)
        except (SelectionError, SurgeryError):
            left, joined = here.snapshot, there.snapshot
            moved = parts.goals(left, selectors, goal)
            made = transferred(left, joined, moved)
        self._crossing += [StateCrossing(source, target, one) for one in made.crossing]
        if block.keep_dependencies:
            self._went.update((one.config(), target) for one in moved)
        self._take(source, target, left, joined, made, moved)

    def join(self, source: str, target: str, prefix: ModuleInstance | None, outputs_from: str | None) -> None:
        """Move everything from one state to another; the arguments are those of a JoinBlock."""
        if source == target:
            raise SurgeryError(f"join: the state {target} cannot join itself")

        def takes(output: str) -> bool | None:
            homes = [self._output_homes.get((state, output), state) for state in (source, target)]
            return homes[0] == outputs_from if outputs_from in homes else None

        left, joined = self._state(source).snapshot, self._state(target).snapshot
        made = join(left, joined, prefix=prefix, takes_output=takes)
        if made.outputs:
            self._joined.add((source, target))
        before, after = ({one.name: one for one in each.outputs} for each in (joined, made.target.snapshot))
        for name in made.outputs:
            if after[name] != before.get(name):
                self._output_homes[target, name] = self._output_homes.get((source, name), source)
        self._take(source, target, left, joined, made, made.moved)

    def _take(
        self, source: str, target: str, left: Snapshot, joined: Snapshot, made: Transferral | Joined, moved: Moved
    ) -> None:
        """Take what goes from one state to another; `left` and `joined` are the parts of both before that."""
        here, there = self._state(source), self._state(target)
        homes = {other: here.origins.home(one) or source for one, other in moved.items()}
        here.put(left, made.source)
        there.put(joined, made.target)
        there.origins.arrive({addr: home if home != target else None for addr, home in homes.items()})
        self._new.setdefault(target, {}).update(dict.fromkeys(made.new_providers))

    def _state(self, name: str) -> WorkingState:
        if name not in self._states:
            self._states[name] = WorkingState(self._snapshots[name])
        return self._states[name]


class StateCrossing(NamedTuple):
    """A dependency whose ends are in two states, and these: what moved went from `source` to `target`."""

    source: str
    target: str
    dependency: CrossingDependency


class FileEdits(NamedTuple):
    """The edits of states by name, for each state that has operations.

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


class KeptDependency(NamedTuple):
    """A dependency that was kept: `dependant` is in `state`, and what it needs is in `other`.

    The consumer's configuration needs outputs of the other state for what it reads of the resource.
    """

    state: str
    dependant: AbsResourceInstance
    other: str
    needs: ConfigResource


def kept_dependencies(states: Mapping[str, Snapshot], went: Mapping[ConfigResource, str]) -> Iterator[KeptDependency]:
    """Yield the dependencies on resources of another state; `went` has where resources went, by their old addresses.

    A state that has any instance of a resource does not need another state for it.
    """
    here = {state: {one.addr.config() for one in found.resources if one.objects} for state, found in states.items()}
    homes = {**went, **{config: state for state, configs in reversed(here.items()) for config in configs}}
    for state, snapshot in states.items():
        for resource in snapshot.resources:
            found: dict[KeptDependency, None] = {}
            for obj in resource.objects:
                needed = (*obj.dependencies, *(one.config() for one in obj.depends_on))
                away = [one for one in needed if one not in here[state] and homes.get(one, state) != state]
                addr = resource.addr.instance(obj.key)
                found |= {KeptDependency(state, addr, homes[one], one): None for one in away}
            yield from found
