"""Finds the part of a state that an operation concerns: all resources that it changes or decides by.

A part may have more resources than needed, but never fewer: the operations of a file do what the commands do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TypeAlias

from statefmt.analysis.selection import select
from statefmt.analysis.selection.criteria import Criteria
from statefmt.analysis.selection.patterns import Modules, module_call, modules_of
from statefmt.edit.arguments.destinations import destinations
from statefmt.edit.changes.arriving import Moved
from statefmt.edit.operations.joins import module_depth
from statefmt.edit.operations.replace_provider import Replaced
from statefmt.edit.operations_file._working_state import WorkingState
from statefmt.model.addrs import AbsResource, AbsResourceInstance, ConfigResource, ModuleInstance
from statefmt.model.addrs.provider import Provider
from statefmt.model.errors import SelectionError
from statefmt.model.snapshot import Snapshot, instances

PartOfState: TypeAlias = set[AbsResource]


def selected(selectors: Iterable[str], state: WorkingState) -> PartOfState:
    """Return what selectors may match. Raises SelectionError if one of them matches nothing."""
    found: PartOfState = set()
    for selector in selectors:
        matching = state.tables.selectable.matching(selector)
        if not matching:
            raise SelectionError(f"no resource matches {selector!r}")
        found |= matching.keys()
    return found


def forgotten(selectors: Sequence[str], state: WorkingState) -> PartOfState:
    """Return what `forget` and `forget_deposed` concern: also what depends on resources that are gone."""
    part = selected(selectors, state)
    empty = {str(one.addr): one.addr.config() for one in state.part(part).resources if not one.objects}
    others = [selector for selector in selectors if selector not in empty]
    gone = _found(state.part(part), others) if others else []
    configs = {addr.config() for addr in gone} | {empty[one] for one in selectors if one in empty}
    return part | set(_left_behind(state, part, configs, set(gone)))


def left(state: WorkingState, moved: Moved, selectors: Iterable[str]) -> PartOfState:
    """Return what a move to another state concerns: also what depends on resources that are gone."""
    part = selected(selectors, state)
    return part | set(_left_behind(state, part, {addr.config() for addr in moved}, moved.keys()))


def joined(state: WorkingState, moved: Moved, sources: Iterable[Provider]) -> PartOfState:
    """Return what a move from another state concerns: the resources that instances join, and provider instances."""
    part = {addr.containing_resource() for addr in moved.values()}
    return part | {addr for source in sources for addr in state.tables.instances_of(source)}


def goals(state: Snapshot, selectors: Sequence[str], target: str | None) -> Moved:
    """Return the new addresses of the instances that selectors match, by the old ones; without a target, the same.

    Raises SelectionError and SurgeryError.
    """
    found = _found(state, selectors)
    return dict(zip(found, found, strict=True)) if target is None else destinations(found, selectors[0], target)


def moved_within(state: WorkingState, selector: str, target: str) -> PartOfState:
    """Return what `move` concerns within a state: also what depends on the instances, and where they go."""
    moved = goals(state.part(selected([selector], state)), [selector], target)
    part = selected([selector], state) | {addr.containing_resource() for addr in moved.values()}
    depth = module_depth(target)
    for module in {ModuleInstance(addr.module.steps[:depth]) for addr in moved.values()} if depth else ():
        part |= state.tables.selectable.in_module(str(module)).keys()
    for config in {addr.config() for addr in moved}:
        part |= set(state.tables.dependants(config))
        part |= _another(state, config, part)
    return part


def rekeyed(selectors: Sequence[str], state: WorkingState) -> PartOfState:
    """Return what `rekey` concerns: also a resource of each other instance of the modules that selectors name."""
    part = selected(selectors, state)
    known = Modules(modules_of(addr.module for addr in part))
    named = [known.named(selector) for selector in selectors]
    for call in {module_call(module) for found in named if found is not None for module in found.modules}:
        others: dict[ModuleInstance, list[AbsResource]] = {}
        for addr in state.tables.selectable.in_module(str(call)):
            others.setdefault(ModuleInstance(addr.module.steps[: len(call.steps)]), []).append(addr)
        part |= {one for found in others.values() if (one := state.tables.existing(found)) is not None}
    return part | {one for config in {addr.config() for addr in part} for one in state.tables.older_dependants(config)}


def rebound(selectors: Sequence[str], state: WorkingState) -> PartOfState:
    """Return what `rebind` concerns: also a resource of each provider instance that there is."""
    part = selected(selectors, state)
    return part | {addr for source in sources(state, part) for addr in state.tables.instances_of(source)}


def provided(selectors: Sequence[str] | None, old: Replaced, new: Replaced, state: WorkingState) -> PartOfState:
    """Return what `replace_provider` concerns; without selectors, all that is bound to `old`."""
    part = set(state.tables.bound_to(_source(old))) if selectors is None else selected(selectors, state)
    return part | set(state.tables.instances_of(_source(new)))


def sources(state: WorkingState, part: Iterable[AbsResource]) -> set[Provider]:
    """Return the provider sources of some resources."""
    configs = (resource.provider_config for resource in state.part(part).resources)
    return {config.provider for config in configs if config is not None}


def _source(replaced: Replaced) -> Provider:
    return replaced if isinstance(replaced, Provider) else replaced.provider


def _found(state: Snapshot, selectors: Sequence[str]) -> list[AbsResourceInstance]:
    return [one.addr for one in select(instances(state), Criteria(selectors=tuple(selectors)))]


def _left_behind(
    state: WorkingState, part: PartOfState, leaving: Iterable[ConfigResource], gone: Collection[AbsResourceInstance]
) -> Iterator[AbsResource]:
    """Yield a resource that keeps an address of the configuration in use or, if there is none, what depends on it."""
    stays = {
        resource.addr.config()
        for resource in state.part(part).resources
        if any(resource.addr.instance(obj.key) not in gone for obj in resource.objects)
    }
    for config in leaving:
        if config not in stays:
            yield from _another(state, config, part) or state.tables.dependants(config)


def _another(state: WorkingState, config: ConfigResource, part: PartOfState) -> PartOfState:
    other = state.tables.another(config, part)
    return set() if other is None else {other}
