"""What a configuration means for the provider of each object in a state: whether it is there when it is needed.

OpenTofu works with an object through the provider instance that its block names. What no block declares any more, it
destroys through the one that the state names. Sources: OpenTofu `internal/tofu/transform_provider.go`,
`node_resource_abstract_instance.go` (resolveProvider), `internal/tofumigrate/tofumigrate.go`.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from typing import Final, NamedTuple

from msgspec import structs

from statefmt.analysis.providers._doubt import doubt
from statefmt.configuration.model import Configuration
from statefmt.configuration.moves import (
    DeclaredMove,
    DeclaredRemoval,
    implied_move,
    moved_to,
    moves,
    removals,
)
from statefmt.configuration.provider_names import provider_named
from statefmt.configuration.providers.references import BlockBinding, ProviderReferences
from statefmt.configuration.scopes.instances import AbsentInstance
from statefmt.hcl.source.problem import Problem, ProblemKind
from statefmt.hcl.value import Unknown
from statefmt.model.addrs import (
    DEFAULT_HOST,
    NO_KEY,
    TERRAFORM_HOST,
    AbsProviderInstance,
    AbsResourceInstance,
    InstanceKey,
    IntKey,
    Module,
    Provider,
    ResourceMode,
)
from statefmt.model.instances import InstanceState, instances
from statefmt.model.resources import ResourceInstanceObject
from statefmt.model.snapshot import Snapshot

_FIRST: Final = IntKey(0)


class FateKind(Enum):
    """What becomes of the binding of one object at the next plan."""

    KEPT = auto()  # the same provider instance, and it is there
    REBOUND = auto()  # another provider instance, and it is there
    CONFIGURATION_GONE = auto()  # "Provider configuration not present"
    INSTANCE_GONE = auto()  # "Provider instance not present"
    FALLBACK_IMPOSSIBLE = auto()  # "Unable to use fallback provider from state"
    UNKNOWN = auto()  # the configuration does not say it without being run


class Fate(NamedTuple):
    """One object, the provider instance that it is bound to, and the one that OpenTofu will use.

    `address` is where `moved` blocks take it. `declared` says that the configuration still has this instance, so that
    it is not to be destroyed. `binding` is what its block says, if there is one. `needed` is None where it cannot be
    known; its key is left out where none but its configuration can be. `unknown` has the reason for UNKNOWN.
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
    """The fate of every object whose provider the state names, in list order, the current object of each first."""
    reckoning = _Reckoning(references)
    return [fate for instance in instances(snapshot) for fate in reckoning.of(instance, instance.current_first)]


class _Verdict(NamedTuple):
    outcome: FateKind
    declared: bool
    needed: AbsProviderInstance | None = None
    unknown: Unknown | None = None


class _Reckoning:
    """What is worked out once for all objects of a state."""

    def __init__(self, references: ProviderReferences) -> None:
        configuration = references.configuration
        self._references = references
        self._moves = moves(configuration)
        self._removals = removals(configuration)
        self._required = _required(configuration)
        self._doubts: dict[Module, Unknown | None] = {}

    def of(self, instance: InstanceState, objects: tuple[ResourceInstanceObject, ...]) -> Iterator[Fate]:
        """The fates of the objects of one instance."""
        address, taken = moved_to(self._moves, instance.addr) if self._moves else (instance.addr, ())
        block = self._references.blocks.get(address.config())
        # All keys of a resource are looked at for two of its instances at most: there may be many thousands.
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
            bound = self._translated(provider)
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
        """For an object whose resource no block declares: the provider instance must be there as the state says."""
        unread = self._doubt(address.module.module())
        if unread is not None:
            return _Verdict(FateKind.UNKNOWN, False, unknown=unread)
        if address.resource.resource.mode is ResourceMode.DATA:
            # It is dropped from the state, and no provider is asked.
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
        """For an object whose resource has a block, which may have another number of instances now."""
        if isinstance(binding, Problem):
            if binding.kind is ProblemKind.NO_PROVIDER:
                named = self._references.named_config(address.config())
                return self._gone(bound, declared=True, needed=named.instance() if named else None)
            reason = Unknown(f"its provider argument is wrong: {binding.summary}", binding.range, problem=binding)
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
        """For what is to be destroyed, where its key can't be evaluated: OpenTofu takes the one of the state."""
        if bound.config != binding.config:
            return _Verdict(FateKind.FALLBACK_IMPOSSIBLE, False, binding.config.instance())
        return self._present(bound, bound, declared=False)

    def _present(self, needed: AbsProviderInstance, bound: AbsProviderInstance, *, declared: bool) -> _Verdict:
        """Whether the instance that is needed is there, in a configuration that is."""
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
        """Why it is not sure that something is missing in a module: it, or a file of it, could not be read."""
        if module not in self._doubts:
            self._doubts[module] = doubt(self._references.configuration, module)
        return self._doubts[module]

    def _translated(self, provider: AbsProviderInstance) -> AbsProviderInstance:
        """A provider of Terraform's registry as OpenTofu takes it: as the one of its own, unless it is required."""
        source = provider.config.provider
        if source.hostname != TERRAFORM_HOST or source in self._required:
            return provider
        moved = structs.replace(source, hostname=DEFAULT_HOST)
        return structs.replace(provider, config=structs.replace(provider.config, provider=moved))


def _required(configuration: Configuration) -> frozenset[Provider]:
    found = (
        provider_named(module.declarations, name)
        for module in configuration.modules.values()
        for name in module.declarations.required_providers
    )
    return frozenset(provider for provider in found if provider is not None)
