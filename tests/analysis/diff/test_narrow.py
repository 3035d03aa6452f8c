"""Some kinds of differences, at some addresses."""

from __future__ import annotations

import pytest

from statefmt.analysis.diff import diff
from statefmt.analysis.diff.model import Kind, SnapshotDiff, kinds, narrowed
from statefmt.model.addrs import AbsResourceInstance
from tests.analysis.diff.build import AWS, snapshot
from tests.tables import each_row

OLD = snapshot(
    "a.gone = 1",
    "a.moves = 2",
    "a.keyed[0] = 3",
    ("a.rebound = 4", {"provider": AWS}),
    ("a.changes = 5", {"attributes": {"n": 1}, "private": "czE=", "schema_version": 1}),
    ("a.depends = 6", {"dependencies": ["a.moves"]}),
    ("a.follows = 7", {"dependencies": ["a.moves"]}),
    ("a.deposes = 8", {}),
    ("a.deposes", {"attributes": {"id": "8b"}, "deposed": "0f1e2d3c"}),
    "module.m.a.one = 10",
    "module.m.a.two = 11",
    outputs={"o": {"value": "a", "type": "string"}},
    check_results=[{"object_kind": "check", "config_addr": "check.c", "status": "pass", "objects": None}],
)
NEW = snapshot(
    "a.comes = 9",
    "a.moved = 2",
    'a.keyed["k"] = 3',
    ("a.rebound = 4", {"provider": f"{AWS}.west"}),
    ("a.changes = 5", {"attributes": {"n": 2}, "private": "czI=", "schema_version": 2, "status": "tainted"}),
    ("a.depends = 6", {"dependencies": ["a.changes"]}),
    ("a.follows = 7", {"dependencies": ["a.moved"]}),
    "a.deposes = 8",
    "module.n.a.one = 10",
    "module.n.a.two = 11",
    outputs={"o": {"value": "b", "type": "string"}},
    serial=2,
)
CHANGES = diff(OLD, NEW)
# What is asked for, and what there is: addresses in list order, moves by their old places, and what else.
ONLY: list[tuple[str, list[str], str]] = [
    ("added", ["a.comes"], ""),
    ("removed", ["a.gone"], "followed"),
    ("moved", ['a.keyed["k"]', "a.moved", "module.n.a.one", "module.n.a.two"], "a.keyed[0] a.moves module.m followed"),
    ("rekeyed", ['a.keyed["k"]'], "a.keyed[0] followed"),
    ("rebound", ["a.rebound"], ""),
    ("changed", ["a.changes", "a.depends", "a.deposes"], ""),
    ("attributes", ["a.changes"], ""),
    ("tainted", ["a.changes"], ""),
    ("schema", ["a.changes"], ""),
    ("private", ["a.changes"], ""),
    ("dependencies", ["a.depends"], ""),
    ("deposed", ["a.deposes"], ""),
    ("outputs", [], "outputs"),
    ("checks", [], "checks"),
    ("envelope", [], "envelope"),
    ("resources", [], ""),
]


def _rest(changes: SnapshotDiff) -> str:
    parts = [str(move.old) for move in changes.moves]
    parts += ["followed"] * bool(changes.followed) + ["outputs"] * bool(changes.outputs)
    parts += ["checks"] * bool(changes.check_results) + ["envelope"] * bool(changes.envelope)
    return " ".join(parts)


@each_row(("kind", "addresses", "rest"), ONLY)
def test_only(kind: str, addresses: list[str], rest: str) -> None:
    found = narrowed(CHANGES, kinds([Kind(kind)]))
    assert [str(change.addr) for change in found.instances] == addresses
    # Dependencies follow a move, but are of a kind of their own.
    assert _rest(found) == rest.replace("followed", "").strip()
    with_dependencies = narrowed(CHANGES, kinds([Kind(kind), Kind.DEPENDENCIES]))
    assert bool(with_dependencies.followed) == ("followed" in rest)


@each_row("kind", list(Kind))
def test_ignored_is_what_only_leaves(kind: Kind) -> None:
    """What is of one kind only is in one of the two, and nothing is lost."""
    only, rest = narrowed(CHANGES, kinds([kind])), narrowed(CHANGES, kinds([], [kind]))
    both = {change.addr for part in (only, rest) for change in part.instances}
    assert both == {change.addr for change in CHANGES.instances}


def test_every_kind_is_everything() -> None:
    assert narrowed(CHANGES, kinds()) == CHANGES
    assert narrowed(CHANGES, kinds(list(Kind))) == CHANGES


def test_only_and_ignored() -> None:
    assert kinds([Kind.CHANGED], [Kind.PRIVATE, Kind.DEPENDENCIES]) == {
        Kind.CHANGED, Kind.ATTRIBUTES, Kind.TAINTED, Kind.SCHEMA, Kind.DEPOSED,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        (["module.m.a.one", "module.m.a.two"], ["module.m to module.n (2)"]),
        (["module.m.a.one"], ["module.m.a.one to module.n.a.one (1)"]),
        (["module.n.a.two"], ["module.m.a.two to module.n.a.two (1)"]),
        (["a.gone"], []),
    ],
)
def test_a_part_of_a_whole_move(chosen: list[str], told: list[str]) -> None:
    def is_chosen(addr: AbsResourceInstance) -> bool:
        return str(addr) in chosen

    found = narrowed(CHANGES, kinds(), is_chosen)
    assert [f"{move.old} to {move.new} ({move.count})" for move in found.moves] == told
    assert not (found.outputs or found.envelope or found.check_results or found.followed)


def test_a_change_without_its_move() -> None:
    old = snapshot(("a.x = 1", {"attributes": {"n": 1}, "schema_version": 1}))
    new = snapshot(("a.y = 1", {"attributes": {"n": 2}, "schema_version": 1}))
    found = narrowed(diff(old, new), kinds([Kind.CHANGED]))
    assert found.moved == ()
    assert [(str(change.addr), [member.name for member in change.members]) for change in found.changed] == [
        ("a.y", ["attributes"])
    ]
