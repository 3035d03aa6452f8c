"""Orders the writes of several states so that no object is in none of them at any time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple


class OrderedWrite(NamedTuple):
    """A write of a state: of its result or, if it `only_arrives`, of what it had, with what comes from others."""

    state: str
    only_arrives: bool = False


def write_order(states: Sequence[str], flows: Collection[tuple[str, str]]) -> tuple[OrderedWrite, ...]:
    """Return the writes in order: each state after those that objects go to from it.

    `flows` are pairs of states: objects go from the first to the second. In a circle, the state that is first in
    `states` is written twice: first with what arrives.
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
    """Return a state of a circle; all states that are left wait for another one."""
    way: list[str] = []
    state = left[0]
    while state not in way:
        way.append(state)
        state = min(waits[state], key=left.index)
    return min(way[way.index(state) :], key=left.index)
