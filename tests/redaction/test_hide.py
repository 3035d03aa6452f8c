"""What paths hide: exactly what they lead to where that can be told, and more where it cannot."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st
from msgspec import Raw

from statefmt.golang import JSONValue, Members, NumberText
from statefmt.redaction.object_value import hide
from statefmt.redaction.partial import HIDDEN, decoded, sensitive_shape
from tests.model.cty.sensitive_paths import parse_paths
from tests.tables import each_row


def _attr(name: str) -> dict[str, object]:
    return {"type": "get_attr", "value": name}


def _index(key: object, of: object) -> dict[str, object]:
    return {"type": "index", "value": {"value": key, "type": of}}


P, A, B = _attr("p"), _attr("a"), _attr("b")
ZERO, ONE, KEY = _index(0, "number"), _index(1, "number"), _index("k", "string")
DEEP = "[" * 100_000 + "]" * 100_000

# Attributes, the paths, and what is shown: `?` stands for HIDDEN.
CASES = [
    ('{"p": 1}', [], '{"p": 1}'),
    ('{"p": 1, "q": 2}', [[P]], '{"p": ?, "q": 2}'),
    ('{"p": [1, {"a": 2}]}', [[P]], '{"p": ?}'),
    ('{"p": null}', [[P]], '{"p": ?}'),
    ('{"p": 1, "q": 1.0, "r": 1e3}', [[P]], '{"p": ?, "q": 1.0, "r": 1e3}'),
    # No steps: all of it.
    ('{"p": 1}', [[]], "?"),
    ('{"p": 1, "q": 2}', [[P], []], "?"),
    # At depth, through objects, maps and lists.
    ('{"a": {"b": {"p": 1, "q": 2}}}', [[A, B, P]], '{"a": {"b": {"p": ?, "q": 2}}}'),
    ('{"a": {"k": 1, "l": 2}}', [[A, KEY]], '{"a": {"k": ?, "l": 2}}'),
    ('{"a": ["x", "y"]}', [[A, ONE]], '{"a": ["x", ?]}'),
    ('{"a": [{"p": 1}, {"p": 2}]}', [[A, ONE, P]], '{"a": [{"p": 1}, {"p": ?}]}'),
    ('{"a": [{"p": 1}, {"p": 2}]}', [[A, ONE, P], [A, ZERO]], '{"a": [?, {"p": ?}]}'),
    ('{"a": {"p": 1, "q": 2}}', [[A], [A, P]], '{"a": ?}'),
    # Sets: an element goes by its value, so all of the set is hidden.
    ('{"a": ["x", "y"]}', [[A, _index("x", "string")]], '{"a": ?}'),
    ('{"a": [1, 2]}', [[A, _index(1, "number")]], '{"a": ?}'),
    ('{"a": [{"p": "x"}]}', [[A, _index({"p": "x"}, ["object", {"p": "string"}]), P]], '{"a": ?}'),
    ('{"a": [true]}', [[A, _index(True, "bool")]], '{"a": ?}'),
    # Paths that get lost hide what they get lost in.
    ('{"a": ["x"]}', [[A, ONE]], '{"a": ?}'),
    ('{"a": ["x"]}', [[A, _index(-1, "number")]], '{"a": ?}'),
    ('{"a": [{"p": 1}]}', [[A, P]], '{"a": ?}'),
    ('{"a": {"q": 1}, "b": 2}', [[A, P]], '{"a": ?, "b": 2}'),
    ('{"a": {"q": 1}}', [[A, ZERO]], '{"a": ?}'),
    ('{"a": "text"}', [[A, P]], '{"a": ?}'),
    ('{"a": 5}', [[A, P]], '{"a": ?}'),
    ('"text"', [[A]], "?"),
    ('["text"]', [[A]], "?"),
    ('{"a": 1}', [[ZERO]], "?"),
    # There is nothing to hide.
    ('{"a": null}', [[A, P]], '{"a": null}'),
    ('{"q": 1}', [[P]], '{"q": 1}'),
    # Names are compared in normal form C.
    ('{"e\\u0301": 1}', [[_attr("\u00e9")]], '{"e\\u0301": ?}'),
    ('{"\\u00e9": 1}', [[_attr("e\u0301")]], '{"\\u00e9": ?}'),
    # Of a member that repeats, nothing is left.
    ('{"p": 1, "p": 2}', [[P]], '{"p": ?}'),
    # A value of any type, wrapped; and an object that only looks like one.
    ('{"a": {"value": {"p": 1, "q": 2}, "type": "x"}}', [[A, P]], '{"a": {"value": {"p": ?, "q": 2}, "type": "x"}}'),
    ('{"a": {"value": "x", "type": "string"}}', [[A]], '{"a": ?}'),
    ('{"a": {"value": ["x", "y"], "type": "t"}}', [[A, ONE]], '{"a": {"value": ["x", ?], "type": "t"}}'),
    ('{"a": {"value": ["x"], "type": "t"}}', [[A, _index("x", "string")]], '{"a": {"value": ?, "type": "t"}}'),
    ('{"a": {"type": "x", "value": "y"}}', [[A, _attr("value")]], '{"a": {"type": "x", "value": ?}}'),
    ('{"a": {"value": ["x"], "type": "y"}}', [[A, P]], '{"a": {"value": ?, "type": "y"}}'),
    # Half a surrogate pair, which msgspec does not read.
    ('{"a": "\\ud800", "p": "\\udc00"}', [[P]], '{"a": "\ufffd", "p": ?}'),
    ('{"a": ["\\ud800", "x"]}', [[A, ONE]], '{"a": ["\ufffd", ?]}'),
]  # fmt: skip


def _with_hidden(text: str) -> JSONValue:
    """The value of a text in which `?` stands for what is hidden; numbers keep their text."""
    marked = json.JSONDecoder(object_pairs_hook=Members, parse_int=NumberText, parse_float=NumberText)
    return _replaced(marked.decode(text.replace("?", '"(HIDDEN)"')))


def _replaced(value: JSONValue) -> JSONValue:
    if isinstance(value, list):
        return [_replaced(item) for item in value]
    if isinstance(value, Members):
        return Members((name, _replaced(item)) for name, item in value)
    return HIDDEN if value == "(HIDDEN)" else value


@each_row(("attributes", "paths", "shown"), CASES)
def test_hide(attributes: str, paths: list[object], shown: str) -> None:
    value = decoded(hide(Raw(attributes.encode()), parse_paths(json.dumps(paths).encode())))
    assert repr(value) == repr(_with_hidden(shown))
    assert _kinds(value) == _kinds(_with_hidden(shown))


def _kinds(value: JSONValue) -> object:
    if isinstance(value, list):
        return [_kinds(item) for item in value]
    if isinstance(value, Members):
        return {name: _kinds(item) for name, item in value}
    return type(value)


def test_what_no_path_leads_to_is_not_decoded() -> None:
    raw = Raw(b'{"a": [1.0], "p": 1}')
    assert hide(raw, ()) is raw
    assert hide(raw, parse_paths(json.dumps([[P]]).encode())) == {"a": Raw(b"[1.0]"), "p": HIDDEN}


def test_nested_deeper_than_python_goes() -> None:
    path = [A, *[ZERO] * 5000]
    attributes = '{"a": %s}' % ("[" * 5000 + '"x"' + "]" * 5000)
    assert hide(Raw(attributes.encode()), parse_paths(json.dumps([path]).encode())) == HIDDEN


_names = st.sampled_from(["a", "b", "k"])
_leaves = st.sampled_from(["secret", "x"]) | st.none() | st.booleans()
_values = st.recursive(
    _leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3), max_leaves=12
)
_steps = st.sampled_from([A, B, KEY, ZERO, ONE, _index("x", "string")])


@given(st.dictionaries(_names, _values, max_size=3), st.lists(st.lists(_steps, max_size=4), max_size=3))
def test_everything_at_the_end_of_a_path_is_hidden(
    value: dict[str, object], paths: list[list[dict[str, object]]]
) -> None:
    """By a follower as simple as can be: nothing that any path leads to is left, and nothing is added."""
    shown = decoded(hide(Raw(json.dumps(value).encode()), parse_paths(json.dumps(paths).encode())))
    for path in paths:
        end: object = shown
        for step in path:
            key = step["value"] if step["type"] == "get_attr" else step["value"]["value"]  # type: ignore[index]
            if isinstance(end, Members) and isinstance(key, str):
                end = dict(end).get(key)
            elif isinstance(end, list) and isinstance(key, int) and key < len(end):
                end = end[key]
            else:
                break
        else:
            assert end is None or end == HIDDEN
    assert _is_part(shown, value)


def _is_part(shown: JSONValue, value: object) -> bool:
    if shown == HIDDEN:
        return True
    if isinstance(shown, Members) and isinstance(value, dict):
        members = dict(shown)
        return members.keys() == value.keys() and all(_is_part(members[name], value[name]) for name in value)
    if isinstance(shown, list) and isinstance(value, list):
        return len(shown) == len(value) and all(map(_is_part, shown, value))
    return shown == value


# Source of the shapes: what Terraform 1.11.4 gave as sensitive_values for such values in a terraform_data.
SHAPES = [
    ('{"a": 1, "b": null, "c": "x"}', [], {}),
    ('{"a": {}, "b": [], "c": [1, "x", null]}', [], {"a": {}, "b": [], "c": [False, False, False]}),
    ('{"a": {"k": "x", "l": "y"}}', [[A, KEY]], {"a": {"k": True}}),
    ('{"a": ["x", "y"]}', [[A, ONE]], {"a": [False, True]}),
    ('{"a": {"b": [{"p": 1}]}}', [], {"a": {"b": [{}]}}),
    ('{"a": [1e999, {"b": "\\ud800"}], "p": 1}', [[P]], {"a": [False, {}], "p": True}),
    ('{"p": 1}', [[]], True),
    (f'{{"a": {DEEP}}}', [], {}),
]


@pytest.mark.parametrize(("attributes", "paths", "shape"), SHAPES)
def test_sensitive_shape(attributes: str, paths: list[object], shape: object) -> None:
    assert sensitive_shape(hide(Raw(attributes.encode()), parse_paths(json.dumps(paths).encode()))) == shape
