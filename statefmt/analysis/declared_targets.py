"""Determines whether a configuration declares the target of an edit: an address, a provider instance or a source.

Each function describes the first target that does not exist, with the nearest names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

from statefmt.analysis.providers.fates import doubt, required_sources, translated
from statefmt.analysis.selection import did_you_mean
from statefmt.analysis.targets import Naming, listed_keys, nearest_providers, short_name
from statefmt.configuration.instances import AbsentInstance
from statefmt.configuration.moves import moved_to, moves
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.configuration.provider_reference import provider_named
from statefmt.hcl.value import Unknown
from statefmt.model.addrs import (
    NO_KEY,
    AbsProviderInstance,
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    InstanceKey,
    Module,
    ModuleInstance,
)
from statefmt.model.addrs.parsing import parse_abs_provider_instance, parse_local_provider_instance
from statefmt.model.addrs.provider import Provider
from statefmt.model.errors import AddressError

_MOST_LISTED: Final = 10
# The undeclared part of an address: all of it, its resource, or a module on its path.
_Part: TypeAlias = AbsResourceInstance | AbsResource | ModuleInstance


def undeclared_addresses(
    references: ProviderReferences, goals: Iterable[AbsResourceInstance], *, depth: int = 0
) -> Judgement:
    """Judge whether the configuration declares these instances, after its `moved` blocks.

    If the target is a module with `depth` steps, only that module must exist: undeclared instances in it are noted.
    """
    lookup = _Lookup(references)
    declared_moves = moves(references.configuration)
    notes: dict[str, None] = {}
    missing: list[str] = []
    for goal in goals:
        # A moved block may move the instance on from here.
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
    """Finds the undeclared part of addresses, None if all is declared; looks up each module and resource once."""

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


class Judgement(NamedTuple):
    """The problem of the first target that does not exist, "" if all do, and notes on unknown targets.

    `about` is the first target that does not exist.
    """

    problem: str
    notes: tuple[str, ...] = ()
    about: AbsProviderInstance | AbsResourceInstance | None = None


def sources_in_configuration(references: ProviderReferences) -> set[Provider]:
    """Return all provider sources that a configuration requires, by required_providers, a block or a resource type."""
    found = {*required_sources(references.configuration), *(config.provider for config in references.tree.declared)}
    for resource, block in references.blocks.items():
        if block.provider is None:
            declarations = references.configuration.modules[resource.module].declarations
            implied = provider_named(declarations, resource.resource.implied_provider())
            found |= set() if implied is None else {implied}
    return found


def undeclared_providers(
    references: ProviderReferences, wanted: Iterable[AbsProviderInstance], name: Naming = short_name
) -> Judgement:
    """Judge whether the configuration declares all these provider instances; `name` formats the nearest ones."""
    required = required_sources(references.configuration)
    notes = []
    for provider in wanted:
        bound = translated(provider, required)
        resolved = references.tree.exactly(bound.config)
        if resolved is None:
            unread = doubt(references.configuration, bound.config.module)
            if unread is None:
                return Judgement(_no_configuration(references, bound, name), about=provider)
            notes.append(_not_checked(bound, unread))
            continue
        there = references.declares(resolved.config.instance(bound.key))
        # With an unknown for_each, it is still certain that every instance has a key.
        has_keys = isinstance(there, Unknown) and resolved.config in references.tree.declared
        if there is False or (has_keys and bound.key is NO_KEY):
            return Judgement(_no_instance(references, bound, resolved.config, name), about=provider)
        if isinstance(there, Unknown):
            notes.append(_not_checked(bound, there))
    return Judgement("", tuple(notes))


def declared_provider(references: ProviderReferences, text: str) -> AbsProviderInstance | None:
    """Return the instance with this address, or short form in the root module; None if it is not declared."""
    try:
        provider = parse_abs_provider_instance(text)
    except AddressError:
        try:
            local = parse_local_provider_instance(text)
        except AddressError:
            return None
        resolved = references.tree.resolve(Module(), local.config)
        if resolved is None:
            return None
        provider = resolved.config.instance(local.key)
    provider = translated(provider, required_sources(references.configuration))
    return provider if references.declares(provider) is True else None


def _not_checked(provider: AbsProviderInstance, unknown: Unknown) -> str:
    return f"statetool cannot tell whether the configuration declares {provider}: {unknown.reason}"


def _no_configuration(references: ProviderReferences, provider: AbsProviderInstance, name: Naming) -> str:
    tree = references.tree
    known: list[AbsProviderInstance] = []
    for config in (*tree.declared, *tree.passed):
        keys = references.declared_keys(config) if config in tree.declared else (NO_KEY,)
        known += [config.instance()] if isinstance(keys, Unknown) else map(config.instance, keys)
    near = nearest_providers(provider, known, name)
    missing = name(provider.config.instance())
    return f"the configuration in {references.configuration.directory} does not declare {missing}{near}"


def _no_instance(
    references: ProviderReferences, provider: AbsProviderInstance, declared: ConfigProviderConfig, name: Naming
) -> str:
    block = references.tree.declared.get(declared)
    keys = references.declared_keys(declared)
    known = () if isinstance(keys, Unknown) else keys
    of = name(declared.instance())
    if declared != provider.config:
        of += f", which is passed as {provider.config},"
    if block is None or block.for_each is None:
        return f"{of} has no for_each in the configuration, so it has no instance {provider.key}."
    if provider.key is NO_KEY:
        listed = listed_keys(known)
        return f"{of} has for_each in the configuration, so a key is required{f': {listed}' if listed else ''}."
    own = [provider.config.instance(key) for key in known]
    return f"the for_each of {of} has no key {provider.key}{nearest_providers(provider, own, name)}"
