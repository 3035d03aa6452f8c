"""`rekey`: change the keys of instances of resources and modules, from `count` to `for_each` and back.

Dependencies are on whole resources and do not change; `depends_on`, which names instances, is updated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from statefmt.analysis.selection import Criteria
from statefmt.analysis.selection.patterns import Modules, module_call, modules_of
from statefmt.edit.changes import Edit, Note, Selection, by_address, choose, named, selection_of, with_note
from statefmt.edit.key_map import (
    Keyed,
    KeyMap,
    NewKeys,
    Repeatable,
    block_of,
    by_block,
    key_of,
    key_text,
    keys_among,
    normal_key,
    normalised_note,
    renamed,
)
from statefmt.edit.operations.mv import mv
from statefmt.golang import JSONValue, Members, NumberText, kind_name, nfc
from statefmt.model.addrs import (
    AbsResource,
    AbsResourceInstance,
    InstanceKey,
    IntKey,
    ModuleInstance,
    ModuleStep,
    StringKey,
    key_order,
)
from statefmt.model.cty.number import parse_number
from statefmt.model.errors import SelectionError, SurgeryError, Wording
from statefmt.model.snapshot import InstanceState, Snapshot, instances
from statefmt.redaction.attribute_values import look_up, look_up_flat
from statefmt.redaction.object_value import attributes_value
from statefmt.redaction.partial import Hidden, decoded, parse_path
from statefmt.text import pattern

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.configuration.instances import Instances


_MAP_FOR_MODULES: Final = Wording("--map instead of --by", "keys= instead of by=")
_FILTERS: Final = Wording("filter options", "filters")


def rekey(
    snapshot: Snapshot,
    chosen: Selection,
    *,
    keys: KeyMap | None = None,
    by: str | None = None,
    count: bool = False,
    declared: Instances | None = None,
    arguments: Sequence[str] = (),
    note: Note = lambda _: None,
) -> Edit:
    """Change the keys of the selected instances and of the modules that selectors name.

    The new keys come from the map `keys`, from the attribute at the path `by` (integers for `count`) or from the
    `declared` instances of a configuration; `arguments` complete the command line in a refusal about the configuration.
    Raises SelectionError and SurgeryError.
    """
    chosen = selection_of(chosen)
    modules, others = ([], chosen) if isinstance(chosen, list) else _modules(snapshot, chosen)
    if by is not None and modules:
        raise SurgeryError(
            f"{modules[0]} is a module and has no attributes: use ", _MAP_FOR_MODULES, address=modules[0]
        )
    found = [] if others is None else choose(snapshot, others, note)
    if by is not None:
        return rekey_each(snapshot, keys_by_attribute(found, by, count=count))
    if keys is not None:
        edit = rekey_each(snapshot, mapped([*modules, *(instance.addr for instance in found)], keys))
        changed = [key_text(key) for key in keys.values() if normal_key(key) != key]
        return with_note(edit, normalised_note(changed)) if changed else edit
    from statefmt.edit.operations.by_configuration import keys_by_configuration

    assert declared is not None, "there is a configuration"
    wanted: list[Keyed] = [*modules, *(instance.addr for instance in found)]
    there: list[Keyed] = [*_all_modules(snapshot), *(instance.addr for instance in instances(snapshot))]
    return rekey_each(snapshot, keys_by_configuration(wanted, there, declared, arguments))


def _modules(snapshot: Snapshot, chosen: Criteria) -> tuple[list[ModuleInstance], Criteria | None]:
    """Return the modules that selectors name, and the other criteria; None without any.

    Raises SelectionError if other criteria are combined with a module.
    """
    known = Modules(_all_modules(snapshot))
    named = {selector: known.named(selector) for selector in chosen.selectors}
    modules = [module for found in named.values() if found is not None for module in found.modules]
    if not modules:
        return [], chosen
    if replace(chosen, selectors=()) != Criteria():
        selector = next(selector for selector, found in named.items() if found is not None)
        raise SelectionError(
            f"{selector} is a module, and ",
            _FILTERS,
            f" select resources; to change the keys of the resources in it, use '{selector}.**'",
            address=selector,
        )
    left = tuple(selector for selector, found in named.items() if found is None or not found.modules)
    return list(dict.fromkeys(modules)), Criteria(selectors=left) if left else None


def _all_modules(snapshot: Snapshot) -> tuple[ModuleInstance, ...]:
    return modules_of(resource.addr.module for resource in snapshot.resources)


def mapped(chosen: Iterable[Keyed], keys: KeyMap) -> dict[Keyed, InstanceKey]:
    """Return the new keys of chosen instances and modules; `keys` maps old keys to new keys in each block.

    Old keys are looked up by `keys_among`; new keys are normalised. Instances with other keys stay. Raises SurgeryError
    if a block has no chosen instance with an old key.
    """
    new: dict[Keyed, InstanceKey] = {}
    for block, found in by_block(chosen).items():
        known = keys_among(keys, found)
        missing = [key for key in known if key not in found]
        if missing:
            there = named([key_text(key) for key in sorted(found, key=key_order)])
            what = f"has the key {missing[0]}" if str(missing[0]) else "has no key"
            raise SurgeryError(f"{block}: no selected instance {what}; there are:{there}", address=block)
        new |= {found[old]: key for old, key in known.items()}
    return new


def rekey_each(snapshot: Snapshot, keys: NewKeys) -> Edit:
    """Give each instance and module its new key. Raises SurgeryError if two instances of a block would get the same
    key.
    """
    _refuse_doubles(keys)
    modules = {one: key for one, key in keys.items() if isinstance(one, ModuleInstance)}
    _refuse_taken(modules_of(resource.addr.module for resource in snapshot.resources) if modules else (), modules)
    at = renamed(modules)

    def goal(addr: AbsResourceInstance) -> AbsResourceInstance:
        return AbsResource(at(addr.module), addr.resource.resource).instance(keys.get(addr, addr.key))

    moving = (r for r in snapshot.resources if at(r.addr.module) != r.addr.module) if modules else ()
    addrs = dict.fromkeys(resource.addr.instance(obj.key) for resource in moving for obj in resource.objects)
    addrs |= dict.fromkeys(one for one in keys if isinstance(one, AbsResourceInstance))
    # Resources without instances move along with modules that change.
    changing = snapshot.resources if modules else ()
    empty = {r.addr: r for r in changing if not r.objects and at(r.addr.module) != r.addr.module}
    if empty:
        snapshot = replace(snapshot, resources=tuple(r for r in snapshot.resources if r.addr not in empty))
    edit = mv(snapshot, {addr: goal(addr) for addr in addrs})
    there = by_address(edit.snapshot)
    came = (replace(r, addr=AbsResource(at(addr.module), addr.resource)) for addr, r in empty.items())
    added = tuple(resource for resource in came if resource.addr not in there)
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
    """Refuse the key of a module instance that keeps it: the two instances would merge."""
    taken = {module for module in known if keys.get(module, key_of(module)) == key_of(module)}
    for one, key in keys.items():
        goal = one.parent().child(one.steps[-1].name, key)
        if goal != one and goal in taken:
            raise SurgeryError(f"{one} cannot become {goal}: the module already exists", address=one)


def _moved_block(block: Repeatable, at: Callable[[ModuleInstance], ModuleInstance]) -> Repeatable:
    if isinstance(block, AbsResource):
        return AbsResource(at(block.module), block.resource)
    return ModuleInstance((*at(block.parent()).steps, ModuleStep(block.steps[-1].name)))


def _mixed(snapshot: Snapshot, blocks: Collection[Repeatable]) -> list[Repeatable]:
    """Return the blocks whose instances have keys of several kinds."""
    after = by_address(snapshot)
    kinds: dict[Repeatable, set[type]] = {
        block: {type(obj.key) for obj in after[block].objects} for block in blocks if isinstance(block, AbsResource)
    }
    if len(kinds) < len(blocks):
        for module in modules_of(resource.addr.module for resource in snapshot.resources):
            if (call := module_call(module)) in blocks:
                kinds.setdefault(call, set()).add(type(key_of(module)))
    return [block for block, found in kinds.items() if len(found) > 1]


_LIMIT: Final = 2**63
_DIGITS: Final = pattern(r"0|[1-9][0-9]{0,17}")


def keys_by_attribute(
    chosen: Sequence[InstanceState], path: str, *, count: bool = False
) -> dict[AbsResourceInstance, InstanceKey]:
    """Return the key of each instance from the attribute at `path`, for `for_each` or, if `count`, for `count`.

    Raises SurgeryError if an attribute is missing, is neither a string nor a whole number, or is sensitive: keys are
    visible in every address.
    """
    return {i.addr: _key(i.addr, path, _value(i, path), count) for i in chosen}


def _value(instance: InstanceState, path: str) -> JSONValue:
    obj = instance.current or (instance.deposed[0] if len(instance.deposed) == 1 else None)
    if obj is None:
        raise SurgeryError(
            f"{instance.addr} has no current object and several deposed ones; map its key explicitly",
            address=instance.addr,
        )
    try:
        value = decoded(attributes_value(obj, instance.resource.addr.resource.type, show_sensitive=False))
        if obj.attributes is None and isinstance(value, Members):
            return look_up_flat(value, path)
        return look_up(value, parse_path(path))
    except (SelectionError, ValueError) as error:
        raise SurgeryError(f"{instance.addr}: {error}", address=instance.addr) from error


def _key(addr: AbsResourceInstance, path: str, value: JSONValue, count: bool) -> InstanceKey:
    if isinstance(value, Hidden):
        raise SurgeryError(
            f"{addr}: {path} is sensitive, and keys are visible in every address; choose another attribute",
            address=addr,
        )
    if not isinstance(value, str):
        raise SurgeryError(f"{addr}: {path} is {_kind(value)}; a key must be a string or a whole number", address=addr)
    number = _whole_number(value)
    if count:
        if number is None or number < 0:
            raise SurgeryError(f"{addr}: {path} is not a whole number of at least 0, as count needs", address=addr)
        return IntKey(number)
    if isinstance(value, NumberText):
        if number is None:
            raise SurgeryError(f"{addr}: {path} is {value!s}; a numeric key must be a whole number", address=addr)
        return StringKey(str(number))
    return StringKey(nfc(value))


def _whole_number(value: str) -> int | None:
    """Return the value of a number or a string of digits; None if it is not whole or exceeds 64 bits."""
    if not isinstance(value, NumberText):
        return int(value) if _DIGITS.fullmatch(value) else None
    number = parse_number(value)
    found = None if number is None else number.small_integer()
    return found if found is not None and -_LIMIT <= found < _LIMIT else None


def _kind(value: JSONValue) -> str:
    name = kind_name(value)
    return name if value is None else f"{'an' if name[0] in 'ao' else 'a'} {name}"
