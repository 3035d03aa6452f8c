"""Decides whether a configuration declares the addresses that instances move to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from statefmt.analysis.providers.doubt import doubt
from statefmt.analysis.selection.nearest import did_you_mean
from statefmt.analysis.targets.providers_declared import Judgement
from statefmt.configuration.moves import moved_to, moves
from statefmt.configuration.providers.references import ProviderReferences
from statefmt.configuration.scopes.instances import AbsentInstance
from statefmt.hcl.value import Unknown
from statefmt.model.addrs import AbsResource, AbsResourceInstance, InstanceKey, Module, ModuleInstance

_MOST_LISTED: Final = 10
# What of an address is not declared: all of it, its resource, or a module on the way to it.
_Part: TypeAlias = AbsResourceInstance | AbsResource | ModuleInstance


def undeclared_addresses(
    references: ProviderReferences, goals: Iterable[AbsResourceInstance], *, depth: int = 0
) -> Judgement:
    """Judge whether the configuration declares these instances, after its `moved` blocks.

    If the target is a module with `depth` steps, only that module must exist: instances in it that are not declared
    are noted.
    """
    lookup = _Lookup(references)
    declared_moves = moves(references.configuration)
    notes: dict[str, None] = {}
    missing: list[str] = []
    for goal in goals:
        # A moved block may take the instance on from here.
        address = moved_to(declared_moves, goal)[0] if declared_moves else goal
        module = lookup.module(ModuleInstance(address.module.steps[:depth]))
        found = lookup.instance(address)
        if isinstance(found, Unknown):
            notes[f"statetool cannot tell whether the configuration declares {goal}: {found.reason}"] = None
        elif found is not None and (not depth or module == found):
            return Judgement(_description(references, found), about=goal)
        elif found is not None:
            missing.append(str(goal))
    # One reason is enough: there may be a note for every instance.
    return Judgement("", (*list(notes)[:1], *_missing(missing)))


def _missing(missing: list[str]) -> list[str]:
    if not missing:
        return []
    more = len(missing) - _MOST_LISTED
    lines = [*missing[:_MOST_LISTED], *([f"… and {more} more"] if more > 0 else [])]
    text = "the configuration does not declare these instances, so the next plan destroys them:"
    return ["\n  ".join([text, *lines])]


class _Lookup:
    """Finds the undeclared part of addresses, None if all is declared; looks each module and resource up once."""

    def __init__(self, references: ProviderReferences) -> None:
        self._references = references
        self._configuration = references.configuration
        self._modules: dict[ModuleInstance, ModuleInstance | Unknown | None] = {}
        self._resources: dict[AbsResource, _Part | Unknown | frozenset[InstanceKey]] = {}

    def instance(self, address: AbsResourceInstance) -> _Part | Unknown | None:
        resource = address.containing_resource()
        found = self._resources.get(resource)
        if found is None:
            found = self._resources[resource] = self._resource(resource)
        if isinstance(found, frozenset):
            return None if address.key in found else address
        return found

    def _resource(self, resource: AbsResource) -> _Part | Unknown | frozenset[InstanceKey]:
        module = self.module(resource.module)
        if module is not None:
            return module
        if resource.config() not in self._references.blocks:
            return doubt(self._configuration, resource.module.module()) or resource
        keys = self._references.instances.of_resource(resource)
        return keys if isinstance(keys, Unknown) else frozenset(keys)

    def module(self, module: ModuleInstance) -> ModuleInstance | Unknown | None:
        if module.is_root:
            return None
        if module not in self._modules:
            self._modules[module] = self._module(module)
        return self._modules[module]

    def _module(self, module: ModuleInstance) -> ModuleInstance | Unknown | None:
        outer = self.module(module.parent())
        if outer is not None:
            return outer
        if module.module() not in self._configuration.modules:
            return doubt(self._configuration, module.module()) or module
        scope = self._references.instances.scope(module)
        if isinstance(scope, AbsentInstance):
            return module
        return scope if isinstance(scope, Unknown) else None


def _description(references: ProviderReferences, part: _Part) -> str:
    if isinstance(part, ModuleInstance):
        known = _called_beside(references, part)
    elif isinstance(part, AbsResource):
        inside = part.config().module
        known = [str(AbsResource(part.module, one.resource)) for one in references.blocks if one.module == inside]
    else:
        resource = part.containing_resource()
        keys = references.instances.of_resource(resource)
        known = [] if isinstance(keys, Unknown) else [str(resource.instance(key)) for key in keys]
    near = did_you_mean(str(part), known)
    return f"the configuration in {references.configuration.directory} does not declare {part}{near}"


def _called_beside(references: ProviderReferences, module: ModuleInstance) -> list[str]:
    """Return the addresses of the module instances that the same module instance calls."""
    parent = module.parent()
    caller = references.configuration.modules[parent.module()]
    found: list[str] = []
    for name in caller.children:
        calls = references.instances.of_module(Module((*caller.path.names, name)))
        known = [] if isinstance(calls, Unknown) else [one for one in calls if one.parent() == parent]
        found += map(str, known or [parent.child(name)])
    return found
