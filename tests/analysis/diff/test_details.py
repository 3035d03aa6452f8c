"""What differs in one member of an object, fit to be shown: nothing sensitive in it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from statefmt.analysis.diff import diff
from statefmt.analysis.diff.values import Comparing, NoValue, details, mark_texts, output_details
from statefmt.model.snapshot import Snapshot
from tests.analysis.diff.build import AWS, snapshot
from tests.tables import each_row

Members = dict[str, Any]


def _path(*steps: object) -> list[dict[str, object]]:
    """A sensitive path: names are attributes, what stands in a list is an index, a dict is a value with its type."""
    return [
        {"type": "index", "value": {"value": step[0], "type": "number" if isinstance(step[0], int) else "string"}}
        if isinstance(step, list)
        else {"type": "index", "value": step}
        if isinstance(step, dict)
        else {"type": "get_attr", "value": step}
        for step in steps
    ]


def _told(old: Members, new: Members, *, show: bool = False) -> list[tuple[object, ...]]:
    """Member, path and both sides of all that differs between two versions of one instance."""
    (change,) = diff(snapshot(("a.x", old)), snapshot(("a.x", new))).instances
    return [
        (
            member.name,
            "/".join(map(str, one.path)),
            *(None if isinstance(s, NoValue) else s for s in (one.old, one.new)),
        )
        for member in change.members
        for one in details(change, member, Comparing(show_sensitive=show))
    ]


HID = "(sensitive value)"
_SECRET = {"sensitive_attributes": [_path("p")]}
# Members of the object on both sides, what is told, and what is told with --show-sensitive if that differs.
CASES: dict[str, tuple[Members, Members, list[object], list[object] | None]] = {
    "attributes": ({"attributes": {"n": 1}}, {"attributes": {"n": 2}}, [("attributes", "n", "1", "2")], None),
    "a sensitive attribute": (
        {"attributes": {"p": "s1"}, **_SECRET}, {"attributes": {"p": "s2"}, **_SECRET},
        [("attributes", "p", HID, HID)], [("attributes", "p", "s1", "s2")],
    ),
    "one that is sensitive from now on": (
        {"attributes": {"p": "s1"}}, {"attributes": {"p": "s1"}, **_SECRET},
        [("sensitive_attributes", "", None, "p")], None,
    ),
    "private": (
        {"private": "czE="}, {"private": "czI="}, [("private", "", HID, HID)], [("private", "", "czE=", "czI=")],
    ),
    "private that is new": ({}, {"private": "czI="}, [("private", "", None, HID)], [("private", "", None, "czI=")]),
    "identity": (
        {"identity": {"k": 1}, "identity_schema_version": 0}, {"identity": {"k": 2}, "identity_schema_version": 1},
        [("identity", "k", "1", "2"), ("identity_schema_version", "", "0", "1")], None,
    ),
    "identity, sensitive as the attribute is": (
        {"attributes": {"p": "s1"}, "identity": {"p": "s1"}, "identity_schema_version": 0, **_SECRET},
        {"attributes": {"p": "s1"}, "identity": {"p": "s2"}, "identity_schema_version": 0, **_SECRET},
        [("identity", "p", HID, HID)], [("identity", "p", "s1", "s2")],
    ),
    "status": ({}, {"status": "tainted"}, [("status", "", None, "tainted")], None),
    "schema version": ({"schema_version": 1}, {"schema_version": 2}, [("schema_version", "", "1", "2")], None),
    "create before destroy": (
        {}, {"create_before_destroy": True}, [("create_before_destroy", "", None, True)], None,
    ),
    "provider": (
        {"provider": AWS}, {"provider": f"{AWS}.west"}, [("provider", "", AWS, f"{AWS}.west")], None,
    ),
    "dependencies": (
        {"dependencies": ["a.z", "a.b"]}, {"dependencies": ["a.c", "a.z"]},
        [("dependencies", "", "a.b", None), ("dependencies", "", None, "a.c")], None,
    ),
    "flat attributes": (
        {"attributes_flat": {"id": "1", "tags.x": "a"}}, {"attributes_flat": {"id": "1", "tags.x": "b"}},
        [("attributes_flat", "tags.x", "a", "b")], None,
    ),
    "flat attributes that sound secret": (
        {"attributes_flat": {"id": "1", "password": "s1"}}, {"attributes_flat": {"id": "1", "password": "s2"}},
        [("attributes_flat", "password", HID, HID)], [("attributes_flat", "password", "s1", "s2")],
    ),
    "a member that nobody knows": (
        {"novel": "s1"}, {"novel": "s2"}, [("novel", "", HID, HID)], [("novel", "", "s1", "s2")],
    ),
}  # fmt: skip


@each_row("name", CASES)
def test_details(name: str) -> None:
    old, new, expected, _ = CASES[name]
    assert _told(old, new) == expected


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[3] is not None])
def test_with_show_sensitive(name: str) -> None:
    old, new, _, expected = CASES[name]
    assert _told(old, new, show=True) == expected


_OBJECT = {"value": {"p": "s1"}, "type": ["object", {"p": "string"}]}
# The attributes, sensitive paths into them, and how they are named.
MARKS: dict[str, tuple[Members, list[list[dict[str, object]]], list[str]]] = {
    "an attribute": ({"p": "s"}, [_path("p")], ["p"]),
    "an attribute in an object": ({"o": {"p": "s"}}, [_path("o", "p")], ["o.p"]),
    "an element of a map": ({"m": {"k": "s"}}, [_path("m", ["k"])], ["m.k"]),
    "an element of a list": ({"l": [{"p": "s"}]}, [_path("l", [0], "p")], ["l[0].p"]),
    "an element of a set of texts": ({"l": ["s1"]}, [_path("l", ["s1"])], ["l[…]"]),
    "an element of a set of numbers": ({"l": [0, 1]}, [_path("l", [1])], ["l[…]"]),
    "parts of elements of a set of objects": (
        {"l": [{"p": "s1"}, {"p": "s2"}]}, [_path("l", _OBJECT, "p"), _path("l", _OBJECT, "p")], ["l[…]"],
    ),
    "a key that is not there": ({"m": {}}, [_path("m", ["s1"])], ["m[…]"]),
    "a key of a map that is sensitive as a whole": (
        {"m": {"s1": "x"}}, [_path("m"), _path("m", ["s1"])], ["m", "m[…]"],
    ),
    "no attributes of that name": ({}, [_path("p", "q", ["s1"])], ["p.q[…]"]),
    "everything": ({"p": 1}, [[]], ["all attributes"]),
}  # fmt: skip


@pytest.mark.parametrize("name", MARKS)
def test_sensitive_paths_tell_no_values(name: str) -> None:
    attributes, paths, expected = MARKS[name]
    (resource,) = snapshot(("a.x", {"attributes": attributes, "sensitive_attributes": paths})).resources
    assert list(mark_texts(resource.objects[0])) == expected


def _output(**members: object) -> Snapshot:
    return snapshot(outputs={"o": {"type": "string", **members}} if members else {})


OUTPUTS: dict[str, tuple[Snapshot, Snapshot, list[tuple[object, object]]]] = {
    "changed": (_output(value="a"), _output(value="b"), [("a", "b")]),
    "added": (_output(), _output(value="b"), [(None, "b")]),
    "removed": (_output(value="a"), _output(), [("a", None)]),
    "sensitive": (_output(value="a", sensitive=True), _output(value="b", sensitive=True), [(HID, HID)]),
    "sensitive no longer": (_output(value="a", sensitive=True), _output(value="b"), [(HID, HID)]),
    "sensitive and added": (_output(), _output(value="b", sensitive=True), [(None, HID)]),
    "the mark alone": (_output(value="a"), _output(value="a", sensitive=True), []),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs(name: str) -> None:
    old, new, expected = OUTPUTS[name]
    (change,) = diff(old, new).outputs
    found = output_details(change, Comparing())
    assert [tuple(None if isinstance(s, NoValue) else s for s in (one.old, one.new)) for one in found] == expected


def test_dependencies_in_another_order_are_no_change_to_speak_of() -> None:
    old, new = (snapshot(("a.x", {"dependencies": given})) for given in (["a.z", "a.b"], ["a.b", "a.z"]))
    changes = diff(old, new)
    assert (len(changes.instances), len(changes.followed)) == (0, 1)


def test_format_versions_are_of_the_envelope() -> None:
    one = snapshot("a.x = 1")
    (change,) = diff(one, one, versions=(3, 4)).envelope
    assert (change.name, json.loads(change.old or b""), json.loads(change.new or b"")) == ("version", 3, 4)
    assert not diff(one, one, versions=(3, 3))
