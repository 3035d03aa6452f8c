"""Module addresses, static and with keys."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from statefmt.model.addrs import NO_KEY, IntKey, Module, ModuleInstance, ModuleStep, StringKey
from statefmt.model.addrs.parsing import parse_module, parse_module_instance
from statefmt.model.errors import AddressError

A_B = ModuleInstance((ModuleStep("a", StringKey("x")), ModuleStep("b", IntKey(0))))

INSTANCES = {
    "one call": ("module.a", ModuleInstance((ModuleStep("a"),))),
    "keys": ('module.a["x"].module.b[0]', A_B),
    "a module called module": ("module.module", ModuleInstance((ModuleStep("module"),))),
    "names kept as they are": ("module.A-1", ModuleInstance((ModuleStep("A-1"),))),
}

NUMBER = "value must be a whole number, between -9223372036854775808 and 9223372036854775807."
NAME = 'Prefix "module." must be followed by a module name.'
DOT = "Module address prefix must be followed by dot and then a name."
EXTRA = "The module instance address is followed by additional invalid content."
BEGIN = 'A module instance address must begin with "module.".'
INSTANCE_ERRORS = {
    "nothing": ("", [(1, "Must begin with a variable name.")]),
    "no name": ("module", [(1, NAME), (1, BEGIN)]),
    "no second name": ("module.a.module", [(9, NAME), (9, EXTRA)]),
    "an index for a name": ("module[0]", [(7, NAME), (1, BEGIN)]),
    "another keyword": ("modules.a", [(1, BEGIN)]),
    "a resource": ("module.a.t.n", [(9, EXTRA)]),
    "two keys": ("module.a[0][1]", [(12, DOT), (12, EXTRA)]),
    "more after a wrong key": ("module.a[1.5].module.b", [(9, f"Invalid module index: {NUMBER}"), (14, EXTRA)]),
    "a key that is not whole": ("module.a[1.5]", [(9, f"Invalid module index: {NUMBER}")]),
}

KEYED = (
    'Module address cannot be a module instance (e.g. "module.a[0]"), it must be a module instead (e.g. "module.a").'
)
STATIC_ERRORS = {
    "a key": ("module.a[0]", [(9, KEYED)]),
    "a resource": ("module.a.t.n", [(9, "It's not allowed to reference anything other than module here.")]),
    "no name": ("module.a.module", [(9, NAME)]),
}


def problems(parse: Callable[[str], object], text: str) -> list[tuple[int, str]]:
    with pytest.raises(AddressError) as caught:
        parse(text)
    return [(problem.column, problem.detail) for problem in caught.value.problems]


@pytest.mark.parametrize(("text", "instance"), INSTANCES.values(), ids=INSTANCES)
def test_parses_and_prints_instances(text: str, instance: ModuleInstance) -> None:
    assert parse_module_instance(text) == instance
    assert str(instance) == text


@pytest.mark.parametrize(("text", "found"), INSTANCE_ERRORS.values(), ids=INSTANCE_ERRORS)
def test_refuses_instances(text: str, found: list[tuple[int, str]]) -> None:
    assert problems(parse_module_instance, text) == found


def test_parses_and_prints_static_paths() -> None:
    assert parse_module("module.a.module.b") == Module(("a", "b"))
    assert str(Module(("a", "b"))) == "module.a.module.b"


@pytest.mark.parametrize(("text", "found"), STATIC_ERRORS.values(), ids=STATIC_ERRORS)
def test_refuses_static_paths(text: str, found: list[tuple[int, str]]) -> None:
    assert problems(parse_module, text) == found


def test_the_root_module() -> None:
    for root in (ModuleInstance(), Module()):
        assert str(root) == ""
        assert root.is_root
        assert not root
        assert root.parent() == root
    assert ModuleInstance().module() == Module()
    assert A_B and not A_B.is_root


def test_up_and_down() -> None:
    assert ModuleInstance().child("a", StringKey("x")).child("b", IntKey(0)) == A_B
    assert A_B.parent() == ModuleInstance().child("a", StringKey("x"))
    assert A_B.module() == Module().child("a").child("b")
    assert Module(("a", "b")).parent() == Module(("a",))
    assert Module(("a",)).unkeyed_instance() == ModuleInstance((ModuleStep("a", NO_KEY),))
    assert str(A_B.steps[0]) == 'module.a["x"]'


@pytest.mark.parametrize(
    ("outer", "expected"),
    [
        ("", True),
        ('module.a["x"]', True),
        ('module.a["x"].module.b[0]', True),
        ("module.a", False),
        ("module.b", False),
    ],
)
def test_contains(outer: str, expected: bool) -> None:
    module = parse_module_instance(outer) if outer else ModuleInstance()
    assert module.contains(A_B) is expected
