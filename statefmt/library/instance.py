"""Shows one resource instance of a state."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from statefmt.model.addrs import AbsProviderInstance, AbsResourceInstance, InstanceKey, ModuleInstance, ResourceMode
from statefmt.model.instances import InstanceState
from statefmt.model.resources import ObjectStatus, ResourceInstanceObject

if TYPE_CHECKING:
    from statefmt.library.values import Attributes, ResourceIdentity


@dataclass(frozen=True, repr=False)
class Instance:
    """One instance of a resource, as a state has it; `str()` is its address.

        for instance in state.select("module.net.**"):
            print(instance.address, instance.provider, instance.attributes["tags"]["Owner"])

    `provider`, `id`, `attributes` and `identity` are those of the current object or, if there is none, of the first
    deposed one. `state` is the instance in the model.
    """

    state: InstanceState

    def __str__(self) -> str:
        return str(self.address)

    def __repr__(self) -> str:
        return f"<Instance {self.address}>"

    @property
    def address(self) -> AbsResourceInstance:
        """The absolute address: `module.app["eu"].aws_instance.web[0]`."""
        return self.state.addr

    @property
    def module(self) -> ModuleInstance:
        """The module instance that contains it; the root module has no steps."""
        return self.state.resource.addr.module

    @property
    def mode(self) -> ResourceMode:
        """Whether it is a managed or a data resource."""
        return self.state.resource.addr.resource.mode

    @property
    def type(self) -> str:
        """The resource type: `aws_instance`."""
        return self.state.resource.addr.resource.type

    @property
    def name(self) -> str:
        """The name of the resource: `web`."""
        return self.state.resource.addr.resource.name

    @property
    def key(self) -> InstanceKey:
        """The key from `count` or `for_each`; NO_KEY without one."""
        return self.state.key

    @property
    def provider(self) -> AbsProviderInstance | None:
        """The provider instance that it is bound to; None if the state names no provider."""
        return self.state.provider(self._object)

    @property
    def id(self) -> str | None:
        """The attribute `id` as a string, even if it is sensitive; None if it has none."""
        # Imported late: the address alone needs no attributes.
        from statefmt.analysis.object_id import object_id

        return object_id(self._object)

    @cached_property
    def attributes(self) -> Attributes:
        """The attributes as Python values, decoded when first used; what `show` hides is a `Sensitive`."""
        from statefmt.library.values import Attributes

        return Attributes(self._object, self.state.resource.addr.resource.type)

    @property
    def attributes_raw(self) -> bytes:
        """The attributes as the exact JSON text of the state."""
        return self.attributes.raw

    @cached_property
    def identity(self) -> ResourceIdentity:
        """What the provider tells the real object from others by, decoded when first used; empty if it has none."""
        from statefmt.library.values import ResourceIdentity

        return ResourceIdentity(self._object, self.state.resource.addr.resource.type)

    @property
    def identity_raw(self) -> bytes | None:
        """The identity as the exact JSON text of the state; None if it has none."""
        return self.identity.raw

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The paths of sensitive attributes, as `attributes.at()` takes them: `tags.Owner`, `ingress[0].port`."""
        return self.attributes.sensitive

    @property
    def status(self) -> Literal["ready", "tainted", "deposed"]:
        """`deposed` if there are only deposed objects, else the status of the current one."""
        current = self.state.current
        if current is None:
            return "deposed"
        return "tainted" if current.status is ObjectStatus.TAINTED else "ready"

    @property
    def current(self) -> ResourceInstanceObject | None:
        """The current object; None if only deposed ones are left."""
        return self.state.current

    @property
    def deposed(self) -> tuple[ResourceInstanceObject, ...]:
        """The deposed objects, in file order."""
        return self.state.deposed

    @property
    def _object(self) -> ResourceInstanceObject:
        return self.state.current_first[0]
