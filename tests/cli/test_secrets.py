"""A secret never shows: not in results, not in messages, not where it is itself what is wrong with a state."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import HAND_EDITED, resource, state
from tests.tables import each_row

SECRET = "hunter2planted"
# What would give it away: itself, in any case, and as base64.
TRACES = [SECRET, base64.b64encode(SECRET.encode()).decode().rstrip("=")]

COMMANDS = [
    "check",
    "check --fail-on info",
    "check --statistics",
    "check --format json",
    "check --format sarif",
    "check --format junit",
    "check --format github",
    "list --state",
    "list --format json --state",
    "list no.match --state",
    "list --long --state",
    "list --long --format json --state",
    "list --long --format csv --state",
    "list --id no-match --state",
    "list --where password=* --state",
    "list --where password!=x --state",
    "show --where id=* --state",
    "grep e",
    "grep -E . --format json",
    "graph",
    "graph --format mermaid",
    "graph --format tree",
    "outputs",
    "outputs --format json",
    "outputs --raw password",
    "providers --tree --resources",
    "providers --format json",
    "stats --all",
    "stats --format json",
    "show --state",
    "show --expand --state",
    "show --format json --state",
    "show ** --format json --state",
    "show aws_db_instance.main --attr password --state",
    "show aws_db_instance.main --attr passwort --state",
    "show random_string.p --attr result --raw --state",
    "fmt --check",
    "fmt",
    "upgrade --in-place",
    "upgrade -o new",
    "upgrade --drop-unknown -o new",
    "downgrade --for terraform-1.2 -o new",
    "downgrade --for terraform-1.2 --drop-lossy --drop-unknown -o new",
    "check --for terraform-0.12",
    "check --for terraform-0.12 --format json",
]


def _instance(**members: object) -> bytes:
    return state(resource("aws_db_instance", "main", members))


def _output(type_: object, value: object, **members: object) -> bytes:
    return state(outputs={"password": {"sensitive": True, "type": type_, "value": value, **members}})


def _v3(resource: dict[str, object], outputs: object = ()) -> bytes:
    module = {"path": ["root"], "outputs": dict(outputs or {}), "resources": {"random_string.p": resource}}  # type: ignore[call-overload]
    return json.dumps({"version": 3, "serial": 1, "lineage": "l", "modules": [module]}).encode()


PATH = [[{"type": "get_attr", "value": "password"}]]
PRIVATE = base64.b64encode(SECRET.encode()).decode()
GOOD = {"attributes": {"password": SECRET}, "sensitive_attributes": PATH, "private": PRIVATE}
PRIMARY = {"id": "a", "attributes": {"id": "a", "result": SECRET}, "meta": {"x": SECRET, "schema_version": "1"}}
SECRET_ID = {"id": SECRET, "attributes": {"id": SECRET, "result": SECRET}}

# Where the secret stands, and a state in which it does.
STATES = [
    ("sensitive attribute and private data", _instance(**GOOD)),
    ("attributes that are no object", _instance(attributes=SECRET, sensitive_attributes=PATH)),
    ("attribute named twice", _instance(**GOOD).replace(b'{"password"', b'{"password": "x", "password"')),
    ("flat attributes", _instance(attributes_flat={"password": SECRET})),
    ("flat attributes of wrong types", _instance(attributes_flat={"password": [SECRET]})),
    ("both forms of attributes", _instance(**GOOD, attributes_flat={"password": SECRET})),
    ("private data that is no base64", _instance(private=SECRET + "!")),
    ("private data of bytes", _instance(private=list(SECRET.encode()))),
    ("private data of a wrong type", _instance(private={"a": SECRET})),
    ("private data in a list of wrong types", _instance(private=[SECRET])),
    ("sensitive path into the secret", _instance(**{**GOOD, "sensitive_attributes": [[*PATH[0], *PATH[0]]]})),
    ("identity", _instance(identity={"token": SECRET}, identity_schema_version=-1)),
    ("unknown member", _instance(**GOOD, future={"token": SECRET})),
    ("twice the same instance", state(resource("a", "b", GOOD, GOOD))),
    ("invalid status", _instance(**GOOD, status="dirty")),
    ("output", _output("string", SECRET)),
    ("output with a number's type", _output("number", SECRET)),
    ("output with a bool's type", _output("bool", SECRET)),
    ("output with a list's type", _output(["list", "number"], [SECRET])),
    ("output with a map's type", _output(["map", "bool"], {"a": SECRET})),
    ("output with an object's type", _output(["object", {"a": "number"}], {"a": SECRET})),
    ("output with a tuple's type", _output(["tuple", ["number"]], [SECRET])),
    ("output with a set's type", _output(["set", "number"], [SECRET])),
    ("output with any type", _output("dynamic", {"type": "number", "value": SECRET})),
    ("output with any type, badly", _output("dynamic", {"type": SECRET, "value": SECRET})),
    ("output without a type", _output(None, SECRET)),
    ("output that is not sensitive in the right way", _output("string", SECRET, sensitive=SECRET)),
    ("output with an unknown member", _output("string", SECRET, future=SECRET)),
    ("output of format 3", _v3({"type": "random_string"}, {"p": {"sensitive": True, "type": "map", "value": SECRET}})),
    ("output of format 3, sensitive in a wrong way", _v3({}, {"p": {"sensitive": SECRET, "value": SECRET}})),
    ("attributes and meta of format 3", _v3({"type": "random_string", "primary": PRIMARY})),
    ("id of format 3, against its attribute", _v3({"type": "random_string", "primary": {**PRIMARY, "id": SECRET}})),
    ("meta of format 3 that cannot be read", _v3({"primary": {**PRIMARY, "meta": SECRET}})),
    ("id of format 3, beside an attribute", _v3({"type": "random_string", "primary": SECRET_ID})),
    ("count of a collection in format 3", _v3({"primary": {"id": "a", "attributes": {"a.#": SECRET}}})),
    ("count of a collection in format 2", _v3({"primary": {"attributes": {"a.#": SECRET}}}).replace(b": 3", b": 2", 1)),
    ("cut off inside", _instance(**GOOD).partition(SECRET[:-3].encode())[0] + SECRET[:-3].encode()),
    ("cut off after", _instance(**GOOD).partition(b'", ')[0]),
    ("not JSON after", _instance(**GOOD).replace(f'"{SECRET}"'.encode(), f'"{SECRET}" NaN'.encode())),
    ("not UTF-8 after", _instance(**GOOD).replace(SECRET.encode(), SECRET.encode() + b"\xff")),
    ("not JSON at all", SECRET.encode()),
    ("a text in JSON", json.dumps(SECRET).encode()),
    ("no state", json.dumps({"password": SECRET}).encode()),
    ("resources that are no list", state(resources=SECRET)),
    ("encrypted", json.dumps({"encryption_version": "v0", "encrypted_data": PRIVATE, "meta": {"k": PRIVATE}}).encode()),
]


@each_row("command", COMMANDS, sample=500)
@each_row("content", [pytest.param(content, id=name) for name, content in STATES])
def test_secret(content: bytes, command: str, statetool: Statetool) -> None:
    Path("state").write_bytes(content)
    result = statetool(*command.split(), "state")
    shown = (result.text + result.err).lower()
    assert [trace for trace in TRACES if trace.lower() in shown] == []
    assert SECRET[:-3] not in shown


@pytest.mark.parametrize("content", [_instance(**GOOD), _output("string", SECRET)])
def test_file_that_changed_meanwhile(content: bytes, statetool: Statetool) -> None:
    """Neither the state nor the backups that lie beside it are quoted."""
    Path("state").write_bytes(HAND_EDITED)
    Path("new").write_bytes(content)
    result = statetool("upgrade", "state", "-o", "new")
    assert SECRET not in result.text + result.err


def test_the_traces_would_be_found(statetool: Statetool) -> None:
    """The state itself holds them, on standard output where it was asked for."""
    Path("state").write_bytes(_instance(**GOOD))
    shown = statetool("upgrade", "state").text
    assert SECRET in shown
    assert TRACES[1] in shown
