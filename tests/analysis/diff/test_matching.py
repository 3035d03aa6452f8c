"""Which instance is which: by remote object, and never by a guess."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from statefmt.analysis.diff import diff
from statefmt.analysis.diff.model import SnapshotDiff
from tests.analysis.diff.build import AWS, snapshot
from tests.tables import each_row

Given = str | tuple[str, Mapping[str, Any]]
GOOGLE = 'provider["registry.opentofu.org/hashicorp/google"]'
TERRAFORM_AWS = 'provider["registry.terraform.io/hashicorp/aws"]'


def _of(text: str, **attributes: object) -> Given:
    return text, {"attributes": attributes}


def _told(changes: SnapshotDiff) -> list[str]:
    """What happened to each address."""
    return [
        f"+ {change.addr}" if change.old is None
        else f"- {change.addr}" if change.new is None
        else f"{change.old.addr} > {change.new.addr}" if change.is_moved
        else f"~ {change.addr}"
        for change in changes.instances
    ]  # fmt: skip


CASES: dict[str, tuple[list[Given], list[Given], list[str]]] = {
    "the same id": (["a.x = 1"], ["a.y = 1"], ["a.x > a.y"]),
    "another id": (["a.x = 1"], ["a.y = 2"], ["- a.x", "+ a.y"]),
    "another type": (["a.x = 1"], ["b.x = 1"], ["- a.x", "+ b.x"]),
    "another mode": (["a.x = 1"], ["data.a.x = 1"], ["+ data.a.x", "- a.x"]),
    "an id that two have": (["a.x = 1", "a.z = 1"], ["a.y = 1"], ["- a.x", "+ a.y", "- a.z"]),
    "an id that two have, and one of them stays": (["a.x = 1", "a.z = 1"], ["a.z = 1", "a.y = 1"], ["a.x > a.y"]),
    "an id that two have, and only one all attributes": (
        [_of("a.x = 1", n=1), _of("a.z = 1", n=2)], [_of("a.y = 1", n=2)], ["- a.x", "a.z > a.y"],
    ),
    "no id, the same attributes": ([_of("a.x", n=1)], [_of("a.y", n=1)], ["a.x > a.y"]),
    "no id, other attributes": ([_of("a.x", n=1)], [_of("a.y", n=2)], ["- a.x", "+ a.y"]),
    "no attributes at all": (["a.x"], ["a.y"], ["- a.x", "+ a.y"]),
    "an empty id": ([_of("a.x", id="", n=1)], [_of("a.y", id="", n=2)], ["- a.x", "+ a.y"]),
    "a number as id": ([_of("a.x", id=1, n=1)], [_of("a.y", id=1, n=2)], ["a.x > a.y"]),
    "the same id elsewhere": (
        [_of("a.x = 1", region="eu")], [_of("a.y = 1", region="us")], ["- a.x", "+ a.y"],
    ),
    "the same id in another account": (
        [_of("a.x = 1", arn="arn:1:x")], [_of("a.y = 1", arn="arn:2:x")], ["- a.x", "+ a.y"],
    ),
    "an id in two regions": (
        [_of("a.x = 1", region="eu"), _of("a.z = 1", region="us")],
        [_of("a.y = 1", region="us", n=1), _of("a.w = 1", region="eu")],
        ["a.x > a.w", "a.z > a.y"],
    ),
    "a region that only the newer provider tells": (["a.x = 1"], [_of("a.y = 1", region="eu")], ["a.x > a.y"]),
    "a region that is null": (
        [_of("a.x = 1", region=None)], [_of("a.y = 1", region="eu")], ["a.x > a.y"],
    ),
    "replaced": (["a.x = 1"], ["a.x = 2"], ["~ a.x"]),
    "replaced, and the old one is kept elsewhere": (
        ["a.x = 1"], ["a.x = 2", "a.old = 1"], ["a.x > a.old", "+ a.x"],
    ),
    "in another region under the same address": (
        [_of("a.x = 1", region="eu")], [_of("a.x = 1", region="us")], ["~ a.x"],
    ),
    "the same address in another region, and the object elsewhere": (
        [_of("a.x = 1", region="eu")],
        [_of("a.x = 1", region="us"), _of("a.y = 1", region="eu")],
        ["+ a.x", "a.x > a.y"],
    ),
    "a provider of another name": (
        [("a.x = 1", {"provider": AWS})], [("a.y = 1", {"provider": GOOGLE})], ["- a.x", "+ a.y"],
    ),
    "the provider from another registry": (
        [("a.x = 1", {"provider": AWS})], [("a.y = 1", {"provider": TERRAFORM_AWS})], ["a.x > a.y"],
    ),
    "identity before id": (
        [("a.x = 1", {"identity": {"k": 1}, "identity_schema_version": 0})],
        [
            ("a.y = 1", {"identity": {"k": 2}, "identity_schema_version": 0}),
            ("a.z = 2", {"identity": {"k": 1}, "identity_schema_version": 0}),
        ],
        ["+ a.y", "a.x > a.z"],
    ),
    "the current object became deposed": (
        ["a.x = 1"], ["a.x = 2", ("a.x = 1", {"deposed": "0f1e2d3c"})], ["~ a.x"],
    ),
}  # fmt: skip


@each_row("name", CASES)
def test_matching(name: str) -> None:
    old, new, expected = CASES[name]
    assert sorted(_told(diff(snapshot(*old), snapshot(*new)))) == sorted(expected)


def test_current_to_deposed_tells_both() -> None:
    new = snapshot("a.x = 2", ("a.x = 1", {"deposed": "0f1e2d3c"}))
    (change,) = diff(snapshot("a.x = 1"), new).instances
    assert [(one.deposed, one.old is None, one.new is None) for one in change.objects] == [("0f1e2d3c", True, False)]
    assert [(one.deposed, one.name) for one in change.members] == [("", "attributes")]


def test_deposed_only_to_nothing() -> None:
    (change,) = diff(snapshot("a.x = 2", ("a.x = 1", {"deposed": "0f1e2d3c"})), snapshot("a.x = 2")).instances
    assert [(one.deposed, one.new) for one in change.objects] == [("0f1e2d3c", None)]
    assert change.members == ()
