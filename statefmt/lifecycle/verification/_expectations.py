"""What a plan says about each object: its change, its moves, and the state that it was made for."""

from __future__ import annotations

from statefmt.lifecycle.plans.action import Action
from statefmt.lifecycle.plans.plan import PlannedChange, ShownPlan
from statefmt.lifecycle.plans.state_values import ShownResource
from statefmt.lifecycle.schemas.block import SchemaBlock
from statefmt.lifecycle.schemas.implied_type import implied_type
from statefmt.lifecycle.schemas.providers import ProviderSchemas, TypeSchema
from statefmt.lifecycle.verification._schema_views import BUILT_IN
from statefmt.lifecycle.verification._sides import ObjectKey
from statefmt.model.addrs import AbsResourceInstance, Resource, parse_provider_source
from statefmt.model.cty import DYNAMIC, Type
from statefmt.model.errors import AddressError

_BUILT_IN_PROVIDER = "/builtin/terraform"


class Expectations:
    """A plan, indexed by object."""

    def __init__(self, plan: ShownPlan, schemas: ProviderSchemas | None) -> None:
        self.plan = plan
        self.drift: dict[ObjectKey, PlannedChange] = {
            (change.address, change.deposed): change for change in plan.resource_drift
        }
        self.changes: dict[ObjectKey, PlannedChange] = {
            (change.address, change.deposed): change for change in plan.resource_changes
        }
        listed = (*plan.resource_drift, *plan.resource_changes)
        # New addresses of instances by their old ones.
        self.moves: dict[AbsResourceInstance, AbsResourceInstance] = {
            change.previous_address: change.address
            for change in listed
            if change.previous_address is not None and change.previous_address != change.address
        }
        prior = plan.prior_state
        # Objects of the refreshed state by address and deposed key, with addresses as text.
        self.prior: dict[tuple[str, str], ShownResource] = (
            {} if prior is None else {(found.address, found.deposed_key): found for found in prior.resources()}
        )
        self._schemas = schemas
        self._found: dict[tuple[str, Resource], tuple[SchemaBlock | None, Type]] = {}

    @property
    def removes_all(self) -> bool:
        """Whether the plan only removes objects, as `destroy` does: then data sources are dropped silently."""
        changes = self.plan.resource_changes
        return bool(changes) and all(change.action in (Action.DELETE, Action.FORGET) for change in changes)

    def schema(self, provider: str, resource: Resource) -> tuple[SchemaBlock | None, Type]:
        """Return the schema of a resource type, None if it is not known, and the type of its objects.

        Raises SchemaError if the schema cannot be read.
        """
        key = provider, resource
        if key not in self._found:
            self._found[key] = self._schema(provider, resource)
        return self._found[key]

    def _schema(self, provider: str, resource: Resource) -> tuple[SchemaBlock | None, Type]:
        found = self._of_provider(provider, resource)
        if found is not None:
            return found.block, found.type
        name = str(resource).rpartition(".")[0]
        block = BUILT_IN.get(name) if provider.endswith(_BUILT_IN_PROVIDER) else None
        return block, DYNAMIC if block is None else implied_type(block)

    def _of_provider(self, provider: str, resource: Resource) -> TypeSchema | None:
        if self._schemas is None:
            return None
        try:
            return self._schemas.schema(parse_provider_source(provider), resource.mode, resource.type)
        except AddressError:
            # The plan's text is not an address, which other findings show.
            return None
