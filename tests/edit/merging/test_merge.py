"""Three-way merges, one situation after the other: what is taken, what follows, and what is a conflict."""

from __future__ import annotations

import json
from typing import Any

import pytest

import statefmt
from statefmt import Snapshot, operations
from statefmt.merging import Conflict, ConflictKind, Merge, MergeConflictError, MergeSide, merge, merged
from tests.cli.states import AWS, LINEAGE, resource, state

WEST = 'provider["registry.opentofu.org/hashicorp/aws"].west'


def _read(*resources: dict[str, object], serial: int = 5, **members: object) -> Snapshot:
    return statefmt.read(state(*resources, serial=serial, **members)).snapshot


def _vpc(name: str, **attributes: object) -> dict[str, object]:
    return resource("aws_vpc", name, {"attributes": {"id": f"vpc-{name}", **attributes}})


def _each(name: str, *keys: str, provider: str = AWS) -> dict[str, object]:
    instances = [{"index_key": key, "attributes": {"id": f"{name}-{key}"}} for key in keys]
    return resource("aws_vpc", name, *instances, provider=provider)


def _document(found: Merge) -> dict[str, Any]:
    """What the written merge says of each instance, by its address: provider, attributes, dependencies."""
    assert found.conflicts == ()
    document = json.loads(statefmt.write(found.snapshot, canonical=False))
    return {
        f"{block['type']}.{block['name']}{key}": {"provider": block["provider"].rpartition("]")[2], **one}
        for block in document["resources"]
        for one in block["instances"]
        for key in [f"[{one['index_key']}]" if "index_key" in one else ""]
    }


def _conflicts(found: Merge) -> list[tuple[str, str, str]]:
    return [(one.address, one.path, one.kind.value) for one in found.conflicts]


BASE = _read(_vpc("a", tags={"x": "1", "y": "1"}, ports=[1, 2]), _vpc("b"))


def test_attributes_of_one_object_are_merged_by_member() -> None:
    ours = _read(_vpc("a", tags={"x": "2", "y": "1"}, ports=[1, 2]), _vpc("b"), serial=6)
    theirs = _read(_vpc("a", tags={"x": "1", "z": "1"}, ports=[1, 2, 3]), _vpc("b"), serial=6)
    found = merge(BASE, ours, theirs)
    attributes = _document(found)["aws_vpc.a"]["attributes"]
    assert attributes == {"id": "vpc-a", "tags": {"x": "2", "z": "1"}, "ports": [1, 2, 3]}
    assert (found.snapshot.serial, found.equals) == (7, None)


def test_numbers_keep_their_text() -> None:
    base, ours, theirs = (
        statefmt.read(state(_vpc("a"), serial=5).replace(b'"vpc-a"', b'"vpc-a", "n": %b, "m": %b' % pair)).snapshot
        for pair in ((b"1", b"1"), (b"1.0", b"1"), (b"1", b"1e3"))
    )
    assert b'"n": 1.0,\n' in statefmt.write(merge(base, ours, theirs).snapshot, canonical=False).replace(b",", b",\n")
    assert b"1e3" in statefmt.write(merge(base, ours, theirs).snapshot, canonical=False)


@pytest.mark.parametrize(
    ("ours", "theirs", "path", "kind"),
    [
        ({"tags": {"x": "2", "y": "1"}}, {"tags": {"x": "3", "y": "1"}}, "/attributes/tags/x", "value"),
        ({"ports": [2]}, {"ports": [3]}, "/attributes/ports", "value"),
        ({"tags": {"y": "1"}}, {"tags": {"x": "3", "y": "1"}}, "/attributes/tags/x", "deleted"),
        ({"new": 1}, {"new": 2}, "/attributes/new", "value"),
    ],
)
def test_two_new_values_are_a_conflict(
    ours: dict[str, object], theirs: dict[str, object], path: str, kind: str
) -> None:
    mine, other = (
        _read(_vpc("a", **{"tags": {"x": "1", "y": "1"}, "ports": [1, 2], **each}), _vpc("b"), serial=6)
        for each in (ours, theirs)
    )
    assert _conflicts(merge(BASE, mine, other)) == [("aws_vpc.a", path, kind)]


def test_what_one_side_moved_and_the_other_changed_is_moved_and_changed() -> None:
    base = _read(_vpc("a"), resource("aws_subnet", "s", {"attributes": {"id": "s"}, "dependencies": ["aws_vpc.a"]}))
    ours = operations.move(base, "aws_vpc.a", "aws_vpc.main").snapshot
    theirs = operations.taint(base, "aws_vpc.a").snapshot
    for found in (merge(base, ours, theirs), merge(base, theirs, ours)):
        document = _document(found)
        assert document["aws_vpc.main"]["status"] == "tainted"
        assert document["aws_subnet.s"]["dependencies"] == ["aws_vpc.main"]
        assert document.keys() == {"aws_vpc.main", "aws_subnet.s"}


def test_a_new_dependency_follows_a_move_of_the_other_side() -> None:
    ours = operations.move(BASE, "aws_vpc.a", "aws_vpc.main").snapshot
    subnet = resource("aws_subnet", "s", {"attributes": {"id": "s"}, "dependencies": ["aws_vpc.a"]})
    theirs = _read(_vpc("a", tags={"x": "1", "y": "1"}, ports=[1, 2]), _vpc("b"), subnet, serial=6)
    assert _document(merge(BASE, ours, theirs))["aws_subnet.s"]["dependencies"] == ["aws_vpc.main"]


def test_a_deleted_object_is_deleted_with_the_dependencies_on_it() -> None:
    subnet = resource("aws_subnet", "s", {"attributes": {"id": "s"}, "dependencies": ["aws_vpc.b"]})
    ours = operations.remove(BASE, "aws_vpc.b").snapshot
    theirs = _read(_vpc("a", tags={"x": "1", "y": "1"}, ports=[1, 2]), _vpc("b"), subnet, serial=6)
    document = _document(merge(BASE, ours, theirs))
    assert document.keys() == {"aws_vpc.a", "aws_subnet.s"}
    assert "dependencies" not in document["aws_subnet.s"]


@pytest.mark.parametrize("changed", ["taint", "move"])
def test_deleted_against_changed_is_a_conflict(changed: str) -> None:
    ours = operations.remove(BASE, "aws_vpc.b").snapshot
    edit = (
        operations.taint(BASE, "aws_vpc.b") if changed == "taint" else operations.move(BASE, "aws_vpc.b", "aws_vpc.c")
    )
    theirs = edit.snapshot
    assert _conflicts(merge(BASE, ours, theirs)) == [("aws_vpc.b", "", "deleted")]
    assert _document(merge(BASE, ours, theirs, lambda _: MergeSide.OURS)).keys() == {"aws_vpc.a"}
    kept = _document(merge(BASE, ours, theirs, lambda _: MergeSide.THEIRS))
    assert kept.keys() == {"aws_vpc.a", "aws_vpc.b" if changed == "taint" else "aws_vpc.c"}


def test_two_moves_of_one_instance_are_a_conflict() -> None:
    ours, theirs = (operations.move(BASE, "aws_vpc.a", new).snapshot for new in ("aws_vpc.x", "aws_vpc.y"))
    assert _conflicts(merge(BASE, ours, theirs)) == [("aws_vpc.a", "", "moved")]
    assert _document(merge(BASE, ours, theirs, lambda _: MergeSide.THEIRS)).keys() == {"aws_vpc.y", "aws_vpc.b"}


def test_swapped_addresses_are_no_conflict() -> None:
    ours = _read(resource("aws_vpc", "a", {"attributes": {"id": "vpc-b"}}), _vpc("c"), serial=6)
    base = _read(_vpc("a"), _vpc("b"), _vpc("c"))
    theirs = operations.taint(base, "aws_vpc.c").snapshot
    document = _document(merge(base, ours, theirs))
    assert {address: one["attributes"]["id"] for address, one in document.items()} == {
        "aws_vpc.a": "vpc-b",
        "aws_vpc.c": "vpc-c",
    }


def test_two_objects_at_one_new_address_are_a_conflict() -> None:
    ours, theirs = (
        _read(resource("aws_vpc", "new", {"attributes": {"id": id_}}), serial=6) for id_ in ("vpc-1", "vpc-2")
    )
    assert _conflicts(merge(_read(), ours, theirs)) == [("aws_vpc.new", "", "objects")]


def test_an_instance_that_moves_to_the_address_of_a_new_one_is_a_conflict() -> None:
    ours = operations.move(BASE, "aws_vpc.a", "aws_vpc.new").snapshot
    theirs = _read(_vpc("a", tags={"x": "1", "y": "1"}, ports=[1, 2]), _vpc("b"), _vpc("new"), serial=6)
    assert _conflicts(merge(BASE, ours, theirs)) == [("aws_vpc.new", "", "taken")]
    edit = merged(ours, BASE, theirs, lambda _: MergeSide.OURS)
    assert any("aws_vpc.new" in note and "no state manages" in note for note in edit.notes)


def test_a_resource_keeps_one_provider_configuration() -> None:
    base = _read(_each("v", "a"))
    ours = _read(_each("v", "a", provider=WEST), serial=6)
    theirs = _read(_each("v", "a", "b"), serial=6)
    assert _conflicts(merge(base, ours, theirs)) == [("aws_vpc.v", "/provider", "provider")]
    document = _document(merge(base, ours, theirs, lambda _: MergeSide.OURS))
    assert {address: one["provider"] for address, one in document.items()} == {
        "aws_vpc.v[a]": ".west",
        "aws_vpc.v[b]": ".west",
    }


def test_two_bindings_of_one_object_are_a_conflict() -> None:
    base, ours, theirs = (
        _read(_each("v", "a", provider=AWS.replace("]", f"].{alias}")), serial=serial)
        for alias, serial in (("old", 5), ("x", 6), ("y", 6))
    )
    assert _conflicts(merge(base, ours, theirs)) == [('aws_vpc.v["a"]', "/provider", "provider")]


def test_outputs_and_members_are_merged_by_name() -> None:
    def side(serial: int, **outputs: str) -> Snapshot:
        shown = {name: {"value": value, "type": "string"} for name, value in outputs.items()}
        return _read(serial=serial, outputs=shown)

    found = merge(side(5, a="1", b="1"), side(6, a="2", b="1"), side(6, a="1", c="3"))
    assert {output.name: output.value for output in found.snapshot.outputs} == {"a": b'"2"', "c": b'"3"'}
    assert _conflicts(merge(side(5, a="1"), side(6, a="2"), side(6, a="3"))) == [("output.a", "", "output")]


def test_unknown_members_of_one_side_stay() -> None:
    ours = _read(_vpc("a"), serial=6, future={"kept": 1.0})
    found = merge(_read(_vpc("a")), ours, _read(_vpc("a"), _vpc("b"), serial=6))
    assert json.loads(statefmt.write(found.snapshot, canonical=False))["future"] == {"kept": 1.0}


def test_values_of_two_schema_versions_are_not_mixed() -> None:
    def side(version: int, serial: int, **attributes: object) -> Snapshot:
        return _read(
            resource("aws_vpc", "a", {"schema_version": version, "attributes": {"id": "i", **attributes}}),
            serial=serial,
        )

    found = merge(side(0, 5, x=1, y=1), side(1, 6, x=2, y=1), side(0, 6, x=1, y=2))
    assert _conflicts(found) == [("aws_vpc.a", "/attributes", "value")]


@pytest.mark.parametrize("side", MergeSide)
def test_the_schema_version_goes_with_its_values(side: MergeSide) -> None:
    """Also where one side only has another version, as after a refresh."""

    def state_of(version: int, serial: int, x: int) -> Snapshot:
        return _read(
            resource("aws_vpc", "a", {"schema_version": version, "attributes": {"id": "i", "x": x}}), serial=serial
        )

    base, ours, theirs = state_of(0, 5, 1), state_of(1, 6, 1), state_of(0, 6, 2)
    assert _conflicts(merge(base, ours, theirs)) == [("aws_vpc.a", "/attributes", "value")]
    one = _document(merge(base, ours, theirs, lambda _: side))["aws_vpc.a"]
    wanted = (1, 1) if side is MergeSide.OURS else (0, 2)
    assert (one["schema_version"], one["attributes"]["x"]) == wanted


@pytest.mark.parametrize("deposed", [("00000001", None), ("00000001", "00000002")])
def test_an_object_that_one_side_deposed_is_not_merged(deposed: tuple[str | None, str | None]) -> None:
    def state_of(key: str | None, serial: int, provider: str = AWS) -> Snapshot:
        one: dict[str, object] = {"attributes": {"id": "i"}}
        if key is not None:
            one["deposed"] = key
        return _read(resource("aws_vpc", "a", one, provider=provider), serial=serial)

    ours, theirs = (state_of(key, 6, WEST if key is None else AWS) for key in deposed)
    assert _conflicts(merge(state_of(None, 5), ours, theirs)) == [("aws_vpc.a", "", "objects")]


def test_equal_objects_that_may_have_moved_are_refused() -> None:
    """None has an id: which of them moved where is not known."""

    def state_of(name: str, serial: int) -> Snapshot:
        instances = [{"index_key": key, "attributes": {"length": 8}} for key in (0, 1)]
        return _read(resource("random_x", name, *instances), serial=serial)

    base = state_of("p", 5)
    with pytest.raises(statefmt.SurgeryError, match="as one of several equal objects"):
        merge(base, state_of("q", 6), state_of("r", 6))
    with pytest.raises(statefmt.SurgeryError, match="as one of several equal objects"):
        merge(base, state_of("q", 6), operations.remove(base, "random_x.p[0]").snapshot)


def test_a_dependency_left_on_the_former_address_follows_too() -> None:
    """As `state mv` of some releases leaves them."""

    def state_of(name: str, serial: int, *dependencies: str) -> Snapshot:
        subnet = {"attributes": {"id": "s"}, "dependencies": dependencies}
        moved = resource("aws_vpc", name, {"attributes": {"id": "vpc-a"}})
        return _read(moved, _vpc("q"), resource("aws_subnet", "s", subnet), serial=serial)

    base, ours = state_of("a", 5, "aws_vpc.a"), state_of("n", 6, "aws_vpc.a")
    theirs = state_of("a", 6, "aws_vpc.a", "aws_vpc.q")
    assert _document(merge(base, ours, theirs))["aws_subnet.s"]["dependencies"] == ["aws_vpc.n", "aws_vpc.q"]


def test_the_identity_goes_with_its_version() -> None:
    def state_of(serial: int, version: int, **identity: int) -> Snapshot:
        one = {"attributes": {"id": "i"}, "identity": identity, "identity_schema_version": version}
        return _read(resource("aws_vpc", "a", one), serial=serial)

    found = merge(state_of(5, 0, n=1), state_of(6, 1, n=1, m=2), state_of(6, 0, n=9))
    assert _conflicts(found) == [("aws_vpc.a", "/identity", "value")]


def test_what_loses_its_new_address_returns_to_that_of_the_side_taken() -> None:
    base = _read(_vpc("a"))
    ours = _read(_vpc("a"), _vpc("x"), serial=6)
    theirs = operations.move(base, "aws_vpc.a", "aws_vpc.x").snapshot
    found = merge(base, ours, theirs, lambda _: MergeSide.OURS)
    assert _document(found).keys() == {"aws_vpc.a", "aws_vpc.x"}
    assert found.dropped == ()


def test_an_object_that_a_decision_leaves_out_is_named() -> None:
    ours, theirs = (
        _read(resource("aws_vpc", "new", {"attributes": {"id": id_}}), serial=6) for id_ in ("vpc-1", "vpc-2")
    )
    assert merge(_read(), ours, theirs, lambda _: MergeSide.THEIRS).dropped == ("aws_vpc.new",)


def test_one_new_object_with_two_values_is_a_conflict_of_values() -> None:
    ours, theirs = (_read(resource("aws_vpc", "new", {"attributes": {"id": "i", "x": x}}), serial=6) for x in (1, 2))
    assert _conflicts(merge(_read(), ours, theirs)) == [("aws_vpc.new", "", "value")]


def test_what_either_side_hides_stays_hidden() -> None:
    def side(serial: int, *names: str) -> Snapshot:
        paths = [[{"type": "get_attr", "value": name}] for name in names]
        one = {"attributes": {"id": "i", "a": 1, "b": 1}, "sensitive_attributes": paths}
        return _read(resource("aws_vpc", "a", one), serial=serial)

    [one] = merge(side(5), side(6, "a"), side(6, "b")).snapshot.resources
    assert [path[0]["value"] for path in json.loads(one.objects[0].sensitive_attributes)] == ["a", "b"]


def test_two_results_of_a_check_are_unknown() -> None:
    def side(serial: int, status: str) -> Snapshot:
        objects = [{"object_addr": "check.c", "status": status}]
        result = {"object_kind": "check", "config_addr": "check.c", "status": status, "objects": objects}
        return _read(_vpc("a"), serial=serial, check_results=[result])

    [result] = merge(side(5, "unknown"), side(6, "pass"), side(6, "fail")).snapshot.check_results
    assert (result.status, result.objects[0].status) == ("unknown", "unknown")
    [result] = merge(side(5, "unknown"), side(6, "pass"), side(6, "unknown")).snapshot.check_results
    assert result.status == "pass"


def test_the_newer_release_wins() -> None:
    older, newer = (_read(serial=6, terraform_version=release) for release in ("1.9.1", "1.10.0-rc1"))
    assert merge(_read(), older, newer).snapshot.terraform_version == "1.10.0-rc1"


def test_states_of_other_lineages_are_refused() -> None:
    other = _read(_vpc("a"), lineage=LINEAGE[::-1])
    with pytest.raises(statefmt.SurgeryError, match="different lineages"):
        merge(BASE, BASE, other)


def test_the_serial_does_not_go_back() -> None:
    """Theirs only has a higher serial: a push of ours with its own serial would be refused."""
    ours = operations.taint(BASE, "aws_vpc.a").snapshot
    theirs = _read(_vpc("a", tags={"x": "1", "y": "1"}, ports=[1, 2]), _vpc("b"), serial=9)
    assert merge(BASE, ours, theirs).snapshot.serial == 10


def test_an_edit_needs_decisions() -> None:
    ours, theirs = (operations.move(BASE, "aws_vpc.a", new).snapshot for new in ("aws_vpc.x", "aws_vpc.y"))
    with pytest.raises(MergeConflictError, match=r"aws_vpc\.a \(moved\)") as caught:
        merged(ours, BASE, theirs)
    assert caught.value.conflicts == (Conflict("aws_vpc.a", "", ConflictKind.MOVED),)
    assert caught.value.address == "aws_vpc.a"
