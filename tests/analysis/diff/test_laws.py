"""The laws of a comparison: nothing differs from itself, both directions agree, and applied it gives the other side."""

from __future__ import annotations

from hypothesis import given, strategies as st
from msgspec.structs import replace

from statefmt.analysis.diff import apply, diff
from statefmt.analysis.diff.model import (
    CheckResultsChange,
    EnvelopeChange,
    InstanceChange,
    MemberChange,
    Move,
    ObjectChange,
    OutputChange,
    ResourceChange,
    SnapshotDiff,
)
from statefmt.formats.reading import read
from statefmt.formats.writing import canonical
from statefmt.golang import compact, escape_html
from statefmt.model.addrs import list_order
from statefmt.model.snapshot import Snapshot
from tests.property.edits import edited
from tests.property.strategies import StateText, states


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Snapshot, Snapshot]:
    """A state, and that state after some edits, or another one."""
    old = read(draw(states()).data).snapshot
    return old, edited(draw, old) if draw(st.integers(0, 3)) else read(draw(states()).data).snapshot


@given(states())
def test_nothing_differs_from_itself(state: StateText) -> None:
    snapshot = read(state.data).snapshot
    assert not diff(snapshot, snapshot)
    assert not diff(snapshot, read(canonical(snapshot, keep_unknown=True)).snapshot, exact=True)


@given(pairs())
def test_both_directions_agree(pair: tuple[Snapshot, Snapshot]) -> None:
    old, new = pair
    assert _sorted(diff(new, old)) == _sorted(_mirrored(diff(old, new)))


@given(pairs())
def test_applied_to_the_old_side_it_gives_the_new_one(pair: tuple[Snapshot, Snapshot]) -> None:
    old, new = pair
    assert _text(apply(old, diff(old, new, exact=True))) == _text(new)


@given(pairs())
def test_it_is_empty_only_where_the_canonical_text_is_the_same(pair: tuple[Snapshot, Snapshot]) -> None:
    old, new = pair
    assert bool(diff(old, new, exact=True)) == (_text(old) != _text(new))


def _text(snapshot: Snapshot) -> tuple[bytes, object]:
    """All that a state says; where its unknown members stand says nothing."""
    unknown = {name: escape_html(compact(bytes(raw))) for name, raw, _ in snapshot.unknown}
    return canonical(replace(snapshot, unknown=()), keep_unknown=True), unknown


def _mirrored(changes: SnapshotDiff) -> SnapshotDiff:
    checks = changes.check_results
    return SnapshotDiff(
        envelope=tuple(EnvelopeChange(change.name, change.new, change.old) for change in changes.envelope),
        outputs=tuple(OutputChange(change.new, change.old) for change in changes.outputs),
        instances=tuple(map(_mirrored_instance, changes.instances)),
        moves=tuple(Move(move.new, move.old, move.count) for move in changes.moves),
        followed=tuple(map(_mirrored_instance, changes.followed)),
        resources=tuple(ResourceChange(change.new, change.old) for change in changes.resources),
        check_results=CheckResultsChange(checks.new, checks.old) if checks else None,
    )


def _mirrored_instance(change: InstanceChange) -> InstanceChange:
    return InstanceChange(
        old=change.new,
        new=change.old,
        members=tuple(MemberChange(member.deposed, member.name, member.new, member.old) for member in change.members),
        objects=tuple(ObjectChange(obj.deposed, obj.new, obj.old) for obj in change.objects),
    )


def _sorted(changes: SnapshotDiff) -> SnapshotDiff:
    """The same with everything in an order that both directions share."""

    def instances(found: tuple[InstanceChange, ...]) -> tuple[InstanceChange, ...]:
        ordered = sorted(found, key=lambda change: sorted(list_order(s.addr) for s in (change.old, change.new) if s))
        return tuple(
            replace(
                change,
                members=tuple(sorted(change.members, key=lambda member: (member.deposed, member.name))),
                objects=tuple(sorted(change.objects, key=lambda obj: obj.deposed)),
            )
            for change in ordered
        )

    return replace(
        changes,
        envelope=tuple(sorted(changes.envelope, key=lambda change: change.name)),
        instances=instances(changes.instances),
        moves=tuple(sorted(changes.moves, key=lambda move: sorted((str(move.old), str(move.new))))),
        followed=instances(changes.followed),
        resources=tuple(
            sorted(
                changes.resources,
                key=lambda change: sorted(list_order(side.addr) for side in (change.old, change.new) if side),
            )
        ),
    )
