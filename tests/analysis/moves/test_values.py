"""Which attributes count as equal, and which as evidence."""

from __future__ import annotations

import json
from typing import Any

import pytest

from statefmt.lifecycle.schema import read_provider_schemas
from statefmt.model.errors import SelectionError
from tests.analysis.moves.build import gone, moves, new, proposed
from tests.tables import each_row

_DEEP: dict[str, Any] = {"a": [{"b": "x", "c": None}, {"b": "y", "c": []}]}


@each_row(
    ("before", "after", "unknown"),
    [
        ({"a": "x"}, {"a": "x"}, {}),
        ({"a": "x", "b": 1}, {"a": "x"}, {"b": True}),
        # Providers replace null by an empty value, and the other way round.
        ({"a": "x", "b": ""}, {"a": "x", "b": None}, {}),
        ({"a": "x", "b": []}, {"a": "x", "b": None}, {}),
        ({"a": "x", "b": None}, {"a": "x", "b": {}}, {}),
        ({"a": "x", "b": None}, {"a": "x"}, {}),
        ({"a": {"x": "y", "z": None}}, {"a": {"x": "y"}}, {}),
        (_DEEP, {"a": [{"b": "x"}, {"b": "y", "c": ""}]}, {}),
        # JSON in strings.
        ({"a": '{"x": [1, 2], "y": "z"}'}, {"a": '{"y":"z","x":[1,2]}'}, {}),
        # Only the known part of an attribute counts.
        ({"a": {"x": "y", "z": "?"}}, {"a": {"x": "y"}}, {"a": {"z": True}}),
        ({"a": [{"x": 1, "z": "?"}, {"x": 2}]}, {"a": [{"x": 1}, {"x": 2}]}, {"a": [{"z": True}, {}]}),
        ({"a": ["x", "?"]}, {"a": ["x", None]}, {"a": [False, True]}),
        # Numbers that no float has.
        ({"a": 12345678901234567890123}, {"a": 12345678901234567890123}, {}),
        ({"a": 0.1}, {"a": 0.1}, {}),
    ],
)  # fmt: skip
def test_equal(before: Any, after: Any, unknown: Any) -> None:
    found = proposed(gone("aws_x.a", before), new("aws_x.b", after, unknown))
    assert moves(found) == {"aws_x.a": "aws_x.b"}


@each_row(
    ("before", "after", "unknown"),
    [
        ({"a": "x"}, {"a": "y"}, {}),
        ({"a": "x"}, {"a": "X"}, {}),
        ({"a": "x", "b": False}, {"a": "x", "b": None}, {}),
        ({"a": "x", "b": 0}, {"a": "x", "b": None}, {}),
        ({"a": "1"}, {"a": 1}, {}),
        ({"a": "1.5"}, {"a": 1.5}, {}),
        ({"a": "true", "b": "x"}, {"a": True, "b": "x"}, {}),
        ({"a": 12345678901234567890123}, {"a": 12345678901234567890124}, {}),
        # The order of a list counts, and so do its empty elements.
        ({"a": ["x", "y"]}, {"a": ["y", "x"]}, {}),
        ({"a": ["x", None]}, {"a": ["x"]}, {}),
        ({"a": '{"x": 1, "y": null}'}, {"a": '{"x": 1}'}, {}),
        ({"a": '{"x": 1'}, {"a": '{"x":1'}, {}),
        ({"a": {"json": 1}}, {"a": '{"json": 1}'}, {}),
        # A known attribute that the destroyed object lacks, and the reverse.
        ({"a": "x"}, {"a": "x", "b": "y"}, {}),
        ({"a": "x", "b": "y"}, {"a": "x"}, {}),
        # The created object will have a key z, or two elements.
        ({"a": {"x": "y"}}, {"a": {"x": "y"}}, {"a": {"z": True}}),
        ({"a": ["x"]}, {"a": ["x", None]}, {"a": [False, True]}),
        ({"a": {"x": "y", "z": "1", "w": "2"}}, {"a": {"x": "y"}}, {"a": {"z": True}}),
    ],
)
def test_different(before: Any, after: Any, unknown: Any) -> None:
    found = proposed(gone("aws_x.a", before), new("aws_x.b", after, unknown))
    assert moves(found) == {}
    assert [str(place.address) for place in found.destroyed] == ["aws_x.a"]
    assert [str(place.address) for place in found.created] == ["aws_x.b"]


@pytest.mark.parametrize(
    "values", [{}, {"a": None, "b": "", "c": []}, {"a": True, "b": False}, {"a": 0}, {"a": [False, {"b": None}]}]
)
def test_values_that_say_nothing(values: Any) -> None:
    """Defaults would pair objects that have nothing to do with each other."""
    assert moves(proposed(gone("aws_x.a", values), new("aws_x.b", values))) == {}


def test_an_object_that_is_unknown_as_a_whole() -> None:
    created = new("aws_x.b", None)
    created["change"]["after_unknown"] = True
    assert moves(proposed(gone("aws_x.a", {"a": "x"}), created)) == {}


def test_ignored_attributes() -> None:
    changes = gone("aws_x.a", {"a": "x", "b": "1"}), new("aws_x.b", {"a": "x", "b": "2"})
    assert moves(proposed(*changes)) == {}
    for ignored in ("aws_x.b", "*.b"):
        found = proposed(*changes, ignore=[ignored])
        assert (moves(found), found.unused) == ({"aws_x.a": "aws_x.b"}, ())
        assert found.instances[0].attributes == ("a",)
    found = proposed(*changes, ignore=["aws_x.b", "aws_y.b", "aws_x.c"])
    assert (moves(found), [*map(str, found.unused)]) == ({"aws_x.a": "aws_x.b"}, ["aws_y.b", "aws_x.c"])


def test_an_ignored_attribute_is_no_evidence() -> None:
    changes = gone("aws_x.a", {"a": "x"}), new("aws_x.b", {"a": "x"})
    assert moves(proposed(*changes, ignore=["aws_x.a"])) == {}


@pytest.mark.parametrize("text", ["", "aws_x", "aws_x.", ".a", "aws_x.a.b", "aws_x.*", "a*.b", "aws_x.a[0]"])
def test_invalid_rules(text: str) -> None:
    with pytest.raises(SelectionError, match=r"write TYPE\.ATTRIBUTE"):
        proposed(ignore=[text])


def test_sets_in_any_order() -> None:
    attributes = {"id": {"type": "string"}, "ports": {"type": ["set", "number"]}, "names": {"type": ["list", "string"]}}
    blocks = {"rule": {"nesting_mode": "set", "block": {"attributes": {"text": {"type": "string"}}}}}
    schema = {"version": 0, "block": {"attributes": attributes, "block_types": blocks}}
    providers = {"registry.terraform.io/hashicorp/aws": {"resource_schemas": {"aws_x": schema}}}
    schemas = read_provider_schemas(json.dumps({"format_version": "1.0", "provider_schemas": providers}).encode())
    before = {"ports": [1, 22, 3], "rule": [{"text": ""}, {"text": "a"}], "names": ["x", "y"]}
    after = {"ports": [22, 3, 1], "rule": [{"text": "a"}, {"text": None}], "names": ["x", "y"]}
    changes = gone("aws_x.a", before), new("aws_x.b", after)
    assert moves(proposed(*changes)) == {}
    assert moves(proposed(*changes, schemas=schemas)) == {"aws_x.a": "aws_x.b"}
    other = {**after, "names": ["y", "x"]}
    assert moves(proposed(changes[0], new("aws_x.b", other), schemas=schemas)) == {}


def _near(*changes: Any) -> list[tuple[str, str, tuple[str, ...]]]:
    found = proposed(*changes).nearly_equal
    return [(str(one.destroyed.address), str(one.created.address), one.attributes) for one in found]


def test_what_is_nearly_equal() -> None:
    values = {"name": "n", "zone": "z", "path": "/"}
    assert _near(gone("aws_x.a", values), new("aws_x.b", {**values, "path": "/x"})) == [
        ("aws_x.a", "aws_x.b", ("path",))
    ]
    # An attribute that only one side has, or has in part.
    assert _near(gone("aws_x.a", values), new("aws_x.b", {**values, "more": "x"})) == [
        ("aws_x.a", "aws_x.b", ("more",))
    ]
    # Not if more differs than is equal, if two are equally near, or if both are pairs of others.
    assert _near(gone("aws_x.a", values), new("aws_x.b", {"name": "n"})) == []
    two = [gone(f"aws_x.a{number}", {**values, "size": number}) for number in (1, 2)]
    assert _near(*two, new("aws_x.b", {**values, "size": 3})) == []
    assert _near(gone("aws_x.a", values), new("aws_x.b", values), new("aws_x.c", {**values, "path": "/x"})) == []
    # Nor if all that they share is what many have.
    many = [gone(f"aws_x.m{number}", {"zone": "z", "name": f"n{number}"}) for number in range(9)]
    assert _near(*many, new("aws_x.b", {"zone": "z", "name": "other"})) == []
