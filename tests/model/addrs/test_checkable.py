"""Checkable objects, and the blocks in configuration behind them."""

from __future__ import annotations

import pytest

from statefmt.model.addrs import Module, ModuleInstance, StringKey
from statefmt.model.addrs.checkable import (
    AbsCheck,
    AbsInputVariable,
    AbsOutputValue,
    Checkable,
    CheckableKind,
    ConfigCheck,
    ConfigInputVariable,
    ConfigOutputValue,
    parse_checkable,
)
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.model.errors import AddressError

KEYED = ModuleInstance().child("a", StringKey("k"))
T_N = parse_abs_resource_instance('module.a["k"].t.n[0]')
RESOURCE, OUTPUT, CHECK, VARIABLE = CheckableKind

OBJECTS: dict[str, tuple[CheckableKind, str, Checkable, str]] = {
    "a resource": (RESOURCE, 'module.a["k"].t.n[0]', T_N, "module.a.t.n"),
    "a resource of type output": (RESOURCE, "output.url", parse_abs_resource_instance("output.url"), "output.url"),
    "an output": (OUTPUT, "output.url", AbsOutputValue(ModuleInstance(), "url"), "output.url"),
    "an output of a module": (OUTPUT, 'module.a["k"].output.url', AbsOutputValue(KEYED, "url"), "module.a.output.url"),
    "a check": (CHECK, 'module.a["k"].check.health', AbsCheck(KEYED, "health"), "module.a.check.health"),
    "a variable": (VARIABLE, 'module.a["k"].var.region', AbsInputVariable(KEYED, "region"), "module.a.var.region"),
}  # fmt: skip

ONE = "address must have only one attribute part after the keyword"
WORD = "address must follow the module address with the keyword"
ERRORS = {
    "a module": (OUTPUT, "module.a", 1, "Module path must be followed by either a resource instance"),
    "no name": (OUTPUT, "output", 1, f"Output {ONE} 'output', giving the name of the output value."),
    "two names": (CHECK, "module.a.check.a.b", 9, f"Check {ONE} 'check', giving the name of the check block."),
    "an index": (VARIABLE, "var[0]", 1, f"Var {ONE} 'var', giving the name of the variable value."),
    "another keyword": (VARIABLE, "vars.a", 1, f"Var {WORD} 'var'."),
    "a resource for a check": (CHECK, "t.n", 1, f"Check {WORD} 'check'."),
}


@pytest.mark.parametrize(("kind", "text", "address", "config"), OBJECTS.values(), ids=OBJECTS)
def test_parses_and_prints(kind: CheckableKind, text: str, address: Checkable, config: str) -> None:
    assert parse_checkable(kind, text) == address
    assert str(address) == text
    assert str(address.config()) == config


@pytest.mark.parametrize(("kind", "text", "column", "detail"), ERRORS.values(), ids=ERRORS)
def test_refuses(kind: CheckableKind, text: str, column: int, detail: str) -> None:
    with pytest.raises(AddressError) as caught:
        parse_checkable(kind, text)
    assert caught.value.summary == "Invalid checkable address"
    assert caught.value.column == column
    assert caught.value.detail.startswith(detail)


def test_all_that_is_wrong_is_said() -> None:
    with pytest.raises(AddressError) as caught:
        parse_checkable(OUTPUT, "outputs.a.b")
    assert len(caught.value.problems) == 2


def test_blocks_in_configuration() -> None:
    module = Module(("a",))
    assert AbsOutputValue(KEYED, "x").config() == ConfigOutputValue(module, "x")
    assert AbsCheck(KEYED, "x").config() == ConfigCheck(module, "x")
    assert AbsInputVariable(KEYED, "x").config() == ConfigInputVariable(module, "x")
    assert len({ConfigOutputValue(module, "x"), ConfigCheck(module, "x"), ConfigInputVariable(module, "x")}) == 3
