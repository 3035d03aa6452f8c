"""`rm` and `forget-deposed`: what is gone, what goes with it, and what is told of those that depended on it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from statefmt.edit.changes import Edit
from statefmt.edit.operations.instances import forget_deposed, rm
from statefmt.formats.writing.write import write
from statefmt.model.addrs import AbsResource
from statefmt.model.addrs.parsing import parse_abs_resource, parse_abs_resource_instance
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import Snapshot, instances
from tests.edit.operations.build import snapshot_of, snapshot_with


def removed(snapshot: Snapshot, *gone: str, empty: tuple[AbsResource, ...] = (), keep_dangling: bool = False) -> Edit:
    return rm(snapshot, [parse_abs_resource_instance(text) for text in gone], empty, keep_dangling=keep_dangling)


def left(edit: Edit) -> list[str]:
    return [str(instance.addr) for instance in instances(edit.snapshot)]


# Instances, dependencies of `t.z`, what goes; what is left, and the dependencies then.
CASES = {
    "an instance": (["t.a[0]", "t.a[1]"], ["t.a"], ["t.a[0]"], ["t.a[1]", "t.z"], ["t.a"]),
    "the last instance": (["t.a[0]"], ["t.a", "t.b"], ["t.a[0]"], ["t.z"], ["t.b"]),
    "all instances": (["t.a[0]", "t.a[1]"], ["t.a"], ["t.a[0]", "t.a[1]"], ["t.z"], []),
    "one of two instances of a module": (
        ["module.m[0].t.a", "module.m[1].t.a"], ["module.m.t.a"], ["module.m[0].t.a"],
        ["t.z", "module.m[1].t.a"], ["module.m.t.a"],
    ),
    "a data source of the same name": (["t.a", "data.t.a"], ["t.a", "data.t.a"], ["data.t.a"], ["t.a", "t.z"], ["t.a"]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_removed(case: str) -> None:
    before, dependencies, gone, after, kept = CASES[case]
    edit = removed(snapshot_of(*before, z=dependencies), *gone)
    assert left(edit) == after
    document = json.loads(write(edit.snapshot, canonical=False))
    z = next(one for one in document["resources"] if one["name"] == "z")["instances"][0]
    assert z.get("dependencies", []) == kept
    told = "these instances no longer depend on removed resources:\n  t.z"
    assert edit.notes == ((told,) if kept != dependencies else ())


def test_dependencies_are_kept_on_request() -> None:
    before = snapshot_of("t.a", z=["t.a"])
    edit = removed(before, "t.a", keep_dangling=True)
    assert edit.notes == ("these instances still depend on removed resources:\n  t.z",)
    assert edit.snapshot.resources == before.resources[1:]


def test_a_resource_without_instances() -> None:
    empty = {"mode": "managed", "type": "t", "name": "e", "provider": "provider.t", "instances": []}
    before = snapshot_with([empty, {**empty, "name": "f"}])
    edit = removed(before, empty=(parse_abs_resource("t.e"),))
    assert [str(resource.addr) for resource in edit.snapshot.resources] == ["t.f"]


def with_deposed(*objects: tuple[int, str]) -> Snapshot:
    """`t.a` with objects by index and deposed key, "" for the current one; `t.z` depends on it."""
    parts = [
        {"index_key": key, "schema_version": 0, "attributes": {"id": "x"}} | ({"deposed": deposed} if deposed else {})
        for key, deposed in objects
    ]
    head = {"mode": "managed", "type": "t", "provider": 'provider["registry.opentofu.org/acme/t"]'}
    z = {"schema_version": 0, "attributes": {}, "dependencies": ["t.a"]}
    return snapshot_with([{**head, "name": "a", "instances": parts}, {**head, "name": "z", "instances": [z]}])


ONE, TWO = "00000001", "00000002"
# Objects, the deposed key if one was given, objects afterwards.
FORGOTTEN = {
    "all": ([(0, ""), (0, ONE), (0, TWO), (1, ONE)], None, [(0, "")]),
    "one of each": ([(0, ""), (0, ONE), (0, TWO), (1, ""), (1, ONE)], ONE, [(0, ""), (0, TWO), (1, "")]),
    "the last object of an instance": ([(0, ""), (1, ONE)], None, [(0, "")]),
    "the last object of the resource": ([(0, ONE)], None, []),
}


@pytest.mark.parametrize("case", FORGOTTEN)
def test_deposed(case: str) -> None:
    before, key, after = FORGOTTEN[case]
    snapshot = with_deposed(*before)
    chosen = [instance for instance in instances(snapshot) if instance.resource.addr.resource.name == "a"]
    edit = forget_deposed(snapshot, chosen, key)
    kept = [resource for resource in edit.snapshot.resources if resource.addr.resource.name == "a"]
    assert [(int(str(obj.key)[1:-1]), obj.deposed) for one in kept for obj in one.objects] == after
    assert bool(edit.notes) is not bool(after)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (None, r"no selected instance has a deposed object:\n  t\.a\[0\]$"),
        (TWO, r"no selected instance has the deposed object '00000002'; there are:\n  none$"),
    ],
)
def test_nothing_deposed(key: str | None, message: str) -> None:
    snapshot = with_deposed((0, ""))
    with pytest.raises(SurgeryError, match=message):
        forget_deposed(snapshot, instances(snapshot)[:1], key)


class _Listed(list[Any]):
    """A list in which nothing is searched for, since that takes longer the longer it is."""

    def __contains__(self, _: object) -> bool:
        raise AssertionError("a search in a list")


def test_nothing_is_searched_for_in_lists() -> None:
    before = snapshot_of(*(f"t.r{n}[{key}]" for n in range(3) for key in range(2)))
    empty = replace(before, resources=tuple(replace(one, objects=()) for one in before.resources[:2]))
    gone = _Listed(parse_abs_resource_instance(f"t.r{n}[0]") for n in range(3))
    assert left(rm(before, gone)) == ["t.r0[1]", "t.r1[1]", "t.r2[1]"]
    assert rm(empty, _Listed(), _Listed(one.addr for one in empty.resources)).snapshot.resources == ()
