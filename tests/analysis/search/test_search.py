"""Searching snapshots that no file holds; the rest is in tests/cli/commands/test_grep.py."""

from __future__ import annotations

import pytest
from msgspec import Raw
from msgspec.structs import replace

import statefmt
from statefmt.analysis.search import Matcher, TooDeepError, search
from tests.cli.states import resource, state


def test_nested_too_deeply() -> None:
    """What could not be searched is not passed over in silence; what needs no decoding is no problem."""
    names = ("a", "b", "c")
    snapshot = statefmt.read(state(*(resource("t", name, {"attributes": {"x": "needle"}}) for name in names))).snapshot
    deep = Raw(b"[" * 50_000 + b'"needle"' + b"]" * 50_000)
    resources = [
        replace(one, objects=(replace(one.objects[0], attributes=deep),)) if one.addr.resource.name != "b" else one
        for one in snapshot.resources
    ]
    snapshot = replace(snapshot, resources=tuple(resources))
    found = search(snapshot, Matcher("needle"))
    assert str(next(found).address) == "t.b"
    with pytest.raises(TooDeepError, match=r"t\.a and 1 more: nested too deeply to be searched"):
        next(found)
    assert list(search(snapshot, Matcher("other"))) == []
