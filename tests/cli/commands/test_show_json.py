"""`statetool show --format json`: OpenTofu's values representation, with what is sensitive hidden."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import AWS, SAMPLES, resource, state
from tests.cli.test_json_output import _assert_valid
from tests.tables import each_row

RECORDED: Final = Path(__file__).with_name("recorded_show")
NAMES: Final = sorted(path.name for path in SAMPLES.glob("*.tfstate") if path.name not in ("encrypted.tfstate",))
PATH: Final = [[{"type": "get_attr", "value": "tags"}, {"type": "index", "value": {"value": "k", "type": "string"}}]]
HIDDEN: Final = "(sensitive value)"
# What only statetool writes.
OURS: Final = ("provider_instance", "private")


def _show(statetool: Statetool, content: bytes, *arguments: str) -> Any:
    Path("state").write_bytes(content)
    result = statetool("show", "--format", "json", "--state", "state", *arguments)
    assert (result.status, result.err) == (0, "")
    document = json.loads(result.out)
    _assert_valid(document, "show-output")
    return document


def _resources(statetool: Statetool, content: bytes, *arguments: str) -> Any:
    return _show(statetool, content, *arguments)["values"]["root_module"]["resources"]


def _without_ours(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_ours(item) for item in value]
    if isinstance(value, dict):
        return {name: _without_ours(item) for name, item in value.items() if name not in OURS}
    return value


def test_as_terraform_shows_it(statetool: Statetool) -> None:
    """Member by member, in its order too. Source: Terraform 1.11.4, `terraform show -json`."""
    content = (RECORDED / "terraform_data.tfstate").read_bytes()
    told = json.loads((RECORDED / "terraform_data.json").read_bytes())
    shown = _without_ours(_show(statetool, content, "--show-sensitive"))
    assert shown == told
    assert _orders(shown) == _orders(told)


def _orders(document: Any) -> object:
    """The names of all members of the document, but for those in values."""
    if isinstance(document, list):
        return [_orders(item) for item in document]
    if isinstance(document, dict) and "to_display" not in document:
        values = ("sensitive_values", "outputs", *(("values",) if "address" in document else ()))
        return [(name, None if name in values else _orders(item)) for name, item in document.items()]
    return None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("arguments", [(), ("--show-sensitive",), ("**",)])
def test_samples(name: str, arguments: tuple[str, ...], statetool: Statetool) -> None:
    if arguments == ("**",) and not statetool("list", "--state", str(SAMPLES / name)).out:
        pytest.skip("an empty state")
    _show(statetool, (SAMPLES / name).read_bytes(), *arguments)


def test_empty(statetool: Statetool) -> None:
    """Source: OpenTofu `internal/command/jsonstate/state.go`, MarshalForLog."""
    assert _show(statetool, state()) == {"format_version": "1.0"}


def test_one_resource(statetool: Statetool) -> None:
    given = resource(
        "a",
        "b",
        {
            "index_key": "k",
            "schema_version": 3,
            "status": "tainted",
            "attributes": {"id": "x", "tags": {"k": "v", "l": "w"}},
            "sensitive_attributes": PATH,
            "dependencies": ["a.c"],
            "identity": {"id": "i"},
            "identity_schema_version": 2,
            "private": "eyJhIjoxfQ==",
        },
    )
    shown = {
        "address": 'a.b["k"]',
        "mode": "managed",
        "type": "a",
        "name": "b",
        "index": "k",
        "provider_name": "registry.opentofu.org/hashicorp/aws",
        "provider_instance": AWS,
        "schema_version": 3,
        "values": {"id": "x", "tags": {"k": HIDDEN, "l": "w"}},
        "sensitive_values": {"tags": {"k": True}},
        "depends_on": ["a.c"],
        "tainted": True,
        "identity": {"id": "i"},
        "identity_schema_version": 2,
        "private": HIDDEN,
    }
    assert _resources(statetool, state(given)) == [shown]
    open_values = {"values": {"id": "x", "tags": {"k": "v", "l": "w"}}, "private": "eyJhIjoxfQ=="}
    assert _resources(statetool, state(given), "--show-sensitive") == [{**shown, **open_values}]


@pytest.mark.parametrize(("provider", "instance"), [(f"{AWS}.x", f"{AWS}.x"), (f'{AWS}.x["eu"]', f'{AWS}.x["eu"]')])
def test_provider_instance(provider: str, instance: str, statetool: Statetool) -> None:
    """As the RFC words it: the address of the provider instance that the object was last associated with."""
    given = {**resource("a", "b", {"provider": provider}), "provider": None}
    (shown,) = _resources(statetool, state(given))
    assert (shown["provider_name"], shown["provider_instance"]) == ("registry.opentofu.org/hashicorp/aws", instance)


def test_modules(statetool: Statetool) -> None:
    """Nested by their instances, each level by address, and modules without resources where others are below them."""
    modules = ['module.b["k"].module.c', "module.a[10]", "module.a[2]"]
    content = state(resource("a", "b"), *(resource("a", "b", module=module) for module in modules))
    root = _show(statetool, content)["values"]["root_module"]

    def outline(module: dict[str, Any]) -> object:
        resources = [shown["address"] for shown in module.get("resources", ())]
        return module.get("address"), resources, [outline(child) for child in module.get("child_modules", ())]

    below: object = ('module.b["k"].module.c', ['module.b["k"].module.c.a.b'], [])
    tens: list[object] = [("module.a[10]", ["module.a[10].a.b"], []), ("module.a[2]", ["module.a[2].a.b"], [])]
    assert outline(root) == (None, ["a.b"], [*tens, ('module.b["k"]', [], [below])])


def test_order_of_objects(statetool: Statetool) -> None:
    """Data first, keys by number before strings, the current object before the deposed ones by key."""
    content = state(
        resource("b", "x", {"index_key": "a"}, {"index_key": 10}, {"index_key": 2, "deposed": "11111111"},
                 {"index_key": 2, "deposed": "00000000"}, {"index_key": 2}),
        resource("a", "x"),
        resource("c", "x", mode="data"),
    )  # fmt: skip
    shown = [(item["address"], item.get("deposed_key")) for item in _resources(statetool, content)]
    twos = [("b.x[2]", None), ("b.x[2]", "00000000"), ("b.x[2]", "11111111")]
    assert shown == [("data.c.x", None), ("a.x", None), *twos, ("b.x[10]", None), ('b.x["a"]', None)]


def test_selected(statetool: Statetool) -> None:
    outputs = {"o": {"value": "x", "type": "string"}}
    checks = [{"object_kind": "check", "config_addr": "check.c", "status": "pass", "objects": []}]
    content = state(resource("a", "b"), resource("a", "c", module="module.m"), outputs=outputs, check_results=checks)
    assert list(_show(statetool, content)) == ["format_version", "terraform_version", "values", "checks"]
    selected = _show(statetool, content, "module.m")
    assert list(selected) == ["format_version", "terraform_version", "values"]
    assert list(selected["values"]) == ["root_module"]
    assert list(selected["values"]["root_module"]) == ["child_modules"]


NUMBERS: Final = ["1.0", "1e3", "-0", "0.10", "1234567890123456789012345678901234567890", "1E+2"]


@each_row("number", NUMBERS)
@each_row("paths", ["[]", '[[{"type":"get_attr","value":"p"}]]'])
def test_numbers_keep_their_text(number: str, paths: str, statetool: Statetool) -> None:
    content = state(resource("a", "b", {"attributes": {"n": 5, "p": 1}, "sensitive_attributes": []}))
    content = content.replace(b'"n": 5', f'"n": {number}'.encode()).replace(
        b'"sensitive_attributes": []', f'"sensitive_attributes": {paths}'.encode()
    )
    Path("state").write_bytes(content)
    assert f'"n": {number},\n' in statetool("show", "--format", "json", "--state", "state").text


def test_checks(statetool: Statetool) -> None:
    """Source: OpenTofu `internal/command/jsonchecks`."""
    content = state(
        resource("a", "b"),
        check_results=[
            {
                "object_kind": "output",
                "config_addr": "module.m.output.o",
                "status": "fail",
                "objects": [{"object_addr": "module.m[0].output.o", "status": "fail", "failure_messages": ["b", "a"]}],
            },
            {
                "object_kind": "resource",
                "config_addr": "data.a.b",
                "status": "pass",
                "objects": [{"object_addr": 'data.a.b["k"]', "status": "pass"}],
            },
            {"object_kind": "new", "config_addr": "new.x", "status": "pass", "objects": None},
        ],
    )
    assert _show(statetool, content)["checks"] == [
        {
            "address": {"kind": "resource", "mode": "data", "type": "a", "name": "b", "to_display": "data.a.b"},
            "status": "pass",
            "instances": [{"address": {"instance_key": "k", "to_display": 'data.a.b["k"]'}, "status": "pass"}],
        },
        {
            "address": {"kind": "output_value", "name": "o", "module": "module.m", "to_display": "module.m.output.o"},
            "status": "fail",
            "instances": [
                {
                    "address": {"module": "module.m[0]", "to_display": "module.m[0].output.o"},
                    "status": "fail",
                    "problems": [{"message": "a"}, {"message": "b"}],
                }
            ],
        },
    ]
