"""`outputs`: values with their types, hidden where they are sensitive."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import SAMPLES, state

SENSITIVE = str(SAMPLES / "v4-sensitive.tfstate")

SHOWN = """\
# list(number)
b = [
    1.5,
    2,
]

# object({"a b"=string,x=bool})
c = {
    "a b" = "z"
    x     = true
}

# string, sensitive
d = (sensitive value)

# string
# deprecated: Use b.
e = "y"
"""
STATE = state(
    outputs={
        "e": {"value": "y", "type": "string", "deprecated": "Use b."},
        "b": {"value": [1.5, 2], "type": ["list", "number"]},
        "d": {"value": "hush", "type": "string", "sensitive": True},
        "c": {"value": {"x": True, "a b": "z"}, "type": ["object", {"x": "bool", "a b": "string"}]},
    }
)


@pytest.fixture(autouse=True)
def written(folder: Path) -> None:
    (folder / "state").write_bytes(STATE)


def test_all(statetool: Statetool) -> None:
    assert statetool("outputs", "state") == (0, SHOWN.encode(), "")


def test_show_sensitive(statetool: Statetool) -> None:
    shown = statetool("outputs", "state", "--show-sensitive")
    assert shown.text == SHOWN.replace("(sensitive value)", '"hush"')


@pytest.mark.parametrize(
    "arguments", [["state", "e"], ["--state", "state", "e"], ["e", "--state", "state"]], ids=" ".join
)
def test_one(arguments: list[str], statetool: Statetool) -> None:
    assert statetool("outputs", *arguments).text == '# string\n# deprecated: Use b.\ne = "y"\n'


def test_default_state(statetool: Statetool, folder: Path) -> None:
    (folder / "state").rename("terraform.tfstate")
    assert statetool("outputs").text == SHOWN
    assert statetool("outputs", "--raw", "e").text == "y"


def test_name_of_none(statetool: Statetool) -> None:
    result = statetool("outputs", "state", "connecton")
    assert result == (2, b"", "statetool: the state has no output 'connecton'\n")
    near = statetool("outputs", SENSITIVE, "connecton")
    assert near.err == "statetool: the state has no output 'connecton'; the nearest are:\n  connection\n"


VALUES: list[tuple[object, object, str]] = [
    ("a\nb", "string", "a\nb"),
    ("", "string", ""),
    ("\x1b[31m", "string", "\x1b[31m"),
    (True, "bool", "true"),
    (12345678901234567890123, "number", "12345678901234567890123"),
    (0.1, "number", "0.1"),
]


@pytest.mark.parametrize(("value", "of", "raw"), VALUES, ids=[repr(case[0]) for case in VALUES])
def test_raw(value: object, of: object, raw: str, statetool: Statetool, folder: Path) -> None:
    """Without quotes and newline, as `tofu output -raw` does it."""
    (folder / "state").write_bytes(state(outputs={"a": {"value": value, "type": of}}))
    assert statetool("outputs", "state", "--raw", "a") == (0, raw.encode(), "")


# What cannot be written raw, and why.
NOT_RAW = [
    ("b", "is a list or set; --raw supports only strings, numbers and bools"),
    ("c", "is an object or map; --raw supports"),
    ("d", "is sensitive; use --show-sensitive to show it"),
    ("x", "the state has no output 'x'"),
]


@pytest.mark.parametrize(("name", "message"), NOT_RAW)
def test_not_raw(name: str, message: str, statetool: Statetool) -> None:
    result = statetool("outputs", "state", "--raw", name)
    assert (result.status, result.out) == (2, b"")
    assert message in " ".join(result.err.split())


def test_raw_and_sensitive(statetool: Statetool) -> None:
    assert statetool("outputs", "state", "--raw", "d", "--show-sensitive").text == "hush"


@pytest.mark.parametrize("more", [["b"], ["--format", "json"]], ids=" ".join)
def test_raw_names_the_output_itself(more: list[str], statetool: Statetool) -> None:
    result = statetool("outputs", "state", "--raw", "e", *more)
    assert (result.status, result.out) == (2, b"")
    assert "cannot be combined with NAME or --format" in result.err


def test_json_keeps_numbers(statetool: Statetool, folder: Path) -> None:
    number = "1234567890123456789012345678901234567890"
    text = json.dumps({"version": 4, "serial": 1, "lineage": "", "resources": []})[:-1]
    outputs = f'"outputs": {{"a": {{"value": {number}, "type": "number"}}}}}}'
    (folder / "state").write_bytes(f"{text}, {outputs}".encode())
    assert f'"value": {number}'.encode() in statetool("outputs", "state", "--format", "json").out


def test_a_hidden_object_hides_the_names_in_it(statetool: Statetool) -> None:
    """They belong to its type, and a secret may be one."""
    for options in ([], ["--format", "json"]):
        hidden = statetool("outputs", SENSITIVE, "connection", *options).text
        assert "password" not in hidden
        assert "password" in statetool("outputs", SENSITIVE, "connection", *options, "--show-sensitive").text


def test_control_characters_are_shown_as_such(statetool: Statetool, folder: Path) -> None:
    value = {"value": {"\x1b[2J": "\x1b[2J"}, "type": ["object", {"\x1b[2J": "string"}], "deprecated": "\x1b[2J"}
    (folder / "state").write_bytes(state(outputs={"\x1b[2J": value}))
    text = statetool("outputs", "state").text
    assert "\x1b" not in text
    assert text.count("\\x1b[2J") == 5


def test_nested_deeply(statetool: Statetool, folder: Path) -> None:
    """Whatever can be read is shown, or it is said that it cannot be."""
    for levels in (50, 150, 300, 450, 900):
        value, of = "[" * levels + "]" * levels, '["tuple",[' * levels + "]]" * levels
        text = (
            f'{{"version":4,"serial":1,"lineage":"","resources":[],"outputs":{{"a":{{"value":{value},"type":{of}}}}}}}'
        )
        (folder / "state").write_bytes(text.encode())
        for options in ([], ["--format", "json"], ["--raw", "a"]):
            result = statetool("outputs", "state", *options)
            assert result.status in (0, 2), levels


def test_no_outputs(statetool: Statetool) -> None:
    empty = str(SAMPLES / "v4-empty.tfstate")
    assert statetool("outputs", empty) == (0, b"", "statetool: the state has no outputs\n")
    assert json.loads(statetool("outputs", empty, "--format", "json").out)["outputs"] == []


def test_name_in_place_of_a_state(statetool: Statetool, folder: Path) -> None:
    """B7: the message said only that there is no such file."""
    (folder / "terraform.tfstate").write_bytes(STATE)
    result = statetool("outputs", "b")
    assert (result.status, result.out) == (2, b"")
    assert "`statetool outputs --state terraform.tfstate b`" in " ".join(result.err.split())
    assert statetool("outputs", "--state", "terraform.tfstate", "b").text.startswith("# list(number)\nb = [")
    # What can only be a path is one.
    assert "no such file" in statetool("outputs", "b.tfstate").err
    (folder / "b").write_bytes(STATE)
    assert statetool("outputs", "b").status == 0


def test_types_in_json(folder: Path, statetool: Statetool) -> None:
    """Names of attributes are hidden with the value; a type without them says nothing."""
    kinds = {"plain": "string", "list": ["list", "number"], "object": ["object", {"hush": "string"}]}
    values = {"plain": "x", "list": [1], "object": {"hush": "x"}}
    outputs = {
        f"{name}-{sensitive}": {"value": values[name], "type": kind, **({"sensitive": True} if sensitive else {})}
        for name, kind in kinds.items()
        for sensitive in (False, True)
    }
    (folder / "state").write_bytes(state(outputs=outputs))
    shown = statetool("outputs", "state", "--format", "json").text
    found = {one["name"]: one["type"] for one in json.loads(shown)["outputs"]}
    assert found == {
        f"{name}-{sensitive}": None if sensitive and name == "object" else kind
        for name, kind in kinds.items()
        for sensitive in (False, True)
    }
    # In the type, in its text and in the value of the object that is shown.
    assert shown.count("hush") == 3
