"""`join`: moves everything in a state to another one."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final, NamedTuple

from msgspec.structs import replace

from statefmt.analysis.diff import diff
from statefmt.edit.changes.arriving import Moved, OtherBindingError
from statefmt.edit.changes.edit import Edit
from statefmt.edit.changes.only import only
from statefmt.edit.changes.resources import with_objects, without_instances
from statefmt.edit.changes.ways import REBIND_COMMAND
from statefmt.edit.changes.whole_resources import named
from statefmt.edit.operations._prefixed import prefixed
from statefmt.edit.operations.transfer import transfer
from statefmt.model.addrs import AbsResource, AbsResourceInstance, ConfigProviderConfig, ModuleInstance
from statefmt.model.errors import SurgeryError, Wording
from statefmt.model.snapshot import OutputValue, ResourceInstanceObject, Snapshot

_PREFIX: Final = Wording("--prefix", "a prefix")
_OUTPUTS_FROM: Final = Wording("--outputs-from", "outputs_from")


class Joined(NamedTuple):
    """The edits of both states, and provider configurations new to the target.

    `moved` has the instances that the target did not have: old addresses, and those in the target. `outputs` are the
    names of the outputs that left the source.
    """

    source: Edit
    target: Edit
    moved: Moved
    outputs: Collection[str]
    new_providers: tuple[ConfigProviderConfig, ...]


def join(
    source: Snapshot,
    target: Snapshot,
    *,
    prefix: ModuleInstance | None = None,
    takes_output: Callable[[str], bool | None] = lambda _: None,
) -> Joined:
    """Move all resources and outputs of `source` to `target`, which keeps its lineage.

    With a `prefix`, the resources go into that module, and the outputs stay: no state has the outputs of a module.
    What both states have stays once, in the target. Dependencies stay as they are, so that those between objects of
    the two states lead somewhere again. Where an output differs, `takes_output` decides by its name: True for that of
    `source`, False for that of `target`. Raises SurgeryError if there are different objects at an address, or different
    outputs and nothing decides.
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
        return Joined(Edit(left), Edit(after), moved, (), made.new_providers)
    after = replace(after, outputs=_outputs(source.outputs, target.outputs, takes_output))
    outputs = [one.name for one in source.outputs]
    return Joined(Edit(replace(left, outputs=())), Edit(after), moved, outputs, made.new_providers)


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
    """Return the chosen instances, without what may differ between two records of one object."""
    left = without_instances(Snapshot(resources=snapshot.resources), _addresses(snapshot).keys() - set(chosen))
    resources = (
        replace(one, objects=tuple(replace(obj, private="", dependencies=(), depends_on=()) for obj in one.objects))
        for one in left.resources
        if one.objects
    )
    return replace(left, resources=tuple(resources))


def _depending(target: Snapshot, coming: Snapshot, common: Collection[AbsResourceInstance]) -> Snapshot:
    """Return the target; objects that both states have get the dependencies that either has."""
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
    """Return the outputs of both states. Raises SurgeryError if some differ and nothing decides."""
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
