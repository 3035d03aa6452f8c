"""`taint` and `untaint`: what OpenTofu's commands allow; and back again to the same bytes."""

from __future__ import annotations

import pytest

from statefmt.analysis.diff import diff
from statefmt.edit.operations.instances import taint, untaint
from statefmt.formats.reading import read
from statefmt.formats.writing import canonical
from statefmt.formats.writing.write import write
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import ObjectStatus, Snapshot, instances
from tests.analysis.diff.realistic import realistic
from tests.edit.operations.bindings import bound, chosen
from tests.tables import each_row


def tainted(snapshot: Snapshot) -> list[str]:
    """The instances with a tainted object, `+` for each that is deposed."""
    return [
        f"{instance.addr}{'' if obj.is_current else '+'}"
        for instance in instances(snapshot)
        for obj in instance.objects
        if obj.status is ObjectStatus.TAINTED
    ]


def test_current_objects_only() -> None:
    state = bound("t.a[0] @ acme/t", "t.a[0]+ @ acme/t", "t.a[1] @ acme/t")
    there = taint(state, chosen(state, "t.a[0]"))
    assert tainted(there.snapshot) == ["t.a[0]"]
    assert there.notes == ()
    assert tainted(untaint(there.snapshot, chosen(there.snapshot, "t.a[0]")).snapshot) == []


def test_what_is_tainted_already_stays_so() -> None:
    state = bound("t.a @ acme/t", "t.b @ acme/t")
    once = taint(state, chosen(state, "t.a")).snapshot
    twice = taint(once, chosen(once, "t.a", "t.b"))
    assert tainted(twice.snapshot) == ["t.a", "t.b"]
    assert twice.notes == ("already tainted:\n  t.a",)


# Instances, which of them, what `taint` says, what `untaint` says.
REFUSED = {
    "a data source": (["data.t.a @ acme/t"], ["data.t.a"], "data.t.a cannot be tainted", "not tainted"),
    "deposed objects only": (
        ["t.a+ @ acme/t"],
        ["t.a"],
        "t.a has only deposed objects",
        "t.a has only deposed objects",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    before, which, of_taint, of_untaint = REFUSED[case]
    state = bound(*before)
    for operation, message in ((taint, of_taint), (untaint, of_untaint)):
        with pytest.raises(SurgeryError) as caught:
            operation(state, chosen(state, *which))
        assert message in str(caught.value)


def test_untaint_of_what_is_not_tainted() -> None:
    state = bound("t.a @ acme/t", "t.b @ acme/t")
    one = taint(state, chosen(state, "t.a")).snapshot
    with pytest.raises(SurgeryError, match=r"not tainted:\n  t.b$"):
        untaint(one, chosen(one, "t.a", "t.b"))


@each_row("seed", range(30))
def test_there_and_back_again(seed: int) -> None:
    text = canonical(realistic(seed))
    state = read(text).snapshot
    which = str(instances(state)[seed % len(instances(state))].addr)
    there = taint(state, [i for i in instances(state) if str(i.addr) == which]).snapshot
    (change,) = diff(state, there, exact=True).instances
    assert (str(change.addr), [member.name for member in change.members]) == (which, ["status"])
    again = read(write(there, canonical=False)).snapshot
    back = untaint(again, [i for i in instances(again) if str(i.addr) == which]).snapshot
    assert write(back, canonical=False) == text
