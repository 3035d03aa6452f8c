"""The blocks that say a difference in configuration, and comments where none can."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from statefmt.analysis.diff import diff
from statefmt.render.diff.blocks import diff_statements
from tests.analysis.diff.build import snapshot
from tests.tables import each_row

Given = str | tuple[str, Mapping[str, Any]]
_HIDDEN_ID = {"sensitive_attributes": [[{"type": "get_attr", "value": "id"}]]}
CHAIN = "a moved block cannot name a target that another object moves away from"
GONE = "a moved block cannot name the address of a removed object as its target"


def _moved(old: str, new: str) -> str:
    return f"moved {{\n  from = {old}\n  to   = {new}\n}}\n"


def _removed(addr: str) -> str:
    return f"removed {{\n  from = {addr}\n\n  lifecycle {{\n    destroy = false\n  }}\n}}\n"


def _import(addr: str, text: str) -> str:
    return f"import {{\n  to = {addr}\n  id = {text}\n}}\n"


# Instances of both sides, and the statements.
CASES: dict[str, tuple[Sequence[Given], Sequence[Given], list[str]]] = {
    "a module": (["module.m.a.x = 1"], ["module.n.a.x = 1"], [_moved("module.m", "module.n")]),
    "all instances of a module call": (
        ['module.m["a"].a.x = 1', 'module.m["b"].a.x = 2'], ['module.n["a"].a.x = 1', 'module.n["b"].a.x = 2'],
        [_moved("module.m", "module.n")],
    ),
    "the only instance of a module call": (
        ["module.m[0].a.x = 1"], ["module.n[0].a.x = 1"], [_moved("module.m", "module.n")],
    ),
    "a module call within an instance": (
        ["module.p[0].module.m[1].a.x = 1"], ["module.p[0].module.n[1].a.x = 1"],
        [_moved("module.p[0].module.m", "module.p[0].module.n")],
    ),
    "a module call that joins another": (
        ["module.m[0].a.x = 1", "module.n[1].a.x = 2"], ["module.n[0].a.x = 1", "module.n[1].a.x = 2"],
        [_moved("module.m", "module.n")],
    ),
    "a module instance with another key": (
        ["module.m[0].a.x = 1", "module.m[1].a.x = 2"], ["module.n[0].a.x = 1", 'module.n["b"].a.x = 2'],
        [_moved("module.m[0]", "module.n[0]"), _moved("module.m[1]", 'module.n["b"]')],
    ),
    "module instances that part": (
        ["module.m[0].a.x = 1", "module.m[1].a.x = 2"], ["module.n[0].a.x = 1", "module.o[1].a.x = 2"],
        [_moved("module.m[0]", "module.n[0]"), _moved("module.m[1]", "module.o[1]")],
    ),
    "module instances that meet": (
        ["module.m[0].a.x = 1", "module.n[1].a.x = 2"], ["module.o[0].a.x = 1", "module.o[1].a.x = 2"],
        [_moved("module.m[0]", "module.o[0]"), _moved("module.n[1]", "module.o[1]")],
    ),
    "a module call that another leaves": (
        ["module.m[0].a.x = 1", "module.n[1].a.x = 2"], ["module.n[0].a.x = 1", "module.o[1].a.x = 2"],
        [_moved("module.m[0]", "module.n[0]"), _moved("module.n[1]", "module.o[1]")],
    ),
    "a module instance that stays": (
        ["module.m[0].a.x = 1", "module.m[1].a.x = 2"], ["module.m[0].a.x = 1", "module.n[1].a.x = 2"],
        [_moved("module.m[1]", "module.n[1]")],
    ),
    "a module instance that is gone": (
        ["module.m[0].a.x = 1", "module.m[1].a.x = 2"], ["module.n[1].a.x = 2"],
        [_moved("module.m[1]", "module.n[1]"),
         _moved("module.m[0].a.x", "module.m[0].a.x_removed"), _removed("module.m.a.x_removed")],
    ),
    "a resource": (["a.x[0] = 1", "a.x[1] = 2"], ["a.y[0] = 1", "a.y[1] = 2"], [_moved("a.x", "a.y")]),
    "an instance": (["a.x[0] = 1"], ['a.x["$${k}"] = 1'], [_moved("a.x[0]", 'a.x["$${k}"]')]),
    "into a module": (["a.x = 1"], ["module.m.a.x = 1"], [_moved("a.x", "module.m.a.x")]),
    "data, which is read again": (["data.a.x = 1"], ["data.a.y = 1"], []),
    "places changed": (
        ["a.x = 1", "a.y = 2"], ["a.x = 2", "a.y = 1"],
        [f"# a.x moved to a.y: {CHAIN}\n", f"# a.y moved to a.x: {CHAIN}\n"],
    ),
    "one after the other": (
        ["a.x = 1", "a.y = 2"], ["a.y = 1", "a.z = 2"], [f"# a.x moved to a.y: {CHAIN}\n", _moved("a.y", "a.z")],
    ),
    "into a module that moves": (
        ["a.x = 1", "module.m.a.y = 2"], ["module.m.a.x = 1", "module.n.a.y = 2"],
        [f"# a.x moved to module.m.a.x: {CHAIN}\n", _moved("module.m", "module.n")],
    ),
    "to where something was": (
        ["a.x = 1", "a.y = 2"], ["a.y = 1"],
        [f"# a.x moved to a.y: {GONE}\n",
         _moved("a.y", "a.y_removed"), _removed("a.y_removed")],
    ),
    "removed": (["a.x = 1"], [], [_removed("a.x")]),
    "removed with its instances and modules, once": (
        ["module.m[0].a.x[0] = 1", "module.m[0].a.x[1] = 2", "module.m[1].a.x[0] = 3"], [], [_removed("module.m.a.x")],
    ),
    "removed in part": (
        ["a.x[0] = 1", "a.x[1] = 2"], ["a.x[0] = 1"],
        [_moved("a.x[1]", "a.x_removed[1]"), _removed("a.x_removed")],
    ),
    "removed in part, the rest moved": (
        ["a.x[0] = 1", "a.x[1] = 2"], ["a.y = 1"],
        [_moved("a.x[0]", "a.y"), _moved("a.x[1]", "a.x_removed[1]"), _removed("a.x_removed")],
    ),
    "removed in part, in several modules": (
        ["module.m[0].a.x[0] = 1", "module.m[1].a.x[0] = 2", "module.m[1].a.x[1] = 3"], ["module.m[1].a.x[0] = 2"],
        [_moved("module.m[0].a.x[0]", "module.m[0].a.x_removed[0]"),
         _moved("module.m[1].a.x[1]", "module.m[1].a.x_removed[1]"), _removed("module.m.a.x_removed")],
    ),
    "removed in part, with a name that is taken": (
        ["a.x[0] = 1", "a.x[1] = 2", "a.x_removed = 3"], ["a.x[0] = 1", "a.x_removed = 3"],
        [_moved("a.x[1]", "a.x_removed_2[1]"), _removed("a.x_removed_2")],
    ),
    "removed in part, without a key": (
        ["a.x = 1", "a.x[1] = 2"], ["a.x[1] = 2"],
        ["# a.x is gone: its address without a key names other instances, too\n"],
    ),
    "data removed": (["data.a.x = 1"], [], []),
    "added": ([], ["a.x = 1"], [_import("a.x", '"1"')]),
    "added with an id like a template": (
        [], [("a.x", {"attributes": {"id": '${a}"'}})], [_import("a.x", '"$${a}\\""')],
    ),
    "added with a number as id": ([], [("a.x", {"attributes": {"id": 12}})], [_import("a.x", '"12"')]),
    "added without an id": ([], ["a.x"], ["# a.x is new: it has no id to import it by\n"]),
    "added with a sensitive id": (
        [], [("a.x = 1", _HIDDEN_ID)], ["# a.x is new: its id is sensitive; --show-sensitive writes it\n"],
    ),
    "nothing": (["a.x = 1"], [("a.x = 1", {"status": "tainted"})], []),
}  # fmt: skip


@each_row("name", CASES)
def test_statements(name: str) -> None:
    old, new, expected = CASES[name]
    after = snapshot(*new)
    text = diff_statements(diff(snapshot(*old), after), after, show_sensitive=False)
    assert text == "\n".join(expected)


def test_a_sensitive_id_that_was_asked_for() -> None:
    after = snapshot(("a.x = 1", _HIDDEN_ID))
    assert diff_statements(diff(snapshot(), after), after, show_sensitive=True) == _import("a.x", '"1"')
