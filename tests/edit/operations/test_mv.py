"""`mv`: what moves, what points at it, what is refused; and back again to the same bytes."""

from __future__ import annotations

from random import Random

import pytest

from statefmt.analysis.diff import diff
from statefmt.analysis.selection import Criteria, select
from statefmt.edit.changes import Edit
from statefmt.edit.operations.mv import destinations, mv
from statefmt.formats.reading import read
from statefmt.formats.writing import canonical
from statefmt.formats.writing.write import write
from statefmt.model.errors import InvalidAddressError, SurgeryError
from statefmt.model.snapshot import ResourceState, Snapshot, instances
from tests.analysis.diff.realistic import realistic
from tests.edit.operations.bindings import bound
from tests.edit.operations.build import snapshot_of
from tests.tables import each_row


def moved(snapshot: Snapshot, source: str, target: str, *, rebind: bool = False) -> Edit:
    """What `mv SOURCE DESTINATION` makes of a snapshot."""
    found = [instance.addr for instance in select(instances(snapshot), Criteria(selectors=(source,)))]
    return mv(snapshot, destinations(found, source, target), rebind=rebind)


def addresses(snapshot: Snapshot) -> list[str]:
    return [str(instance.addr) for instance in instances(snapshot)]


# Instances, source, destination, instances afterwards.
MOVES = {
    "a resource": (["t.a[0]", "t.a[1]"], "t.a", "t.b", ["t.b[0]", "t.b[1]"]),
    "an instance": (["t.a[0]", "t.a[1]"], "t.a[0]", 't.b["x"]', ["t.a[1]", 't.b["x"]']),
    "an instance that gets a key": (["t.a"], "t.a", "t.a[0]", ["t.a[0]"]),
    "an instance that loses its key": (["t.a[0]"], "t.a[0]", "t.a", ["t.a"]),
    "into a module": (["t.a"], "t.a", 'module.m["x"].t.a', ['module.m["x"].t.a']),
    "a module": (
        ["module.a.t.x", "module.a.module.b.t.y"], "module.a", "module.c",
        ["module.c.t.x", "module.c.module.b.t.y"],
    ),
    "a module with keys": (
        ['module.a["x"].t.i', 'module.a["y"].t.i'], "module.a", "module.b",
        ['module.b["x"].t.i', 'module.b["y"].t.i'],
    ),
    "one instance of a module": (
        ['module.a["x"].t.i', "module.a[0].t.i"], "module.a[0]", "module.b",
        ['module.a["x"].t.i', "module.b.t.i"],
    ),
    "into a deeper module": (["module.a.t.x"], "module.a", "module.b.module.a", ["module.b.module.a.t.x"]),
    "a module to the root module": (
        ["module.a.t.x", "module.a.module.b.t.y", 'module.a["k"].t.z', "t.r"], "module.a", "root",
        ["t.r", "t.x", "t.z", "module.b.t.y"],
    ),
    "the same, without a name": (["module.a.t.x[0]"], "module.a", "", ["t.x[0]"]),
    "a deeper module to the root module": (["module.a.module.b.t.x"], "module.a.module.b", "root", ["t.x"]),
    "instances of a module to the root module": (
        ["module.a[0].t.x", "module.a[1].t.y"], "module.a[*]", "root", ["t.x", "t.y"],
    ),
    "a pattern": (['t.a["eu-1"]', 't.a["us-1"]'], 't.a["eu-*"]', 't.a["de-$1"]', ['t.a["de-1"]', 't.a["us-1"]']),
    "a pattern of names": (["t.old_a", "t.old_b[0]"], "t.old_*", "t.$1", ["t.a", "t.b[0]"]),
    "a key with a dollar sign": (["t.a[0]"], "t.a[0]", 't.b["$1"]', ['t.b["$1"]']),
    "a key like a template": (["t.a[0]"], "t.a[0]", 't.b["$${1}"]', ['t.b["$${1}"]']),
    "a key with an asterisk": (['t.a["*"]', 't.a["x"]'], 't.a["*"]', 't.b["$1"]', ['t.a["x"]', 't.b["$1"]']),
    "dollar signs after a pattern": (['t.a["x"]'], 't.a["?"]', 't.b["$$1 $$$1 $${1}"]', ['t.b["$1 $x $${1}"]']),
    "a key in another normal form": (['t.a["e\u0301"]'], 't.a["e\u0301"]', 't.b["e\u0301"]', ['t.b["e\u0301"]']),
    "such a key by its normal form": (['t.a["e\u0301"]'], 't.a["\u00e9"]', "t.b", ["t.b"]),
    "such a key normalised": (['t.a["e\u0301"]'], 't.a["e\u0301"]', 't.a["\u00e9"]', ['t.a["\u00e9"]']),
    "such a key fitted by a pattern": (['t.a["e\u0301"]'], "t.a[*]", "t.b[$1]", ['t.b["e\u0301"]']),
    "a new key in another form": (["t.a"], "t.a", 't.a["e\u0301"]', ['t.a["\u00e9"]']),
    "a pattern of keys": (['module.o["k"].t.a'], "module.o[*].t.*", "module.n[$1].t.$2", ['module.n["k"].t.a']),
    "a pattern of modules": (
        ['module.m["x"].t.a', 'module.m["x"].module.i[0].t.b', "module.m[0].t.a", "module.m.t.a"],
        "module.m[*]", "module.n[$1]",
        ["module.m.t.a", "module.n[0].t.a", 'module.n["x"].t.a', 'module.n["x"].module.i[0].t.b'],
    ),
    "a pattern of module names": (
        ['module.app["x"].t.a', "module.net.t.a", "t.a"], "module.*", "module.old_$1",
        ["t.a", 'module.old_app["x"].t.a', "module.old_net.t.a"],
    ),
    "keys that change places": (
        ['module.a["x"].module.b["y"].t.a', 'module.a["x"].t.a'],
        "module.a[*].module.b[*]", "module.c[$2].module.d[$1]",
        ['module.a["x"].t.a', 'module.c["y"].module.d["x"].t.a'],
    ),
    "a part of a module's key": (
        ['module.m["eu-1"].t.a'], 'module.m["eu-*"]', 'module.m["de-$1"]', ['module.m["de-1"].t.a']
    ),
    "one module by a pattern": (['module.m["x"].t.a'], "module.m[*]", "module.n", ["module.n.t.a"]),
    "modules by a pattern keep their keys": (['module.m1["x"].t.a'], "module.m?", "module.n", ['module.n["x"].t.a']),
    "a module with an asterisk for a key": (
        ['module.m["*"].t.a', 'module.m["x"].t.a'], 'module.m["*"]', 'module.n["$1"]',
        ['module.m["x"].t.a', 'module.n["$1"].t.a'],
    ),
    "everything in a module": (
        ["module.a.t.x", "module.a.t.y[0]"], "module.a.**", "module.b.$1", ["module.b.t.x", "module.b.t.y[0]"]
    ),
}  # fmt: skip


@each_row("case", MOVES)
def test_moves(case: str) -> None:
    before, source, target, after = MOVES[case]
    assert addresses(moved(snapshot_of(*before), source, target).snapshot) == after


def test_two_that_change_places() -> None:
    before = snapshot_of("t.a", "t.b")
    one, other = (instance.addr for instance in instances(before))
    after = mv(before, {one: other, other: one}).snapshot
    ids = {str(i.addr): bytes(i.objects[0].attributes or b"") for i in instances(after)}
    assert ids == {"t.b": b'{"id":"t.a"}', "t.a": b'{"id":"t.b"}'}


# Instances with what they depend on, source, destination, dependencies of t.z afterwards.
DEPENDENCIES = {
    "a resource": (["t.a", "t.m", "t.b"], "t.m", "t.n", ["t.a", "t.n", "t.b"]),
    "into a module": (["t.m"], "t.m", 'module.x["k"].t.m', ["module.x.t.m"]),
    "some of its instances": (["t.m", "t.b"], "t.m[0]", "t.n", ["t.m", "t.n", "t.b"]),
    "to one that is there already": (["t.n", "t.m"], "t.m", "t.n[7]", ["t.n"]),
    "others only": (["t.a"], "t.m", "t.n", ["t.a"]),
}


@pytest.mark.parametrize("case", DEPENDENCIES)
def test_dependencies_follow(case: str) -> None:
    depends_on, source, target, after = DEPENDENCIES[case]
    several = case.startswith("some")
    state = snapshot_of("t.m[0]" if several else "t.m", *(["t.m[1]"] if several else []), "t.n[1]", z=depends_on)
    found = next(i for i in instances(moved(state, source, target).snapshot) if str(i.addr) == "t.z")
    assert [str(addr) for addr in found.objects[0].dependencies] == after


def test_dependencies_of_two_that_change_places() -> None:
    """What points at one of them points at where it went, and not at the other one that is in its place."""
    state = snapshot_of("t.m[0]", "t.n", z=["t.m", "t.a"])
    one, other, _ = (instance.addr for instance in instances(state))
    after = mv(state, {one: other, other: one}).snapshot
    found = next(i for i in instances(after) if str(i.addr) == "t.z")
    assert [str(addr) for addr in found.objects[0].dependencies] == ["t.n", "t.a"]


# Instances, source, destination, what the refusal says.
REFUSED = {
    "another type": (["t.a"], "t.a", "u.a", "t.a cannot become u.a: the resource types differ"),
    "another mode": (["t.a"], "t.a", "data.t.a", "t.a cannot become data.t.a: a managed resource cannot"),
    "taken": (["t.a", "t.b"], "t.a", "t.b", "t.a cannot become t.b: the instance already exists"),
    "two into one": (["t.a[0]", "t.a[1]"], "t.a", "t.b[0]", "t.a matches 2 instances, but t.b[0] is only one"),
    "modules by a pattern into one": (
        ["module.m[0].t.a", "module.m[1].t.b"], "module.m[*]", "module.n",
        "module.m[1] cannot become module.n: module.m[0] would move there, too; use $1, $2… in the destination",
    ),
    "modules with other resources into one": (
        ["module.m[0].t.a", "module.m[1].t.b"], "module.m", "module.n[0]", "module.m[0] would move there"
    ),
    "a pattern of modules into a resource": (
        ["module.m[0].t.a"], "module.m[*]", "t.b", "module.m[*] is a module, but t.b is not"
    ),
    "a module in another that is matched, too": (
        ["module.m[0].module.m[1].t.a"], "**.module.m[*]", "module.n[$2]",
        "matches both module.m[0] and module.m[0].module.m[1]",
    ),
    "wildcards in the destination": (["module.m[0].t.a"], "module.m[*]", "module.n[*]", "use $1, $2… for what those"),
    "a module key without quotes": (["module.m[0].t.a"], "module.m", "module.n[eu]", "the shell removed the"),
    "a key in the middle that is not determined": (
        ["module.a[0].module.b.t.a"], "module.a.module.*", "module.$1", "not determine its wildcards in module.a[0]"
    ),
    "two modules into one": (["module.a[0].t.i", "module.a[1].t.i"], "module.a", "module.b[0]", "would move there"),
    "a resource to the root module": (
        ["module.a.t.i"], "module.a.t.i", "root",
        "the destination is the root module, but module.a.t.i is not a module; give a full address: t.i",
    ),
    "a folder": (["module.a.t.i"], "module.a", ".", "'.' is not an address; the root module is root"),
    "a module whose resources are there already": (
        ["module.a.t.i", "module.a.t.j", "t.i", "t.j"], "module.a", "root",
        ("2 destinations are taken:\n  module.a.t.i cannot become t.i: the instance already exists\n"
        "  module.a.t.j cannot become t.j: the instance already exists"),
    ),
    "two modules with one resource": (
        ["module.a[0].t.i", "module.a[1].t.i"], "module.a", "root",
        "module.a[1].t.i cannot become t.i: module.a[0].t.i would move there, too",
    ),
    "a module into a resource": (["module.a.t.i"], "module.a", "t.i", "module.a is a module, but t.i is"),
    "a resource into a module": (["t.a"], "t.a", "module.m", "give a full address: module.m.t.a"),
    "no address": (["t.a"], "t.a", "t..b", "invalid address 't..b': "),
    "no such wildcard": (["t.a"], "t.*", "t.$2", "$2 in t.$2: the source has 1 wildcard; write $$ for a dollar sign"),
}  # fmt: skip


@each_row("case", REFUSED)
def test_refused(case: str) -> None:
    before, source, target, message = REFUSED[case]
    with pytest.raises((SurgeryError, InvalidAddressError)) as caught:
        moved(snapshot_of(*before), source, target)
    assert message in str(caught.value)


def test_another_provider_configuration() -> None:
    state = snapshot_of("t.a", "t.b[0]", providers={"t.b[0]": ".west"})
    with pytest.raises(SurgeryError, match=r"rebind=True binds the instance to the former"):
        moved(state, "t.a", "t.b[1]")
    after = moved(state, "t.a", "t.b[1]", rebind=True).snapshot
    assert {str(resource.provider_config).rpartition("]")[2] for resource in after.resources} == {".west"}


@pytest.mark.parametrize("seed", range(100))
def test_there_and_back_again(seed: int) -> None:
    """The same bytes, in whatever style the file has; and only what had to changed on the way."""
    random = Random(seed)
    text = canonical(realistic(seed))
    state = read(text).snapshot
    resource: ResourceState = random.choice([r for r in state.resources if r.objects])
    addr = resource.addr.instance(random.choice(resource.objects).key)
    source, target = random.choice(
        [(str(resource.addr), f"module.new[0].{resource.addr.resource}_x"), (str(addr), f'{resource.addr}["new key"]')]
    )
    if source == str(addr) == str(resource.addr) and len(resource.objects) > 1:
        pytest.skip("the address is that of the resource, and of one instance among several")
    there = moved(state, source, target).snapshot
    changes = diff(state, there)
    assert [change.is_moved for change in changes.instances] == [True] * len(changes.instances)
    back = moved(read(write(there, canonical=False)).snapshot, target, source).snapshot
    assert write(back, canonical=False) == text


@pytest.mark.parametrize(
    ("home", "advice"),
    [
        ("t.b[0] @ acme/t.w", "rebind=True binds the instance to the former; config= shows whether that is right"),
        ('t.b[0] @ acme/t.w["k"]', "rebind(), first, or move with rebind=True and config="),
    ],
)
def test_the_way_out_of_another_provider_configuration(home: str, advice: str) -> None:
    """Where the resource has provider keys, its first one may be another region: no option chooses one."""
    with pytest.raises(SurgeryError) as caught:
        moved(bound(home, "t.a @ acme/t"), "t.a", "t.b[1]")
    assert str(caught.value).endswith(advice)
