"""Values of any type lose their wrapping, and nothing else does."""

from __future__ import annotations

import pytest
from msgspec import Raw

from statefmt.golang import Members, loads_exact
from statefmt.redaction.object_value import DynamicList, unwrapped
from statefmt.redaction.partial import HIDDEN, Partial, decoded

# JSON, and the same without wrappings.
CASES = [
    ('{"a": {"value": "x", "type": "string"}}', '{"a": "x"}'),
    ('{"a": {"value": 1.0, "type": "number"}}', '{"a": 1.0}'),
    ('{"a": {"value": null, "type": "dynamic"}}', '{"a": null}'),
    (
        '{"a": {"value": {"b": {"value": 1, "type": "number"}}, "type": ["object", {"b": "dynamic"}]}}',
        '{"a": {"b": 1}}',
    ),
    ('{"a": [{\n"value" : [1], "type": ["list", "number"]}]}', '{"a": [[1]]}'),
    (
        '{"a": {"value": 1, "type": "number"}, "b": {"type": "string", "value": "number"}}',
        '{"a": 1, "b": {"type": "string", "value": "number"}}',
    ),
    # Objects that go-cty does not write so: their members would be in the order of their names.
    ('{"a": {"type": "string", "value": "x"}}', '{"a": {"type": "string", "value": "x"}}'),
    ('{"a": {"value": "x", "type": "String"}}', '{"a": {"value": "x", "type": "String"}}'),
    ('{"a": {"value": "x", "type": "string", "z": 1}}', '{"a": {"value": "x", "type": "string", "z": 1}}'),
    ('{"a": {"value": "x"}}', '{"a": {"value": "x"}}'),
    ('"{\\"value\\": 1, \\"type\\": \\"number\\"}"', '"{\\"value\\": 1, \\"type\\": \\"number\\"}"'),
]


@pytest.mark.parametrize(("text", "plain"), CASES)
def test_unwrapped(text: str, plain: str) -> None:
    assert repr(decoded(unwrapped(Raw(text.encode())))) == repr(loads_exact(plain.encode()))


def test_hidden_parts_stay_hidden() -> None:
    value: Partial = {"a": {"value": {"p": HIDDEN, "q": Raw(b"1")}, "type": Raw(b'["map","number"]')}}
    assert decoded(unwrapped(value)) == loads_exact(b'{"a": {"p": "(sensitive value)", "q": 1}}')


def test_list_that_was_wrapped_is_no_list_of_blocks() -> None:
    value = decoded(unwrapped(Raw(b'{"a": {"value": [{}], "type": ["list",["object",{}]]}, "b": [{}]}')))
    assert isinstance(value, Members)
    assert [type(item) for _, item in value] == [DynamicList, list]


def test_without_wrappings_it_is_not_decoded() -> None:
    raw = Raw(b'{"type": "string", "value": 1}')
    assert unwrapped(raw) is raw


def test_nested_deeper_than_python_goes() -> None:
    raw = Raw(b'{"a": {"value": %b, "type": "dynamic"}}' % (b"[" * 3000 + b"]" * 3000))
    assert unwrapped(raw) is raw
