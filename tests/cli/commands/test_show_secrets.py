"""`show` never shows a secret unless it is asked for, and shows every one of them then."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import resource, state
from tests.tables import each_row

SECRET: Final = "hunter2planted"
PRIVATE: Final = base64.b64encode(SECRET.encode()).decode()


def _attr(name: str) -> dict[str, object]:
    return {"type": "get_attr", "value": name}


def _index(key: object, of: object) -> dict[str, object]:
    return {"type": "index", "value": {"value": key, "type": of}}


def _instance(attributes: object, *paths: list[dict[str, object]], **members: object) -> bytes:
    instance = {"attributes": attributes, "sensitive_attributes": list(paths), **members}
    return state(resource("a", "b", instance))


def _flat(flat: dict[str, str], *paths: list[dict[str, object]]) -> bytes:
    given: Any = resource("a", "b", {"attributes_flat": flat, "sensitive_attributes": list(paths)})
    del given["instances"][0]["attributes"]
    return state(given)


A, V = _attr("a"), _attr("v")
_NAMED, _NAMED_TYPE = {SECRET: 1}, {SECRET: "number"}
_OBJECT: Final = ["object", {"v": "string"}]
_PRIMARY: Final = {"id": "a", "attributes": {"id": "a", "result": SECRET}}
_V3: Final = {
    "path": ["root"],
    "outputs": {},
    "resources": {"random_string.p": {"type": "random_string", "primary": _PRIMARY}},
}
_ANY: Final = {"value": {"v": SECRET, "w": "x"}, "type": ["object", {"v": "string", "w": "string"}]}

# Where the secret stands, and a state in which it does.
STATES: Final = [
    ("attribute", _instance({"v": SECRET}, [V])),
    ("all attributes", _instance({"v": SECRET}, [])),
    ("attribute at depth", _instance({"a": [{"b": {"v": SECRET}}]}, [A, _index(0, "number"), _attr("b"), V])),
    ("list", _instance({"a": ["x", SECRET]}, [A, _index(1, "number")])),
    ("map", _instance({"a": {"k": SECRET}}, [A, _index("k", "string")])),
    ("key of a map", _instance({"a": {SECRET: "x"}}, [A])),
    ("set of texts", _instance({"a": ["x", SECRET]}, [A, _index(SECRET, "string")])),
    ("set of objects", _instance({"a": [{"v": SECRET}]}, [A, _index({"v": SECRET}, _OBJECT), V])),
    ("set of numbers", _instance({"a": [1, {"v": SECRET}]}, [A, _index(1, "number")])),
    ("value of any type", _instance({"a": _ANY}, [A, V])),
    ("all of a value of any type", _instance({"a": _ANY}, [A])),
    ("policy", _instance({"a": json.dumps({"v": SECRET})}, [A])),
    ("several lines", _instance({"a": f"x\n{SECRET}\ny\n"}, [A])),
    ("attribute named twice", _instance({"v": SECRET}, [V]).replace(b'{"v"', b'{"v": "' + SECRET.encode() + b'", "v"')),
    ("path that goes on", _instance({"a": SECRET}, [A, _attr("b")])),
    ("path that gets lost", _instance({"a": {"c": SECRET}}, [A, _attr("b")])),
    ("attributes that are no object", _instance(SECRET, [A])),
    ("deposed object", _instance({"v": SECRET}, [V], deposed="0badcafe")),
    ("identity", _instance({"v": SECRET}, [V], identity={"v": SECRET})),
    ("identity by name", _instance({}, identity={"auth_token": SECRET})),
    ("private", _instance({}, private=PRIVATE)),
    ("output", state(outputs={"o": {"value": SECRET, "type": "string", "sensitive": True}})),
    ("output at depth", state(outputs={"o": {"value": [SECRET], "type": ["list", "string"], "sensitive": True}})),
    ("output, in a key", state(outputs={"o": {"value": {SECRET: 1}, "type": ["map", "number"], "sensitive": True}})),
    ("output, in a name", state(outputs={"o": {"value": _NAMED, "type": ["object", _NAMED_TYPE], "sensitive": True}})),
    ("flat attribute", _flat({"id": "x", "name": SECRET}, [_attr("name")])),
    ("flat attribute at depth", _flat({"a.0.name": SECRET}, [A, _index(0, "number"), _attr("name")])),
    ("flat attribute in a map", _flat({"tags.k": SECRET}, [_attr("tags"), _index("k", "string")])),
    ("flat attribute in a set", _flat({"a.123.type": SECRET}, [A, _index({"v": SECRET}, _OBJECT), V])),
    ("flat attribute without a mark", _flat({"password": SECRET})),
    ("flat attribute without a mark or a name", _flat({"content": SECRET, "id": SECRET})),
    ("format 3", json.dumps({"version": 3, "serial": 1, "lineage": "l", "modules": [_V3]}).encode()),
]  # fmt: skip

ARGUMENTS: Final = ["", "--expand", "--format json", "a.b", "a.b --format json", "--type a"]
ATTRIBUTES: Final = [
    (name, path) for name in ("", " --raw", " --format json") for path in ("v", "a", "content", "name")
]


def _run(content: bytes, arguments: str, statetool: Statetool) -> str:
    Path("state").write_bytes(content)
    result = statetool("show", "--state", "state", *arguments.split())
    return result.text + result.err


@each_row("arguments", ARGUMENTS, sample=96)
@each_row("content", [pytest.param(content, id=name) for name, content in STATES])
def test_hidden_unless_asked_for(content: bytes, arguments: str, statetool: Statetool) -> None:
    shown = _run(content, arguments, statetool)
    assert SECRET not in shown
    assert PRIVATE[:-3] not in shown
    selects = "a.b" in arguments or "--type" in arguments
    if not (selects and (b'"outputs": {"o"' in content or b"random_string" in content)):
        assert "(sensitive value)" in shown
        asked = _run(content, f"{arguments} --show-sensitive", statetool)
        assert SECRET in asked or PRIVATE in asked


@each_row(("option", "path"), ATTRIBUTES, sample=128)
@each_row("content", [pytest.param(content, id=name) for name, content in STATES])
def test_hidden_from_one_value(content: bytes, option: str, path: str, statetool: Statetool) -> None:
    assert SECRET not in _run(content, f"a.b --attr {path}{option}", statetool)
