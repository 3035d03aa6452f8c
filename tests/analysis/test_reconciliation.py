"""What `reconcile` says of two states, in all cases. The answers of `state push` are those of tests/compat."""

from __future__ import annotations

import json
from typing import Final

from hypothesis import given, strategies as st

from statefmt.differences import PushAnswer, Reconciliation, RecoveryCase, reconcile
from statefmt.formats.reading import read
from statefmt.formats.writing.write import write
from statefmt.model.snapshot import Snapshot
from tests.cli.states import resource, state
from tests.tables import each_row

OTHER: Final = "00000000-0000-0000-0000-000000000000"
OUTPUT: Final = {"o": {"value": 1, "type": "number"}}
OTHER_OUTPUT: Final = {"o": {"value": 2, "type": "number"}}
CHECKS: Final = [{"object_kind": "output", "config_addr": "output.o", "status": "pass", "objects": None}]


def _snapshot(names: str, serial: int, **members: object) -> Snapshot:
    """A state with resources: `a`, `a2` for another value of a, `A` for another object at the same address."""
    return read(state(*map(_resource, names.split()), serial=serial, **members)).snapshot


def _resource(name: str) -> dict[str, object]:
    if name.startswith("data."):
        return {**resource("aws_vpc", name.removeprefix("data."), {"attributes": {"id": name}}), "mode": "data"}
    if name.endswith("+deposed"):
        name = name.removesuffix("+deposed")
        deposed = {"attributes": {"id": f"old-{name}"}, "deposed": "0f1e2d3c"}
        return resource("aws_vpc", name, {"attributes": {"id": name}}, deposed)
    value = 2 if name.endswith("2") else 1
    return resource("aws_vpc", name[0].lower(), {"attributes": {"id": name[0], "n": value}})


def _depending(name: str, serial: int) -> Snapshot:
    """A state with the resource `a`, which depends on another one."""
    attributes = {"attributes": {"id": "a", "n": 1}, "dependencies": [f"aws_vpc.{name}"]}
    return read(state(resource("aws_vpc", "a", attributes), serial=serial)).snapshot


ACCEPTED, LINEAGE, SAME, OLDER = PushAnswer
# The errored state, the stored one, the case and the answer of `state push`.
CASES: Final[dict[str, tuple[Snapshot, Snapshot | None, str, PushAnswer]]] = {
    "equal": (_snapshot("a", 7), _snapshot("a", 7), "same", ACCEPTED),
    "nothing stored": (_snapshot("a", 1), None, "push", ACCEPTED),
    "created": (_snapshot("a b", 8), _snapshot("a", 7), "push", ACCEPTED),
    "destroyed": (_snapshot("a", 8), _snapshot("a b", 7), "push", ACCEPTED),
    "replaced": (_snapshot("A", 8), _snapshot("a", 7), "push", ACCEPTED),
    "saved several times": (_snapshot("a b", 10), _snapshot("a", 7), "push", ACCEPTED),
    "several times, or somebody added": (_snapshot("a", 9), _snapshot("a b", 7), "unclear", ACCEPTED),
    "several times, or somebody changed": (_snapshot("a2", 9), _snapshot("a", 7), "unclear", ACCEPTED),
    "only the serial": (_snapshot("a", 8), _snapshot("a", 7), "already_stored", ACCEPTED),
    "only the release": (
        _snapshot("a", 7), _snapshot("a", 7, terraform_version="1.9.0"), "already_stored", ACCEPTED,
    ),
    "pushed": (_snapshot("a b", 8), _snapshot("a b", 9), "already_stored", OLDER),
    "pushed, and an apply since": (_snapshot("a b", 8), _snapshot("a b c", 10), "already_stored", OLDER),
    "pushed to nothing": (_snapshot("a", 1), _snapshot("a", 1, lineage=OTHER), "already_stored", LINEAGE),
    "one apply in between": (_snapshot("a b", 8), _snapshot("a c", 8), "both", SAME),
    "two applies in between": (_snapshot("a b", 8), _snapshot("a c", 9), "both", OLDER),
    "another value in between": (_snapshot("a2", 8), _snapshot("a", 8), "both", SAME),
    "two objects at one address": (_snapshot("b", 8), _snapshot("B", 8), "both", SAME),
    "everything there in between": (_snapshot("a", 8), _snapshot("a b", 8), "already_stored", SAME),
    "only an output in between": (_snapshot("a", 8), _snapshot("a", 8, outputs=OUTPUT), "already_stored", SAME),
    "an output that is not stored": (_snapshot("a", 8, outputs=OUTPUT), _snapshot("a", 8), "both", SAME),
    "another value of an output": (
        _snapshot("a", 8, outputs=OUTPUT), _snapshot("a", 9, outputs=OTHER_OUTPUT), "both", OLDER,
    ),
    "a check result that is not stored": (_snapshot("a", 8, check_results=CHECKS), _snapshot("a", 8), "both", SAME),
    "a check result in between": (_snapshot("a", 8), _snapshot("a", 8, check_results=CHECKS), "already_stored", SAME),
    "a dependency that is not stored": (_depending("b", 8), _snapshot("a", 8), "both", SAME),
    "other dependencies": (_depending("b", 8), _depending("c", 9), "both", OLDER),
    "a dependency in between": (_snapshot("a", 8), _depending("b", 9), "already_stored", OLDER),
    "an unknown member": (_snapshot("a", 8, new=1), _snapshot("a", 9), "both", OLDER),
    "an output, in a state pushed to nothing": (
        _snapshot("a", 1, outputs=OUTPUT), _snapshot("a", 1, lineage=OTHER), "other_lineage", LINEAGE,
    ),
    "destroyed in between": (_snapshot("a", 8), _snapshot("", 9), "both", ACCEPTED),
    "a deposed object": (_snapshot("a+deposed", 8), _snapshot("a", 8), "both", SAME),
    "a data source": (_snapshot("a data.b", 8), _snapshot("a", 8), "already_stored", SAME),
    "another state": (_snapshot("a", 8), _snapshot("b", 7, lineage=OTHER), "other_lineage", LINEAGE),
    "another state, empty": (_snapshot("a", 8), _snapshot("", 7, lineage=OTHER), "other_lineage", ACCEPTED),
    "two empty states": (_snapshot("", 8), _snapshot("", 7, lineage=OTHER), "other_lineage", ACCEPTED),
    "empty over another": (_snapshot("", 8), _snapshot("a", 7, lineage=OTHER), "other_lineage", LINEAGE),
    "no lineage": (_snapshot("a b", 8), _snapshot("a", 9, lineage=""), "push", ACCEPTED),
    "no lineage, and somebody added": (_snapshot("a", 8, lineage=""), _snapshot("a b", 7), "unclear", ACCEPTED),
    "no lineage, equal": (_snapshot("a", 8, lineage=""), _snapshot("a", 9), "already_stored", ACCEPTED),
}  # fmt: skip


@each_row("name", CASES)
def test_cases(name: str) -> None:
    errored, stored, case, answer = CASES[name]
    found = reconcile(errored, stored)
    assert (found.case, found.push) == (RecoveryCase(case), answer)
    assert bool(found.refusal) == (answer is not ACCEPTED)
    assert found.is_settled == (case in ("same", "already_stored"))


def _listed(found: Reconciliation) -> tuple[list[str], list[str], list[str]]:
    return (
        [f"{one.addr} {one.obj.deposed}".strip() for one in found.only_errored],
        [f"{one.addr} {one.obj.deposed}".strip() for one in found.only_stored],
        [str(change.addr) for change in found.differing],
    )


def test_what_only_one_side_has() -> None:
    found = reconcile(_snapshot("a+deposed b c2 data.x D", 8), _snapshot("a c e data.y d", 8))
    assert _listed(found) == (
        ["aws_vpc.a 0f1e2d3c", "aws_vpc.b", "aws_vpc.d"],
        ["aws_vpc.d", "aws_vpc.e"],
        # The objects `a` have other attributes in the two forms.
        ["aws_vpc.a", "aws_vpc.c"],
    )
    assert [one.other is not None for one in found.only_errored] == [False, False, True]


def test_an_object_that_moved_is_on_both_sides() -> None:
    moved = read(state(resource("aws_vpc", "moved", {"attributes": {"id": "a", "n": 1}}), serial=9)).snapshot
    found = reconcile(_snapshot("a", 8), moved)
    assert _listed(found) == ([], [], [])
    assert found.case is RecoveryCase.STORED


def test_without_a_stored_state() -> None:
    found = reconcile(_snapshot("a", 1), None)
    assert _listed(found) == (["aws_vpc.a"], [], [])
    assert found.serials_ahead == 1


@given(st.data())
def test_what_can_be_deleted_is_stored(data: st.DataObject) -> None:
    """For any two states: if the file can be deleted, each of its parts is in the stored state as it is."""
    errored, stored = (
        read(
            state(
                *({**resource("aws_vpc", name, instance)} for name, instance in data.draw(_RESOURCES).items()),
                serial=data.draw(st.integers(7, 9)),
                outputs=data.draw(_OUTPUTS),
                check_results=data.draw(st.sampled_from([None, CHECKS])),
            )
        ).snapshot
        for _ in range(2)
    )
    if reconcile(errored, stored).is_settled:
        mine, theirs = (json.loads(write(snapshot)) for snapshot in (errored, stored))
        assert all(one in theirs["outputs"].items() for one in mine["outputs"].items())
        assert all(one in (theirs["check_results"] or ()) for one in mine["check_results"] or ())
        instances = {one["name"]: one["instances"][0] for one in theirs["resources"]}
        for one in mine["resources"]:
            own, other = one["instances"][0], instances[one["name"]]
            assert own["attributes"] == other["attributes"]
            assert set(own.get("dependencies", ())) <= set(other.get("dependencies", ()))


_RESOURCES: Final = st.dictionaries(
    st.sampled_from("ab"),
    st.builds(
        lambda number, names: {"attributes": {"id": "i", "n": number}, "dependencies": names},
        st.integers(0, 1),
        st.lists(st.sampled_from(["aws_vpc.x", "aws_vpc.y"]), unique=True),
    ),
)
_OUTPUTS: Final = st.dictionaries(
    st.sampled_from("op"), st.builds(lambda number: {"value": number, "type": "number"}, st.integers(0, 1))
)
