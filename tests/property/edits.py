"""Changes to a snapshot as surgery makes them: each gives another valid snapshot."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st
from msgspec import Raw
from msgspec.structs import replace

from statefmt.model.addrs import (
    NO_KEY,
    AbsResource,
    ConfigProviderConfig,
    InstanceKey,
    IntKey,
    Module,
    ModuleInstance,
    Resource,
    ResourceMode,
    StringKey,
)
from statefmt.model.addrs.parsing import parse_abs_resource, parse_abs_resource_instance, parse_module_instance
from statefmt.model.addrs.provider import Provider
from statefmt.model.snapshot import ObjectStatus, OutputValue, ResourceInstanceObject, ResourceState, Snapshot

Edit = Callable[[st.DrawFn, Snapshot], Snapshot]

_MODULES = (
    ModuleInstance(),
    parse_module_instance("module.moved"),
    parse_module_instance('module.moved["<\\"é>"].module.b[3]'),
)
_PROVIDER_KEYS: tuple[InstanceKey, ...] = (NO_KEY, StringKey("eu"), StringKey('"${x}"'), IntKey(1))
_DEPENDENCIES = tuple(parse_abs_resource(text).config() for text in ("aws_vpc.main", "module.net.data.aws_ami.os"))


def edited(draw: st.DrawFn, snapshot: Snapshot) -> Snapshot:
    """The snapshot after one to four edits."""
    for edit in draw(st.lists(st.sampled_from(_EDITS), min_size=1, max_size=4)):
        snapshot = edit(draw, snapshot)
    return snapshot


def _envelope(draw: st.DrawFn, snapshot: Snapshot) -> Snapshot:
    return replace(
        snapshot,
        serial=draw(st.integers(0, 2**64 - 1)),
        lineage=draw(st.sampled_from((snapshot.lineage, "other <lineage>", ""))),
        terraform_version=draw(st.sampled_from((snapshot.terraform_version, "1.10.0"))),
    )


def _outputs(draw: st.DrawFn, snapshot: Snapshot) -> Snapshot:
    kept = tuple(output for output in snapshot.outputs if draw(st.booleans()))
    changed = tuple(
        replace(output, value=b'["x"]', type=b'["list","string"]', sensitive=not output.sensitive)
        for output in kept[:1]
    )
    outputs = {output.name: output for output in (*changed, *kept[1:])}
    name = draw(st.sampled_from(("a", "o5", "zz", 'odd "name"')))
    return replace(
        snapshot, outputs=tuple((outputs | {name: OutputValue(name=name, value=b"1", type=b'"number"')}).values())
    )


def _check_results(draw: st.DrawFn, snapshot: Snapshot) -> Snapshot:
    return replace(snapshot, check_results=())


def _forget_unknown(draw: st.DrawFn, snapshot: Snapshot) -> Snapshot:
    resources = tuple(replace(resource, unknown=()) for resource in snapshot.resources)
    return replace(snapshot, unknown=(), resources=resources)


def _remove_resource(draw: st.DrawFn, snapshot: Snapshot) -> Snapshot:
    return _with_resource(draw, snapshot, lambda resource: None)


def _move_resource(draw: st.DrawFn, snapshot: Snapshot) -> Snapshot:
    fresh = _fresh_name(snapshot)
    module = draw(st.sampled_from(_MODULES))
    as_new_block = draw(st.booleans())

    def moved(resource: ResourceState) -> ResourceState:
        mode = resource.addr.resource.mode
        addr = AbsResource(module, Resource(mode, resource.addr.resource.type, fresh))
        return replace(resource, addr=addr, origin=() if as_new_block else resource.origin)

    return _with_resource(draw, snapshot, moved)


def _insert_resource(draw: st.DrawFn, snapshot: Snapshot) -> Snapshot:
    module = draw(st.sampled_from(_MODULES))
    mode = draw(st.sampled_from((ResourceMode.MANAGED, ResourceMode.DATA)))
    keys = draw(st.lists(st.sampled_from(_PROVIDER_KEYS), max_size=3))
    resource = ResourceState(
        addr=AbsResource(module, Resource(mode, draw(st.sampled_from(("aaa", "zzz"))), _fresh_name(snapshot))),
        provider_config=ConfigProviderConfig(Module(), Provider("registry.opentofu.org", "acme", "x"), "by_region"),
        objects=tuple(
            ResourceInstanceObject(key=IntKey(number), provider_key=key, attributes=Raw(b'{"a": 1.0,\n"b":"<"}'))
            for number, key in enumerate(keys)
        ),
    )
    place = draw(st.integers(0, len(snapshot.resources)))
    return replace(snapshot, resources=(*snapshot.resources[:place], resource, *snapshot.resources[place:]))


def _rebind(draw: st.DrawFn, snapshot: Snapshot) -> Snapshot:
    """Other provider keys for some objects; a configuration without an alias gets one first."""
    alias = draw(st.sampled_from(("", "by_region", "other")))

    def rebound(resource: ResourceState) -> ResourceState:
        config = resource.provider_config
        if config is None:
            return resource
        config = replace(config, alias=alias or config.alias)
        keys = _PROVIDER_KEYS if config.alias else (NO_KEY,)
        objects = tuple(replace(obj, provider_key=draw(st.sampled_from(keys))) for obj in resource.objects)
        return replace(resource, provider_config=config, objects=objects)

    return _with_resource(draw, snapshot, rebound)


def _remove_object(draw: st.DrawFn, snapshot: Snapshot) -> Snapshot:
    return _with_object(draw, snapshot, lambda obj: None)


def _change_object(draw: st.DrawFn, snapshot: Snapshot) -> Snapshot:
    def changed(obj: ResourceInstanceObject) -> ResourceInstanceObject:
        changes = [
            replace(obj, key=StringKey(f"fresh {_fresh_name(snapshot)}")),
            replace(obj, status=ObjectStatus.TAINTED if obj.status is ObjectStatus.READY else ObjectStatus.READY),
            replace(obj, dependencies=draw(st.lists(st.sampled_from(_DEPENDENCIES), max_size=2).map(tuple))),
            replace(obj, depends_on=(parse_abs_resource_instance('aws_vpc.main["a"]'),)),
            replace(obj, attributes=Raw(b'{ "new": 1.0 }'), attributes_flat=None),
            replace(obj, attributes=None, attributes_flat={"id": "<new>"}),
            replace(obj, private="", sensitive_attributes=b"[]"),
            replace(obj, schema_version=7, create_before_destroy=True, skip_destroy=False),
            replace(obj, identity=Raw(b'{"id":1e0}'), identity_schema_version=2),
            replace(obj, identity=None, identity_schema_version=None, unknown=()),
        ]
        return draw(st.sampled_from(changes))

    return _with_object(draw, snapshot, changed)


def _move_object(draw: st.DrawFn, snapshot: Snapshot) -> Snapshot:
    """An object of one resource becomes one of another, under a fresh key."""
    holders = [number for number, resource in enumerate(snapshot.resources) if resource.objects]
    if not holders or len(snapshot.resources) < 2:
        return snapshot
    giver = draw(st.sampled_from(holders))
    taker = draw(st.sampled_from([number for number in range(len(snapshot.resources)) if number != giver]))
    place = draw(st.integers(0, len(snapshot.resources[giver].objects) - 1))
    resources = list(snapshot.resources)
    objects = resources[giver].objects
    moved = replace(objects[place], key=StringKey(f"fresh {_fresh_name(snapshot)}"), provider_key=NO_KEY)
    resources[giver] = replace(resources[giver], objects=objects[:place] + objects[place + 1 :])
    if resources[taker].provider_config is None:
        return snapshot
    resources[taker] = replace(resources[taker], objects=(*resources[taker].objects, moved))
    return replace(snapshot, resources=tuple(resources))


def _with_resource(
    draw: st.DrawFn, snapshot: Snapshot, change: Callable[[ResourceState], ResourceState | None]
) -> Snapshot:
    if not snapshot.resources:
        return snapshot
    place = draw(st.integers(0, len(snapshot.resources) - 1))
    new = change(snapshot.resources[place])
    between = () if new is None else (new,)
    return replace(snapshot, resources=(*snapshot.resources[:place], *between, *snapshot.resources[place + 1 :]))


def _with_object(
    draw: st.DrawFn, snapshot: Snapshot, change: Callable[[ResourceInstanceObject], ResourceInstanceObject | None]
) -> Snapshot:
    def changed(resource: ResourceState) -> ResourceState:
        if not resource.objects:
            return resource
        place = draw(st.integers(0, len(resource.objects) - 1))
        new = change(resource.objects[place])
        between = () if new is None else (new,)
        return replace(resource, objects=(*resource.objects[:place], *between, *resource.objects[place + 1 :]))

    return _with_resource(draw, snapshot, changed)


def _fresh_name(snapshot: Snapshot) -> str:
    """A name that no resource and no key of the snapshot has."""
    taken = {resource.addr.resource.name for resource in snapshot.resources}
    taken |= {str(obj.key) for resource in snapshot.resources for obj in resource.objects}
    return next(
        name for name in map("n{}".format, range(1000)) if name not in taken and f'["fresh {name}"]' not in taken
    )


_EDITS: tuple[Edit, ...] = (
    _envelope,
    _outputs,
    _check_results,
    _forget_unknown,
    _remove_resource,
    _move_resource,
    _insert_resource,
    _rebind,
    _remove_object,
    _change_object,
    _move_object,
)
