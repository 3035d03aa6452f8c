"""Determines the provider instance of each change of a plan: from the prior state, and by static evaluation.

The JSON form of a plan names the source of each provider, but neither its configuration nor its instance; a plan file
names the configuration, which must be the one that was found. OpenTofu
manages an object through the provider instance in its block, and destroys an object without a block through the
provider instance in the state. Source: RFC "Static Evaluation of Provider Iteration"; OpenTofu
`internal/tofu/node_resource_abstract_instance.go` (resolveProvider).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final, NamedTuple

from msgspec import structs

from statefmt.analysis.providers.fates import Fate, FateKind, provider_fates, required_sources, translated
from statefmt.configuration import VariableOption
from statefmt.configuration.instances import AbsentInstance
from statefmt.configuration.provider_instances import BlockBinding, ProviderReferences
from statefmt.golang import encode_string
from statefmt.hcl.source import Problem, ProblemKind
from statefmt.hcl.syntax import Expression
from statefmt.hcl.value import Unknown
from statefmt.lifecycle.plan import Action, PlannedChange, ShownPlan, ShownResource
from statefmt.model.addrs import NO_KEY, AbsProviderInstance, AbsResourceInstance, ConfigProviderConfig, ResourceMode
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.model.addrs.provider import DEFAULT_HOST, TERRAFORM_HOST
from statefmt.model.errors import AddressError
from statefmt.model.snapshot import Snapshot, instances

_HOSTS: Final = frozenset({DEFAULT_HOST, TERRAFORM_HOST})
MISSING: Final = frozenset({FateKind.CONFIGURATION_GONE, FateKind.INSTANCE_GONE, FateKind.FALLBACK_IMPOSSIBLE})
NO_STATE_GIVEN: Final = "only the state names its provider instance: name the state with --state"
OTHER_CONFIGURATION: Final = "the plan was made from another configuration, or with other variables"
_NO_CHANGE: Final = "the plan has no change of this object"
_OTHER_STATE: Final = "the state has no such object, so it is not the state that the plan was made for"


class PlannedProvider(NamedTuple):
    """The provider instance that OpenTofu uses for an object; None if it is unknown.

    `reason` is why it is unknown or missing. `outcome` is UNKNOWN if the instance, or its existence in the
    configuration, is unknown.
    """

    provider: AbsProviderInstance | None
    outcome: FateKind
    reason: str = ""

    @property
    def is_missing(self) -> bool:
        """Whether the configuration lacks the provider instance."""
        return self.outcome in MISSING


class BoundChange(NamedTuple):
    """A change of a plan with its provider instances: `planned`, and `prior` in the state, None if it has none."""

    change: PlannedChange
    planned: PlannedProvider
    prior: AbsProviderInstance | None

    @property
    def is_rebound(self) -> bool:
        """Whether a different provider instance manages or destroys the object. Data is only read again."""
        return (
            self.planned.outcome is FateKind.REBOUND
            and self.change.address.resource.resource.mode is ResourceMode.MANAGED
        )


class Stranded(NamedTuple):
    """An object in the state whose provider instance the configuration lacks, without a change in the plan."""

    address: AbsResourceInstance
    deposed: str
    planned: PlannedProvider


class PlanBindings:
    """The provider instances of a plan's changes, computed on demand. Without `snapshot`, prior bindings are unknown.

    `changes` and `drift` have the order of the plan. In a snapshot `after_moves`, as in a plan file, objects have the
    addresses of the plan.
    """

    def __init__(
        self, plan: ShownPlan, references: ProviderReferences, snapshot: Snapshot | None, *, after_moves: bool = False
    ) -> None:
        self._plan = plan
        self._after_moves = after_moves
        self._references = references
        self._required = required_sources(references.configuration)
        self._has_state = snapshot is not None
        self._fates: Mapping[tuple[AbsResourceInstance, str], Fate] = (
            {}
            if snapshot is None
            else {(fate.instance.addr, fate.obj.deposed): fate for fate in provider_fates(snapshot, references)}
        )
        self._prior: Mapping[tuple[AbsResourceInstance, str], AbsProviderInstance] = {
            (instance.addr, obj.deposed): provider
            for instance in (() if snapshot is None else instances(snapshot))
            for obj in instance.objects
            if (provider := instance.provider(obj)) is not None
        }
        self.changes: Final = tuple(map(self._of, plan.resource_changes))
        self.drift: Final = tuple(map(self._of, plan.resource_drift))

    @cached_property
    def stranded(self) -> tuple[Stranded, ...]:
        """The objects in the state that need a missing provider instance, but that the plan does not list."""
        listed = {self._key(one.change) for one in self.changes}
        return tuple(
            Stranded(fate.address, fate.obj.deposed, _fated(fate))
            for key, fate in self._fates.items()
            if fate.outcome in MISSING and key not in listed
        )

    def of_prior(self, resource: ShownResource) -> PlannedProvider:
        """Return the provider instance of an object in `prior_state`: the one in the state, before the plan.

        An object missing from the state was read or imported while planning, through the planned instance.
        """
        prior = self._prior_by_text.get((resource.address, resource.deposed_key))
        if prior is not None:
            return PlannedProvider(prior, FateKind.KEPT)
        imported = resource.address in self._imported
        if not self._has_state and not imported:
            return _not_known(NO_STATE_GIVEN)
        if resource.mode != "data" and not imported:
            return _not_known(_OTHER_STATE)
        try:
            address = parse_abs_resource_instance(resource.address)
        except AddressError as error:
            return _not_known(f"its address is invalid: {error.detail}")
        return self._named(self._configured(address, "", stays=True), resource.provider_name)

    def of_planned(self, resource: ShownResource) -> PlannedProvider:
        """Return the provider instance of an object in `planned_values`: that of its change."""
        return self._planned_by_text.get(resource.address) or _not_known(_NO_CHANGE)

    @cached_property
    def _planned_by_text(self) -> Mapping[str, PlannedProvider]:
        return {str(each.change.address): each.planned for each in self.changes if not each.change.deposed}

    @cached_property
    def key_expressions(self) -> Mapping[tuple[tuple[str, ...], str], Expression]:
        """The keys in the `provider` arguments of resource blocks, by the module's path and the address there."""
        found = {
            address: self._references.block_binding(address)
            for address, block in self._references.blocks.items()
            if block.provider is not None
        }
        return {
            (address.module.names, str(address.resource)): binding.key
            for address, binding in found.items()
            if isinstance(binding, BlockBinding) and binding.key is not None
        }

    @cached_property
    def _imported(self) -> frozenset[str]:
        return frozenset(str(each.address) for each in self._plan.resource_changes if each.change.importing is not None)

    @cached_property
    def _prior_by_text(self) -> Mapping[tuple[str, str], AbsProviderInstance]:
        """The bindings in the state by the text of the address after the plan's moves, and deposed key."""
        moved = {
            each.address_before: each.address
            for each in (*self._plan.resource_changes, *self._plan.resource_drift)
            if each.previous_address is not None and not self._after_moves
        }
        return {
            (str(moved.get(address, address)), deposed): provider
            for (address, deposed), provider in self._prior.items()
        }

    def _key(self, change: PlannedChange) -> tuple[AbsResourceInstance, str]:
        return (change.address if self._after_moves else change.address_before), change.deposed

    def _of(self, change: PlannedChange) -> BoundChange:
        prior = self._prior.get(self._key(change))
        planned = self._named(self._planned(change, prior), change.provider_name)
        return BoundChange(change, self._confirmed(planned, change.provider_config), prior)

    def _confirmed(
        self, found: PlannedProvider, named: ConfigProviderConfig | AbsProviderInstance | None
    ) -> PlannedProvider:
        """Compare a provider instance with what the plan names, which completes it if it is not known."""
        if named is None or found.provider == named or (found.provider is not None and found.provider.config == named):
            return found
        if found.provider is not None:
            return _not_known(f"the plan names {named}, but the configuration {found.provider}: {OTHER_CONFIGURATION}")
        if isinstance(named, AbsProviderInstance):
            return PlannedProvider(named, found.outcome, found.reason)
        # Without for_each, a configuration has one instance.
        one = named.instance()
        is_only = self._references.declares(one) is True and self._references.declared_keys(named) == (NO_KEY,)
        return PlannedProvider(one, FateKind.KEPT) if is_only and found.outcome is FateKind.UNKNOWN else found

    def _planned(self, change: PlannedChange, prior: AbsProviderInstance | None) -> PlannedProvider:
        if change.action is Action.FORGET and prior is not None:
            # No provider is used, so it need not exist.
            return PlannedProvider(prior, FateKind.KEPT)
        fate = self._fates.get(self._key(change))
        if fate is not None and fate.address == change.address:
            return _fated(fate)
        stays = change.action.creates or not change.action.removes
        found = self._configured(change.address, change.deposed, stays=stays)
        if prior is None or found.provider is None or found.outcome is not FateKind.KEPT:
            return found
        same = translated(prior, self._required) == found.provider
        return found if same else found._replace(outcome=FateKind.REBOUND)

    def _configured(self, address: AbsResourceInstance, deposed: str, *, stays: bool) -> PlannedProvider:
        """Return the provider instance according to the configuration alone."""
        references = self._references
        only_state = _OTHER_STATE if self._has_state else NO_STATE_GIVEN
        if address.config() not in references.blocks:
            return _not_known(f"no block declares it, and {OTHER_CONFIGURATION}" if stays else only_state)
        binding = references.block_binding(address.config())
        if isinstance(binding, Problem):
            named = references.named_config(address.config())
            if binding.kind is ProblemKind.NO_PROVIDER and named is not None:
                return PlannedProvider(None, FateKind.CONFIGURATION_GONE, _lacking(named))
            return _not_known(f"its provider argument is invalid: {binding.summary}")
        if deposed and binding.has_key:
            return _not_known(only_state)
        found = references.instance_binding(address)
        if isinstance(found, AbsentInstance):
            if stays:
                return _not_known(f"the configuration has no such instance: {OTHER_CONFIGURATION}")
            found = references.destroying(address)
        if isinstance(found, AbsentInstance):
            return _not_known(only_state)
        if isinstance(found, Problem):
            return _not_known(found.summary)
        if isinstance(found, Unknown):
            return _not_known(found.reason)
        there = references.declares(found)
        if isinstance(there, Unknown):
            return PlannedProvider(found, FateKind.UNKNOWN, there.reason)
        if not there:
            return PlannedProvider(found, FateKind.INSTANCE_GONE, _lacking(found))
        return PlannedProvider(found, FateKind.KEPT)

    @staticmethod
    def _named(found: PlannedProvider, source: str) -> PlannedProvider:
        """Return the provider instance with the source that the plan names: Terraform uses its own registry."""
        provider = found.provider
        if provider is None or not source or str(provider.config.provider) == source:
            return found
        named = provider.config.provider
        public = [structs.replace(named, hostname=host) for host in _HOSTS] if named.hostname in _HOSTS else []
        other = next((each for each in public if str(each) == source), None)
        if other is None:
            reason = f"the configuration names the provider {named}, but the plan {source}"
            return _not_known(f"{reason}: {OTHER_CONFIGURATION}")
        return found._replace(
            provider=structs.replace(provider, config=structs.replace(provider.config, provider=other))
        )


def _fated(fate: Fate) -> PlannedProvider:
    # A block whose provider configuration is missing names a configuration; its key is not evaluated.
    without_key = fate.declared and fate.binding is None
    provider = None if without_key or fate.outcome is FateKind.FALLBACK_IMPOSSIBLE else fate.needed
    if fate.unknown is not None:
        return PlannedProvider(provider, fate.outcome, fate.unknown.reason)
    if fate.outcome is FateKind.FALLBACK_IMPOSSIBLE and fate.needed is not None:
        named = f"its block now names {fate.needed.config}, whose key cannot be evaluated for it"
        return PlannedProvider(None, fate.outcome, f"{named}, and the state names {fate.bound}")
    if fate.outcome in MISSING and fate.needed is not None:
        return PlannedProvider(provider, fate.outcome, _lacking(fate.needed.config if without_key else fate.needed))
    return PlannedProvider(provider, fate.outcome)


def _lacking(needed: AbsProviderInstance | ConfigProviderConfig) -> str:
    return f"the configuration has no {needed}"


def _not_known(reason: str) -> PlannedProvider:
    return PlannedProvider(None, FateKind.UNKNOWN, reason)


def plan_variables(plan: ShownPlan, name: str) -> tuple[VariableOption, ...]:
    """Return the values of a plan's variables as an option of `load`; `name` is the plan's file, for messages.

    The configuration of a plan has other instances with other values, so the plan's values count, not the values in
    files. A plan omits values of ephemeral variables.
    """
    if not plan.variables:
        return ()
    members = [encode_string(variable) + b":" + bytes(value) for variable, value in plan.variables.items()]
    return (VariableOption(file=name, document=b"{%b}" % b",".join(members)),)
