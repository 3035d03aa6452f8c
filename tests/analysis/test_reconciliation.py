"""What `reconcile` says of two states, in all cases. The answers of `state push` are those of tests/compat."""

from __future__ import annotations

from typing import Final

import pytest

from statefmt.differences import PushAnswer, Reconciliation, RecoveryCase, reconcile
from statefmt.formats.reading.inspect import read
from statefmt.model.snapshot import Snapshot
from tests.cli.states import resource, state

OTHER: Final = "00000000-0000-0000-0000-000000000000"
OUTPUT: Final = {"o": {"value": 1, "type": "number"}}


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


@pytest.mark.parametrize("name", CASES)
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
