"""Turns the certain pairs of an adoption into operations, in a possible order.

All instances of a resource share a provider configuration. So objects that need another configuration leave the
resource first; then all objects are bound, and then they move and join.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from statefmt.analysis.adoption.model import AdoptedPair, Adoption, OpenChoice
from statefmt.analysis.diff.model import Movable, Move
from statefmt.analysis.diff.moved import whole_moves
from statefmt.edit.changes import Edit
from statefmt.edit.operations_file import run
from statefmt.edit.operations_file.model import (
    FileOperation,
    ForgetBlock,
    MoveBlock,
    OperationBlock,
    OperationsFile,
    RebindBlock,
    StateBlock,
)
from statefmt.hcl.source import Range
from statefmt.model.addrs import (
    AbsProviderInstance,
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    ModuleInstance,
    ModuleStep,
    Resource,
)
from statefmt.model.snapshot import ResourceState, Snapshot

_NAME: Final = "state"
_NOWHERE: Final = Range(file="adopt", line=1, column=1, end_line=1, end_column=1, start=0, stop=0)


def adopted(snapshot: Snapshot, operations: Sequence[OperationBlock]) -> Edit:
    """Run the operations of an adoption on a state."""
    states = {_NAME: StateBlock(".")}
    file = OperationsFile(states, tuple(FileOperation(one, _NOWHERE) for one in operations), in_memory=True)
    edits = run(file, {_NAME: snapshot}).edits
    return edits.get(_NAME, Edit(snapshot))


def without_conflicts(snapshot: Snapshot, found: Adoption) -> Adoption:
    """Return the adoption; pairs become choices if their resource keeps objects of another provider configuration."""
    pairs = {pair.source.addr: pair for pair in found.pairs}
    choices = list(found.choices)
    while conflicting := _conflicting(snapshot, pairs):
        for pair in conflicting:
            del pairs[pair.source.addr]
            reason = f"{pair.target.address.containing_resource()} has objects that are not decided"
            choices.append(OpenChoice(pair.source, (pair,), reason))
    return replace(found, pairs=tuple(pairs.values()), choices=tuple(choices))


def _conflicting(snapshot: Snapshot, pairs: Mapping[AbsResourceInstance, AdoptedPair]) -> list[AdoptedPair]:
    goals: dict[AbsResource, list[AdoptedPair]] = {}
    for pair in pairs.values():
        goals.setdefault(pair.target.address.containing_resource(), []).append(pair)
    wrong: list[AdoptedPair] = []
    for resource in snapshot.resources:
        coming = goals.get(resource.addr)
        if coming is None:
            continue
        taken = {resource.addr.instance(obj.key) for obj in resource.objects} - pairs.keys()
        config = coming[0].target.provider.config
        own = resource.provider_config
        wrong += [
            pair
            for pair in coming
            if pair.target.address in taken or (taken and own is not None and _like(config, own) != own)
        ]
    return wrong


def adoption_operations(snapshot: Snapshot, found: Adoption, state: str = "") -> tuple[OperationBlock, ...]:
    """Return the operations for the certain pairs; `state` is the name of the state in addresses, "" for none."""
    plan = _Plan(snapshot, found, f"state.{state}." if state else "")
    return tuple(plan.operations())


def adoption_moves(snapshot: Snapshot, found: Adoption) -> tuple[Move, ...]:
    """Return the moves of the certain pairs, of whole modules and resources where that is equivalent."""
    pairs = [(one.source.addr, one.target.address) for one in found.pairs if one.source.addr != one.target.address]
    goals, gone = dict(pairs), set(found.dropped)
    addrs = {resource.addr.instance(obj.key) for resource in snapshot.resources for obj in resource.objects} - gone
    before = Counter(addr.containing_resource() for addr in addrs)
    after = Counter(goals.get(addr, addr).containing_resource() for addr in addrs)
    return whole_moves(before, after, pairs)


class _Plan:
    def __init__(self, snapshot: Snapshot, found: Adoption, prefix: str) -> None:
        self._found = found
        self._prefix = prefix
        self._goals = {pair.source.addr: pair for pair in found.pairs}
        gone = set(found.dropped)
        # The current address of each instance, by its address in the state; and the current instances of each resource.
        self._where: dict[AbsResourceInstance, AbsResourceInstance] = {}
        self._bound: dict[AbsResourceInstance, set[AbsProviderInstance]] = {}
        self._homes: dict[AbsResource, ConfigProviderConfig | None] = {}
        for resource in snapshot.resources:
            self._add(resource, gone)

    def _add(self, resource: ResourceState, gone: set[AbsResourceInstance]) -> None:
        self._homes[resource.addr] = resource.provider_config
        for obj in resource.objects:
            addr = resource.addr.instance(obj.key)
            if addr in gone:
                continue
            self._where[addr] = addr
            if resource.provider_config is not None:
                self._bound.setdefault(addr, set()).add(resource.provider_config.instance(obj.provider_key))

    def operations(self) -> Iterator[OperationBlock]:
        """Yield the operations in order."""
        if self._found.dropped:
            yield ForgetBlock(tuple(self._named(one) for one in self._found.dropped))
        yield from self._apart()
        yield from self._rebound()
        yield from self._moved()

    def _wanted(self, addr: AbsResourceInstance) -> AbsProviderInstance | None:
        """Return the provider instance for an instance, with the source in the form of the state."""
        pair = self._goals.get(addr)
        if pair is None:
            return None
        own = self._homes[addr.containing_resource()]
        provider = pair.target.provider
        return provider if own is None else replace(provider, config=_like(provider.config, own))

    def _apart(self) -> Iterator[OperationBlock]:
        """Move objects out of resources whose other objects get another provider configuration, or none."""
        members: dict[AbsResource, list[AbsResourceInstance]] = {}
        for addr in self._where:
            members.setdefault(addr.containing_resource(), []).append(addr)
        number = 0
        taken = {*self._homes, *(pair.target.address.containing_resource() for pair in self._found.pairs)}
        coming = Counter(pair.target.address.containing_resource() for pair in self._found.pairs)
        for home, addrs in members.items():
            if not any(addr in self._goals for addr in addrs):
                continue
            own = self._homes[home]
            configs = {addr: own if (to := self._wanted(addr)) is None else to.config for addr in addrs}
            if len(set(configs.values())) == 1:
                continue
            staying = [
                addr
                for addr in addrs
                if addr not in self._goals or self._goals[addr].target.address.containing_resource() == home
            ]
            kept = configs[staying[0] if staying else addrs[0]]
            for addr in addrs:
                if configs[addr] == kept:
                    continue
                goal = self._goals[addr].target.address
                resource = goal.containing_resource()
                if resource in self._homes or coming[resource] > 1:
                    number += 1
                    goal = _beside(addr, number, taken)
                yield MoveBlock(self._named(addr), self._named(goal))
                self._where[addr] = goal
                self._homes[goal.containing_resource()] = own

    def _rebound(self) -> Iterator[OperationBlock]:
        """Bind all instances of the pairs to their provider instances."""
        homes: dict[AbsResource, dict[AbsResourceInstance, AbsProviderInstance]] = {}
        for addr, now in self._where.items():
            wanted = self._wanted(addr)
            if wanted is not None:
                homes.setdefault(now.containing_resource(), {})[addr] = wanted
        whole: dict[AbsProviderInstance, list[str]] = {}
        single: dict[AbsProviderInstance, list[str]] = {}
        for home, wanted_by in homes.items():
            first = next(iter(wanted_by.values()))
            changes = self._homes[home] != first.config
            if len(set(wanted_by.values())) == 1 and (changes or self._is_all(home, wanted_by)):
                if any(self._bound.get(addr) != {to} for addr, to in wanted_by.items()):
                    whole.setdefault(first, []).append(self._named(home))
                continue
            if changes:
                whole.setdefault(first, []).append(self._named(home))
            for addr, to in wanted_by.items():
                if (to != first) if changes else self._bound.get(addr) != {to}:
                    single.setdefault(to, []).append(self._named(self._where[addr]))
        for blocks in (whole, single):
            for provider, addresses in blocks.items():
                yield RebindBlock(tuple(addresses), str(provider), new_provider=True)

    def _is_all(self, home: AbsResource, wanted: Mapping[AbsResourceInstance, object]) -> bool:
        return all(addr in wanted for addr, now in self._where.items() if now.containing_resource() == home)

    def _moved(self) -> Iterator[OperationBlock]:
        """Move all pairs to their new addresses, as whole modules and resources where that is equivalent."""
        pairs = [
            (now, self._goals[addr].target.address)
            for addr, now in self._where.items()
            if addr in self._goals and now != self._goals[addr].target.address
        ]
        goals = dict(pairs)
        before = Counter(now.containing_resource() for now in self._where.values())
        after = Counter(goals.get(now, now).containing_resource() for now in self._where.values())
        moves = whole_moves(before, after, pairs)
        for old, new in _ordered(moves, pairs):
            yield MoveBlock(self._named(old), self._named(new))

    def _named(self, place: object) -> str:
        return f"{self._prefix}{place}"


def _like(config: ConfigProviderConfig, own: ConfigProviderConfig) -> ConfigProviderConfig:
    """Return a configuration with the provider's host in the state, which may be either public registry."""
    provider = config.provider
    same = (provider.namespace, provider.type) == (own.provider.namespace, own.provider.type)
    return replace(config, provider=own.provider) if same else config


def _beside(addr: AbsResourceInstance, number: int, taken: set[AbsResource]) -> AbsResourceInstance:
    """Return an address in a resource that does not exist, for an object between two moves."""
    resource = addr.resource.resource
    while True:
        name = f"{resource.name}_adopting_{number}"
        home = AbsResource(addr.module, Resource(resource.mode, resource.type, name))
        if home not in taken:
            taken.add(home)
            return home.instance(addr.key)
        number += 1


def _ordered(
    moves: Sequence[Move], pairs: Iterable[tuple[AbsResourceInstance, AbsResourceInstance]]
) -> Iterator[tuple[Movable, Movable]]:
    """Yield moves so that the target of each is free; a move in a cycle goes through another address."""
    by_place = {move.old: number for number, move in enumerate(moves)}
    sources = {one: number for one, _ in pairs if (number := _move_of(one, by_place)) is not None}
    blockers: dict[int, set[int]] = {number: set() for number in range(len(moves))}
    blocked: dict[int, list[int]] = {}
    for one, other in pairs:
        number, blocker = sources.get(one), sources.get(other)
        if number is not None and blocker is not None and blocker != number and blocker not in blockers[number]:
            blockers[number].add(blocker)
            blocked.setdefault(blocker, []).append(number)
    free = deque(number for number, others in blockers.items() if not others)
    left = dict(enumerate(moves))
    late: list[tuple[Movable, Movable]] = []
    while left:
        number = free.popleft() if free else next(iter(left))
        move = left.pop(number)
        if blockers[number]:
            aside = _aside(move.old)
            yield move.old, aside
            late.append((aside, move.new))
        else:
            yield move.old, move.new
        for waiting in blocked.get(number, ()):
            blockers[waiting].discard(number)
            if waiting in left and not blockers[waiting]:
                free.append(waiting)
    yield from late


def _move_of(addr: AbsResourceInstance, by_place: Mapping[Movable, int]) -> int | None:
    """Return the number of the move of an instance: its own, or that of its resource or of a module around it."""
    steps = addr.module.steps
    around = [ModuleInstance(steps[:length]) for length in range(len(steps), 0, -1)]
    places: tuple[Movable, ...] = (addr, addr.containing_resource(), *around)
    return next((by_place[one] for one in places if one in by_place), None)


def _aside(place: Movable) -> Movable:
    if isinstance(place, ModuleInstance):
        *outer, last = place.steps
        return ModuleInstance((*outer, ModuleStep(f"{last.name}_adopting", last.key)))
    resource = place.resource.resource if isinstance(place, AbsResourceInstance) else place.resource
    beside = AbsResource(place.module, replace(resource, name=f"{resource.name}_adopting"))
    return beside.instance(place.key) if isinstance(place, AbsResourceInstance) else beside
