"""What holds for the suggestions of every state: no circles, nothing lost, and the numbers."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from graphlib import TopologicalSorter

import pytest

from statefmt.analysis.partition import Partition, suggest_partitions
from statefmt.analysis.selection import Criteria, select
from statefmt.model.addrs import AbsResourceInstance
from statefmt.model.snapshot import Snapshot, instances as all_instances
from tests.analysis.states import AWS, resource, snapshot

# As many as users have split states at.
_MANY = 12_000


def state_of(seed: int, count: int) -> tuple[Snapshot, dict[str, list[str]]]:
    """A state, and what each of its resources depends on, by their addresses without keys."""
    choose = random.Random(seed)
    shape = choose.choice(["modules", "flat", "mixed"])
    modules = [f"module.m{number}." for number in range(choose.randint(2, 12))]
    modules += [f"{module}module.inner." for module in modules[::3]]
    edges: dict[str, list[str]] = {}
    described = []
    for number in range(count):
        if shape == "modules":
            module = modules[number * len(modules) // count]
        else:
            module = "" if shape == "flat" else choose.choice(["", *modules])
        address = f"{module}aws_x{number % 4}.n{number}"
        recent = list(edges)[-30:] if choose.random() < 0.8 or count > 1000 else list(edges)
        needs = choose.sample(recent, min(len(recent), choose.randint(0, 3)))
        edges[address] = list(needs)
        region = choose.choice(["us", "eu", ""])
        one = {"attributes": {"region": region}, "dependencies": needs}
        instances = [one] if choose.random() < 0.8 else [{**one, "index_key": key} for key in range(2)]
        described.append(resource(address, *instances, provider=f"{AWS}{choose.choice(['', '.us', '.eu'])}"))
    if choose.random() < 0.3:
        # A circle, as states by hand may have it.
        first = next(iter(edges))
        edges[first].append(list(edges)[-1])
        described[0]["instances"][0]["dependencies"] = edges[first]  # type: ignore[index]
    return snapshot(*described), edges


def homes(partition: Partition, state: Snapshot) -> dict[str, str]:
    """The part of each resource by its address without keys; each instance must be in exactly one."""
    found: dict[str, str] = {}
    instances: dict[str, set[AbsResourceInstance]] = {part.name: set() for part in partition.parts}
    everything = all_instances(state)
    for part in partition.parts:
        for one in select(everything, Criteria(selectors=part.contents)):
            assert not any(one.addr in inside for inside in instances.values())
            instances[part.name].add(one.addr)
            assert found.setdefault(str(one.addr.config()), part.name) == part.name
    assert sum(map(len, instances.values())) == len(everything)
    assert {part.name: part.instances for part in partition.parts} == {
        name: len(inside) for name, inside in instances.items()
    }
    return found


def is_direct(edges: Mapping[str, Sequence[str]], source: str, target: str) -> bool:
    """Whether no other dependency of the source leads to the target."""
    seen: set[str] = set()
    waiting = [other for other in edges[source] if other != target]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += edges[node]
    return target not in seen


def check(state: Snapshot, edges: Mapping[str, Sequence[str]], *, exactly: bool) -> int:
    """Check all suggestions of a state; return their number."""
    found = suggest_partitions(state)
    for partition in found.partitions:
        home = homes(partition, state)
        between: dict[str, set[str]] = {part.name: set() for part in partition.parts}
        for source, targets in edges.items():
            between[home[source]] |= {home[target] for target in targets} - {home[source]}
        # Raises CycleError.
        order = list(TopologicalSorter(between).static_order())
        levels: dict[str, int] = {}
        for name in order:
            levels[name] = max((levels[other] + 1 for other in between[name]), default=0)
        names = [part.name for part in partition.parts]
        for part in partition.parts:
            assert set(part.needs) == between[part.name]
            assert all(names.index(other) < names.index(part.name) for other in part.needs)
            assert part.level == levels[part.name]
        assert len(set(names)) == len(names) >= 2
        assert [part.instances for part in partition.parts if part.stays] == [max(p.instances for p in partition.parts)]
        if exactly:
            users: dict[tuple[str, str], set[str]] = {}
            for source, targets in edges.items():
                for target in targets:
                    if home[source] != home[target] and is_direct(edges, source, target):
                        users.setdefault((target, home[target]), set()).add(home[source])
            assert {(one.resource, one.part): set(one.needed_by) for one in partition.needed} == users
    assert [one.score for one in found.partitions] == sorted(one.score for one in found.partitions)
    assert len(found.partitions) + len(found.without) == 4
    return len(found.partitions)


def test_generated_states() -> None:
    kinds = 0
    for seed in range(120):
        state, edges = state_of(seed, 3 + seed % 40)
        has_circle = any(edges[first] for first in list(edges)[:1])
        kinds += check(state, edges, exactly=not has_circle)
    assert kinds > 200


def test_a_large_state() -> None:
    state, edges = state_of(3, _MANY)
    assert check(state, edges, exactly=False)


def test_the_same_state_has_the_same_suggestions() -> None:
    state, _ = state_of(7, 60)
    assert suggest_partitions(state) == suggest_partitions(state)


@pytest.mark.parametrize("count", [3000])
def test_a_long_chain(count: int) -> None:
    """Nothing recurses."""
    edges = {f"aws_x.n{number}": [f"aws_x.n{number - 1}"] if number else [] for number in range(count)}
    state = snapshot(*(resource(name, {"dependencies": needs}, provider=AWS) for name, needs in edges.items()))
    assert check(state, edges, exactly=False)
