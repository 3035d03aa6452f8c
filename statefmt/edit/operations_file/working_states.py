"""Keeps the states of a file while its operations run: edits of single states, and moves between states.

Each operation runs on the affected part of a state, so that its time grows with the part, not with the state. The
result is the same as on the whole state if the part has all resources that the operation changes or reads.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from statefmt.analysis.selection import Criteria, select
from statefmt.analysis.selection.addresses import ResourceTable
from statefmt.analysis.selection.patterns import Modules, module_call, modules_of
from statefmt.edit.changes import Edit, Moved
from statefmt.edit.operations.mv import destinations, module_depth
from statefmt.edit.operations.rebind import Replaced
from statefmt.edit.operations.transfer import CrossingDependency, Transferral, join, transfer
from statefmt.edit.operations_file.model import MoveBlock
from statefmt.model.addrs import (
    NO_KEY,
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    ConfigResource,
    InstanceKey,
    ModuleInstance,
    Resource,
    ResourceMode,
)
from statefmt.model.addrs.provider import Provider
from statefmt.model.errors import SelectionError, SurgeryError
from statefmt.model.snapshot import ResourceInstanceObject, ResourceState, Snapshot, instances


class WorkingStates:
    """The states of a file by name, with the operations so far applied."""

    def __init__(self, snapshots: Mapping[str, Snapshot]) -> None:
        self._snapshots = snapshots
        # Only states with operations.
        self._states: dict[str, WorkingState] = {}
        self._crossing: list[StateCrossing] = []
        self._new: dict[str, dict[ConfigProviderConfig, None]] = {}
        self._joined: set[tuple[str, str]] = set()
        # The original states of outputs, by their current state and name.
        self._output_homes: dict[tuple[str, str], str] = {}
        # The new states of resources whose dependants still use the old addresses.
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
        """Run an operation on the affected part of a state."""
        state = self._state(name)
        try:
            before = state.part(part(state))
            made = edit(before)
        except (SelectionError, SurgeryError):
            # The message may name resources outside the part.
            before = state.snapshot
            made = edit(before)
        state.put(before, made)

    def transfer(self, block: MoveBlock, source: str, target: str, selectors: Sequence[str], goal: str | None) -> None:
        """Move the matches of selectors from one state to another; `goal` is the new address, None to keep all
        addresses.
        """
        if source == target:
            raise SurgeryError(f"move: the instances are in the state {target} already")
        transferred = partial(transfer, rebind=block.rebind, keep_dependencies=block.keep_dependencies)
        here, there = self._state(source), self._state(target)
        try:
            moved = goals(here.part(selected(selectors, here)), selectors, goal)
            left = here.part(left_over(here, moved, selectors))
            joined = there.part(joined_with(there, moved, sources(here, (r.addr for r in left.resources))))
            made = transferred(left, joined, moved)
        except (SelectionError, SurgeryError):
            left, joined = here.snapshot, there.snapshot
            moved = goals(left, selectors, goal)
            made = transferred(left, joined, moved)
        self._crossing += [StateCrossing(source, target, one) for one in made.crossing]
        if block.keep_dependencies:
            self._went.update((one.config(), target) for one in moved)
        self._take(source, target, left, joined, made)

    def join(self, source: str, target: str, prefix: ModuleInstance | None, outputs_from: str | None) -> None:
        """Move everything from one state to another, with the arguments of a JoinBlock."""
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
        self._take(source, target, left, joined, made)

    def _take(self, source: str, target: str, left: Snapshot, joined: Snapshot, made: Transferral) -> None:
        """Apply a move from one state to another; `left` and `joined` are the parts of both before the move."""
        here, there = self._state(source), self._state(target)
        homes = {other: here.origins.home(one) or source for one, other in made.moved.items()}
        here.put(left, made.source)
        there.put(joined, made.target)
        there.origins.arrive({addr: home if home != target else None for addr, home in homes.items()})
        self._new.setdefault(target, {}).update(dict.fromkeys(made.new_providers))

    def _state(self, name: str) -> WorkingState:
        if name not in self._states:
            self._states[name] = WorkingState(self._snapshots[name])
        return self._states[name]


class StateCrossing(NamedTuple):
    """A dependency between two states, and its cause: a move from `source` to `target`."""

    source: str
    target: str
    dependency: CrossingDependency


class FileEdits(NamedTuple):
    """The edits of states by name, for each state that has operations.

    `crossing` are the dropped dependencies, and `kept` the dependencies that now lead to another state. `new_providers`
    are provider configurations that moves bring to states without them. `arrived` maps the instances from other states,
    by state and address, to their original states. `joined` are pairs of states: the outputs of the first went to the
    second.
    """

    edits: Mapping[str, Edit]
    crossing: tuple[StateCrossing, ...] = ()
    new_providers: Mapping[str, tuple[ConfigProviderConfig, ...]] = {}
    arrived: Mapping[str, Mapping[AbsResourceInstance, str]] = {}
    joined: frozenset[tuple[str, str]] = frozenset()
    kept: tuple[KeptDependency, ...] = ()


class KeptDependency(NamedTuple):
    """A kept dependency: `dependant` is in `state`, the needed resource is in `other`.

    The dependant's configuration needs outputs of the other state for the values that it reads.
    """

    state: str
    dependant: AbsResourceInstance
    other: str
    needs: ConfigResource


def kept_dependencies(states: Mapping[str, Snapshot], went: Mapping[ConfigResource, str]) -> Iterator[KeptDependency]:
    """Yield the dependencies on resources of another state; `went` maps old addresses of resources to their new states.

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


# Marks the end of each part: resources that an operation puts after it go to the end of the state. No file contains its
# name.
_END: Final = ResourceState(
    addr=AbsResource(ModuleInstance(), Resource(ResourceMode.MANAGED, "", "\udfff")), provider_config=None
)


class WorkingState:
    """A state, the parts for operations, and all edits combined. `origins` track its instances."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.origins = InstanceOrigins()
        self._notes: list[str] = []
        self._joins: list[str] = []
        self._fill(snapshot)

    def _fill(self, snapshot: Snapshot) -> None:
        self._rest = replace(snapshot, resources=())
        self._resources = {resource.addr: resource for resource in snapshot.resources}
        self._places = {addr: place for place, addr in enumerate(self._resources)}
        self._next_place = len(self._places)
        self.tables = Tables(self._resources)

    @property
    def snapshot(self) -> Snapshot:
        """The whole state after the operations so far."""
        return replace(self._rest, resources=tuple(self._resources.values()))

    @property
    def edit(self) -> Edit:
        """All operations as one edit."""
        return Edit(self.snapshot, self.origins.moved, tuple(self._notes), tuple(self._joins))

    def part(self, addrs: Iterable[AbsResource]) -> Snapshot:
        """Return a snapshot of some resources, in their order; ignores addresses without a resource."""
        there = sorted({addr for addr in addrs if addr in self._resources}, key=self._places.__getitem__)
        return replace(self._rest, resources=(*(self._resources[addr] for addr in there), _END))

    def put(self, before: Snapshot, edit: Edit) -> None:
        """Apply the result of an operation on `before`: a part, or the whole state."""
        was = {resource.addr: resource for resource in before.resources}
        now = {resource.addr: resource for resource in edit.snapshot.resources}
        changed = (old for addr, old in was.items() if old is not now.get(addr))
        left = ((old, {obj.key for obj in now[old.addr].objects} if old.addr in now else ()) for old in changed)
        lost = (old.addr.instance(obj.key) for old, keys in left for obj in old.objects if obj.key not in keys)
        gone = [addr for addr in lost if addr not in edit.moved]
        self.origins.leave(gone)
        self.origins.move(edit.moved)
        self._notes += edit.notes
        self._joins += edit.joins
        if _END.addr in was:
            self._rest = replace(edit.snapshot, resources=())
            self._merge(was, now)
        else:
            self._fill(edit.snapshot)

    def _merge(self, was: dict[AbsResource, ResourceState], now: dict[AbsResource, ResourceState]) -> None:
        """Replace the resources of a part, in the order of an edit of the whole state."""
        for addr in was.keys() - now.keys():
            del self._resources[addr], self._places[addr]
        is_at_end = False
        for addr, resource in now.items():
            if resource is _END:
                is_at_end = True
            elif is_at_end or resource is not was[addr]:
                if is_at_end and addr in was:
                    del self._resources[addr], self._places[addr]
                self._set(resource, was.get(addr))

    def _set(self, resource: ResourceState, old: ResourceState | None) -> None:
        if resource.addr not in self._places:
            self._places[resource.addr] = self._next_place
            self._next_place += 1
        self._resources[resource.addr] = resource
        known = {id(obj) for obj in old.objects} if old else set()
        self.tables.add(resource, (obj for obj in resource.objects if id(obj) not in known))


_Addresses: TypeAlias = dict[AbsResource, None]


class _Binding(NamedTuple):
    config: ConfigProviderConfig
    key: InstanceKey


class _Dependants(NamedTuple):
    """Resources by their dependencies."""

    on_resources: dict[ConfigResource, _Addresses]
    on_instances: dict[ConfigResource, _Addresses]

    def add(self, addr: AbsResource, objects: Iterable[ResourceInstanceObject]) -> None:
        for obj in objects:
            for one in obj.dependencies:
                self.on_resources.setdefault(one, {})[addr] = None
            for other in obj.depends_on:
                self.on_instances.setdefault(other.config(), {})[addr] = None


class Tables:
    """Tables of the resources of a state, built on first use, and extended when resources change.

    `resources` are the current resources of the state.
    """

    def __init__(self, resources: Mapping[AbsResource, ResourceState]) -> None:
        self._resources = resources
        self._selectable: ResourceTable | None = None
        self._of_config: dict[ConfigResource, _Addresses] | None = None
        self._dependants: _Dependants | None = None
        self._bound: dict[Provider, dict[_Binding, _Addresses]] | None = None

    def add(self, resource: ResourceState, new: Iterable[ResourceInstanceObject]) -> None:
        """Extend the tables by a resource with `new` objects. Entries for its old content stay."""
        if self._selectable is not None:
            self._selectable.add(resource)
        if self._of_config is not None:
            self._of_config.setdefault(resource.addr.config(), {})[resource.addr] = None
        if self._dependants is not None:
            self._dependants.add(resource.addr, new)
        if self._bound is not None:
            _add_bound(self._bound, resource)

    @property
    def selectable(self) -> ResourceTable:
        """The resources by address."""
        if self._selectable is None:
            self._selectable = ResourceTable(self._resources.values())
        return self._selectable

    def existing(self, addrs: Iterable[AbsResource]) -> AbsResource | None:
        """Return the first of some resources that exists, or None."""
        return next((addr for addr in addrs if addr in self._resources), None)

    def another(self, config: ConfigResource, but: Collection[AbsResource]) -> AbsResource | None:
        """Return another resource with instances and the same address in the configuration, or None."""
        if self._of_config is None:
            self._of_config = {}
            for addr in self._resources:
                self._of_config.setdefault(addr.config(), {})[addr] = None
        found = (addr for addr in self._of_config.get(config, ()) if addr not in but)
        return next((addr for addr in found if addr in self._resources and self._resources[addr].objects), None)

    def dependants(self, config: ConfigResource) -> Iterator[AbsResource]:
        """Yield the resources that depend on a resource or on one of its instances; may yield others."""
        yield from self._all_dependants().on_resources.get(config, ())
        yield from self.older_dependants(config)

    def older_dependants(self, config: ConfigResource) -> Iterator[AbsResource]:
        """Yield the resources that name an instance in `depends_on`, as older releases wrote it."""
        yield from self._all_dependants().on_instances.get(config, ())

    def _all_dependants(self) -> _Dependants:
        if self._dependants is None:
            self._dependants = _Dependants({}, {})
            for resource in self._resources.values():
                self._dependants.add(resource.addr, resource.objects)
        return self._dependants

    def instances_of(self, source: Provider) -> Iterator[AbsResource]:
        """Yield a resource of each provider instance of a source."""
        bindings = self._bindings().get(source, {})
        found = (self._one_bound(bindings, binding) for binding in bindings)
        yield from (addr for addr in found if addr is not None)

    def bound_to(self, source: Provider) -> Iterator[AbsResource]:
        """Yield the resources of a source; may repeat some, and yield others."""
        for addrs in self._bindings().get(source, {}).values():
            yield from addrs

    def _bindings(self) -> dict[Provider, dict[_Binding, _Addresses]]:
        if self._bound is None:
            self._bound = {}
            for resource in self._resources.values():
                _add_bound(self._bound, resource)
        return self._bound

    def _one_bound(self, bindings: Mapping[_Binding, _Addresses], binding: _Binding) -> AbsResource | None:
        """Return a resource that is bound to a provider instance; drop stale entries."""
        addrs = bindings[binding]
        while addrs:
            addr = next(iter(addrs))
            resource = self._resources.get(addr)
            if resource is not None and binding in _bindings_of(resource):
                return addr
            del addrs[addr]
        return None


def _add_bound(found: dict[Provider, dict[_Binding, _Addresses]], resource: ResourceState) -> None:
    for binding in _bindings_of(resource):
        found.setdefault(binding.config.provider, {}).setdefault(binding, {})[resource.addr] = None


def _bindings_of(resource: ResourceState) -> set[_Binding]:
    config = resource.provider_config
    if config is None:
        return set()
    return {_Binding(config, key) for key in {obj.provider_key for obj in resource.objects} or {NO_KEY}}


class InstanceOrigins:
    """The moved instances of a state, and the instances from other states."""

    def __init__(self) -> None:
        self._now: dict[AbsResourceInstance, AbsResourceInstance] = {}
        # Old addresses by current addresses; None for instances from another state.
        self._before: dict[AbsResourceInstance, AbsResourceInstance | None] = {}
        self._homes: dict[AbsResourceInstance, str] = {}

    @property
    def moved(self) -> dict[AbsResourceInstance, AbsResourceInstance]:
        """The old and new addresses of instances that moved within the state and still exist."""
        return {one: other for one, other in self._now.items() if one != other}

    @property
    def homes(self) -> dict[AbsResourceInstance, str]:
        """The states that instances came from, by their addresses here."""
        return dict(self._homes)

    def home(self, addr: AbsResourceInstance) -> str | None:
        """Return the original state of an instance; None if it is this state."""
        return self._homes.get(addr)

    def move(self, moved: Mapping[AbsResourceInstance, AbsResourceInstance]) -> None:
        """Follow instances to new addresses in the state."""
        left = [(other, self._before.pop(one, one), self._homes.pop(one, None)) for one, other in moved.items()]
        for addr, before, home in left:
            self._before[addr] = before
            if before is not None:
                self._now[before] = addr
            if home is not None:
                self._homes[addr] = home

    def leave(self, gone: Iterable[AbsResourceInstance]) -> None:
        """Forget instances that are no longer in the state."""
        for addr in gone:
            self._homes.pop(addr, None)
            before = self._before.pop(addr, None)
            if before is not None:
                del self._now[before]

    def arrive(self, came: Mapping[AbsResourceInstance, str | None]) -> None:
        """Add instances from other states; None for an instance that was in this state before."""
        for addr, home in came.items():
            self._before[addr] = None
            if home is not None:
                self._homes[addr] = home


# Finds the part of a state that an operation affects: all resources that it changes or reads. A part may be too large,
# but never too small: operations in a file have the same effect as commands.

PartOfState: TypeAlias = set[AbsResource]


def selected(selectors: Iterable[str], state: WorkingState) -> PartOfState:
    """Return the possible matches of selectors. Raises SelectionError if a selector matches nothing."""
    found: PartOfState = set()
    for selector in selectors:
        matching = state.tables.selectable.matching(selector)
        if not matching:
            raise SelectionError(f"no resource matches {selector!r}")
        found |= matching.keys()
    return found


def forgotten(selectors: Sequence[str], state: WorkingState) -> PartOfState:
    """Return the part for `forget` and `forget_deposed`, with the dependants of removed resources."""
    part = selected(selectors, state)
    empty = {str(one.addr): one.addr.config() for one in state.part(part).resources if not one.objects}
    others = [selector for selector in selectors if selector not in empty]
    gone = _found(state.part(part), others) if others else []
    configs = {addr.config() for addr in gone} | {empty[one] for one in selectors if one in empty}
    return part | set(_left_behind(state, part, configs, set(gone)))


def left_over(state: WorkingState, moved: Moved, selectors: Iterable[str]) -> PartOfState:
    """Return the part for a move to another state, with the dependants of removed resources."""
    part = selected(selectors, state)
    return part | set(_left_behind(state, part, {addr.config() for addr in moved}, moved.keys()))


def joined_with(state: WorkingState, moved: Moved, sources: Iterable[Provider]) -> PartOfState:
    """Return the part for a move from another state: the joined resources, and provider instances."""
    part = {addr.containing_resource() for addr in moved.values()}
    return part | {addr for source in sources for addr in state.tables.instances_of(source)}


def goals(state: Snapshot, selectors: Sequence[str], target: str | None) -> Moved:
    """Map the instances that selectors match to their new addresses, which are the same without a target.

    Raises SelectionError and SurgeryError.
    """
    found = _found(state, selectors)
    return dict(zip(found, found, strict=True)) if target is None else destinations(found, selectors[0], target)


def moved_within(state: WorkingState, selector: str, target: str) -> PartOfState:
    """Return the part for `move` within a state: the instances, their dependants, and the destinations."""
    moved = goals(state.part(selected([selector], state)), [selector], target)
    part = selected([selector], state) | {addr.containing_resource() for addr in moved.values()}
    depth = module_depth(target)
    for module in {ModuleInstance(addr.module.steps[:depth]) for addr in moved.values()} if depth else ():
        part |= state.tables.selectable.in_module(str(module)).keys()
    for config in {addr.config() for addr in moved}:
        part |= set(state.tables.dependants(config))
        part |= _another(state, config, part)
    return part


def rekeyed(selectors: Sequence[str], state: WorkingState) -> PartOfState:
    """Return the part for `rekey`, with a resource of each other instance of the selected modules."""
    part = selected(selectors, state)
    known = Modules(modules_of(addr.module for addr in part))
    named = [known.named(selector) for selector in selectors]
    for call in {module_call(module) for found in named if found is not None for module in found.modules}:
        others: dict[ModuleInstance, list[AbsResource]] = {}
        for addr in state.tables.selectable.in_module(str(call)):
            others.setdefault(ModuleInstance(addr.module.steps[: len(call.steps)]), []).append(addr)
        part |= {one for found in others.values() if (one := state.tables.existing(found)) is not None}
    return part | {one for config in {addr.config() for addr in part} for one in state.tables.older_dependants(config)}


def rebound(selectors: Sequence[str], state: WorkingState) -> PartOfState:
    """Return the part for `rebind`, with a resource of each existing provider instance."""
    part = selected(selectors, state)
    return part | {addr for source in sources(state, part) for addr in state.tables.instances_of(source)}


def provided(selectors: Sequence[str] | None, old: Replaced, new: Replaced, state: WorkingState) -> PartOfState:
    """Return the part for `replace_provider`; without selectors, all resources bound to `old`."""
    part = set(state.tables.bound_to(_source(old))) if selectors is None else selected(selectors, state)
    return part | set(state.tables.instances_of(_source(new)))


def sources(state: WorkingState, part: Iterable[AbsResource]) -> set[Provider]:
    """Return the provider sources of some resources."""
    configs = (resource.provider_config for resource in state.part(part).resources)
    return {config.provider for config in configs if config is not None}


def _source(replaced: Replaced) -> Provider:
    return replaced if isinstance(replaced, Provider) else replaced.provider


def _found(state: Snapshot, selectors: Sequence[str]) -> list[AbsResourceInstance]:
    return [one.addr for one in select(instances(state), Criteria(selectors=tuple(selectors)))]


def _left_behind(
    state: WorkingState, part: PartOfState, leaving: Iterable[ConfigResource], gone: Collection[AbsResourceInstance]
) -> Iterator[AbsResource]:
    """Yield a remaining resource with a configuration address in use; if there is none, its dependants."""
    stays = {
        resource.addr.config()
        for resource in state.part(part).resources
        if any(resource.addr.instance(obj.key) not in gone for obj in resource.objects)
    }
    for config in leaving:
        if config not in stays:
            yield from _another(state, config, part) or state.tables.dependants(config)


def _another(state: WorkingState, config: ConfigResource, part: PartOfState) -> PartOfState:
    other = state.tables.another(config, part)
    return set() if other is None else {other}
