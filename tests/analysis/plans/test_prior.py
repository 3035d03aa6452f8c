"""Whether a plan was made for a state: the recorded plans, with the state before and the state after each."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from statefmt.analysis.plans import PriorKind, changed_outputs, compare_prior
from statefmt.formats.reading import inspect
from statefmt.lifecycle.read_plan import read_plan
from statefmt.model.snapshot import Snapshot
from tests.analysis.plans.documents import change, plan, prior, state
from tests.lifecycle.plans import recorded_plans
from tests.tables import each_row

_PLANS: Final = {name: files for name, files in recorded_plans().items() if "plan.json" in files}


def _snapshot(data: bytes) -> Snapshot:
    found = inspect(data).snapshot
    assert found is not None
    return found


@each_row("name", [name for name, files in _PLANS.items() if "before.tfstate" in files])
def test_the_state_before(name: str) -> None:
    files = _PLANS[name]
    given, before = read_plan(files["plan.json"]), _snapshot(files["before.tfstate"])
    assert compare_prior(given, before).differences == ()
    assert list(changed_outputs(given, before)) == []


@each_row("name", [name for name, files in _PLANS.items() if "after.tfstate" in files])
def test_the_state_after(name: str) -> None:
    """Every object that the plan creates, changes, destroys, forgets or moves differs afterwards, and no other."""
    files = _PLANS[name]
    document = json.loads(files["plan.json"])
    expected = {
        each["address"]
        for each in [*document.get("resource_changes", []), *document.get("resource_drift", [])]
        if each["mode"] == "managed"
        and (each["change"]["actions"] != ["no-op"] or "previous_address" in each)
        # Only the marks of sensitive values change.
        and ("previous_address" in each or not _same(each["change"]))
    }
    found = compare_prior(read_plan(files["plan.json"]), _snapshot(files["after.tfstate"])).differences
    assert {each.address for each in found} == expected


def _same(change: dict[str, Any]) -> bool:
    return bool(change["actions"] == ["update"] and change["before"] == change["after"])


@pytest.mark.parametrize(
    ("before", "kind"),
    [
        (state(("aws_vpc.a", None), ("aws_vpc.b", None)), PriorKind.ONLY_IN_STATE),
        (state(("aws_vpc.b", None)), None),
        (state(("data.aws_vpc.c", None), ("aws_vpc.a", None)), "equal"),
        (state(("aws_vpc.a", None)).replace(b"vpc-1", b"vpc-2"), PriorKind.VALUES),
        (state(("aws_vpc.a", None)).replace(b'"schema_version": 0', b'"schema_version": 1, "status": ""'), "equal"),
        (state(("aws_vpc.a", None)).replace(b'"schema_version": 0', b'"schema_version": 0, "status": "tainted"'),
         PriorKind.STATUS),
        (state(("aws_vpc.a", None)).replace(b'"id": "vpc-1"', b'"id": "vpc-1", "new": 1'), "equal"),
        (state(("aws_vpc.a", None)).replace(b'"id": "vpc-1"', b'"id": "vpc-1", "tags": null'), "equal"),
    ],
)  # fmt: skip
def test_one_difference(before: bytes, kind: PriorKind | str | None) -> None:
    given = read_plan(plan(change("aws_vpc.a", "no-op"), objects=(prior("aws_vpc.a"),)))
    found = compare_prior(given, _snapshot(before))
    assert found.any_in_common is (kind is not None)
    if kind is not None:
        assert [each.kind for each in found.differences] == ([] if kind == "equal" else [kind])


def test_the_object_before_refreshing_counts() -> None:
    """The plan shows a refreshed object; what the state has is in `resource_drift`."""
    drifted = change("aws_vpc.a", "update", change={"before": {"id": "vpc-1"}, "after": {"id": "vpc-9"}})
    seen = prior("aws_vpc.a", values={"id": "vpc-9"})
    given = read_plan(plan(change("aws_vpc.a", "no-op"), objects=(seen,), resource_drift=[drifted]))
    assert compare_prior(given, _snapshot(state(("aws_vpc.a", None)))).differences == ()
    refreshed = state(("aws_vpc.a", None)).replace(b"vpc-1", b"vpc-9")
    (found,) = compare_prior(given, _snapshot(refreshed)).differences
    assert (found.kind, found.pointer) == (PriorKind.VALUES, "/resource_drift/0/change/before")


def test_an_object_deleted_outside() -> None:
    deleted = change("aws_vpc.a", "delete")
    given = read_plan(plan(change("aws_vpc.a", "create"), resource_drift=[deleted]))
    assert compare_prior(given, _snapshot(state(("aws_vpc.a", None)))).differences == ()


def test_digits_count() -> None:
    """Numbers are not compared as floats."""
    values = {"id": 12345678901234567890123}
    given = read_plan(plan(change("aws_vpc.a", "no-op"), objects=(prior("aws_vpc.a", values=values),)))
    same = state(("aws_vpc.a", None)).replace(b'"vpc-1"', b"12345678901234567890123")
    assert compare_prior(given, _snapshot(same)).differences == ()
    other = state(("aws_vpc.a", None)).replace(b'"vpc-1"', b"12345678901234567890124")
    assert len(compare_prior(given, _snapshot(other)).differences) == 1
