"""What differs in a resource besides its instances: it has none, or members that statetool does not know."""

from __future__ import annotations

import pytest
from msgspec import Raw
from msgspec.structs import replace

from statefmt.analysis.diff import diff
from statefmt.model.snapshot import Snapshot, UnknownMember
from tests.analysis.diff.build import snapshot


def _with_novel(of: Snapshot, *addresses: str) -> Snapshot:
    """The same with a member that nobody knows in some resources."""
    novel = (UnknownMember("novel", Raw(b"1"), ""),)
    return replace(
        of,
        resources=tuple(
            replace(resource, unknown=novel) if str(resource.addr) in addresses else resource
            for resource in of.resources
        ),
    )


# The instances of both sides, the resources with such a member on both sides, and what is told.
CASES: dict[str, tuple[list[str], list[str], list[str], list[str], list[str]]] = {
    "it comes": (["a.x = 1"], ["a.x = 1"], [], ["a.x"], ["a.x > a.x"]),
    "it moves along": (["a.x = 1"], ["a.y = 1"], ["a.x"], ["a.y"], []),
    "it is lost on the way": (["a.x = 1"], ["a.y = 1"], ["a.x"], [], ["a.x > a.y"]),
    "it goes to one of two": (
        ["a.x[0] = 1", "a.x[1] = 2"], ["a.y[0] = 1", "a.z[0] = 2"], ["a.x"], ["a.y"], ["a.x > ", " > a.y"],
    ),
    "another part of it goes where something is": (
        ["a.x[0] = 1", "a.x[1] = 2", "a.z[1] = 3"], ["a.y[0] = 1", "a.z[0] = 2", "a.z[1] = 3"], ["a.x"], ["a.y"], [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_members_that_nobody_knows(name: str) -> None:
    before, now, marked_before, marked_now, expected = CASES[name]
    old, new = _with_novel(snapshot(*before), *marked_before), _with_novel(snapshot(*now), *marked_now)
    there = [(one.old and str(one.old.addr), one.new and str(one.new.addr)) for one in diff(old, new).resources]
    back = [(one.new and str(one.new.addr), one.old and str(one.old.addr)) for one in diff(new, old).resources]
    assert [f"{one or ''} > {other or ''}" for one, other in there] == expected
    assert sorted(map(str, there)) == sorted(map(str, back))
