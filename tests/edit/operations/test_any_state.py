"""Operations on valid and odd states in any layout: what was done can be read again, and undone to the same bytes."""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import assume, given, strategies as st

from statefmt.edit.changes import Edit
from statefmt.edit.operations.instances import taint, untaint
from statefmt.edit.operations.mv import mv
from statefmt.edit.operations.rebind import rebind, replace_provider
from statefmt.edit.operations.rekey import rekey
from statefmt.edit.operations.set import Assignment, set_attributes
from statefmt.formats import Layout, Style
from statefmt.formats.raw_json import container_at
from statefmt.formats.reading import read
from statefmt.formats.writing import canonical
from statefmt.formats.writing.write import write
from statefmt.model.addrs import (
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    InstanceKey,
    IntKey,
    Resource,
    ResourceMode,
    StringKey,
)
from statefmt.model.addrs.parsing import parse_module_instance
from statefmt.model.addrs.provider import parse_provider_source
from statefmt.model.snapshot import InstanceState, ObjectStatus, ResourceState, Snapshot, instances
from tests.property.strategies import StateText, states

# A key or a module that was another one in between is written as OpenTofu writes it: 0 for 0.0, and < escaped.
_RESPELLED = re.compile(rb'("(?:index_key|module)"\s*:\s*)("(?:[^"\\]|\\.)*"|[-0-9.]+)')

# A resource as it is in some snapshot, and what is done to it.
Step = Callable[[Snapshot, ResourceState], Edit]


def of(state: Snapshot, resource: ResourceState) -> list[InstanceState]:
    return [instance for instance in instances(state) if instance.resource.addr == resource.addr]


def without_respelled(text: bytes) -> bytes:
    return _RESPELLED.sub(rb"\1", text)


def addresses(text: bytes) -> list[AbsResourceInstance]:
    return [instance.addr for instance in instances(read(text).snapshot)]


def rekeying(state: Snapshot, resource: ResourceState) -> tuple[Step, Step]:
    """All keys others: texts become numbers, and all else texts."""
    if not resource.objects:
        return _nothing, _nothing
    keys: list[InstanceKey] = list(dict.fromkeys(obj.key for obj in resource.objects))
    there: dict[InstanceKey, InstanceKey] = {
        key: IntKey(100 + place) if isinstance(key, StringKey) else StringKey(f"new {place}")
        for place, key in enumerate(keys)
    }
    back = {other: one for one, other in there.items()}
    return (lambda s, r: rekey(s, of(s, r), keys=there)), (lambda s, r: rekey(s, of(s, r), keys=back))


def rebinding(state: Snapshot, resource: ResourceState) -> tuple[Step, Step]:
    """To other keys where there are some, else to another configuration, so that what says it stays in its place."""
    config = resource.provider_config
    if config is None or not resource.objects:
        return _nothing, _nothing
    if not resource.has_provider_keys:
        one, other = config.instance(), ConfigProviderConfig(config.module, config.provider, "elsewhere").instance()
        return (lambda s, r: rebind(s, of(s, r), other)), (lambda s, r: rebind(s, of(s, r), one))
    keys: list[InstanceKey] = sorted({obj.provider_key for obj in resource.objects}, key=str)
    there: dict[InstanceKey, InstanceKey] = {key: StringKey(f"new {place}") for place, key in enumerate(keys)}
    back = {new: old for old, new in there.items()}
    return (lambda s, r: rebind(s, of(s, r), mapping=there)), (lambda s, r: rebind(s, of(s, r), mapping=back))


def replacing(state: Snapshot, resource: ResourceState) -> tuple[Step, Step]:
    config = resource.provider_config
    if config is None or not resource.objects:
        return _nothing, _nothing
    one, other = config.provider, parse_provider_source("example.org/new/one")

    return (
        lambda s, r: replace_provider(s, of(s, r), one, other),
        lambda s, r: replace_provider(s, of(s, r), other, one),
    )


def moving(state: Snapshot, resource: ResourceState) -> tuple[Step, Step]:
    """One instance on its own, or all of them where there is only one."""
    if not resource.objects:
        return _nothing, _nothing
    one, other = resource.addr.instance(resource.objects[0].key), resource.addr.instance(StringKey("brand new"))
    return (lambda s, r: mv(s, {one: other})), (lambda s, r: mv(s, {other: one}))


def tainting(state: Snapshot, resource: ResourceState) -> tuple[Step, Step]:
    is_ready = any(_is_ready(obj.is_current, obj.status) for obj in resource.objects)
    if resource.addr.resource.mode is not ResourceMode.MANAGED or not is_ready:
        return _nothing, _nothing

    def ready(s: Snapshot, r: ResourceState) -> list[InstanceState]:
        wanted = {r.addr.instance(obj.key) for obj in resource.objects if _is_ready(obj.is_current, obj.status)}
        return [instance for instance in of(s, r) if instance.addr in wanted]

    return (lambda s, r: taint(s, ready(s, r))), (lambda s, r: untaint(s, ready(s, r)))


def leaving(state: Snapshot, resource: ResourceState) -> tuple[Step, Step]:
    """One instance to a resource of its own, which sorts before the old one or after it."""
    if not resource.objects:
        return _nothing, _nothing
    one = resource.addr.instance(resource.objects[0].key)
    name = "zz_new" if len(resource.objects) % 2 else "a_new"
    own = resource.addr.resource
    other = AbsResource(resource.addr.module, Resource(own.mode, own.type, name)).instance(IntKey(7))
    return (lambda s, r: mv(s, {one: other})), (lambda s, r: mv(s, {other: one}))


def renaming(state: Snapshot, resource: ResourceState) -> tuple[Step, Step]:
    """All instances to another module, with their keys."""
    module = parse_module_instance('module.b["<é>"]' if resource.addr.module.steps else "module.zz")
    moved = AbsResource(module, resource.addr.resource)
    there = {resource.addr.instance(obj.key): moved.instance(obj.key) for obj in resource.objects}
    back = {other: one for one, other in there.items()}
    return (lambda s, r: mv(s, there)), (lambda s, r: mv(s, back))


def setting(state: Snapshot, resource: ResourceState) -> tuple[Step, Step]:
    """One attribute of the first instance that is no list and no object."""
    obj = next((obj for obj in resource.objects if obj.is_current and obj.attributes is not None), None)
    raw = bytes(obj.attributes) if obj is not None and obj.attributes is not None else b""
    items = container_at(raw).items if raw[:1] == b"{" else ()
    names = [item.name for item in items]
    # Of repeated members, only the last can be set.
    scalars = [item for item in items if raw[item.value.start] not in b"[{" and names.count(item.name) == 1]
    if obj is None or not scalars:
        return _nothing, _nothing
    addr, old = resource.addr.instance(obj.key), raw[scalars[0].value.start : scalars[0].value.end]

    def set_to(value: bytes) -> Step:
        def step(s: Snapshot, r: ResourceState) -> Edit:
            chosen = [instance for instance in of(s, r) if instance.addr == addr]
            to = Assignment(scalars[0].name, (scalars[0].name,), value)
            return set_attributes(s, chosen, (), [to], force_type=True)

        return step

    return set_to(b'{"\\u003cnew\\u003e":[1.0]}'), set_to(old)


def _is_ready(is_current: bool, status: ObjectStatus) -> bool:
    return is_current and status is ObjectStatus.READY


def _nothing(state: Snapshot, resource: ResourceState) -> Edit:
    return Edit(state)


_OPERATIONS = (rekeying, rebinding, replacing, moving, leaving, renaming, tainting, setting)
_STYLES = (Style(Layout.INDENT, 1), Style(Layout.INDENT, 2), Style(Layout.COMPACT, 1))


@given(states(), st.sampled_from(_OPERATIONS), st.integers(0, 3))
def test_there_and_back_again(
    state: StateText, operation: Callable[[Snapshot, ResourceState], tuple[Step, Step]], place: int
) -> None:
    before = read(state.data).snapshot
    assume(before.resources)
    resource = before.resources[place % len(before.resources)]
    there, back = operation(before, resource)
    text = write(there(before, resource).snapshot, canonical=False)
    after = read(text).snapshot
    returned = write(back(after, resource).snapshot, canonical=False)
    if all(state.blocks[number].plain for number in resource.origin) and operation is not leaving:
        assert without_respelled(returned) == without_respelled(state.data)
        assert addresses(returned) == addresses(state.data)
    # A resource that said its provider at both levels, or stood in two blocks, does so no longer: it means the same.


@given(states(), st.sampled_from(_OPERATIONS), st.sampled_from(_STYLES), st.integers(0, 3))
def test_a_canonical_file_stays_canonical_and_comes_back(
    state: StateText, operation: Callable[[Snapshot, ResourceState], tuple[Step, Step]], style: Style, place: int
) -> None:
    data = canonical(read(state.data).snapshot, style, keep_unknown=True)
    before = read(data).snapshot
    assume(before.resources)
    resource = before.resources[place % len(before.resources)]
    there, back = operation(before, resource)
    text = write(there(before, resource).snapshot, canonical=False)
    after = read(text).snapshot
    assert text == canonical(after, style, keep_unknown=True)
    assert write(back(after, resource).snapshot, canonical=False) == data
