"""Everything in a state goes to another one."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from statefmt.edit.operations.transfer import Transferral, join
from statefmt.model.addrs.parsing import parse_module_instance
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import OutputValue, Snapshot, instances
from tests.edit.operations.build import snapshot_of


def addresses(snapshot: Snapshot) -> list[str]:
    return [str(one.addr) for one in instances(snapshot)]


def dependencies(snapshot: Snapshot) -> list[str]:
    return [str(one) for resource in snapshot.resources for obj in resource.objects for one in obj.dependencies]


def output(name: str, value: bytes = b'"x"') -> OutputValue:
    return OutputValue(name=name, value=value, type=b'"string"')


def with_outputs(*found: OutputValue) -> Snapshot:
    return replace(snapshot_of("t.a"), outputs=found)


def names(made: Transferral) -> dict[str, bytes]:
    assert made.source.snapshot.outputs == ()
    return {one.name: one.value for one in made.target.snapshot.outputs}


def test_everything_goes() -> None:
    made = join(snapshot_of("t.a[0]", "module.m.t.b"), snapshot_of("t.a[1]"))
    assert addresses(made.target.snapshot) == ["t.a[0]", "t.a[1]", "module.m.t.b"]
    assert made.source.snapshot.resources == ()
    assert {str(one): str(other) for one, other in made.moved.items()} == {
        "t.a[0]": "t.a[0]",
        "module.m.t.b": "module.m.t.b",
    }


def test_dependencies_on_the_other_state_stay() -> None:
    made = join(snapshot_of("t.a", z=["t.a", "t.other", "t.gone"]), snapshot_of("t.other"))
    assert dependencies(made.target.snapshot) == ["t.a", "t.other", "t.gone"]


def test_dependencies_that_both_states_have_stay_once() -> None:
    source, target = snapshot_of("t.a", "t.x", z=["t.a", "t.x"]), snapshot_of("t.a", z=["t.a", "t.y"])
    assert dependencies(join(source, target).target.snapshot) == ["t.a", "t.y", "t.x"]
    assert dependencies(join(target, source).target.snapshot) == ["t.a", "t.x", "t.y"]


def test_below_a_module() -> None:
    source = snapshot_of("t.a", "module.m.t.b", z=["t.a", "module.m.t.b", "t.other"], providers={"t.a": ".west"})
    made = join(source, snapshot_of("t.a", "t.other"), prefix=parse_module_instance('module.p["k"]'))
    assert addresses(made.target.snapshot) == [
        "t.a",
        "t.other",
        'module.p["k"].t.a',
        'module.p["k"].t.z',
        'module.p["k"].module.m.t.b',
    ]
    assert dependencies(made.target.snapshot) == ["module.p.t.a", "module.p.module.m.t.b", "t.other"]
    assert [str(one) for one in made.new_providers] == ['provider["registry.opentofu.org/acme/t"].west']


def test_outputs_of_a_module_are_in_no_state() -> None:
    made = join(with_outputs(output("a")), with_outputs(output("b")), prefix=parse_module_instance("module.p"))
    assert [one.name for one in made.source.snapshot.outputs] == ["a"]
    assert [one.name for one in made.target.snapshot.outputs] == ["b"]


def test_an_object_of_both_states_stays_once() -> None:
    target = snapshot_of("t.z")
    one = target.resources[0].objects[0]
    target = replace(target, resources=(replace(target.resources[0], objects=(replace(one, private="AA=="),)),))
    source = snapshot_of("t.a", z=["t.a"])
    made = join(source, target)
    assert addresses(made.target.snapshot) == ["t.a", "t.z"]
    assert dependencies(made.target.snapshot) == ["t.a"]
    assert made.target.snapshot.resources[0].objects[0].private == "AA=="
    assert [str(one) for one in made.moved] == ["t.a"]


@pytest.mark.parametrize("different", ["id", "provider"])
def test_different_objects_are_refused(different: str) -> None:
    source, target = snapshot_of("t.a"), snapshot_of("t.a")
    if different == "provider":
        target = snapshot_of("t.a", providers={"t.a": ".west"})
    else:
        other = replace(snapshot_of("t.b").resources[0], addr=target.resources[0].addr)
        target = replace(target, resources=(other,))
    with pytest.raises(SurgeryError, match=r"different objects at these addresses.*\n  t\.a$"):
        join(source, target)
    made = join(source, target, prefix=parse_module_instance("module.p"))
    assert addresses(made.target.snapshot) == ["t.a", "module.p.t.a"]


def test_outputs() -> None:
    source = replace(Snapshot(), outputs=(output("a"), output("same")))
    assert names(join(source, with_outputs(output("same"), output("b")))) == {"same": b'"x"', "b": b'"x"', "a": b'"x"'}


def test_different_outputs_need_a_choice() -> None:
    source, target = replace(Snapshot(), outputs=(output("a", b'"new"'),)), with_outputs(output("a"), output("b"))
    with pytest.raises(SurgeryError, match=r"different values of these outputs.*\n  a$"):
        join(source, target)
    assert names(join(source, target, takes_output=lambda _: True)) == {"a": b'"new"', "b": b'"x"'}
    assert names(join(source, target, takes_output=lambda _: False)) == {"a": b'"x"', "b": b'"x"'}


def test_a_resource_without_instances_goes_along() -> None:
    source = snapshot_of("t.a")
    source = replace(source, resources=(replace(source.resources[0], objects=()),))
    made = join(source, Snapshot())
    assert [str(one.addr) for one in made.target.snapshot.resources] == ["t.a"]
    assert made.source.snapshot.resources == ()
