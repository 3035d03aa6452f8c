"""Keys from a configuration: only where there is a single way, otherwise a map to complete."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from statefmt.analysis.selection.patterns import Modules, modules_of
from statefmt.configuration import load
from statefmt.configuration.instances import Instances
from statefmt.edit.key_map import Keyed, parse_key_map
from statefmt.edit.operations.by_configuration import keys_by_configuration
from statefmt.edit.operations.rekey import mapped, rekey_each
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import Snapshot, instances
from tests.edit.operations.bindings import addresses, chosen
from tests.edit.operations.build import snapshot_of

_RESOURCE = 'resource "t" "a" {{\n  {}\n}}\n'
_CALL = 'module "m" {{\n  source = "./m"\n  {}\n}}\n'


def configured(folder: Path, files: Mapping[str, str]) -> Instances:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return Instances(load(folder))


def wanted(state: Snapshot, *selectors: str) -> list[Keyed]:
    known = Modules(modules_of(resource.addr.module for resource in state.resources))
    named = [known.named(selector) for selector in selectors]
    modules = [module for found in named if found is not None for module in found.modules]
    return [*modules, *addresses(chosen(state, *selectors))]


def keys(state: Snapshot, declared: Instances, *selectors: str) -> dict[str, str]:
    """The new keys of what a selector names."""
    there: list[Keyed] = [*modules_of(r.addr.module for r in state.resources), *addresses(list(instances(state)))]
    found = keys_by_configuration(wanted(state, *selectors), there, declared)
    return {str(one): str(key) for one, key in found.items()}


def of_resource(argument: str) -> dict[str, str]:
    return {"main.tf": _RESOURCE.format(argument)}


def of_module(argument: str, inside: str = "") -> dict[str, str]:
    return {"main.tf": _CALL.format(argument), "m/main.tf": _RESOURCE.format(inside)}


# Configuration, instances, selector, new keys.
CERTAIN: dict[str, tuple[dict[str, str], list[str], str, dict[str, str]]] = {
    "the only instance gets a key": (of_resource('for_each = toset(["x"])'), ["t.a"], "t.a", {"t.a": '["x"]'}),
    "the only instance of count": (of_resource('for_each = { x = 1 }'), ["t.a[0]"], "t.a", {"t.a[0]": '["x"]'}),
    "to count": (of_resource("count = 1"), ['t.a["x"]'], "t.a", {'t.a["x"]': "[0]"}),
    "to no key": (of_resource(""), ["t.a[0]"], "t.a", {"t.a[0]": ""}),
    "one of several": (
        of_resource('for_each = toset(["x", "europe", "z"])'), ['t.a["x"]', 't.a["eu"]', 't.a["z"]'], "t.a",
        {'t.a["eu"]': '["europe"]'},
    ),
    "one is selected": (
        of_resource('for_each = toset(["x"])'), ['t.a["p"]', 't.a["q"]'], 't.a["q"]', {'t.a["q"]': '["x"]'}),
    "nothing to do": (of_resource('for_each = toset(["x", "y"])'), ['t.a["x"]', 't.a["y"]'], "t.a", {}),
    "one is new": (of_resource('for_each = toset(["x", "y"])'), ['t.a["x"]'], "t.a", {}),
    "a module": (of_module('for_each = toset(["x"])'), ["module.m.t.a"], "module.m", {"module.m": '["x"]'}),
    "a resource in a module": (
        of_module('for_each = toset(["x"])', "for_each = { (var.k) = 1 }\n}\nvariable \"k\" {\n  default = \"v\""),
        ['module.m["x"].t.a[0]'], 'module.m["x"].t.a', {'module.m["x"].t.a[0]': '["v"]'},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CERTAIN)
def test_certain(case: str, tmp_path: Path) -> None:
    files, before, selector, expected = CERTAIN[case]
    assert keys(snapshot_of(*before), configured(tmp_path, files), selector) == expected


def test_a_module_and_a_resource_in_it(tmp_path: Path) -> None:
    """The configuration knows the resource by the new address of the module."""
    declared = configured(tmp_path, of_module('for_each = toset(["x"])', "count = 1"))
    state = snapshot_of("module.m.t.a")
    assert keys(state, declared, "module.m", "module.m.t.a") == {"module.m": '["x"]', "module.m.t.a": "[0]"}


# Configuration, instances, selector, the message; after it, the map to complete.
UNCERTAIN: dict[str, tuple[dict[str, str], list[str], str, str, str]] = {
    "a map": (
        of_resource("for_each = { x = 1, y = 2 }"), ["t.a[0]", "t.a[1]"], "t.a",
        't.a: the configuration does not determine which of [0], [1] becomes which of ["x"], ["y"]. Replace each ?',
        "0=?,1=?",
    ),
    "a list, whose order may have changed": (
        of_resource('for_each = toset(["y", "x"])'), ["t.a[0]", "t.a[1]"], "t.a",
        "It would be this in the order of the list in for_each; check that order", "0=y,1=x",
    ),
    "a list with a key twice": (
        of_resource('for_each = toset(["y", "x", "y"])'), ["t.a[0]", "t.a[1]"], "t.a", "Replace each ?", "0=?,1=?"),
    "a list for other keys": (
        of_resource('for_each = toset(["y", "x"])'), ['t.a["p"]', 't.a["q"]'], "t.a", "Replace each ?", "p=?,q=?"),
    "to count": (
        of_resource("count = 2"), ['t.a["a,b"]', 't.a["1"]'], "t.a", 'which of ["1"], ["a,b"] becomes',
        '"1"=?,"a,b"=?',
    ),
    "more in the configuration": (of_resource("for_each = { x = 1, y = 2 }"), ["t.a"], "t.a", "no key becomes", "=?"),
    "a module": (
        of_module('for_each = toset(["y", "x"])'), ["module.m[0].t.a", "module.m[1].t.a"], "module.m", "in the order",
        "0=y,1=x",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", UNCERTAIN)
def test_uncertain(case: str, tmp_path: Path) -> None:
    files, before, selector, message, given = UNCERTAIN[case]
    state = snapshot_of(*before)
    with pytest.raises(SurgeryError) as caught:
        keys(state, configured(tmp_path, files), selector)
    text, _, line = caught.value.on_command_line.partition(":\n")
    assert message in text
    assert shlex.split(line) == ["statetool", "rekey", selector, "--map", given]
    if "?" in given:
        # Pasted without being completed, it does nothing.
        with pytest.raises(SurgeryError, match=r"replace each \? by a key"):
            parse_key_map([given])
    numbers = iter("123456789")
    completed = "".join(next(numbers) if letter == "?" else letter for letter in given)
    assert len(rekey_each(state, mapped(wanted(state, selector), parse_key_map([completed]))).moved) == len(before)


# Configuration, instances, selector, the message.
REFUSED: dict[str, tuple[dict[str, str], list[str], str, str]] = {
    "no such resource": ({"main.tf": ""}, ["t.a[0]"], "t.a", "t.a: the configuration does not have it"),
    "no such module": ({"main.tf": ""}, ["module.m.t.a"], "module.m", "module.m: the configuration does not have it"),
    "in a module instance that is not there": (
        of_module('for_each = toset(["x"])'), ["module.m[0].t.a[0]"], "module.m[0].t.a",
        "module.m[0].t.a: the configuration does not have module.m[0]; change the keys of that module first",
    ),
    "fewer in the configuration": (
        of_resource("count = 1"), ["t.a[0]", "t.a[1]"], "t.a",
        "t.a: the configuration has no instance for [1], and no other key without an instance",
    ),
    "keys that only a plan knows": (
        of_resource("for_each = toset(data.x.y.names)"), ["t.a[0]"], "t.a",
        "t.a: the configuration does not determine its keys: data.x.y.names is read only in a plan",
    ),
    "a variable without a value": (
        of_resource('for_each = toset(var.k)\n}\nvariable "k" {'), ["t.a[0]"], "t.a", "var.k has no value"),
    "what OpenTofu refuses": (of_resource('for_each = ["x"]'), ["t.a[0]"], "t.a", "does not determine its keys"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str, tmp_path: Path) -> None:
    files, before, selector, message = REFUSED[case]
    with pytest.raises(SurgeryError) as caught:
        keys(snapshot_of(*before), configured(tmp_path, files), selector)
    assert message in caught.value.on_command_line
