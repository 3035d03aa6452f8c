"""A state that is divided as suggested, and joined again, is what it was, but for its serial."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from statefmt.analysis.partition import Partition, suggest_partitions
from statefmt.edit.operations_file import run
from statefmt.edit.operations_file.model import JoinBlock, MoveBlock, StateBlock, operations_text
from statefmt.edit.operations_file.read import read_operations_file
from statefmt.formats.writing import canonical
from statefmt.model.snapshot import Snapshot, instances
from tests.analysis.partition.test_laws import state_of


def ran(partition: Partition, state: Snapshot, *, joins: bool) -> dict[str, Snapshot]:
    """The states after moving the parts away, and perhaps back."""
    states = {part.name: StateBlock(part.name, create=not part.stays) for part in partition.parts}
    source = next(part.name for part in partition.parts if part.stays)
    others = [part for part in partition.parts if not part.stays]
    moves = [
        MoveBlock(tuple(f"state.{source}.{one}" for one in part.contents), f"state.{part.name}", keep_dependencies=True)
        for part in others
    ]
    back = [JoinBlock(f"state.{part.name}", f"state.{source}") for part in others] if joins else []
    file = read_operations_file("x", operations_text(states, [*moves, *back]).encode())
    before = {name: state if name == source else Snapshot() for name in states}
    return before | {name: edit.snapshot for name, edit in run(file, before).edits.items()}


def plain(state: Snapshot) -> bytes:
    return canonical(replace(state, serial=0, source=None))


def check(seed: int, count: int) -> int:
    """Divide and join a state in all ways that are suggested; return their number."""
    state, _ = state_of(seed, count)
    partitions = suggest_partitions(state).partitions
    for partition in partitions:
        parts = ran(partition, state, joins=False)
        assert {part.name: part.instances for part in partition.parts} == {
            name: len(instances(one)) for name, one in parts.items()
        }
        joined = ran(partition, state, joins=True)
        [source] = [part.name for part in partition.parts if part.stays]
        assert plain(joined[source]) == plain(state)
        assert all(not one.resources for name, one in joined.items() if name != source)
    return len(partitions)


def test_join_gives_the_state_back() -> None:
    assert sum(check(seed, 5 + seed) for seed in range(40)) > 60


@pytest.mark.slow
def test_join_gives_a_large_state_back() -> None:
    assert check(3, 12_000)
