"""Moves are told in the fewest words: a whole module, a whole resource, or an instance."""

from __future__ import annotations

import pytest

from statefmt.analysis.diff import diff
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from tests.analysis.diff.build import snapshot
from tests.tables import each_row

# What both sides have, as `ADDRESS = ID`, and the moves: `FROM to TO (COUNT)`.
CASES: dict[str, tuple[list[str], list[str], list[str]]] = {
    "an instance": (["a.x[0] = 1", "a.x[1] = 2"], ["a.x[0] = 1", "a.y = 2"], ["a.x[1] to a.y (1)"]),
    "a resource": (["a.x[0] = 1", "a.x[1] = 2"], ["a.y[0] = 1", "a.y[1] = 2"], ["a.x to a.y (2)"]),
    "a resource of one instance": (["a.x = 1"], ["a.y = 1"], ["a.x to a.y (1)"]),
    "count to for_each": (
        ["a.x[0] = 1", "a.x[1] = 2"],
        ['a.x["p"] = 1', 'a.x["q"] = 2'],
        ['a.x[0] to a.x["p"] (1)', 'a.x[1] to a.x["q"] (1)'],
    ),
    "a resource that gets keys": (["a.x = 1"], ["a.x[0] = 1"], ["a.x to a.x[0] (1)"]),
    "a resource under other keys": (
        ["a.x[0] = 1", "a.x[1] = 2"],
        ["a.y[1] = 1", "a.y[0] = 2"],
        ["a.x[0] to a.y[1] (1)", "a.x[1] to a.y[0] (1)"],
    ),
    "a resource into one that has others": (
        ["a.x[0] = 1", "a.y[1] = 2"],
        ["a.y[0] = 1", "a.y[1] = 2"],
        ["a.x[0] to a.y[0] (1)"],
    ),
    "a part of a resource": (
        ["a.x[0] = 1", "a.x[1] = 2", "a.x[2] = 3"],
        ["a.y[0] = 1", "a.y[1] = 2", "a.x[2] = 3"],
        ["a.x[0] to a.y[0] (1)", "a.x[1] to a.y[1] (1)"],
    ),
    "a resource of which an instance was removed": (
        ["a.x[0] = 1", "a.x[1] = 2"],
        ["a.y[0] = 1"],
        ["a.x[0] to a.y[0] (1)"],
    ),
    "a module": (
        ["module.m.a.x = 1", "module.m.b.x = 2"],
        ["module.n.a.x = 1", "module.n.b.x = 2"],
        ["module.m to module.n (2)"],
    ),
    "a module of one instance": (["module.m.a.x = 1"], ["module.n.a.x = 1"], ["module.m to module.n (1)"]),
    "a module with those in it": (
        ["module.m.a.x = 1", "module.m.module.in.a.x = 2", 'module.m.module.in["k"].a.x = 3'],
        ["module.n.a.x = 1", "module.n.module.in.a.x = 2", 'module.n.module.in["k"].a.x = 3'],
        ["module.m to module.n (3)"],
    ),
    "a module within another": (
        ["module.o.module.m.a.x = 1", "module.o.a.x = 2"],
        ["module.o.module.n.a.x = 1", "module.o.a.x = 2"],
        ["module.o.module.m to module.o.module.n (1)"],
    ),
    "a module that gets a key": (
        ["module.m.a.x = 1", "module.m.b.x = 2"],
        ['module.m["k"].a.x = 1', 'module.m["k"].b.x = 2'],
        ['module.m to module.m["k"] (2)'],
    ),
    "one instance of a module": (
        ["module.m[0].a.x = 1", "module.m[1].a.x = 2"],
        ["module.m[0].a.x = 1", "module.n.a.x = 2"],
        ["module.m[1] to module.n (1)"],
    ),
    "the instances of a module, each": (
        ["module.m[0].a.x = 1", "module.m[1].a.x = 2"],
        ['module.m["p"].a.x = 1', 'module.m["q"].a.x = 2'],
        ['module.m[0] to module.m["p"] (1)', 'module.m[1] to module.m["q"] (1)'],
    ),
    "a module into another": (
        ["module.m.a.x = 1", "module.m.b.x = 2", "module.o.a.x = 3"],
        ["module.o.module.m.a.x = 1", "module.o.module.m.b.x = 2", "module.o.a.x = 3"],
        ["module.m to module.o.module.m (2)"],
    ),
    "a module of which something stays": (
        ["module.m.a.x = 1", "module.m.b.x = 2"],
        ["module.n.a.x = 1", "module.m.b.x = 2"],
        ["module.m.a.x to module.n.a.x (1)"],
    ),
    "a module to where something is": (
        ["module.m.a.x = 1", "module.n.b.x = 2"],
        ["module.n.a.x = 1", "module.n.b.x = 2"],
        ["module.m.a.x to module.n.a.x (1)"],
    ),
    "a module of which something was removed": (
        ["module.m.a.x = 1", "module.m.b.x = 2"],
        ["module.n.a.x = 1"],
        ["module.m.a.x to module.n.a.x (1)"],
    ),
    "from the root into a module": (
        ["a.x = 1", "b.x = 2"],
        ["module.m.a.x = 1", "module.m.b.x = 2"],
        ["a.x to module.m.a.x (1)", "b.x to module.m.b.x (1)"],
    ),
    "from a module into the root": (["module.m.a.x = 1"], ["a.x = 1"], ["module.m.a.x to a.x (1)"]),
    "two resources change places": (
        ["a.x = 1", "a.y = 2"],
        ["a.x = 2", "a.y = 1"],
        ["a.x to a.y (1)", "a.y to a.x (1)"],
    ),
    "two instances change places": (
        ["a.x[0] = 1", "a.x[1] = 2"],
        ["a.x[0] = 2", "a.x[1] = 1"],
        ["a.x[0] to a.x[1] (1)", "a.x[1] to a.x[0] (1)"],
    ),
    "two modules change places": (
        ["module.m.a.x = 1", "module.n.a.x = 2"],
        ["module.m.a.x = 2", "module.n.a.x = 1"],
        ["module.m to module.n (1)", "module.n to module.m (1)"],
    ),
    "nothing moved": (["a.x = 1"], ["a.x = 1", "a.y = 2"], []),
}


@each_row("name", CASES)
def test_moves(name: str) -> None:
    old, new, expected = CASES[name]
    changes = diff(snapshot(*old), snapshot(*new))
    assert [f"{move.old} to {move.new} ({move.count})" for move in changes.moves] == expected
    assert sum(move.count for move in changes.moves) == len(changes.moved)


@each_row("name", CASES)
def test_the_way_back(name: str) -> None:
    old, new, expected = CASES[name]
    there = {tuple(text.rpartition(" (")[0].split(" to ")) for text in expected}
    moves = diff(snapshot(*new), snapshot(*old)).moves
    assert {(str(move.new), str(move.old)) for move in moves} == there


# What moves, what the third one depended on, what it depends on now, whether that does no more than follow.
FOLLOWED = {
    "a resource": (["a.y = 1"], ["a.x"], ["a.y"], True),
    "a part of a resource": (["a.x[0] = 1", "a.y = 2"], ["a.x"], ["a.x", "a.y"], True),
    "two that change places": (["a.x = 2", "a.y = 1"], ["a.x"], ["a.y"], True),
    "two that change places, and what came there": (["a.x = 2", "a.y = 1"], ["a.x"], ["a.x", "a.y"], False),
    "something else": (["a.y = 1"], ["a.x"], ["a.y", "a.w"], False),
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_dependencies_that_follow(name: str) -> None:
    moved, before, after, follows = FOLLOWED[name]
    first = {"a.y = 1": ["a.x = 1"], "a.x[0] = 1": ["a.x[0] = 1", "a.x[1] = 2"], "a.x = 2": ["a.x = 1", "a.y = 2"]}
    old = snapshot(*first[moved[0]], ("a.z = 3", {"dependencies": before}))
    changes = diff(old, snapshot(*moved, ("a.z = 3", {"dependencies": after})))
    assert [str(change.addr) for change in changes.followed] == (["a.z"] if follows else [])
    assert [str(change.addr) for change in changes.changed] == ([] if follows else ["a.z"])


def test_moves_that_are_known() -> None:
    """Two instances with one `id` cannot be told apart, unless somebody knows which went where."""
    old, new = snapshot("a.x = 1", "a.y = 1"), snapshot("a.v = 1", "a.w = 1")
    moved = {
        parse_abs_resource_instance(one): parse_abs_resource_instance(other)
        for one, other in {"a.x": "a.w", "a.y": "a.v"}.items()
    }
    assert not diff(old, new).moves
    changes = diff(old, new, moved=moved)
    assert [(str(move.old), str(move.new)) for move in changes.moves] == [("a.x", "a.w"), ("a.y", "a.v")]
    assert (changes.added, changes.removed) == ((), ())
