"""Determines whether the configuration has the provider that OpenTofu needs for each object in a state.

OpenTofu manages an object through the provider instance in its block. It destroys an object without a block through
the provider instance in the state. Sources: OpenTofu `internal/tofu/transform_provider.go`,
`node_resource_abstract_instance.go` (resolveProvider), `internal/tofumigrate/tofumigrate.go`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import Enum, auto
from typing import Final, NamedTuple

from msgspec import structs

from statefmt.analysis.providers import config_order
from statefmt.configuration.instances import AbsentInstance
from statefmt.configuration.model import Configuration
from statefmt.configuration.moves import DeclaredMove, DeclaredRemoval, implied_move, moved_to, moves, removals
from statefmt.configuration.provider_instances import BlockBinding, ProviderReferences
from statefmt.configuration.provider_reference import provider_named
from statefmt.hcl.source import Problem, ProblemKind, Range
from statefmt.hcl.value import Unknown
from statefmt.model.addrs import (
    NO_KEY,
    AbsProviderInstance,
    AbsResourceInstance,
    ConfigProviderConfig,
    InstanceKey,
    IntKey,
    Module,
    ResourceMode,
    StringKey,
    key_order,
)
from statefmt.model.addrs.provider import DEFAULT_HOST, TERRAFORM_HOST, Provider
from statefmt.model.snapshot import InstanceState, ResourceInstanceObject, Snapshot, instances

_FIRST: Final = IntKey(0)


class FateKind(Enum):
    """The fate of the provider binding of one object in the next plan."""

    KEPT = auto()  # the same provider instance, which exists
    REBOUND = auto()  # another provider instance, which exists
    CONFIGURATION_GONE = auto()  # "Provider configuration not present"
    INSTANCE_GONE = auto()  # "Provider instance not present"
    FALLBACK_IMPOSSIBLE = auto()  # "Unable to use fallback provider from state"
    UNKNOWN = auto()  # cannot be known without running the configuration


class Fate(NamedTuple):
    """One object, its current provider instance, and the provider instance that OpenTofu will use.

    `address` is the address after `moved` blocks. `declared` means that the configuration still has this instance, so
    it will not be destroyed. `binding` is the binding of its block, if any. `needed` is None if unknown, and has no
    key if only its configuration is known. `unknown` has the reason for UNKNOWN.
    """

    instance: InstanceState
    obj: ResourceInstanceObject
    address: AbsResourceInstance
    bound: AbsProviderInstance
    outcome: FateKind
    declared: bool
    needed: AbsProviderInstance | None = None
    binding: BlockBinding | None = None
    moves: tuple[DeclaredMove, ...] = ()
    removal: DeclaredRemoval | None = None
    unknown: Unknown | None = None


def provider_fates(snapshot: Snapshot, references: ProviderReferences) -> list[Fate]:
    """Return the fate of every object with a provider in the state, in list order, current objects first."""
    reckoning = _Reckoning(references)
    return [fate for instance in instances(snapshot) for fate in reckoning.of(instance, instance.current_first)]


class _Verdict(NamedTuple):
    outcome: FateKind
    declared: bool
    needed: AbsProviderInstance | None = None
    unknown: Unknown | None = None


class _Reckoning:
    """Determines fates; caches results shared by all objects of a state."""

    def __init__(self, references: ProviderReferences) -> None:
        configuration = references.configuration
        self._references = references
        self._moves = moves(configuration)
        self._removals = removals(configuration)
        self._required = required_sources(configuration)
        self._doubts: dict[Module, Unknown | None] = {}

    def of(self, instance: InstanceState, objects: tuple[ResourceInstanceObject, ...]) -> Iterator[Fate]:
        """Yield the fates of the objects of one instance."""
        address, taken = moved_to(self._moves, instance.addr) if self._moves else (instance.addr, ())
        block = self._references.blocks.get(address.config())
        # Collect the keys of a resource for at most two of its instances, since there may be many thousands.
        if block is not None and address.key in (NO_KEY, _FIRST):
            others: dict[InstanceKey, None] = {obj.key: None for obj in instance.resource.objects}
            counted = block.repetition.count is not None
            repeated = counted or block.repetition.for_each is not None
            address = implied_move(address, counted=counted, repeated=repeated, others=others)
        removal = next((each for each in self._removals if each.covers(address)), None)
        for obj in objects:
            provider = instance.provider(obj)
            if provider is None:
                continue
            bound = translated(provider, self._required)
            binding = None if block is None else self._references.block_binding(address.config())
            found = (
                self._of_removed(address, bound)
                if binding is None
                else self._of_declared(address, bound, binding, deposed=not obj.is_current)
            )
            known = binding if isinstance(binding, BlockBinding) else None
            yield Fate(
                instance,
                obj,
                address,
                bound,
                found.outcome,
                found.declared,
                found.needed,
                known,
                taken,
                removal,
                found.unknown,
            )

    def _of_removed(self, address: AbsResourceInstance, bound: AbsProviderInstance) -> _Verdict:
        """Judge an object whose resource no block declares: the provider instance in the state must exist."""
        unread = self._doubt(address.module.module())
        if unread is not None:
            return _Verdict(FateKind.UNKNOWN, False, unknown=unread)
        if address.resource.resource.mode is ResourceMode.DATA:
            # OpenTofu drops it from the state without using a provider.
            return _Verdict(FateKind.KEPT, False, bound)
        resolved = self._references.tree.exactly(bound.config)
        if resolved is None:
            return self._gone(bound, declared=False)
        needed = structs.replace(bound, config=resolved.config)
        return self._present(needed, bound, declared=False)

    def _of_declared(
        self,
        address: AbsResourceInstance,
        bound: AbsProviderInstance,
        binding: BlockBinding | Problem,
        *,
        deposed: bool,
    ) -> _Verdict:
        """Judge an object whose resource has a block, which may have other instances now."""
        if isinstance(binding, Problem):
            if binding.kind is ProblemKind.NO_PROVIDER:
                named = self._references.named_config(address.config())
                return self._gone(bound, declared=True, needed=named.instance() if named else None)
            reason = Unknown(f"its provider argument is invalid: {binding.summary}", binding.range, problem=binding)
            return _Verdict(FateKind.UNKNOWN, True, unknown=reason)
        if deposed and binding.has_key:
            return self._fallen_back(bound, binding)
        needed = self._references.instance_binding(address)
        declared = not isinstance(needed, AbsentInstance)
        if not declared and address.resource.resource.mode is ResourceMode.DATA:
            return _Verdict(FateKind.KEPT, False, bound)
        if not declared:
            needed = self._references.destroying(address)
        if isinstance(needed, AbsentInstance):
            return self._fallen_back(bound, binding)
        if isinstance(needed, Problem | Unknown):
            reason = needed if isinstance(needed, Unknown) else Unknown(needed.summary, needed.range)
            return _Verdict(FateKind.UNKNOWN, declared, unknown=reason)
        return self._present(needed, bound, declared=declared and not deposed)

    def _fallen_back(self, bound: AbsProviderInstance, binding: BlockBinding) -> _Verdict:
        """Judge an object to destroy whose key cannot be evaluated: OpenTofu uses the provider in the state."""
        if bound.config != binding.config:
            return _Verdict(FateKind.FALLBACK_IMPOSSIBLE, False, binding.config.instance())
        return self._present(bound, bound, declared=False)

    def _present(self, needed: AbsProviderInstance, bound: AbsProviderInstance, *, declared: bool) -> _Verdict:
        """Judge whether the needed instance exists, given that its configuration does."""
        there = self._references.declares(needed)
        if isinstance(there, Unknown):
            return _Verdict(FateKind.UNKNOWN, declared, needed, there)
        if not there:
            return _Verdict(FateKind.INSTANCE_GONE, declared, needed)
        return _Verdict(FateKind.KEPT if needed == bound else FateKind.REBOUND, declared, needed)

    def _gone(
        self, bound: AbsProviderInstance, *, declared: bool, needed: AbsProviderInstance | None = None
    ) -> _Verdict:
        unread = self._doubt((needed or bound).config.module)
        return _Verdict(FateKind.UNKNOWN if unread else FateKind.CONFIGURATION_GONE, declared, needed or bound, unread)

    def _doubt(self, module: Module) -> Unknown | None:
        """Like doubt(), cached by module."""
        if module not in self._doubts:
            self._doubts[module] = doubt(self._references.configuration, module)
        return self._doubts[module]


def keys_in_configuration(references: ProviderReferences, config: ConfigProviderConfig) -> set[InstanceKey] | Unknown:
    """Return the keys of a provider configuration that resource instances, actions, lists and functions use."""
    found: set[InstanceKey] = set()
    for resource in references.blocks:
        binding = references.block_binding(resource)
        if isinstance(binding, Problem) or binding.config != config:
            continue
        addresses = references.instances.all_of(resource)
        if isinstance(addresses, Unknown):
            return addresses
        for address in addresses:
            provider = references.instance_binding(address)
            if isinstance(provider, Unknown):
                return provider
            if isinstance(provider, AbsProviderInstance):
                found.add(provider.key)
    for module, use in references.uses():
        bound = references.use_binding(module, use)
        if isinstance(bound, Problem) or bound[0].config != config:
            continue
        if bound[1] is not None or bound[0].key is not None:
            return Unknown(f"{use.user} chooses an instance", use.range)
        found.add(NO_KEY)
    return found


def required_sources(configuration: Configuration) -> frozenset[Provider]:
    """Return the sources in the `required_providers` of all modules."""
    found = (
        provider_named(module.declarations, name)
        for module in configuration.modules.values()
        for name in module.declarations.required_providers
    )
    return frozenset(provider for provider in found if provider is not None)


def translated(provider: AbsProviderInstance, required: Collection[Provider]) -> AbsProviderInstance:
    """Move a provider of Terraform's registry to OpenTofu's, as OpenTofu does unless the former is required."""
    source = provider.config.provider
    if source.hostname != TERRAFORM_HOST or source in required:
        return provider
    moved = structs.replace(source, hostname=DEFAULT_HOST)
    return structs.replace(provider, config=structs.replace(provider.config, provider=moved))


UNREAD: Final = (ProblemKind.UNREADABLE, ProblemKind.SYNTAX)


def doubt(configuration: Configuration, module: Module) -> Unknown | None:
    """Return why a module may have an unread declaration: it, an ancestor or a file of either could not be read."""
    for depth in range(len(module.names) + 1):
        on_the_way = Module(module.names[:depth])
        if on_the_way in configuration.missing:
            call = configuration.modules[on_the_way.parent()].declarations.calls.get(on_the_way.names[-1])
            return Unknown(f"{on_the_way} could not be read", call.range if call else None)
        here = configuration.modules.get(on_the_way)
        if here is None:
            return None
        for problem in configuration.problems:
            if problem.kind in UNREAD and (problem.range is None or problem.range.file in here.declarations.files):
                name = problem.range.file if problem.range else configuration.directory
                return Unknown(f"{name} could not be read")
    return None


# Compares the provider configurations declared in a configuration with those used by a state.


class InstanceDeclaration(NamedTuple):
    """One provider instance: whether it is declared, and the number of objects of the state bound to it.

    `wanted` is whether a resource of the configuration names it. `declared` and `wanted` are None if unknown.
    """

    provider: AbsProviderInstance
    declared: bool | None
    wanted: bool | None
    resource_instances: int
    deposed_objects: int

    @property
    def missing(self) -> bool:
        """Whether objects use it, but it is not declared."""
        return self.declared is False

    @property
    def unused(self) -> bool:
        """Whether it is declared, but nothing in the state or the configuration is bound to it."""
        return bool(self.declared) and self.wanted is False and not self.resource_instances + self.deposed_objects


class ConfigurationDeclaration(NamedTuple):
    """One provider configuration: the range of its block (None without one), and its instances by key.

    `unknown` is the reason if its keys are unknown.
    """

    config: ConfigProviderConfig
    range: Range | None
    instances: tuple[InstanceDeclaration, ...]
    unknown: Unknown | None


def provider_declarations(references: ProviderReferences, fates: Sequence[Fate]) -> list[ConfigurationDeclaration]:
    """Return all configurations that are declared or used, sorted by source, module and alias."""
    bound: dict[AbsProviderInstance, list[int]] = {}
    for fate in fates:
        numbers = bound.setdefault(_there(references, fate.bound), [0, 0])
        numbers[not fate.obj.is_current] += 1
    configs = {*references.tree.declared, *references.tree.expected, *(provider.config for provider in bound)}
    return [_declaration(references, config, bound) for config in sorted(configs, key=config_order)]


def _there(references: ProviderReferences, provider: AbsProviderInstance) -> AbsProviderInstance:
    """Return the declared address of a provider instance; a state may use the address in a module that receives it."""
    resolved = references.tree.exactly(provider.config)
    if resolved is None or (not resolved.config.alias and provider.key is not NO_KEY):
        return provider
    return resolved.config.instance(provider.key)


def _declaration(
    references: ProviderReferences, config: ConfigProviderConfig, bound: dict[AbsProviderInstance, list[int]]
) -> ConfigurationDeclaration:
    block = references.tree.declared.get(config)
    keys = _declared_keys(references, config)
    wanted = keys_in_configuration(references, config)
    known = () if isinstance(keys, Unknown) else keys
    used = [provider.key for provider in bound if provider.config == config]
    instances = []
    for key in sorted({*known, *used}, key=key_order):
        provider = config.instance(key)
        current, deposed = bound.get(provider, (0, 0))
        instances.append(
            InstanceDeclaration(
                provider=provider,
                declared=None if isinstance(keys, Unknown) else key in keys,
                wanted=None if isinstance(wanted, Unknown) else key in wanted,
                resource_instances=current,
                deposed_objects=deposed,
            )
        )
    return ConfigurationDeclaration(
        config, block.range if block else None, tuple(instances), keys if isinstance(keys, Unknown) else None
    )


def _declared_keys(references: ProviderReferences, config: ConfigProviderConfig) -> tuple[InstanceKey, ...] | Unknown:
    """Return the keys that the block declares; none without a block, unless an unread file may contain it."""
    if references.tree.exists(config):
        return references.declared_keys(config)
    return doubt(references.configuration, config.module) or ()


class ForEachKeys(NamedTuple):
    """The known keys; `complete` if every file was read and every `for_each` and `count` is known."""

    known: frozenset[str]
    complete: bool


def for_each_keys(references: ProviderReferences) -> ForEachKeys:
    """Return the keys in provider blocks, module calls and resources."""
    known: set[str] = set()
    complete = not references.configuration.missing and not any(
        problem.kind in UNREAD for problem in references.configuration.problems
    )
    for keys in _collections(references):
        if isinstance(keys, Unknown):
            complete = False
        else:
            known.update(key.value for key in keys if isinstance(key, StringKey))
    return ForEachKeys(frozenset(known), complete)


def _collections(references: ProviderReferences) -> Iterator[Iterable[InstanceKey] | Unknown]:
    for config in references.tree.declared:
        yield references.declared_keys(config)
    for path in references.configuration.modules:
        if not path.is_root:
            modules = references.instances.of_module(path)
            yield modules if isinstance(modules, Unknown) else [module.steps[-1].key for module in modules]
    for resource in references.blocks:
        addresses = references.instances.all_of(resource)
        yield addresses if isinstance(addresses, Unknown) else [address.key for address in addresses]
