"""Edits as operators make them, picked from a seed for a snapshot: what is done, and to which instances."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Final

from statefmt.analysis.selection import Criteria
from statefmt.edit.changes import Edit
from statefmt.edit.operations.instances import rm
from statefmt.edit.operations.mv import mv
from statefmt.edit.operations.rebind import rebind, replace_provider
from statefmt.edit.operations.rekey import rekey
from statefmt.model.addrs import (
    AbsProviderInstance,
    AbsResource,
    AbsResourceInstance,
    InstanceKey,
    IntKey,
    Module,
    ModuleInstance,
    Resource,
    StringKey,
)
from statefmt.model.addrs.parsing import parse_module_instance
from statefmt.model.addrs.provider import parse_provider_source
from statefmt.model.findings import Code
from statefmt.model.snapshot import InstanceState, ResourceState, Snapshot, instances

# What a resource may get that keeps some of its instances, and loses or gains others: keys of two kinds, or a gap.
_PARTIAL: Final = frozenset({Code.INSTANCE_KEYS_MIXED, Code.COUNT_KEYS_GAP})
# Two resources become one, and with them what depends on them.
_JOINED: Final = _PARTIAL | {Code.DEPENDENCY_ON_ITSELF, Code.DEPENDENCY_CYCLE}
_PLACES: Final = ("module.new", "module.new[0]", 'module.new["a b"].module.deep', "")


@dataclass(frozen=True)
class GeneratedEdit:
    """An edit of some instances. `noticed` are the codes of rules that what was asked for cannot but break."""

    chosen: frozenset[AbsResourceInstance]
    edit: Edit
    noticed: frozenset[str] = frozenset()


def _edit(found: Iterable[InstanceState | AbsResourceInstance], edit: Edit, *noticed: str) -> GeneratedEdit:
    addrs = (one.addr if isinstance(one, InstanceState) else one for one in found)
    return GeneratedEdit(frozenset(addrs), edit, frozenset(noticed))


def moved(random: Random, state: Snapshot) -> GeneratedEdit:
    """A resource or a module renamed, one instance on its own, two resources exchanged, or one that joins another."""
    resource = random.choice(state.resources)
    found = _of(state, resource)
    other = _like(random, state, resource)
    kind = random.choice(("rename", "instance", "exchange", "module", "join"))
    fresh = _place(random, resource)
    if kind == "instance" and len(found) > 1:
        one = random.choice(found).addr
        key = random.choice([one.key, StringKey("new"), IntKey(0)])
        return _edit([one], mv(state, {one: fresh.instance(key)}), *_PARTIAL)
    if kind == "exchange" and other is not None:
        there = {i.addr: other.addr.instance(i.addr.key) for i in found}
        back = {i.addr: resource.addr.instance(i.addr.key) for i in _of(state, other)}
        return _edit([*there, *back], mv(state, there | back, rebind=True))
    if kind == "module" and resource.addr.module:
        old, new = resource.addr.module, parse_module_instance("module.renamed[7]")
        below = [i.addr for i in instances(state) if i.addr.module.steps[: len(old.steps)] == old.steps]
        steps = (new.steps + addr.module.steps[len(old.steps) :] for addr in below)
        moves = {
            addr: AbsResourceInstance(ModuleInstance(path), addr.resource)
            for addr, path in zip(below, steps, strict=True)
        }
        return _edit(below, mv(state, moves))
    if kind == "join" and other is not None and other.provider_config == resource.provider_config:
        joining = {i.addr: other.addr.instance(StringKey(f"joined {n}")) for n, i in enumerate(found)}
        return _edit(joining, mv(state, joining), *_JOINED)
    return _edit(found, mv(state, {i.addr: fresh.instance(i.addr.key) for i in found}))


def removed(random: Random, state: Snapshot) -> GeneratedEdit:
    """One instance, a resource, or several."""
    everything = instances(state)
    if random.random() < 0.5:
        found = _of(state, random.choice(state.resources))
        return _edit(found, rm(state, [i.addr for i in found]))
    some = random.sample(everything, random.randint(1, min(4, len(everything))))
    return _edit(some, rm(state, [i.addr for i in some]), *_PARTIAL)


def rebound(random: Random, state: Snapshot) -> GeneratedEdit:
    """Some instances to another instance of their configuration, a resource to another one, or keys by a map."""
    resource = random.choice(state.resources)
    config = resource.provider_config
    assert config is not None
    found = _of(state, resource)
    if config.alias and random.random() < 0.7:
        keys = sorted({obj.provider_key for obj in resource.objects}, key=str)
        if random.random() < 0.5:
            return _edit(found, rebind(state, found, mapping=dict(zip(keys, _rotated(keys), strict=True))))
        some = random.sample(found, random.randint(1, len(found)))
        return _edit(some, rebind(state, some, config.instance(StringKey("ap"))))
    west = type(config)(Module(), config.provider, "west")
    some = random.sample(found, random.randint(1, len(found)))
    return _edit(found, rebind(state, some, AbsProviderInstance(west), whole_resource=True))


def rekeyed(random: Random, state: Snapshot) -> GeneratedEdit:
    """All keys of a resource other ones, or some of them."""
    resource = random.choice(state.resources)
    found = _of(state, resource)
    keys = [i.addr.key for i in found]
    fresh: list[InstanceKey] = [StringKey(f"key {n}") for n in range(len(keys))]
    if random.random() < 0.3:
        fresh = [IntKey(n) for n in range(len(keys))]
    if random.random() < 0.2:
        fresh = _rotated(keys)
    if random.random() < 0.3 and not set(fresh) & set(keys):
        fresh, keys = fresh[:1], keys[:1]
    return _edit([resource.addr.instance(key) for key in keys], rekey(state, found, keys=_map(keys, fresh)), *_PARTIAL)


def replaced(random: Random, state: Snapshot) -> GeneratedEdit:
    """A provider by another one, for all, for one resource, or one whole configuration."""
    old, new = parse_provider_source("hashicorp/aws"), parse_provider_source(f"acme/aws{random.randint(1, 9)}")
    found = _of(state, random.choice(state.resources))
    kind = random.choice(("all", "one", "configuration"))
    if kind == "all":
        return _edit(instances(state), replace_provider(state, Criteria(), old, new))
    if kind == "one":
        return _edit(found, replace_provider(state, found, old, new))
    config = found[0].resource.provider_config
    assert config is not None
    all_of_it = [i for i in instances(state) if i.resource.provider_config == config]
    target = type(config)(Module(("net",)), config.provider, "elsewhere")
    return _edit(all_of_it, replace_provider(state, Criteria(), config, target))


OPERATIONS: Final[dict[str, Callable[[Random, Snapshot], GeneratedEdit]]] = {
    "mv": moved,
    "rm": removed,
    "rebind": rebound,
    "rekey": rekeyed,
    "replace-provider": replaced,
}


def _of(state: Snapshot, resource: ResourceState) -> list[InstanceState]:
    return [i for i in instances(state) if i.resource.addr == resource.addr]


def _like(random: Random, state: Snapshot, resource: ResourceState) -> ResourceState | None:
    """Another resource of the same type; None where there is none."""
    kind = resource.addr.resource.type
    others = [r for r in state.resources if r.addr != resource.addr and r.addr.resource.type == kind]
    return random.choice(others) if others else None


def _place(random: Random, resource: ResourceState) -> AbsResource:
    where = random.choice(_PLACES)
    module = parse_module_instance(where) if where else ModuleInstance()
    own = resource.addr.resource
    return AbsResource(module, Resource(own.mode, own.type, f"{own.name}_new"))


def _rotated(keys: list[InstanceKey]) -> list[InstanceKey]:
    return keys[1:] + keys[:1]


def _map(keys: list[InstanceKey], fresh: list[InstanceKey]) -> dict[InstanceKey, InstanceKey]:
    return dict(zip(keys, fresh, strict=True))
