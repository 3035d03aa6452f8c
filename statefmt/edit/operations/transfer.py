"""Moves instances from one state to another, and joins states."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final, NamedTuple

from msgspec.structs import replace

from statefmt.analysis.diff import diff
from statefmt.edit.changes import (
    REBIND_COMMAND,
    Edit,
    Moved,
    OtherBindingError,
    arrived,
    by_address,
    dropping,
    named,
    only,
    refuse_taken,
    unique,
    with_objects,
    without_instances,
)
from statefmt.model.addrs import (
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    ConfigResource,
    Module,
    ModuleInstance,
)
from statefmt.model.errors import SurgeryError, Wording
from statefmt.model.snapshot import OutputValue, ResourceInstanceObject, ResourceState, Snapshot


class CrossingDependency(NamedTuple):
    """A dropped dependency, whose two ends are now in different states.

    `dependant` is the dependent instance, at its new address; `needs` is the needed resource, at its old address, and
    `now` is its new address. If `is_leaving`, the resource went to the target and the instance stayed in the source;
    otherwise the reverse. The configuration of the dependant needs outputs of the other state for the values that it
    reads.
    """

    dependant: AbsResourceInstance
    needs: ConfigResource
    is_leaving: bool
    now: ConfigResource


class Transferral(NamedTuple):
    """The edits of both states, and provider configurations new to the target.

    `moved` maps the old addresses of instances new to the target to their addresses there. `crossing` are the dropped
    dependencies, and `outputs` the names of the outputs that left the source.
    """

    source: Edit
    target: Edit
    moved: Moved
    new_providers: tuple[ConfigProviderConfig, ...]
    crossing: tuple[CrossingDependency, ...] = ()
    outputs: Collection[str] = ()


def transfer(
    source: Snapshot, target: Snapshot, moved: Moved, *, rebind: bool = False, keep_dependencies: bool = False
) -> Transferral:
    """Move instances, with all their objects, from `source` to `target`; `moved` maps old addresses to new ones.

    Deposed objects, marks, private data and identities go along. Dependencies between moved instances follow them;
    dependencies that would cross between the states are dropped or, with `keep_dependencies`, stay and name the old
    address. Instances join a resource of the target as in `mv`. Raises SurgeryError like `mv`; a destination is taken
    if the target has the instance.
    """
    before, there = by_address(source), by_address(target)
    refuse_taken(there, moved, (), "the other state has this instance already")
    # Objects from another file have no bytes in this file.
    leaving = {addr: _without_origin(before[addr]) for addr in {one.containing_resource() for one in moved}}
    after = arrived(leaving, there, moved, rebind=rebind, keeps_blocks=False)
    left = without_instances(source, moved.keys())
    came = frozenset(moved.values())
    arrival = replace(target, resources=tuple(after.values()))
    joined, inward = _following(arrival, moved, came, keep_dependencies=keep_dependencies)
    stayed = {resource.addr.config() for resource in left.resources if resource.objects}
    gone = () if keep_dependencies else {one.config() for one in moved} - stayed
    kept, dropped = dropping(left, gone)
    goals = {one.config(): other.config() for one, other in moved.items()} if dropped else {}
    outward = [CrossingDependency(addr, one, True, goals[one]) for addr, needs in dropped.items() for one in needs]
    providers = {resource.provider_config for resource in there.values()}
    new = {one.provider_config: None for one in leaving.values() if one.provider_config not in providers}
    new_providers = tuple(config for config in new if config)
    return Transferral(Edit(kept), Edit(joined), moved, new_providers, (*outward, *inward))


def _without_origin(resource: ResourceState) -> ResourceState:
    return replace(resource, objects=tuple(replace(obj, origin=None) for obj in resource.objects), origin=())


def _following(
    snapshot: Snapshot, moved: Moved, came: frozenset[AbsResourceInstance], *, keep_dependencies: bool
) -> tuple[Snapshot, list[CrossingDependency]]:
    """Update the dependencies of arrived instances on each other; drop and list the others, or keep them."""
    targets: dict[ConfigResource, dict[ConfigResource, None]] = {}
    for one, other in moved.items():
        targets.setdefault(one.config(), {})[other.config()] = None
    lost: dict[CrossingDependency, None] = {}

    def followed(resource: AbsResource, obj: ResourceInstanceObject) -> ResourceInstanceObject:
        if not (obj.dependencies or obj.depends_on):
            return obj
        addr = resource.instance(obj.key)
        if addr not in came:
            return obj
        if not keep_dependencies:
            needs = (*obj.dependencies, *(other.config() for other in obj.depends_on if other not in moved))
            lost.update((CrossingDependency(addr, one, False, one), None) for one in needs if one not in targets)
        new = [other for one in obj.dependencies for other in targets.get(one, [one] if keep_dependencies else ())]
        older = tuple(moved.get(one, one) for one in obj.depends_on if keep_dependencies or one in moved)
        return replace(obj, dependencies=unique(new, obj.dependencies), depends_on=older)

    return with_objects(snapshot, followed), list(lost)


_PREFIX: Final = Wording("--prefix", "a prefix")
_OUTPUTS_FROM: Final = Wording("--outputs-from", "outputs_from")


def join(
    source: Snapshot,
    target: Snapshot,
    *,
    prefix: ModuleInstance | None = None,
    takes_output: Callable[[str], bool | None] = lambda _: None,
) -> Transferral:
    """Move all resources and outputs of `source` to `target`, which keeps its lineage.

    With a `prefix`, the resources go into that module, and the outputs stay: no state has the outputs of a module.
    Objects in both states are kept once, in the target. Dependencies stay unchanged, so that dependencies between the
    two states lead somewhere again. For outputs that differ, `takes_output` decides by name: True takes the output of
    `source`, False keeps the output of `target`. Raises SurgeryError if an address has different objects, or if outputs
    differ without a decision.
    """
    coming = source if prefix is None else prefixed(source, prefix)
    common = _addresses(coming).keys() & _addresses(target).keys()
    _refuse_different(coming, target, common)
    new = without_instances(coming, common)
    came = {other: other for other in _addresses(new)}
    try:
        made = transfer(new, _depending(target, coming, common), came, keep_dependencies=True)
    except OtherBindingError as error:
        raise SurgeryError(
            f"{error.reason}Put one of the states into a module with ",
            _PREFIX,
            ", or bind all instances of the resource to one configuration first, with ",
            REBIND_COMMAND,
            address=error.destination,
        ) from error
    moved = {one: other for one, other in zip(_addresses(source), _addresses(coming), strict=True) if other in came}
    known = {resource.addr for resource in made.target.snapshot.resources}
    empty = (replace(one, origin=()) for one in new.resources if one.addr not in known)
    after = replace(made.target.snapshot, resources=(*made.target.snapshot.resources, *empty))
    left = replace(source, resources=())
    if prefix is not None:
        return Transferral(Edit(left), Edit(after), moved, made.new_providers)
    after = replace(after, outputs=_outputs(source.outputs, target.outputs, takes_output))
    outputs = [one.name for one in source.outputs]
    return Transferral(Edit(replace(left, outputs=())), Edit(after), moved, made.new_providers, outputs=outputs)


def _addresses(snapshot: Snapshot) -> dict[AbsResourceInstance, None]:
    return dict.fromkeys(one.addr.instance(obj.key) for one in snapshot.resources for obj in one.objects)


def _refuse_different(coming: Snapshot, target: Snapshot, common: Collection[AbsResourceInstance]) -> None:
    """Raise SurgeryError unless both states have the same objects at the `common` addresses."""
    if not common:
        return
    one, other = _only(coming, common), _only(target, common)
    changes = diff(one, other)
    bound = {resource.addr: resource.provider_config for resource in other.resources}
    rebound = {one.addr for one in one.resources if bound[one.addr] != one.provider_config}
    different = [str(side.addr) for change in changes.instances if (side := change.old or change.new) is not None]
    different = list(dict.fromkeys((*different, *map(str, rebound))))
    if different:
        raise SurgeryError(
            "both states have different objects at these addresses; put one of the states into a module with ",
            _PREFIX,
            f", or move or forget one of the objects first:{named(different)}",
            address=only(different),
        )


def _only(snapshot: Snapshot, chosen: Collection[AbsResourceInstance]) -> Snapshot:
    """Return the chosen instances, without the details that may differ between two records of one object."""
    left = without_instances(Snapshot(resources=snapshot.resources), _addresses(snapshot).keys() - set(chosen))
    resources = (
        replace(one, objects=tuple(replace(obj, private="", dependencies=(), depends_on=()) for obj in one.objects))
        for one in left.resources
        if one.objects
    )
    return replace(left, resources=tuple(resources))


def _depending(target: Snapshot, coming: Snapshot, common: Collection[AbsResourceInstance]) -> Snapshot:
    """Return the target; objects in both states get the dependencies of both."""
    if not common:
        return target
    touched = {addr.containing_resource() for addr in common}
    needs = {
        (one.addr, obj.key, obj.deposed): obj.dependencies
        for one in coming.resources
        if one.addr in touched
        for obj in one.objects
    }

    def depending(addr: AbsResource, obj: ResourceInstanceObject) -> ResourceInstanceObject:
        more = [one for one in needs.get((addr, obj.key, obj.deposed), ()) if one not in obj.dependencies]
        return replace(obj, dependencies=(*obj.dependencies, *more)) if more else obj

    return with_objects(target, depending)


def _outputs(
    coming: Collection[OutputValue], there: Collection[OutputValue], takes: Callable[[str], bool | None]
) -> tuple[OutputValue, ...]:
    """Return the outputs of both states. Raises SurgeryError if outputs differ without a decision."""
    found = {one.name: one for one in there}
    chosen = {one.name: takes(one.name) for one in coming if found.get(one.name, one) != one}
    undecided = [name for name, takes_source in chosen.items() if takes_source is None]
    if undecided:
        raise SurgeryError(
            "both states have different values of these outputs; choose those of one of the two states with ",
            _OUTPUTS_FROM,
            f":{named(undecided)}",
        )
    taken = {one.name: one for one in coming if chosen.get(one.name, True)}
    return tuple((found | taken).values())


def prefixed(snapshot: Snapshot, prefix: ModuleInstance) -> Snapshot:
    """Return the snapshot with all resources below a module, and their dependencies on each other.

    Provider configurations of the root module stay there, as modules inherit them.
    """
    own = {one.addr.config() for one in snapshot.resources}
    names, steps = prefix.module().names, prefix.steps

    def below(module: ModuleInstance) -> ModuleInstance:
        return ModuleInstance((*steps, *module.steps))

    def depending(obj: ResourceInstanceObject) -> ResourceInstanceObject:
        if not (obj.dependencies or obj.depends_on):
            return obj
        # Resources of another state keep their address.
        needs = tuple(
            ConfigResource(Module((*names, *one.module.names)), one.resource) if one in own else one
            for one in obj.dependencies
        )
        older = tuple(
            AbsResourceInstance(below(one.module), one.resource) if one.config() in own else one
            for one in obj.depends_on
        )
        return replace(obj, dependencies=needs, depends_on=older)

    def inside(one: ResourceState) -> ResourceState:
        addr, config = AbsResource(below(one.addr.module), one.addr.resource), one.provider_config
        if config is not None and not config.module.is_root:
            config = replace(config, module=Module((*names, *config.module.names)))
        return replace(one, addr=addr, provider_config=config, objects=tuple(map(depending, one.objects)))

    return replace(snapshot, resources=tuple(map(inside, snapshot.resources)))
