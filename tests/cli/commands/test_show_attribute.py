"""`statetool show --attr`: one value of one instance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import resource, state
from tests.cli.test_json_output import _assert_valid

_ATTRIBUTES: Final = {
    "id": "i-1",
    "count": 3,
    "on": True,
    "none": None,
    "lines": "a\nb\n",
    "odd": "\x1b[31m é",
    "policy": '{"a":1}',
    "tags": {"Name": "web", "a b": "c", "api.key": "s3cret", "0": "zero"},
    "rule": [{"port": 80}, {"port": 443}],
    "deep": {"password": "s3cret", "user": "u"},
    "any": {"value": {"x": [1]}, "type": ["object", {"x": ["list", "number"]}]},
}
_PATHS: Final = [
    [{"type": "get_attr", "value": "deep"}, {"type": "get_attr", "value": "password"}],
    [{"type": "get_attr", "value": "tags"}, {"type": "index", "value": {"value": "api.key", "type": "string"}}],
]
_FLAT: Final = {"id": "i-2", "tags.%": "1", "tags.Name": "db", "rule.7.port": "80", "password": "s3cret"}
_TEXT: Final = (
    state(
        resource("t", "n", {"attributes": _ATTRIBUTES, "sensitive_attributes": _PATHS}),
        resource("t", "flat", {"attributes_flat": _FLAT}),
        resource("t", "many", {"index_key": 0}, {"index_key": 1}),
        resource("t", "old", {"deposed": "0badcafe", "attributes": {"id": "i-3"}}),
        resource("t", "olds", {"deposed": "0badcafe"}, {"deposed": "0badcaff"}),
    )
    .replace(b'"count": 3', b'"count": 3.10')
    .replace(b'"attributes": {}, "attributes_flat"', b'"attributes_flat"')
)


@pytest.fixture(autouse=True)
def _state(folder: Path) -> None:
    (folder / "state").write_bytes(_TEXT)


# Arguments, and what they print.
SHOWN = [
    ("t.n id", '"i-1"\n'),
    ("t.n count", "3.10\n"),
    ("t.n on", "true\n"),
    ("t.n none", "null\n"),
    ("t.n lines", "<<-EOT\n    a\n    b\nEOT\n"),
    ("t.n odd", '"\\x1b[31m é"\n'),
    ("t.n policy", '"{\\"a\\":1}"\n'),
    ("t.n policy --expand", "jsonencode(\n    {\n        a = 1\n    }\n)\n"),
    ("t.n tags.Name", '"web"\n'),
    ('t.n tags["a b"]', '"c"\n'),
    ("t.n tags[0]", '"zero"\n'),
    ("t.n rule[1].port", "443\n"),
    ("t.n rule[1]", "{\n    port = 443\n}\n"),
    ('t.n ["rule"][0].port', "80\n"),
    ("t.n any.x[0]", "1\n"),
    ("t.n deep", '{\n    password = (sensitive value)\n    user     = "u"\n}\n'),
    ("t.n deep --show-sensitive", '{\n    password = "s3cret"\n    user     = "u"\n}\n'),
    ("t.n deep.password --show-sensitive", '"s3cret"\n'),
    ("t.flat tags.Name", '"db"\n'),
    ("t.flat tags.%", '"1"\n'),
    ("t.flat rule.7.port", '"80"\n'),
    ("t.flat rule[7].port", '"80"\n'),
    ("t.old id", '"i-3"\n'),
    ("t.n id --raw", "i-1"),
    ("t.n count --raw", "3.10"),
    ("t.n on --raw", "true"),
    ("t.n lines --raw", "a\nb\n"),
    ("t.n odd --raw", "\x1b[31m é"),
    ("t.n deep.password --raw --show-sensitive", "s3cret"),
]


def _arguments(text: str) -> list[str]:
    address, path, *options = text.replace("a b", "a\0b").split(" ")
    return ["show", "--state", "state", address, "--attr", path.replace("\0", " "), *options]


@pytest.mark.parametrize(("arguments", "shown"), SHOWN)
def test_shown(arguments: str, shown: str, statetool: Statetool) -> None:
    result = statetool(*_arguments(arguments))
    assert (result.status, result.text, result.err) == (0, shown, "")


# Arguments, and what is in the message.
REFUSED = [
    ("t.n deep.password", "is sensitive; use --show-sensitive to show it"),
    ("t.n deep.password --raw", "is sensitive"),
    ("t.n deep.password --format json", "is sensitive"),
    ("t.n deep.password.x", "is sensitive"),
    ('t.n tags["api.key"]', "is sensitive"),
    ("t.flat password", "is sensitive"),
    ("t.n idd", "no attribute idd; the nearest are:\n  id\n"),
    ("t.n tags.name", "no attribute tags.name; the nearest are:\n  tags.Name\n"),
    ("t.n tags.ab", 'the nearest are:\n  tags["a b"]\n'),
    ("t.n rule[2]", "no attribute rule[2]: rule has 2 elements"),
    ("t.n rule.port", "no attribute rule.port: rule has 2 elements"),
    ("t.n id.x", "no attribute id.x: id is not an object"),
    ("t.n none.x", "no attribute none.x: none is null"),
    ("t.n a..b", "'a..b' is not a valid attribute path"),
    ("t.n [a]", "(column 2)"),
    ("t.n a[1.5]", "is not a valid attribute path"),
    ("t.flat tags.Nmae", "no attribute tags.Nmae; the nearest are:\n  tags.Name\n"),
    ("t.n none --raw", "none is null; --raw supports"),
    ("t.n rule --raw", "rule is a list or set; --raw supports"),
    ("t.n tags --raw", "tags is an object or map; --raw supports"),
    ("t.many id", "--attr takes one instance, and 2 were selected:\n  t.many[0]\n  t.many[1]\n"),
    ("** id", "--attr takes one instance, and 6 were selected:\n  t.flat\n  t.many[0]\n  t.many[1]\n  … and 3 more\n"),
    ("t.olds id", "t.olds has no current object, but several deposed ones"),
    ("t.nn id", "t.n"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_refused(arguments: str, message: str, statetool: Statetool) -> None:
    result = statetool(*_arguments(arguments))
    assert (result.status, result.out) == (2, b"")
    # Long messages are wrapped.
    assert message in result.err or message in " ".join(result.err.split())
    assert "s3cret" not in result.err


def test_json(statetool: Statetool) -> None:
    result = statetool(*_arguments("t.n count --format json"))
    assert b'"value": 3.10\n' in result.out
    document = json.loads(result.out)
    _assert_valid(document, "show-attr-output")
    assert document == {"format_version": "1.0", "address": "t.n", "attribute": "count", "value": 3.1}
    hidden = json.loads(statetool(*_arguments("t.n deep --format json")).out)
    assert hidden["value"] == {"password": "(sensitive value)", "user": "u"}


def test_raw_without_attr(statetool: Statetool) -> None:
    result = statetool("show", "--raw", "--state", "state")
    assert (result.status, result.out) == (2, b"")
    assert "requires --attr" in result.err
