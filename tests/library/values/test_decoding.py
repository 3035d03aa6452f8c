"""Every value is what `json` says, and can be had as it is written in the state."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from decimal import Decimal
from enum import IntEnum
from typing import Any, Final

import pytest
from hypothesis import given

from statefmt.library.values import Attributes, ObjectValue, Output, Sensitive, json_text
from statefmt.model.errors import SelectionError
from statefmt.model.snapshot import OutputValue, ResourceInstanceObject
from statefmt.testing._odd_states import COMPACT, ObjectText, WhiteSpace, layouts, objects, render, trees
from tests.library.values.values import as_texts, attributes, by_json, kinds

DEEP: Final = "[" * 100_000 + "]" * 100_000


@given(objects(trees), layouts)
def test_every_value_survives(tree: ObjectText, layout: WhiteSpace) -> None:
    text = render(tree, layout)
    found = attributes(text)
    assert found.raw == text.encode()
    told = by_json(text)
    assert list(found) == list(told)
    assert len(found) == len(told)
    assert as_texts(dict(found)) == told
    assert kinds(as_texts(dict(found))) == kinds(told)
    assert found.sensitive == ()


@given(objects(trees))
def test_what_is_written_again_is_the_same(tree: ObjectText) -> None:
    text = render(tree, COMPACT)
    found = attributes(text)
    assert as_texts(dict(attributes(json_text(found)))) == by_json(text)


@given(objects(trees))
def test_at_gives_what_steps_give(tree: ObjectText) -> None:
    found = attributes(render(tree, COMPACT))

    def follow(value: Any, path: str) -> None:
        assert found.at(path) is value
        if isinstance(value, ObjectValue):
            for name, part in value.items():
                # The parser of paths normalises names.
                if name.isascii():
                    follow(part, f'{path}["{name}"]')
        elif isinstance(value, tuple):
            for place, part in enumerate(value):
                follow(part, f"{path}[{place}]")

    for name, value in found.items():
        if name.isascii():
            follow(value, f'["{name}"]')


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("tags.Owner", "network"),
        ('tags["Owner"]', "network"),
        ('tags["a b"]', "x"),
        ("ingress[0].port", 443),
        ("ingress[1]", {"port": 80}),
        ('counts["0"]', "a map key that looks like an index"),
        ("counts[0]", "a map key that looks like an index"),
        ("any.k", 1),
        ("none", None),
    ],
)
def test_at(path: str, value: object) -> None:
    found = attributes(
        '{"tags": {"Owner": "network", "a b": "x"}, "ingress": [{"port": 443}, {"port": 80}], "none": null,'
        ' "counts": {"0": "a map key that looks like an index"},'
        ' "any": {"value": {"k": 1}, "type": ["map", "number"]}}'
    )
    assert found.at(path) == value


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("tag", "no attribute tag; the nearest are:\n  tags"),
        ("tags.Ownr", "no attribute tags.Ownr; the nearest are:\n  tags.Owner"),
        ("ingress[2]", "no attribute ingress[2]: ingress has 2 elements"),
        ("ingress[0].port.x", "no attribute ingress[0].port.x: ingress[0].port is not an object, map, list or set"),
        ("none.x", "no attribute none.x: none is null"),
        ("tags[", "'tags[' is not a valid attribute path: "),
        ("secret.inner", "secret.inner is part of the sensitive value secret; call .reveal() on that"),
    ],
)
def test_at_says_what_is_wrong(path: str, reason: str) -> None:
    text = '{"tags": {"Owner": "n"}, "ingress": [{"port": 443}, {}], "none": null, "secret": {"inner": "hunter2"}}'
    with pytest.raises(SelectionError) as refused:
        attributes(text, '[[{"type":"get_attr","value":"secret"}]]').at(path)
    assert str(refused.value).startswith(reason)


def test_a_mapping() -> None:
    found = attributes('{"id": "x", "tags": {}, "id": "y"}')
    assert isinstance(found, Attributes)
    assert dict(found) == found == {"id": "y", "tags": {}}
    assert found == attributes('{"tags": {}, "id": "y"}')
    assert found != attributes('{"id": "x"}')
    assert ("id" in found, "x" in found, found.get("x")) == (True, False, None)
    with pytest.raises(KeyError, match="'x'"):
        found["x"]
    assert copy.copy(found) is copy.deepcopy(found) is found
    assert repr(found) == "Attributes({'id': 'y', 'tags': {}})"


def test_a_member_is_decoded_when_it_is_used_and_once() -> None:
    found = attributes(f'{{"a": {DEEP}, "b": [1]}}')
    assert found["b"] == (1,)
    assert found["b"] is found["b"]
    assert list(found) == ["a", "b"]
    with pytest.raises(SelectionError, match="a is nested too deeply to be decoded"):
        found["a"]
    assert repr(found) == "<Attributes nested too deeply to be shown: a, b>"
    assert found.raw.count(b"[") == 100_001


def test_nested_too_deeply_and_sensitive() -> None:
    found = attributes(f'{{"a": {DEEP}, "b": 1}}', '[[{"type":"get_attr","value":"a"}]]')
    # What hides cannot look inside, so all of it is hidden, as `show` does.
    assert found.sensitive == ("a", "b")
    assert found["b"].reveal() == 1
    with pytest.raises(SelectionError, match="nested too deeply"):
        found["a"].reveal()


@pytest.mark.parametrize("text", ['"text"', "[1]", "null", "1"])
def test_attributes_that_are_no_object(text: str) -> None:
    found = attributes(text)
    assert (dict(found), found.sensitive, found.raw) == ({}, (), text.encode())


def test_no_attributes() -> None:
    found = Attributes(ResourceInstanceObject(), "x")
    assert (dict(found), found.sensitive, found.raw, found.is_flat) == ({}, (), b"{}", False)


def test_bytes_that_are_not_utf8() -> None:
    assert attributes(b'{"a": "x\xff", "b": ["\xfe"], "c": "\\ud800"}') == {
        "a": "x\ufffd",
        "b": ("\ufffd",),
        "c": "\ufffd",
    }


_CHANGES: Final[list[Callable[[Any], object]]] = [
    lambda value: value.__setitem__("a", 1),
    lambda value: value.__delitem__("a"),
    lambda value: value.__ior__({"a": 1}),
    lambda value: value.update(a=1),
    lambda value: value.setdefault("b", 1),
    lambda value: value.pop("a"),
    lambda value: value.popitem(),
    lambda value: value.clear(),
]


@pytest.mark.parametrize("change", _CHANGES)
def test_objects_are_read_only(change: Callable[[Any], object]) -> None:
    value = attributes('{"o": {"a": {"b": [1]}}}')["o"]
    with pytest.raises(TypeError, match=r"read-only; copy\(\)"):
        change(value)
    assert value == {"a": {"b": (1,)}}


def test_objects_are_dicts() -> None:
    value = attributes('{"o": {"a": {"b": [1, "x", null, true]}}}')["o"]
    assert json.loads(json.dumps(value)) == {"a": {"b": [1, "x", None, True]}}
    for other in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert type(other) is ObjectValue
        assert type(other["a"]) is ObjectValue
        assert other == value
    changed = value.copy()
    changed["a"] = 2
    assert value["a"] == {"b": (1, "x", None, True)}
    assert changed == {"a": 2}


class _Port(IntEnum):
    HTTPS = 443


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, 2.5, None, True, "x"]}, '{"a":[1,2.5,null,true,"x"]}'),
        ((), "[]"),
        (_Port.HTTPS, "443"),
        (-(10**400), "-1" + "0" * 400),
        (Decimal("1.50"), "1.50"),
        (1e22, "1e+22"),
        ('é\n"', '"é\\n\\""'),
    ],
)
def test_json_text(value: object, text: str) -> None:
    assert json_text(value) == text.encode()
    assert json.loads(text) is not None or value is None


@pytest.mark.parametrize("value", [float("nan"), float("-inf"), Decimal("NaN"), Decimal("Infinity")])
def test_json_text_of_a_number_that_is_not_finite(value: object) -> None:
    with pytest.raises(ValueError, match="cannot be written as JSON"):
        json_text({"a": [value]})


@pytest.mark.parametrize("value", [b"bytes", {1: 2}, {"a"}, object(), Sensitive("hunter2")])
def test_json_text_of_what_is_not_json(value: object) -> None:
    with pytest.raises(TypeError, match="JSON") as refused:
        json_text([value])
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("wrap", [lambda value: [value], lambda value: {"a": value}])
def test_json_text_nested_too_deeply(wrap: Callable[[Any], Any]) -> None:
    value: Any = 1
    for _ in range(100_000):
        value = wrap(value)
    with pytest.raises(ValueError, match="nested too deeply"):
        json_text(value)


def _output(text: str, *, sensitive: bool = False) -> Output:
    return Output(OutputValue(name="net", value=text.encode(), type=b'"dynamic"', sensitive=sensitive))


@pytest.mark.parametrize(
    ("text", "path", "part"),
    [
        ('{"ids": ["a", "b"], "a b": {"0": 1.50}}', "ids[1]", "b"),
        ('{"ids": ["a", "b"], "a b": {"0": 1.50}}', '["a b"][0]', Decimal("1.50")),
        ('["x", {"id": null}]', "[1].id", None),
    ],
)
def test_the_part_of_an_output_at_a_path(text: str, path: str, part: object) -> None:
    assert _output(text).at(path) == part


@pytest.mark.parametrize(
    ("output", "path", "reason"),
    [
        (_output('{"ids": []}'), "id", "no attribute id; the nearest are:\n  ids"),
        (_output('["x"]'), "[1]", "no attribute [1]: the object has 1 element"),
        (_output('{"ids": []}'), "ids[", "'ids[' is not a valid attribute path: "),
        (
            _output('{"ids": []}', sensitive=True),
            "ids",
            "ids is part of the sensitive value of the output 'net'; call .reveal() on that",
        ),
    ],
)
def test_an_output_without_such_a_part(output: Output, path: str, reason: str) -> None:
    with pytest.raises(SelectionError) as refused:
        output.at(path)
    assert str(refused.value).startswith(reason)
