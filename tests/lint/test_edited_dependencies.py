"""An edit that is not checked for dangling dependencies and cycles adds none; a usual one is not checked."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from statefmt.edit.added_findings import added
from statefmt.edit.changes import Edit
from statefmt.edit.operations.instances import rm
from statefmt.edit.operations.mv import mv
from statefmt.formats.reading import read
from statefmt.formats.writing.write import write
from statefmt.lint.check import check
from statefmt.lint.edited_part import edited_part, may_add_dependency_findings
from statefmt.model.addrs import AbsResourceInstance
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.model.snapshot import Snapshot, instances

PROVIDER = 'provider["registry.opentofu.org/hashicorp/aws"]'


def state(**dependencies: str) -> Snapshot:
    """Resources of these names and what they depend on; `m_a` is `a` in a module with the key "m"."""
    resources = [_resource(name, named.split()) for name, named in dependencies.items()]
    return read(json.dumps({"version": 4, "serial": 1, "resources": resources}).encode()).snapshot


def _resource(name: str, dependencies: list[str]) -> dict[str, Any]:
    module, _, own = name.rpartition("_")
    head = {"module": f'module.m["{module}"]'} if module else {}
    named = [f"module.m.aws_x.{one[2:]}" if one.startswith("m_") else f"aws_x.{one}" for one in dependencies]
    obj = {"schema_version": 0, "attributes": {"id": name}, "dependencies": named}
    return {**head, "mode": "managed", "type": "aws_x", "name": own, "provider": PROVIDER, "instances": [obj]}


def _may_add(before: Snapshot, edit: Edit) -> bool:
    return may_add_dependency_findings(before, edit.snapshot, edited_part(before, edit.snapshot), edit.moved)


def _addr(text: str) -> AbsResourceInstance:
    return parse_abs_resource_instance(text)


CHAIN = state(a="", b="a", c="b a", d="")
CYCLE = state(a="b", b="a", c="a", d="")


@pytest.mark.parametrize(
    ("before", "one", "other", "may_add"),
    [
        pytest.param(CHAIN, "a", "z", False, id="the end of a chain"),
        pytest.param(CHAIN, "b", "z", False, id="the middle of a chain"),
        pytest.param(CHAIN, "b", "", False, id="the middle of a chain removed"),
        pytest.param(CYCLE, "d", "z", False, id="no part of the cycle"),
        pytest.param(CYCLE, "c", "z", False, id="what depends on the cycle"),
        pytest.param(CYCLE, "a", "z", True, id="a part of the cycle"),
        pytest.param(CYCLE, "a", "", True, id="a part of the cycle removed"),
        pytest.param(state(a="gone", b=""), "a", "z", True, id="it dangled before"),
        pytest.param(state(a="gone", b=""), "b", "z", False, id="another one dangled before"),
        pytest.param(state(m_a="", n_a="", b="m_a"), 'module.m["n"].aws_x.a', "", False, id="one instance of a module"),
    ],
)
def test_moved_or_removed(before: Snapshot, one: str, other: str, may_add: bool) -> None:
    addr = _addr(one if "." in one else f"aws_x.{one}")
    edit = mv(before, {addr: _addr(f"aws_x.{other}")}) if other else rm(before, [addr])
    assert _may_add(before, edit) is may_add


def test_dependencies_that_are_kept_dangle() -> None:
    assert _may_add(CHAIN, rm(CHAIN, [_addr("aws_x.a")], keep_dangling=True))
    assert not _may_add(CHAIN, rm(CHAIN, [_addr("aws_x.d")], keep_dangling=True))


def test_cycle_of_resources_that_stay() -> None:
    left = rm(CHAIN, [_addr("aws_x.d")]).snapshot
    first = left.resources[0]
    obj = replace(first.objects[0], dependencies=(_addr("aws_x.c").config(),))
    assert _may_add(CHAIN, Edit(replace(left, resources=(replace(first, objects=(obj,)), *left.resources[1:]))))


def test_name_with_a_dot() -> None:
    """The rules compare addresses as text: this one looks like that of another resource."""
    odd = json.loads(write(CHAIN, canonical=False))
    odd["resources"].append(_resource("d", []) | {"type": "data", "name": "aws_x.d"})
    before = read(json.dumps(odd).encode()).snapshot
    assert _may_add(before, rm(before, [_addr("aws_x.d")]))


@pytest.mark.parametrize("seed", range(8))
def test_what_is_not_checked_adds_nothing(seed: int) -> None:
    random = Random(seed)
    told = {True: 0, False: 0}
    for _ in range(40):
        before = _random_state(random)
        edit = _random_edit(random, before)
        may_add = _may_add(before, edit)
        told[may_add] += 1
        if not may_add:
            assert _added(before, edit) == []
    assert all(told.values())


def _random_state(random: Random) -> Snapshot:
    names = [f"{module}{name}" for module in ("", "m_", "n_") for name in "abcd"]
    targets = [*"abcd", *(f"m_{name}" for name in "abcd"), *random.choices(["gone", "m_gone"], k=random.randrange(2))]
    chosen = random.sample(names, random.randint(3, len(names)))
    return state(**{name: " ".join(random.sample(targets, random.choice([0, 0, 1, 2]))) for name in sorted(chosen)})


def _random_edit(random: Random, before: Snapshot) -> Edit:
    addrs = [instance.addr for instance in instances(before)]
    chosen = random.sample(addrs, random.randint(1, 2))
    if random.random() < 0.5:
        return rm(before, chosen, keep_dangling=random.random() < 0.3)
    free = [_addr(f"{module}aws_x.{name}") for module in ("", "module.new.", 'module.m["new"].') for name in "az"]
    free = [addr for addr in free if addr not in addrs]
    return mv(before, dict(zip(chosen, random.sample(free, len(chosen)), strict=True)))


def _added(before: Snapshot, edit: Edit) -> list[str]:
    """What the edit adds, but for what only went from one instance of a resource to another one of it."""
    sides = ([resource.addr.config() for resource in side.resources] for side in (before, edit.snapshot))
    old_addrs, new_addrs = map(set, sides)
    if old_addrs == new_addrs and all(one.config() == other.config() for one, other in edit.moved.items()):
        return []
    old, new = (check(write(side, canonical=False), select=["DEP002", "DEP004"]) for side in (before, edit.snapshot))
    return [f"{found.code} {found.address}" for found in added(new, lambda: old, edit.moved)]
