"""Values as `tofu state show` prints them.

Where it is not said otherwise, the texts are those that Terraform 1.11.4 printed for such a value in a terraform_data.
"""

from __future__ import annotations

import json

import pytest

from statefmt.golang import Members, loads_exact
from statefmt.redaction.object_value import DynamicList
from statefmt.redaction.partial import HIDDEN
from statefmt.render.values import block_text, value_text
from tests.tables import each_row


def _shown(text: str, *, expand: bool = False) -> str:
    return value_text(loads_exact(text.encode()), expand=expand)


# JSON, and how it is shown.
VALUES = [
    ("null", "null"),
    ("true", "true"),
    ("123456789012345678901234567890", "123456789012345678901234567890"),
    ("[]", "[]"),
    ("{}", "{}"),
    ('"$${x} <é\\u0007>"', r'"$${x} <é\a>"'),
    ('"\\u001b \\u202e é \\u00a0"', r'"\x1b \u202e é \u00a0"'),
    ('"{bad"', '"{bad"'),
    ('["a", null]', '[\n    "a",\n    null,\n]'),
    ('{"x y": true, "p": 1}', '{\n    p     = 1\n    "x y" = true\n}'),
    ('{"b": {"c": null}, "a": 1}', "{\n    a = 1\n    b = {\n        c = null\n    }\n}"),
    ('"one\\ntwo\\n"', "<<-EOT\n    one\n    two\nEOT"),
    ('{"m": "one\\ntwo"}', "{\n    m = <<-EOT\n        one\n        two\n    EOT\n}"),
    ('"a\\n"', "<<-EOT\n    a\nEOT"),
    # Not as Terraform: it writes 1, 1000, the spaces away, the delimiter as it is, and escapes to the terminal.
    ("1.0", "1.0"),
    ("1e3", "1e3"),
    ('"  a\\nb\\n\\nc\\n\\n"', "<<-EOT\n      a\n    b\n\n    c\n\nEOT"),
    ('"a\\nEOT\\nEOT_\\n"', "<<-EOT__\n    a\n    EOT\n    EOT_\nEOT__"),
    ('"\\u001b[31m\\n\\tred\\r\\n"', "<<-EOT\n    \\x1b[31m\n    \tred\\x0d\nEOT"),
    ('{"\\u001b[2J": 1}', '{\n    "\\x1b[2J" = 1\n}'),
]


@each_row(("text", "shown"), VALUES)
def test_value(text: str, shown: str) -> None:
    assert _shown(text) == shown


# A text that is JSON, and how --expand shows it.
ENCODED = [
    ("{}", "jsonencode({})"),
    ("[1]", "jsonencode(\n    [\n        1,\n    ]\n)"),
    ('{"a":[1,2.50]}', "jsonencode(\n    {\n        a = [\n            1,\n            2.50,\n        ]\n    }\n)"),
    ('{"a":null,"b c":"x"}', 'jsonencode(\n    {\n        a     = null\n        "b c" = "x"\n    }\n)'),
    ('{"a":"[]"}', "jsonencode(\n    {\n        a = jsonencode([])\n    }\n)"),
    ("{bad", '"{bad"'),
    ("12", '"12"'),
    (' {"a":1}', '" {\\"a\\":1}"'),
]


@pytest.mark.parametrize(("text", "shown"), ENCODED)
def test_expand(text: str, shown: str) -> None:
    assert _shown(json.dumps(text), expand=True) == shown


def test_not_expanded() -> None:
    assert _shown(json.dumps('{"a":1}')) == '"{\\"a\\":1}"'


def test_hidden() -> None:
    assert value_text([HIDDEN]) == "[\n    (sensitive value),\n]"
    assert value_text(Members([("a", HIDDEN)])) == "{\n    a = (sensitive value)\n}"


# Attributes, and the block. Source of the layout: OpenTofu's computed/renderers/block.go.
BLOCKS = [
    ("{}", "{}"),
    ('{"a": null}', "{}"),
    ('{"id": "x", "a": null}', '{\n    id = "x"\n}'),
    ('{"z": 1, "long_name": 2}', "{\n    long_name = 2\n    z         = 1\n}"),
    ('{"b": [{"n": 1}, {}], "a": 2}', "{\n    a = 2\n\n    b {\n        n = 1\n    }\n    b {}\n}"),
    ('{"b": [{}]}', "{\n    b {}\n}"),
    ('{"c": [{}], "b": [{}]}', "{\n    b {}\n\n    c {}\n}"),
    ('{"b": [{"c": [{"d": 1}]}]}', "{\n    b {\n        c {\n            d = 1\n        }\n    }\n}"),
    ('{"b": [{"n": null}]}', "{\n    b {}\n}"),
    ('{"b": [], "t": {"k": "v"}}', '{\n    b = []\n    t = {\n        k = "v"\n    }\n}'),
    ('{"b": [{}, 1]}', "{\n    b = [\n        {},\n        1,\n    ]\n}"),
    ('{"a": 1, "a": 2}', "{\n    a = 2\n}"),
]


@each_row(("text", "shown"), BLOCKS)
def test_block(text: str, shown: str) -> None:
    value = loads_exact(text.encode())
    assert isinstance(value, Members)
    assert block_text(value) == shown


def test_list_of_any_type_is_no_block() -> None:
    assert block_text(Members([("a", DynamicList([Members()]))])) == "{\n    a = [\n        {},\n    ]\n}"
