"""Laws of three-way merges, over generated states and edits."""

from __future__ import annotations

import json
from collections import Counter

from hypothesis import given, reject, strategies as st
from msgspec.structs import replace

import statefmt
from statefmt.merging import DecideConflict, Merge, MergeSide, merge
from statefmt.model.snapshot import Snapshot, instances
from statefmt.testing import strategies as some
from tests.property.edits import edited


@st.composite
def versions(draw: st.DrawFn) -> tuple[Snapshot, Snapshot, Snapshot]:
    """A state, and what two people made of it, each with the next serial."""
    base = replace(draw(some.snapshots()), serial=draw(st.integers(0, 2**53)))
    ours, theirs = (
        replace(edited(draw, base), serial=base.serial + 1, lineage=base.lineage) for _ in range(2)
    )  # fmt: skip
    return base, ours, theirs


def _merged(base: Snapshot, ours: Snapshot, theirs: Snapshot, decide: DecideConflict = lambda _: None) -> Merge:
    """The merge, unless it is refused: several objects without an id are equal, and some may have moved."""
    try:
        return merge(base, ours, theirs, decide)
    except statefmt.SurgeryError:
        reject()


def _ids(snapshot: Snapshot) -> Counter[tuple[str, str]]:
    """The types and ids of all objects; those of the base are unique."""
    found: Counter[tuple[str, str]] = Counter()
    for instance in instances(snapshot):
        for obj in instance.objects:
            attributes = (
                json.loads(bytes(obj.attributes or b"{}")) if obj.attributes_flat is None else obj.attributes_flat
            )
            if attributes.get("id") is not None:
                found[instance.resource.addr.resource.type, attributes["id"]] += 1
    return found


@given(versions())
def test_a_side_that_changed_nothing_leaves_the_other_side(drawn: tuple[Snapshot, Snapshot, Snapshot]) -> None:
    base, ours, theirs = drawn
    assert merge(base, ours, base).snapshot is ours
    assert merge(base, base, theirs).snapshot is theirs


@given(versions(), st.integers(0, 5))
def test_equal_sides_are_no_conflict(drawn: tuple[Snapshot, Snapshot, Snapshot], ahead: int) -> None:
    base, ours, _ = drawn
    newer = replace(ours, serial=ours.serial + ahead)
    assert merge(base, ours, newer).snapshot == merge(base, newer, ours).snapshot == newer


@given(versions())
def test_conflicts_and_results_are_the_same_with_sides_exchanged(drawn: tuple[Snapshot, Snapshot, Snapshot]) -> None:
    base, ours, theirs = drawn
    one, other = _merged(base, ours, theirs), _merged(base, theirs, ours)
    assert one.conflicts == other.conflicts
    if not one.conflicts:
        assert not statefmt.diff(one.snapshot, other.snapshot)


@given(versions())
def test_no_object_disappears_that_one_side_changed(drawn: tuple[Snapshot, Snapshot, Snapshot]) -> None:
    base, ours, theirs = drawn
    merged = _merged(base, ours, theirs)
    if not merged.conflicts:
        before, mine, other = _ids(base), _ids(ours), _ids(theirs)
        there = _ids(merged.snapshot)
        assert not (mine & other) + (mine - before) + (other - before) - there
        assert not there - (mine | other)


@given(versions(), st.sampled_from(MergeSide))
def test_decided_conflicts_leave_a_state_that_can_be_read(
    drawn: tuple[Snapshot, Snapshot, Snapshot], side: MergeSide
) -> None:
    base, ours, theirs = drawn
    merged = _merged(base, ours, theirs, lambda _: side)
    assert merged.conflicts == ()
    again = statefmt.read(statefmt.write(merged.snapshot, canonical=False)).snapshot
    assert not statefmt.diff(merged.snapshot, again)
    assert len({resource.addr for resource in again.resources}) == len(again.resources)


@given(versions())
def test_the_serial_is_above_both_or_that_of_a_side(drawn: tuple[Snapshot, Snapshot, Snapshot]) -> None:
    base, ours, theirs = drawn
    merged = _merged(base, ours, theirs)
    if merged.equals is None:
        assert merged.snapshot.serial == base.serial + 2
    else:
        assert merged.snapshot in (ours, theirs)
