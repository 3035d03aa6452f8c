"""Takes bindings, addresses and the keys of `rekey --config DIR` from a configuration."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from statefmt.analysis.selection import selector_text
from statefmt.configuration.instances import AbsentInstance, Expansion, Instances
from statefmt.edit.changes import REBIND, Edit, Moved, OtherBindingError, by_address
from statefmt.edit.key_map import Keyed, Repeatable, by_block, key_text, map_text, normal_key, renamed
from statefmt.edit.operations._declared_bindings import declared_binding, declared_bindings
from statefmt.edit.operations.mv import mv
from statefmt.edit.operations.rebind import rebind
from statefmt.hcl.evaluate import evaluate
from statefmt.hcl.syntax import Call
from statefmt.hcl.value import Unknown, Value, children
from statefmt.model.addrs import (
    AbsProviderInstance,
    AbsResource,
    AbsResourceInstance,
    InstanceKey,
    ModuleInstance,
    ResourceMode,
    StringKey,
    key_order,
)
from statefmt.model.cty import STRING
from statefmt.model.errors import MessagePart, SelectionError, SurgeryError, Wording
from statefmt.model.snapshot import ResourceInstanceObject, ResourceState, Snapshot, instances, not_among
from statefmt.text import shell_line

if TYPE_CHECKING:
    from statefmt.configuration.provider_instances import ProviderReferences


# A message with more commands would be a script.
_MOST_COMMANDS: Final = 4
_BIND_FIRST: Final = ": bind the instances of both resources as the configuration does first"


class _Rebinding(NamedTuple):
    """A command that binds the instances at an address to a provider instance."""

    address: str
    to: AbsProviderInstance


def as_declared(
    error: OtherBindingError,
    snapshot: Snapshot,
    references: ProviderReferences,
    arguments: Sequence[str],
    *,
    allow_mismatch: bool = False,
) -> SurgeryError:
    """Return a refusal of `mv` with advice that fits the configuration.

    `arguments` name the state and the configuration in the suggested commands. The commands are tried first: after
    them, the same `mv` with `rebind` succeeds, and each instance has its provider instance of the configuration.
    """
    needed = _needed(snapshot, error.moved, references)
    wanted = needed.get(error.destination)
    if wanted is None:
        return _undetermined(error)
    ways = list(_ways(snapshot, error.moved, needed))
    before, is_right = snapshot, False
    for edit in _tried(snapshot, ways, error.moved, references):
        if not allow_mismatch and (mismatch := _mismatch(before, edit, references)):
            return mismatch
        before, is_right = edit.snapshot, bool(edit.moved) and _fits(edit.snapshot, needed)
    if is_right and not ways:
        return _with(error, REBIND, f" binds it to {wanted}, as the configuration does")
    shows = _shows(error, wanted)
    if not is_right or len(ways) > _MOST_COMMANDS:
        return _with(error, f"{shows}{_BIND_FIRST}")
    allowing = ("--allow-mismatch",) if allow_mismatch else ()
    lines = [shell_line(("statetool", "rebind", way.address, str(way.to), *arguments, *allowing)) for way in ways]
    calls = [f"rebind({way.address!r}, {str(way.to)!r})" for way in ways]
    return _with(
        error,
        f"{shows}. First run:" if len(ways) == 1 else f"{shows}. First run these commands:",
        Wording("".join(f"\n  {line}" for line in lines), "".join(f"\n  {call}" for call in calls)),
        "\nThen move with ",
        REBIND,
    )


def as_declared_there(
    error: OtherBindingError,
    snapshots: Mapping[str, Snapshot],
    target: str,
    references: ProviderReferences,
    *,
    allow_mismatch: bool = False,
) -> SurgeryError:
    """Return a refusal of a move to the state `target` with advice that fits its configuration."""
    # Several resources may join in a new resource.
    home = by_address(snapshots[target]).get(error.destination.containing_resource())
    wanted = declared_binding(error.destination, home, references)
    if wanted is None:
        return _undetermined(error)
    sources = {one for one, other in error.moved.items() if other == error.destination}
    coming = (one for name, there in snapshots.items() if name != target for one in instances(there))
    judge = _MismatchJudge(references)
    for obj in () if allow_mismatch else (obj for one in coming if one.addr in sources for obj in one.objects):
        mismatch = judge.refusal(error.destination, obj, wanted)
        if mismatch is not None:
            return mismatch
    config = None if home is None else home.provider_config
    if (
        home is not None
        and config is not None
        and {config.instance(obj.provider_key) for obj in home.objects} == {wanted}
    ):
        return _with(error, REBIND, f" binds it to {wanted}, as the configuration does")
    return _with(error, f"{_shows(error, wanted)}{_BIND_FIRST}")


def _shows(error: OtherBindingError, wanted: AbsProviderInstance) -> str:
    return f"The configuration uses {wanted} for {error.destination}"


def _undetermined(error: OtherBindingError) -> SurgeryError:
    unknown = f"The configuration does not determine the provider instance of {error.destination}. "
    return _with(error, unknown, *error.way_out)


def _with(error: OtherBindingError, *way_out: MessagePart) -> SurgeryError:
    return SurgeryError(error.reason, *way_out, address=error.destination)


def _joined(snapshot: Snapshot, moved: Moved) -> dict[AbsResource, Moved]:
    """Return the resources in which provider configurations meet, each with the instances that move there."""
    by = by_address(snapshot)
    found: dict[AbsResource, dict[AbsResourceInstance, AbsResourceInstance]] = {}
    for one, other in moved.items():
        found.setdefault(other.containing_resource(), {})[one] = other
    return {
        home: coming
        for home, coming in found.items()
        if len({by[each].provider_config for each in (home, *_sources(coming)) if each in by}) > 1
    }


def _sources(coming: Moved) -> dict[AbsResource, None]:
    return dict.fromkeys(one.containing_resource() for one in coming)


def _needed(
    snapshot: Snapshot, moved: Moved, references: ProviderReferences
) -> dict[AbsResourceInstance, AbsProviderInstance]:
    """Return the provider instances of the joined resources, by the new addresses of instances."""
    by = by_address(snapshot)
    meant: dict[AbsResourceInstance, AbsResourceInstance] = {}
    for home, coming in _joined(snapshot, moved).items():
        meant |= coming
        if home in by:
            meant |= {addr: addr for addr in _addresses(by[home]) if addr not in moved}
    return declared_bindings(snapshot, meant, references)


def _ways(
    snapshot: Snapshot, moved: Moved, needed: Mapping[AbsResourceInstance, AbsProviderInstance]
) -> Iterator[_Rebinding]:
    """Yield the commands for the instances that stay in the joined resources."""
    by = by_address(snapshot)
    for home in _joined(snapshot, moved):
        if home in by:
            stay = [addr for addr in _addresses(by[home]) if addr not in moved]
            yield from _of_resource(by[home], {addr: needed.get(addr) for addr in stay})


def _of_resource(
    resource: ResourceState, wanted: Mapping[AbsResourceInstance, AbsProviderInstance | None]
) -> Iterator[_Rebinding]:
    """Yield the commands for one resource, whose instances change their configuration only together."""
    first = next((to for to in wanted.values() if to is not None), None)
    config = resource.provider_config
    if first is None or config is None:
        return
    bound = {obj.key: config.instance(obj.provider_key) for obj in resource.objects}
    if config != first.config:
        if None in wanted.values():
            # The configuration does not say where the other instances belong.
            return
        yield _Rebinding(selector_text(resource.addr), first)
        bound = dict.fromkeys(bound, first)
    for addr, to in wanted.items():
        if to is not None and bound[addr.key] != to:
            yield _Rebinding(selector_text(addr), to)


def _addresses(resource: ResourceState) -> list[AbsResourceInstance]:
    return list(dict.fromkeys(resource.addr.instance(obj.key) for obj in resource.objects))


def _tried(
    snapshot: Snapshot, ways: Sequence[_Rebinding], moved: Moved, references: ProviderReferences
) -> Iterator[Edit]:
    """Yield the edits of the commands, and of the move after them, up to the first refused one."""
    try:
        for way in ways:
            edit = rebind(snapshot, way.address, way.to)
            snapshot = edit.snapshot
            yield edit
        yield mv(snapshot, moved, rebind=True, bindings=declared_bindings(snapshot, moved, references))
    except (SelectionError, SurgeryError):
        return


def _fits(snapshot: Snapshot, needed: Mapping[AbsResourceInstance, AbsProviderInstance]) -> bool:
    """Return whether all instances have the bindings of the configuration, as far as they are known."""
    return all(
        instance.provider(obj) == needed[instance.addr]
        for instance in instances(snapshot)
        if instance.addr in needed
        for obj in instance.objects
    )


_ALLOW: Final = Wording("--allow-mismatch", "allow_mismatch=True")


def refuse_mismatch(before: Snapshot, edit: Edit, references: ProviderReferences) -> None:
    """Raise SurgeryError if an edit binds an object to a provider instance of another account or region.

    The old binding does not matter, only whether the edit changes it. An earlier content is restored as it was.
    """
    mismatch = None if edit.restored is not None else _mismatch(before, edit, references)
    if mismatch is not None:
        raise mismatch


def _mismatch(before: Snapshot, edit: Edit, references: ProviderReferences) -> SurgeryError | None:
    judge = _MismatchJudge(references)
    came = {other: one for one, other in edit.moved.items()}
    bound = {(one.addr, obj.deposed): one.provider(obj) for one in instances(before) for obj in one.objects}
    for resource in not_among(edit.snapshot.resources, before.resources):
        for obj in resource.objects:
            addr, config = resource.addr.instance(obj.key), resource.provider_config
            provider = None if config is None else config.instance(obj.provider_key)
            if provider is not None and bound.get((came.get(addr, addr), obj.deposed)) != provider:
                found = judge.refusal(addr, obj, provider)
                if found is not None:
                    return found
    return None


class _MismatchJudge:
    """Refuses provider instances of another account or region than that of an object."""

    def __init__(self, references: ProviderReferences) -> None:
        from statefmt.analysis.providers.mismatches import Mismatches

        self._references = references
        self._mismatches = Mismatches(references)

    def refusal(
        self, addr: AbsResourceInstance, obj: ResourceInstanceObject, provider: AbsProviderInstance
    ) -> SurgeryError | None:
        """Return a refusal to bind an object at an address to a provider instance; None if nothing contradicts it."""
        if addr.resource.resource.mode is ResourceMode.DATA:
            return None
        found = self._mismatches.of(addr, obj, provider)
        if found is None:
            return None
        config = provider.config
        keys = self._references.declared_keys(config) if self._references.tree.exists(config) else ()
        others = [] if isinstance(keys, Unknown) else [config.instance(key) for key in keys]
        left = [one for one in others if self._mismatches.of(addr, obj, one) is None]
        hint = f" Only {left[0]} does not contradict the object." if len(left) == 1 else ""
        return SurgeryError(
            f"{addr} would be bound to {provider}, but {found}; OpenTofu would not find it, and create another one."
            f"{hint} Use ",
            _ALLOW,
            " if this is intended.",
            address=addr,
        )


_CONFIG: Final = Wording("--config", "config=")


def refuse_undeclared(edit: Edit, references: ProviderReferences, depth: int = 0) -> Sequence[str]:
    """Raise SurgeryError if the configuration does not declare the target of a move; return notes.

    `depth` is the number of steps of a module as the target, else 0.
    """
    from statefmt.analysis.declared_targets import undeclared_addresses

    judgement = undeclared_addresses(references, edit.moved.values(), depth=depth)
    if judgement.problem:
        raise SurgeryError(
            f"{judgement.problem}\nIf this is intended, leave out ", _CONFIG, ".", address=judgement.about
        )
    return judgement.notes


_MOST_NAMED: Final = 10
_MAP_ALONE: Final = Wording("--map without --config", "keys= without config=")


# A state does not say which element of a `for_each` an instance with a `count` index was made for. So keys are used
# only if unambiguous: one instance whose key the configuration lacks, and one key that the state lacks. Otherwise the
# refusal shows a key map to complete.


def keys_by_configuration(
    chosen: Iterable[Keyed], there: Iterable[Keyed], instances: Instances, arguments: Iterable[str] = ()
) -> dict[Keyed, InstanceKey]:
    """Return the new keys of chosen instances and modules whose keys the configuration lacks.

    `there` are all instances and modules of the state. `arguments` complete the command line in a refusal. Raises
    SurgeryError if the configuration does not determine the new keys, or lacks the resource or module.
    """
    known = by_block(there)
    new: dict[Keyed, InstanceKey] = {}
    modules: dict[ModuleInstance, InstanceKey] = {}
    # Outer modules first: the configuration has inner modules under the new addresses.
    for block, found in sorted(by_block(chosen).items(), key=lambda item: _depth(item[0])):
        goal = _goal(block, modules)
        wanted = _declared_keys(instances, goal)
        taken = {normal_key(key) for key in known[block]}
        old = sorted((key for key in found if normal_key(key) not in wanted), key=key_order)
        free = [key for key in wanted if key not in taken]
        if not old:
            continue
        if len(old) != 1 or len(free) != 1:
            raise _undetermined_keys(block, old, free, _in_list_order(instances, goal), arguments)
        one = found[old[0]]
        new[one] = free[0]
        if isinstance(one, ModuleInstance):
            modules[one] = free[0]
    return new


def _depth(block: Repeatable) -> int:
    return len(block.steps) if isinstance(block, ModuleInstance) else len(block.module.steps) + 1


def _goal(block: Repeatable, modules: Mapping[ModuleInstance, InstanceKey]) -> Repeatable:
    """Return the address of a block after its containing modules have got their new keys."""
    at = renamed(modules)
    if isinstance(block, AbsResource):
        return AbsResource(at(block.module), block.resource)
    return at(block.parent()).child(block.steps[-1].name)


def _declared_keys(instances: Instances, block: Repeatable) -> dict[InstanceKey, None]:
    """Return the keys of a block in the configuration, in its order. Raises SurgeryError if they are unknown."""
    found: Expansion | Unknown | AbsentInstance
    if isinstance(block, ModuleInstance):
        found = instances.of_call(block)
    elif block.config() not in instances.blocks:
        found = AbsentInstance()
    else:
        found = instances.expansion_of(block)
    if isinstance(found, AbsentInstance):
        raise SurgeryError(_absent(instances, block), address=block)
    if isinstance(found, Unknown):
        place = f" ({found.range})" if found.range else ""
        raise SurgeryError(
            f"{block}: the configuration does not determine its keys: {found.reason}{place}; use ",
            _MAP_ALONE,
            address=block,
        )
    return dict.fromkeys(found.keys)


def _absent(instances: Instances, block: Repeatable) -> str:
    around = block.parent() if isinstance(block, ModuleInstance) else block.module
    outer = next((one for one in around.on_the_way if isinstance(instances.scope(one), AbsentInstance)), None)
    if outer is None:
        return f"{block}: the configuration does not have it"
    return f"{block}: the configuration does not have {outer}; change the keys of that module first"


def _undetermined_keys(
    block: Repeatable,
    old: Collection[InstanceKey],
    free: Collection[InstanceKey],
    order: list[StringKey],
    arguments: Iterable[str],
) -> SurgeryError:
    if not free:
        return SurgeryError(
            f"{block}: the configuration has no instance for {_named(old)}, and no other key without an instance",
            address=block,
        )
    numbers = range(len(old))
    in_order = len(order) == len(old) == len(free) and [str(key) for key in old] == [f"[{n}]" for n in numbers]
    pairs: dict[InstanceKey, InstanceKey | None] = (
        dict(zip(old, order, strict=True)) if in_order else dict.fromkeys(old)
    )
    line = shell_line(["statetool", "rekey", str(block), "--map", map_text(pairs), *arguments])
    what = (
        "It would be this in the order of the list in for_each; check that order, and "
        if in_order
        else "Replace each ? by its new key, and "
    )
    return SurgeryError(
        f"{block}: the configuration does not determine which of {_named(old)} becomes which of {_named(free)}. {what}",
        Wording(f"run:\n  {line}", f"pass:\n  keys={map_text(pairs)!r}"),
        address=block,
    )


def _in_list_order(instances: Instances, block: Repeatable) -> list[StringKey]:
    """Return the elements of the list in `for_each = toset(list)`, in its order; empty for any other expression."""
    declared = instances.blocks[block.config()] if isinstance(block, AbsResource) else instances.call(block)
    for_each = None if declared is None else declared.repetition.for_each
    expression = None if for_each is None else for_each.expression
    scope = instances.scope(block.parent() if isinstance(block, ModuleInstance) else block.module)
    if not isinstance(expression, Call) or expression.name != "toset" or len(expression.arguments) != 1:
        return []
    if isinstance(scope, Unknown | AbsentInstance):
        return []
    value = evaluate(expression.arguments[0], scope)
    if not isinstance(value, Value) or not isinstance(value.data, tuple):
        return []
    items = [part.data for part in children(value) if isinstance(part, Value) and part.type == STRING]
    keys = dict.fromkeys(StringKey(item) for item in items if isinstance(item, str))
    return list(keys) if len(keys) == len(value.data) else []


def _named(keys: Collection[InstanceKey]) -> str:
    texts = [key_text(key) for key in list(keys)[:_MOST_NAMED]]
    more = len(keys) - len(texts)
    return ", ".join(texts) + (f" and {more} more" if more else "")
