"""Which edges follow from others: small graphs by hand, and the law that nothing is lost."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pytest
from hypothesis import given, strategies as st

from statefmt.analysis.cycles import cyclic_groups
from statefmt.analysis.dependencies import implied_edges

# A graph, and the edges in it that a picture can do without.
CASES = [
    ("chain", {"a": "b", "b": "c", "c": ""}, []),
    ("shortcut", {"a": "bc", "b": "c", "c": ""}, ["ac"]),
    ("all that comes after", {"a": "bcd", "b": "cd", "c": "d", "d": ""}, ["ac", "ad", "bd"]),
    ("diamond", {"a": "bc", "b": "d", "c": "d", "d": ""}, []),
    ("diamond with its axis", {"a": "bcd", "b": "d", "c": "d", "d": ""}, ["ad"]),
    ("itself", {"a": "a"}, []),
    ("circle", {"a": "b", "b": "a"}, []),
    ("both of a circle lead out", {"a": "bc", "b": "ac", "c": ""}, []),
    ("both of a circle are led to", {"a": "bc", "b": "c", "c": "b"}, []),
    ("past a circle", {"a": "bd", "b": "c", "c": "bd", "d": ""}, ["ad"]),
]


@pytest.mark.parametrize(("edges", "implied"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_implied(edges: Mapping[str, str], implied: list[str]) -> None:
    assert sorted(map("".join, implied_edges(edges))) == implied


def _closure(edges: Mapping[str, Collection[str]]) -> dict[str, set[str]]:
    """What can be reached from each node, found the slow way."""
    found = {node: set(targets) for node, targets in edges.items()}
    for middle, beyond in found.items():
        for targets in found.values():
            if middle in targets:
                targets.update(beyond)
    return found


NODES = "abcdefgh"
GRAPHS = st.fixed_dictionaries({node: st.sets(st.sampled_from(NODES)) for node in NODES})


@given(GRAPHS)
def test_what_is_left_reaches_as_much(edges: dict[str, set[str]]) -> None:
    implied = implied_edges(edges)
    left = {node: {target for target in targets if (node, target) not in implied} for node, targets in edges.items()}
    assert _closure(left) == _closure(edges)


@given(GRAPHS)
def test_nothing_more_can_be_left_out_between_circles(edges: dict[str, set[str]]) -> None:
    in_circles = {node for group in cyclic_groups(edges) for node in group}
    implied = implied_edges(edges)
    left = {node: {target for target in targets if (node, target) not in implied} for node, targets in edges.items()}
    for node, targets in left.items():
        for target in targets - {node}:
            if node not in in_circles and target not in in_circles:
                without = {**left, node: targets - {target}}
                assert target not in _closure(without)[node]


def test_a_long_chain() -> None:
    """Nothing recurses, and every node names all that come after it."""
    names = [f"{number:05}" for number in range(1500)]
    edges = {name: tuple(names[place + 1 :]) for place, name in enumerate(names)}
    left = sum(map(len, edges.values())) - len(implied_edges(edges))
    assert left == len(names) - 1
    deep = {str(number): (str(number + 1),) for number in range(20_000)} | {"20000": ()}
    assert implied_edges(deep) == frozenset()
