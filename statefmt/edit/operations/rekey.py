"""`rekey`: change the keys of instances of resources and modules, from `count` to `for_each` and back.

Dependencies are on whole resources and do not change; `depends_on`, which names instances, is updated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from statefmt.analysis.selection.patterns import module_call, modules_of
from statefmt.edit.arguments.key_map import KeyMap, key_text, keys_among, normal_key, normalised_note
from statefmt.edit.changes.edit import Edit, with_note
from statefmt.edit.changes.keyed import Keyed, NewKeys, Repeatable, block_of, by_block, key_of, renamed
from statefmt.edit.changes.resources import by_address
from statefmt.edit.changes.whole_resources import named
from statefmt.edit.operations.mv import mv
from statefmt.model.addrs import AbsResource, AbsResourceInstance, InstanceKey, ModuleInstance, ModuleStep, key_order
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import InstanceState, ResourceState, Snapshot


def rekey(
    snapshot: Snapshot, chosen: Sequence[InstanceState], keys: KeyMap, modules: Sequence[ModuleInstance] = ()
) -> Edit:
    """Change the keys of the chosen instances and modules by a map. Raises SurgeryError; see `mapped`."""
    edit = rekey_each(snapshot, mapped([*modules, *(instance.addr for instance in chosen)], keys))
    changed = [key_text(key) for key in keys.values() if normal_key(key) != key]
    return with_note(edit, normalised_note(changed)) if changed else edit


def mapped(chosen: Iterable[Keyed], keys: KeyMap) -> dict[Keyed, InstanceKey]:
    """Return the new keys of chosen instances and modules; `keys` maps old keys to new ones in each block.

    Old keys are looked up by `keys_among`; new ones are normalised. Instances with other keys stay. Raises SurgeryError
    if a block has no chosen instance with an old key.
    """
    new: dict[Keyed, InstanceKey] = {}
    for block, found in by_block(chosen).items():
        known = keys_among(keys, found)
        missing = [key for key in known if key not in found]
        if missing:
            there = named([key_text(key) for key in sorted(found, key=key_order)])
            raise SurgeryError(f"{block}: no selected instance {_with(missing[0])}; there are:{there}", address=block)
        new |= {found[old]: key for old, key in known.items()}
    return new


def rekey_each(snapshot: Snapshot, keys: NewKeys) -> Edit:
    """Give each instance and module its new key. Raises SurgeryError if two of a block would get the same key."""
    _refuse_doubles(keys)
    modules = {one: key for one, key in keys.items() if isinstance(one, ModuleInstance)}
    _refuse_taken(modules_of(resource.addr.module for resource in snapshot.resources) if modules else (), modules)
    at = renamed(modules)

    def goal(addr: AbsResourceInstance) -> AbsResourceInstance:
        return AbsResource(at(addr.module), addr.resource.resource).instance(keys.get(addr, addr.key))

    moving = (r for r in snapshot.resources if at(r.addr.module) != r.addr.module) if modules else ()
    addrs = dict.fromkeys(resource.addr.instance(obj.key) for resource in moving for obj in resource.objects)
    addrs |= dict.fromkeys(one for one in keys if isinstance(one, AbsResourceInstance))
    left, empty = _without_empty(snapshot, at) if modules else (snapshot, ())
    edit = mv(left, {addr: goal(addr) for addr in addrs})
    there = by_address(edit.snapshot)
    added = tuple(resource for resource in empty if resource.addr not in there)
    after = replace(edit.snapshot, resources=(*edit.snapshot.resources, *added)) if added else edit.snapshot
    touched = {block_of(one) for one in keys}
    mixed = sorted(str(block) for block in _mixed(after, {_moved_block(block, at) for block in touched}))
    note = (
        "a resource or module has either count or for_each or neither, and the next plan destroys instances with other "
        f"keys; these now have several kinds of keys:{named(mixed)}"
    )
    return Edit(after, edit.moved, (note,) if mixed else ())


def _refuse_doubles(keys: NewKeys) -> None:
    first: dict[tuple[Repeatable, InstanceKey], Keyed] = {}
    for one, key in keys.items():
        before = first.setdefault((block_of(one), key), one)
        if before != one:
            raise SurgeryError(
                f"{block_of(one)}: {key_text(key_of(before))} and {key_text(key_of(one))} would both become "
                f"{key_text(key)}; each instance needs its own key",
                address=block_of(one),
            )


def _refuse_taken(known: Iterable[ModuleInstance], keys: Mapping[ModuleInstance, InstanceKey]) -> None:
    """Refuse a key that a module instance has which keeps it: the two would become one."""
    taken = {module for module in known if keys.get(module, key_of(module)) == key_of(module)}
    for one, key in keys.items():
        goal = one.parent().child(one.steps[-1].name, key)
        if goal != one and goal in taken:
            raise SurgeryError(f"{one} cannot become {goal}: the module already exists", address=one)


def _without_empty(
    snapshot: Snapshot, at: Callable[[ModuleInstance], ModuleInstance]
) -> tuple[Snapshot, tuple[ResourceState, ...]]:
    """Take the resources without instances out of modules that change; return them with their new addresses."""
    empty = {r.addr: r for r in snapshot.resources if not r.objects and at(r.addr.module) != r.addr.module}
    left = tuple(resource for resource in snapshot.resources if resource.addr not in empty)
    changed = (replace(r, addr=AbsResource(at(addr.module), addr.resource)) for addr, r in empty.items())
    return (replace(snapshot, resources=left) if empty else snapshot), tuple(changed)


def _moved_block(block: Repeatable, at: Callable[[ModuleInstance], ModuleInstance]) -> Repeatable:
    if isinstance(block, AbsResource):
        return AbsResource(at(block.module), block.resource)
    return ModuleInstance((*at(block.parent()).steps, ModuleStep(block.steps[-1].name)))


def _mixed(snapshot: Snapshot, blocks: Collection[Repeatable]) -> list[Repeatable]:
    """Return those of some blocks whose instances have keys of several kinds."""
    after = by_address(snapshot)
    kinds: dict[Repeatable, set[type]] = {
        block: {type(obj.key) for obj in after[block].objects} for block in blocks if isinstance(block, AbsResource)
    }
    if len(kinds) < len(blocks):
        for module in modules_of(resource.addr.module for resource in snapshot.resources):
            if (call := module_call(module)) in blocks:
                kinds.setdefault(call, set()).add(type(key_of(module)))
    return [block for block, found in kinds.items() if len(found) > 1]


def _with(key: InstanceKey) -> str:
    return f"has the key {key}" if str(key) else "has no key"
