"""Indexes the objects of a state, and a plan's statements about them, by address."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from msgspec import Raw

from statefmt.formats.raw_json import token
from statefmt.lifecycle.plan import Action, PlannedChange, ShownPlan, ShownResource
from statefmt.lifecycle.schema import ProviderSchemas, SchemaBlock, TypeSchema, implied_type
from statefmt.lifecycle.verification._difference import PathSteps
from statefmt.lifecycle.verification._secrets import BUILT_IN
from statefmt.model.addrs import AbsResource, AbsResourceInstance, InstanceKey, Resource, ResourceInstance, ResourceMode
from statefmt.model.addrs.provider import parse_provider_source
from statefmt.model.cty import DYNAMIC, Type
from statefmt.model.errors import AddressError
from statefmt.model.snapshot import ResourceInstanceObject, ResourceState, Snapshot

# An object: its instance, and its deposed key ("" for the current one).
ObjectKey: TypeAlias = tuple[AbsResourceInstance, str]


class Placed(NamedTuple):
    """An object in a state, with its resource."""

    resource: ResourceState
    obj: ResourceInstanceObject

    @property
    def is_data(self) -> bool:
        """Whether it is the result of a data source."""
        return self.resource.addr.resource.mode is ResourceMode.DATA

    @property
    def provider_key(self) -> InstanceKey:
        return self.obj.provider_key


class Side:
    """A state: its objects by address. Without a state there are none."""

    def __init__(self, snapshot: Snapshot | None) -> None:
        self.snapshot = snapshot
        self.objects: dict[ObjectKey, Placed] = {}
        self.resources: dict[AbsResource, ResourceState] = {}
        self._has_pointers = snapshot is not None and snapshot.source is not None
        for resource in () if snapshot is None else snapshot.resources:
            self.resources.setdefault(resource.addr, resource)
            module, name = resource.addr.module, resource.addr.resource
            for obj in resource.objects:
                key = AbsResourceInstance(module, ResourceInstance(name, obj.key)), obj.deposed
                self.objects[key] = Placed(resource, obj)

    def pointer(self, placed: Placed, *steps: str | int) -> str:
        """Return the JSON pointer of an object, or of a part of it; "" in states of older formats."""
        if not self._has_pointers or placed.obj.origin is None:
            return ""
        block, number = placed.obj.origin
        return pointer(("resources", block, "instances", number, *steps))

    def resource_pointer(self, resource: ResourceState, *steps: str | int) -> str:
        """Return the JSON pointer of a resource, or of a part of it; "" in states of older formats."""
        if not self._has_pointers or not resource.origin:
            return ""
        return pointer(("resources", resource.origin[0], *steps))


def pointer(steps: PathSteps) -> str:
    """Return the JSON pointer that leads along some steps."""
    return "".join([f"/{token(str(step))}" for step in steps])


def same_object(one: ResourceInstanceObject, other: ResourceInstanceObject) -> bool:
    """Return whether two objects are equal to the byte in all members that a plan decides."""
    return (
        _same_bytes(one.attributes, other.attributes)
        and one.attributes_flat == other.attributes_flat
        and one.status is other.status
        and one.sensitive_attributes == other.sensitive_attributes
        and _same_bytes(one.identity, other.identity)
    )


def _same_bytes(one: Raw | None, other: Raw | None) -> bool:
    """Return whether two raw values are the same text, or both absent."""
    if one is None or other is None:
        return one is other
    return len(one) == len(other) and bytes(one) == bytes(other)


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
