"""Both states show what goes from one to the other, as briefly as possible."""

from __future__ import annotations

import pytest

from statefmt.analysis.diff import diff, passages
from tests.analysis.diff.build import snapshot

# The states before and after, and what each tells.
CASES: dict[str, tuple[dict[str, list[str]], dict[str, list[str]], list[str]]] = {
    "an instance": (
        {"p": ["a.x = 1", "a.y = 2"], "q": []},
        {"p": ["a.y = 2"], "q": ["a.z = 1"]},
        ["p: a.x to a.z in q (1)", "q: a.z from a.x in p (1)"],
    ),
    "a module, whose place in the other state was empty": (
        {"p": ["module.m.a.x = 1", "module.m.a.y[0] = 2"], "q": ["a.x = 3"]},
        {"p": [], "q": ["module.m.a.x = 1", "module.m.a.y[0] = 2", "a.x = 3"]},
        ["p: module.m to module.m in q (2)", "q: module.m from module.m in p (2)"],
    ),
    "a part of a module": (
        {"p": ["module.m.a.x[0] = 1", "module.m.a.x[1] = 2", "module.m.a.y = 3"], "q": []},
        {"p": ["module.m.a.y = 3"], "q": ["module.m.a.x[0] = 1", "module.m.a.x[1] = 2"]},
        ["p: module.m.a.x to module.m.a.x in q (2)", "q: module.m.a.x from module.m.a.x in p (2)"],
    ),
    "a resource of which an instance was forgotten": (
        {"p": ["a.x[0] = 1", "a.x[1] = 2", "a.x[2] = 3"], "q": []},
        {"p": [], "q": ["a.x[0] = 1", "a.x[1] = 2"]},
        [
            "p: a.x[0] to a.x[0] in q (1)",
            "p: a.x[1] to a.x[1] in q (1)",
            "q: a.x[0] from a.x[0] in p (1)",
            "q: a.x[1] from a.x[1] in p (1)",
        ],
    ),
    "an exchange": (
        {"p": ["a.x = 1"], "q": ["a.x = 2"]},
        {"p": ["a.x = 2"], "q": ["a.x = 1"]},
        ["p: a.x to a.x in q (1)", "p: a.x from a.x in q (1)", "q: a.x to a.x in p (1)", "q: a.x from a.x in p (1)"],
    ),
    "to two states": (
        {"p": ["a.x[0] = 1", "a.x[1] = 2"], "q": [], "r": []},
        {"p": [], "q": ["a.x[0] = 1"], "r": ["a.x[1] = 2"]},
        [
            "p: a.x[0] to a.x[0] in q (1)",
            "p: a.x[1] to a.x[1] in r (1)",
            "q: a.x[0] from a.x[0] in p (1)",
            "r: a.x[1] from a.x[1] in p (1)",
        ],
    ),
    "several that could be it": ({"p": ["a.x = 1", "a.y = 1"], "q": []}, {"p": [], "q": ["a.z = 1"]}, []),
    "another object": ({"p": ["a.x = 1"], "q": []}, {"p": [], "q": ["a.x = 2"]}, []),
    "within a state": ({"p": ["a.x = 1"], "q": []}, {"p": ["a.y = 1"], "q": []}, []),
}


@pytest.mark.parametrize("name", CASES)
def test_both_states_tell(name: str) -> None:
    before, after, expected = CASES[name]
    snapshots = {state: snapshot(*instances) for state, instances in after.items()}
    changes = {state: diff(snapshot(*instances), snapshots[state]) for state, instances in before.items()}
    found: dict[str, None] = {}
    for state, (sent, received) in passages(changes, snapshots).items():
        for one in sent.values():
            found[f"{state}: {one.move.old} to {one.move.new} in {one.other} ({one.move.count})"] = None
        for one in received.values():
            found[f"{state}: {one.move.new} from {one.move.old} in {one.other} ({one.move.count})"] = None
    assert list(found) == expected


def test_what_else_changes_is_known() -> None:
    old = snapshot(("a.x = 1", {"dependencies": ["a.y"]}))
    new = snapshot(("a.x = 1", {"status": "tainted"}))
    none = snapshot()
    found = passages({"p": diff(old, none), "q": diff(none, new)}, {"p": none, "q": new})
    [passage] = found["q"].received.values()
    assert [one.name for one in passage.change.members] == ["status"]
