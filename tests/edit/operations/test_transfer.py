"""Instances that move to another state: what goes along, which dependencies cross, and back again."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from statefmt.analysis.diff import diff
from statefmt.edit.operations.transfer import Transferral, transfer
from statefmt.formats.reading import read
from statefmt.formats.writing import canonical
from statefmt.formats.writing.write import write
from statefmt.model.addrs import AbsResourceInstance
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import Snapshot, instances
from tests.analysis.diff.realistic import realistic
from tests.edit.operations.build import snapshot_of, snapshot_with


def moves(pairs: Mapping[str, str]) -> dict[AbsResourceInstance, AbsResourceInstance]:
    return {parse_abs_resource_instance(one): parse_abs_resource_instance(other) for one, other in pairs.items()}


def addresses(snapshot: Snapshot) -> list[str]:
    return [str(instance.addr) for instance in instances(snapshot)]


def dependencies(snapshot: Snapshot, address: str) -> list[str]:
    [found] = [instance for instance in instances(snapshot) if str(instance.addr) == address]
    return [str(addr) for obj in found.objects for addr in obj.dependencies]


def crossing(found: Transferral) -> list[tuple[str, str, bool]]:
    return [(str(one.dependant), str(one.needs), one.is_leaving) for one in found.crossing]


def test_both_states_afterwards() -> None:
    source, target = snapshot_of("t.a[0]", "t.a[1]", "t.b"), snapshot_of("t.c", "t.d[0]")
    found = transfer(source, target, moves({"t.a[1]": "t.d[1]", "t.b": "module.m.t.b"}))
    assert addresses(found.source.snapshot) == ["t.a[0]"]
    assert addresses(found.target.snapshot) == ["t.c", "t.d[0]", "t.d[1]", "module.m.t.b"]
    assert found.crossing == ()


def test_the_same_address_in_both_states_is_no_move_in_place() -> None:
    found = transfer(snapshot_of("t.a"), snapshot_of("t.b"), moves({"t.a": "t.a"}))
    assert addresses(found.source.snapshot) == []
    assert addresses(found.target.snapshot) == ["t.a", "t.b"]


def test_dependencies_follow_or_are_dropped() -> None:
    source = snapshot_of("t.a", "t.b", "t.c", z=("t.a", "t.b"))
    there = transfer(source, snapshot_of(), moves({"t.a": "module.m.t.a", "t.z": "t.z"}))
    assert dependencies(there.target.snapshot, "t.z") == ["module.m.t.a"]
    assert crossing(there) == [("t.z", "t.b", False)]
    left = transfer(source, snapshot_of(), moves({"t.a": "t.x"}))
    assert dependencies(left.source.snapshot, "t.z") == ["t.b"]
    assert crossing(left) == [("t.z", "t.a", True)]


def test_a_dependency_on_a_resource_that_stays_in_part_stays() -> None:
    source = snapshot_of("t.a[0]", "t.a[1]", z=("t.a",))
    found = transfer(source, snapshot_of(), moves({"t.a[0]": "t.a[0]"}))
    assert (dependencies(found.source.snapshot, "t.z"), crossing(found)) == (["t.a"], [])


def test_what_the_target_had_of_its_own_is_not_followed() -> None:
    """A dependency in the target has the address of a moved resource, but means one of the target."""
    found = transfer(snapshot_of("t.a"), snapshot_of("t.a", z=("t.a",)), moves({"t.a": "t.b"}))
    assert dependencies(found.target.snapshot, "t.z") == ["t.a"]


def test_a_provider_configuration_that_the_target_lacks() -> None:
    source = snapshot_of("t.a", "t.b", providers={"t.a": ".west"})
    found = transfer(source, snapshot_of("t.c"), moves({"t.a": "t.a", "t.b": "t.b"}))
    assert [str(config) for config in found.new_providers] == ['provider["registry.opentofu.org/acme/t"].west']


def test_everything_of_an_object_goes_along() -> None:
    obj = {
        "index_key": "a",
        "status": "tainted",
        "schema_version": 3,
        "attributes": {"id": "1", "size": 1.0},
        "sensitive_attributes": [[{"type": "get_attr", "value": "id"}]],
        "private": "c2VjcmV0",
        "identity_schema_version": 1,
        "identity": {"arn": "x"},
        "create_before_destroy": True,
    }
    head = {"mode": "managed", "type": "t", "name": "a", "provider": 'provider["registry.opentofu.org/acme/t"]'}
    source = snapshot_with([head | {"instances": [obj, obj | {"deposed": "00aa11bb"}]}])
    found = transfer(source, snapshot_of("t.b"), moves({'t.a["a"]': 't.a["a"]'}))
    [was], [_, moved] = source.resources, found.target.snapshot.resources
    assert [replace(one, origin=None) for one in was.objects] == list(moved.objects)
    assert read(write(found.target.snapshot)).snapshot.resources[0].objects[1].deposed == "00aa11bb"


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        ({"t.a": "t.b"}, "t.a cannot become t.b: the other state has this instance already"),
        ({"t.a": "u.a"}, "the resource types differ"),
        ({"t.a": "data.t.a"}, "cannot change its mode"),
        ({"t.a": "t.x", "t.c": "t.x"}, "t.a would move there, too"),
        ({"t.w": "t.b[0]"}, "its resource is bound to"),
    ],
)
def test_refused(pairs: dict[str, str], reason: str) -> None:
    source = snapshot_of("t.a", "t.c", "t.w", providers={"t.w": ".west"})
    with pytest.raises(SurgeryError, match=reason):
        transfer(source, snapshot_of("t.b"), moves(pairs))


@given(st.integers(0, 10_000), st.sets(st.integers(0, 13)))
def test_there_and_back(seed: int, chosen: set[int]) -> None:
    """Whole resources go to another state and back: all is as before, but for dependencies that crossed."""
    before, other = realistic(seed), replace(realistic(seed + 1), resources=())
    resources = {before.resources[number % len(before.resources)].addr for number in chosen}
    addrs = [one.addr for one in instances(before) if one.resource.addr in resources]
    there = transfer(before, other, {addr: addr for addr in addrs})
    assert {*addresses(there.source.snapshot)} | {*addresses(there.target.snapshot)} == {*addresses(before)}
    read(write(there.source.snapshot))
    read(write(there.target.snapshot))
    back = transfer(there.target.snapshot, there.source.snapshot, {addr: addr for addr in addrs})
    assert back.source.snapshot.resources == ()
    changes = diff(before, back.target.snapshot)
    assert {str(one.dependant) for one in there.crossing} >= {str(one.addr) for one in changes.instances}
    if not there.crossing:
        assert canonical(back.target.snapshot) == canonical(before)
