"""`list`: addresses one a line, in the order of `tofu state list`, all or those that selectors fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import resource, state

# The order of `tofu state list`: fewer module steps first, data before managed, integer keys by number before strings.
ORDERED = [
    "data.aws_ami.z",
    "aws_instance.a[2]",
    "aws_instance.a[10]",
    'aws_instance.a["10"]',
    'aws_instance.a["2"]',
    'aws_instance.a["Z"]',
    'aws_instance.a["a"]',
    "aws_instance.b",
    "aws_vpc.a",
    "module.a.data.aws_ami.z",
    "module.a.aws_vpc.a",
    "module.b[2].aws_vpc.a",
    "module.b[10].aws_vpc.a",
    'module.b["x"].aws_vpc.a',
    "module.a.module.a.aws_vpc.a",
    "module.a.module.b.aws_vpc.a",
]
RESOURCES = [
    resource("aws_vpc", "a", module='module.b["x"]'),
    resource("aws_vpc", "a", module="module.a.module.b"),
    resource("aws_vpc", "a", module="module.a.module.a"),
    resource("aws_vpc", "a", module="module.b[10]"),
    resource("aws_vpc", "a", module="module.b[2]"),
    resource("aws_vpc", "a", module="module.a"),
    resource("aws_ami", "z", module="module.a", mode="data"),
    resource("aws_vpc", "a"),
    resource("aws_instance", "b"),
    resource("aws_instance", "a", *({"index_key": key} for key in ("a", 10, "2", 2, "Z", "10"))),
    resource("aws_ami", "z", mode="data"),
]


@pytest.fixture(autouse=True)
def written(folder: Path) -> None:
    (folder / "terraform.tfstate").write_bytes(state(*RESOURCES))


@pytest.mark.parametrize("command", ["list", "ls"])
def test_order(command: str, statetool: Statetool) -> None:
    assert statetool(command).text.splitlines() == ORDERED


# Selectors, and the lines of ORDERED that they choose.
SELECTED = [
    (["aws_vpc.a"], ["aws_vpc.a"]),
    (["aws_instance.a"], ORDERED[1:7]),
    (["aws_instance.a[2]"], ["aws_instance.a[2]"]),
    (['aws_instance.a["2"]'], ['aws_instance.a["2"]']),
    (["data.aws_ami.z"], ["data.aws_ami.z"]),
    (["module.a"], ["module.a.data.aws_ami.z", "module.a.aws_vpc.a", *ORDERED[-2:]]),
    (["module.a.module.a"], ["module.a.module.a.aws_vpc.a"]),
    (["module.a.aws_vpc.a"], ["module.a.aws_vpc.a"]),
    (["module.b"], ORDERED[11:14]),
    (["module.b[2]"], ["module.b[2].aws_vpc.a"]),
    (['module.b["x"]'], ['module.b["x"].aws_vpc.a']),
    (["aws_vpc.a", "aws_instance.b"], ["aws_instance.b", "aws_vpc.a"]),
    (["aws_instance.a", "aws_instance.a[2]", "aws_instance.a[2]"], ORDERED[1:7]),
]


@pytest.mark.parametrize(("selectors", "found"), SELECTED, ids=[" ".join(case[0]) for case in SELECTED])
def test_selectors(selectors: list[str], found: list[str], statetool: Statetool) -> None:
    assert statetool("list", *selectors).text.splitlines() == found


# A selector that fits nothing, and the addresses that the message names.
NO_MATCH = [
    ("aws_instance.c", ["aws_instance.b"]),
    ("aws_instnace.b", ["aws_instance.b"]),
    ("aws_instance.a[3]", ["aws_instance.a[2]"]),
    ("module.a.aws_vpc.b", ["module.a.aws_vpc.a"]),
    ("module.z", ["module.b"]),
    ("module.a.module.c", ["module.a.module.b"]),
    ("**.aws_vcp.*", ["aws_vpc.a"]),
    ("azurerm_virtual_machine.main", []),
]


@pytest.mark.parametrize(("selector", "near"), NO_MATCH, ids=[case[0] for case in NO_MATCH])
def test_no_match(selector: str, near: list[str], statetool: Statetool) -> None:
    """Nothing is listed, not even what the other selectors fit."""
    result = statetool("list", "aws_vpc.a", selector)
    assert (result.status, result.out) == (2, b"")
    first, *named = result.err.splitlines()
    hint = "; the nearest are:" if near else ""
    assert first == f"statetool: no resource instance matches '{selector}'{hint}"
    assert [f"  {address}" for address in near] == named[: len(near)]
    assert (named == []) == (near == [])
    assert [statetool("list", address.strip()).status for address in named] == [0] * len(named)


# Invalid addresses, and the column of the error (1-based).
NO_ADDRESS = [("module", 1), ("aws_instance.a[", 16), ("a b", 3), ("aws_instance.q.b.c", 17), ("*", 1)]


@pytest.mark.parametrize(("selector", "column"), NO_ADDRESS, ids=[repr(case[0]) for case in NO_ADDRESS])
def test_no_address(selector: str, column: int, statetool: Statetool) -> None:
    result = statetool("list", selector)
    assert (result.status, result.out) == (2, b"")
    assert result.err.startswith(f"statetool: invalid address '{selector}': ")
    assert f"(column {column})" in " ".join(result.err.split())


def test_deposed_objects_are_no_lines_of_their_own(statetool: Statetool, folder: Path) -> None:
    objects = [{"deposed": "00000001"}, {}, {"deposed": "00000002"}]
    only_deposed = resource("aws_vpc", "gone", {"deposed": "00000001"})
    (folder / "terraform.tfstate").write_bytes(state(resource("aws_vpc", "a", *objects), only_deposed))
    assert statetool("list").text.splitlines() == ["aws_vpc.a", "aws_vpc.gone"]
