"""`rekey` of modules: everything in them moves along; what is refused."""

from __future__ import annotations

import pytest

from statefmt.edit.changes import Edit
from statefmt.edit.key_map import parse_key_map
from statefmt.edit.operations.rekey import rekey
from statefmt.formats.reading import read
from statefmt.formats.writing.write import write
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import Snapshot, instances
from tests.edit.operations.bindings import bound
from tests.edit.operations.build import snapshot_of, snapshot_with
from tests.tables import each_row


def rekeyed(snapshot: Snapshot, keys: str, *selectors: str) -> Edit:
    """What `rekey SELECTOR --map KEYS` makes of a snapshot."""
    return rekey(snapshot, selectors, keys=parse_key_map([keys]))


def after(snapshot: Snapshot) -> list[str]:
    return [str(instance.addr) for instance in instances(snapshot)]


_COUNT = ["module.app[0].t.a", "module.app[1].t.a"]

# Instances, selectors, keys, instances afterwards.
REKEYED: dict[str, tuple[list[str], list[str], str, list[str]]] = {
    "count to for_each": (_COUNT, ["module.app"], "0=eu,1=us", ['module.app["eu"].t.a', 'module.app["us"].t.a']),
    "for_each to count": (
        ['module.app["eu"].t.a', 'module.app["us"].t.a'], ["module.app"], "us=0,eu=1",
        ["module.app[0].t.a", "module.app[1].t.a"],
    ),
    "one of them": (_COUNT, ["module.app[1]"], "1=7", ["module.app[0].t.a", "module.app[7].t.a"]),
    "the only one": (["module.app.t.a", "module.app.t.b[0]"], ["module.app"], "=eu", [
        'module.app["eu"].t.a', 'module.app["eu"].t.b[0]']),
    "back to none": (["module.app[0].t.a"], ["module.app"], "0=", ["module.app.t.a"]),
    "a module in it goes along": (
        ["module.app[0].module.net.t.a", "module.app[0].module.net.module.x[1].t.b"], ["module.app"], "0=eu",
        ['module.app["eu"].module.net.t.a', 'module.app["eu"].module.net.module.x[1].t.b'],
    ),
    "a module without resources of its own": (
        ["module.app[0].module.net.t.a"], ["module.app[0]"], "0=eu", ['module.app["eu"].module.net.t.a']
    ),
    "a nested module": (
        ['module.a["x"].module.b[0].t.a', 'module.a["y"].module.b[0].t.a'], ['module.a["x"].module.b'], "0=k",
        ['module.a["x"].module.b["k"].t.a', 'module.a["y"].module.b[0].t.a'],
    ),
    "nested modules by a pattern": (
        ['module.a["x"].module.b[0].t.a', 'module.a["y"].module.b[0].t.a'], ["module.a[*].module.b"], "0=k",
        ['module.a["x"].module.b["k"].t.a', 'module.a["y"].module.b["k"].t.a'],
    ),
    "a module and one in it": (
        ["module.a[0].module.b[0].t.a"], ["module.a", "module.a[0].module.b"], "0=k",
        ['module.a["k"].module.b["k"].t.a'],
    ),
    "a module and a resource in it": (
        ["module.a[0].t.a[0]", "module.a[0].t.b[0]"], ["module.a", "module.a[0].t.a"], "0=k",
        ['module.a["k"].t.a["k"]', 'module.a["k"].t.b[0]'],
    ),
    "two that change places": (["module.m[0].t.a", "module.m[1].t.b"], ["module.m"], "0=1,1=0", [
        "module.m[0].t.b", "module.m[1].t.a"]),
    "another module of that name stays": (
        ["module.a.module.m[0].t.a", "module.m[0].t.a"], ["module.m"], "0=k",
        ['module.m["k"].t.a', "module.a.module.m[0].t.a"],
    ),
}  # fmt: skip


@each_row("case", REKEYED)
def test_rekeyed(case: str) -> None:
    before, selectors, keys, expected = REKEYED[case]
    edit = rekeyed(snapshot_of(*before), keys, *selectors)
    assert (after(edit.snapshot), edit.notes) == (expected, ())
    assert len(edit.moved) == len(set(before) - set(expected))


def test_the_way_back_gives_the_same_bytes() -> None:
    state = bound(
        'module.app[0].t.a @ acme/t.west["k"]',
        "module.app[0].t.b[0] @ acme/t",
        "module.app[0].t.b[0]+ @ acme/t",
        "module.app[1].t.b[0] @ module.app.acme/t.own",
        "t.z @ acme/t",
    )
    text = write(state, canonical=True)
    there = write(rekeyed(read(text).snapshot, "0=eu,1=us", "module.app").snapshot, canonical=False)
    assert b'"module": "module.app[\\"eu\\"]"' in there or b'"module":"module.app[\\"eu\\"]"' in there
    back = rekeyed(read(there).snapshot, "eu=0,us=1", "module.app").snapshot
    assert write(back, canonical=False) == text


def test_what_points_at_them() -> None:
    """Dependencies are on resources in configuration, which stay; `depends_on` of old states is on instances."""
    obj = {"schema_version": 0, "attributes": {}, "dependencies": ["module.m.t.a"], "depends_on": ["module.m[0].t.a"]}
    state = snapshot_with([_resource("module.m[0]", "a", [{"attributes": {}}]), _resource("", "z", [obj])])
    edit = rekeyed(state, "0=x", "module.m")
    (pointing,) = next(r for r in edit.snapshot.resources if r.addr.resource.name == "z").objects
    assert [str(addr) for addr in pointing.dependencies] == ["module.m.t.a"]
    assert [str(addr) for addr in pointing.depends_on] == ['module.m["x"].t.a']


def test_resources_without_instances_go_along() -> None:
    state = snapshot_with(
        [
            _resource("module.m[0]", "a", []),
            _resource("module.m[0]", "b", [{"attributes": {}}]),
            _resource("module.m[1]", "a", [{"attributes": {}}]),
        ]
    )
    edit = rekeyed(state, "0=1,1=0", "module.m")
    found = {str(resource.addr): len(resource.objects) for resource in edit.snapshot.resources}
    assert found == {"module.m[0].t.a": 1, "module.m[1].t.a": 0, "module.m[1].t.b": 1}


# Instances, selectors, keys, the message.
REFUSED = {
    "no such key": (_COUNT, ["module.app"], "eu=europe", (
        'module.app: no selected instance has the key ["eu"]; there are:\n  [0]\n  [1]')),
    "two to one": (_COUNT, ["module.app"], "0=a,1=a", 'module.app: [0] and [1] would both become ["a"]'),
    "taken, by other resources": (
        ["module.m[0].t.a", "module.m[1].t.b"], ["module.m"], "0=1",
        "module.m[0] cannot become module.m[1]: the module already exists",
    ),
    "taken by a module that only contains modules": (
        ["module.m[0].t.a", "module.m[1].module.x.t.b"], ["module.m"], "0=1", "the module already exists",
    ),
    "a key in only one of two modules": (
        ["module.a[0].module.b[0].t.a", "module.a[1].module.b[1].t.a"], ["module.a[*].module.b"], "0=x",
        "module.a[1].module.b: no selected instance has the key [0]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    before, selectors, keys, message = REFUSED[case]
    with pytest.raises(SurgeryError) as caught:
        rekeyed(snapshot_of(*before), keys, *selectors)
    assert message in str(caught.value)


def test_keys_of_several_kinds_are_noted() -> None:
    (note,) = rekeyed(snapshot_of(*_COUNT), "0=a", "module.app").notes
    assert note.endswith("these now have several kinds of keys:\n  module.app")


def _resource(module: str, name: str, objects: list[dict[str, object]]) -> dict[str, object]:
    provider = 'provider["registry.opentofu.org/acme/t"]'
    place = {"module": module} if module else {}
    return {**place, "mode": "managed", "type": "t", "name": name, "provider": provider, "instances": objects}
