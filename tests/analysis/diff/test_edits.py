"""Edits as people make them: each is reported as exactly that edit, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

import pytest
from msgspec import Raw
from msgspec.structs import replace

from statefmt.analysis.diff import diff
from statefmt.analysis.diff.model import SnapshotDiff
from statefmt.model.addrs import (
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    ConfigResource,
    InstanceKey,
    ModuleInstance,
    ModuleStep,
    StringKey,
)
from statefmt.model.snapshot import ObjectStatus, ResourceState, Snapshot
from tests.analysis.diff.realistic import realistic

# What an edit should be reported as: a word, where it was, and where it is.
Report = tuple[str, str, str]
Edit = Callable[[Random, Snapshot], tuple[Snapshot, set[Report]]]


def _pick(random: Random, snapshot: Snapshot) -> ResourceState:
    return random.choice([resource for resource in snapshot.resources if resource.objects])


def _with(snapshot: Snapshot, old: ResourceState, *new: ResourceState) -> Snapshot:
    resources = [other for other in snapshot.resources if other is not old]
    return replace(snapshot, resources=(*resources, *new))


def _renamed(resource: AbsResource) -> AbsResource:
    return AbsResource(resource.module, replace(resource.resource, name=f"{resource.resource.name}_new"))


def _pointing(snapshot: Snapshot, where: dict[ConfigResource, ConfigResource]) -> Snapshot:
    """The snapshot with its dependencies rewritten, as a careful move does."""

    def pointing(resource: ResourceState) -> ResourceState:
        objects = (
            replace(obj, dependencies=tuple(where.get(addr, addr) for addr in obj.dependencies))
            for obj in resource.objects
        )
        return replace(resource, objects=tuple(objects))

    return replace(snapshot, resources=tuple(map(pointing, snapshot.resources)))


def move_resource(random: Random, snapshot: Snapshot) -> tuple[Snapshot, set[Report]]:
    old = _pick(random, snapshot)
    new = replace(old, addr=_renamed(old.addr))
    moved = _pointing(_with(snapshot, old, new), {old.addr.config(): new.addr.config()})
    return moved, {("moved", str(old.addr.instance(o.key)), str(new.addr.instance(o.key))) for o in old.objects}


def move_instance(random: Random, snapshot: Snapshot) -> tuple[Snapshot, set[Report]]:
    old = _pick(random, snapshot)
    obj = random.choice(old.objects)
    left = replace(old, objects=tuple(other for other in old.objects if other is not obj))
    new = replace(old, addr=_renamed(old.addr), objects=(obj,))
    moved = _with(snapshot, old, *([left] if left.objects else []), new)
    if not left.objects:
        moved = _pointing(moved, {old.addr.config(): new.addr.config()})
    return moved, {("moved", str(old.addr.instance(obj.key)), str(new.addr.instance(obj.key)))}


def move_module(random: Random, snapshot: Snapshot) -> tuple[Snapshot, set[Report]]:
    modules = {resource.addr.module for resource in snapshot.resources if resource.addr.module}
    if not modules:
        return move_resource(random, snapshot)
    source = random.choice(sorted(modules, key=str))
    target = ModuleInstance((ModuleStep("elsewhere", StringKey("new")), *source.steps))
    reports: set[Report] = set()
    resources = []
    where: dict[ConfigResource, ConfigResource] = {}
    for resource in snapshot.resources:
        if resource.addr.module != source:
            resources.append(resource)
            continue
        addr = AbsResource(target, resource.addr.resource)
        resources.append(replace(resource, addr=addr))
        reports |= {
            ("moved", str(resource.addr.instance(obj.key)), str(addr.instance(obj.key))) for obj in resource.objects
        }
        where[resource.addr.config()] = addr.config()
    kept = {resource.addr.config() for resource in resources}
    where = {one: other for one, other in where.items() if one not in kept}
    return _pointing(replace(snapshot, resources=tuple(resources)), where), reports


def rekey(random: Random, snapshot: Snapshot) -> tuple[Snapshot, set[Report]]:
    old = _pick(random, snapshot)
    keys: dict[InstanceKey, InstanceKey] = {obj.key: StringKey(f"new {n}") for n, obj in enumerate(old.objects)}
    new = replace(old, objects=tuple(replace(obj, key=keys[obj.key]) for obj in old.objects))
    return _with(snapshot, old, new), {
        ("moved", str(old.addr.instance(one)), str(old.addr.instance(other))) for one, other in keys.items()
    }


def rebind_instance(random: Random, snapshot: Snapshot) -> tuple[Snapshot, set[Report]]:
    keyed = [resource for resource in snapshot.resources if resource.has_provider_keys]
    if not keyed:
        return rebind_resource(random, snapshot)
    old = random.choice(keyed)
    obj = random.choice(old.objects)
    new = replace(obj, provider_key=StringKey("ap"))
    changed = replace(old, objects=tuple(new if other is obj else other for other in old.objects))
    address = str(old.addr.instance(obj.key))
    return _with(snapshot, old, changed), {("rebound", address, address)}


def rebind_resource(random: Random, snapshot: Snapshot) -> tuple[Snapshot, set[Report]]:
    old = _pick(random, snapshot)
    assert old.provider_config is not None
    config: ConfigProviderConfig = replace(old.provider_config, alias="elsewhere")
    new = replace(old, provider_config=config)
    return _with(snapshot, old, new), {
        ("rebound", str(old.addr.instance(obj.key)), str(old.addr.instance(obj.key))) for obj in old.objects
    }


def change_attributes(random: Random, snapshot: Snapshot) -> tuple[Snapshot, set[Report]]:
    old = _pick(random, snapshot)
    obj = random.choice(old.objects)
    attributes = json.loads(bytes(obj.attributes or b"{}"))
    attributes["tags"]["env"] = "changed"
    new = replace(obj, attributes=Raw(json.dumps(attributes).encode()))
    changed = replace(old, objects=tuple(new if other is obj else other for other in old.objects))
    address = str(old.addr.instance(obj.key))
    return _with(snapshot, old, changed), {("changed", address, address)}


def taint(random: Random, snapshot: Snapshot) -> tuple[Snapshot, set[Report]]:
    old = _pick(random, snapshot)
    obj = random.choice(old.objects)
    new = replace(obj, status=ObjectStatus.TAINTED)
    changed = replace(old, objects=tuple(new if other is obj else other for other in old.objects))
    address = str(old.addr.instance(obj.key))
    return _with(snapshot, old, changed), {("changed", address, address)}


def remove_resource(random: Random, snapshot: Snapshot) -> tuple[Snapshot, set[Report]]:
    old = _pick(random, snapshot)
    return _with(snapshot, old), {("removed", str(old.addr.instance(obj.key)), "") for obj in old.objects}


def remove_instance(random: Random, snapshot: Snapshot) -> tuple[Snapshot, set[Report]]:
    old = _pick(random, snapshot)
    obj = random.choice(old.objects)
    left = replace(old, objects=tuple(other for other in old.objects if other is not obj))
    address: AbsResourceInstance = old.addr.instance(obj.key)
    return _with(snapshot, old, *([left] if left.objects else [])), {("removed", str(address), "")}


def shift_count(random: Random, snapshot: Snapshot) -> tuple[Snapshot, set[Report]]:
    """The first of a count goes, and the others take each other's place."""
    counted = [r for r in snapshot.resources if len(r.objects) > 1 and str(r.objects[0].key) == "[0]"]
    old = random.choice(counted)
    first, *rest = old.objects
    keys = [obj.key for obj in old.objects]
    new = replace(old, objects=tuple(replace(obj, key=key) for obj, key in zip(rest, keys, strict=False)))
    reports: set[Report] = {
        ("moved", str(old.addr.instance(obj.key)), str(old.addr.instance(key)))
        for obj, key in zip(rest, keys, strict=False)
    }
    return _with(snapshot, old, new), {*reports, ("removed", str(old.addr.instance(first.key)), "")}


EDITS: list[Edit] = [
    move_resource,
    move_instance,
    move_module,
    rekey,
    rebind_instance,
    rebind_resource,
    change_attributes,
    taint,
    remove_resource,
    remove_instance,
    shift_count,
]


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_exactly_this_edit(edit: Edit) -> None:
    for seed in range(50):
        old = realistic(seed)
        new, expected = edit(Random(seed), old)
        assert _reports(diff(old, new)) == expected, seed


def _reports(changes: SnapshotDiff) -> set[Report]:
    assert not (changes.envelope or changes.outputs or changes.resources or changes.check_results)
    reports: set[Report] = set()
    for change in changes.instances:
        old, new = change.old and str(change.old.addr), change.new and str(change.new.addr)
        if not old or not new:
            reports.add(("removed", old, "") if old else ("added", "", new or ""))
            continue
        reports |= {("moved", old, new)} if change.is_moved else set()
        reports |= {("rebound", old, new)} if change.rebound else set()
        reports |= {("changed", old, new)} if change.is_changed else set()
    return reports
