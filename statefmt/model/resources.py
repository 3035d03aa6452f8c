"""Models resources and their instance objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from itertools import chain, repeat
from typing import NamedTuple

from msgspec import Raw, Struct

from statefmt.model.addrs import (
    NO_KEY,
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    ConfigResource,
    InstanceKey,
)


class UnknownMember(NamedTuple):
    """A member that statetool does not know: its name, its exact JSON text, and its position.

    `after` is the name of the last known member before it in its object, "" if there is none.
    """

    name: str
    raw: Raw
    after: str


class ObjectStatus(Enum):
    """The `status` of an object in the state file: tainted if it was not fully created."""

    READY = ""
    TAINTED = "tainted"


class ResourceInstanceObject(Struct, frozen=True, kw_only=True, gc=False):
    """One object of one resource instance: the current one, or a deposed one.

    `attributes` and `identity` are JSON text that is kept undecoded (`None` if absent).
    `sensitive_attributes` is the canonical JSON text of the paths, `private` canonical base64.
    `origin` is the position (block, instance) in the document that the object was read from, which lets
    a rewrite copy bytes; it is not part of the object's content.
    Source: OpenTofu `internal/states/instance_object_src.go`, `statefile/version4.go`.
    """

    key: InstanceKey = NO_KEY
    deposed: str = ""
    provider_key: InstanceKey = NO_KEY
    status: ObjectStatus = ObjectStatus.READY
    schema_version: int = 0
    attributes: Raw | None = None
    attributes_flat: Mapping[str, str] | None = None
    sensitive_attributes: bytes = b"[]"
    private: str = ""
    dependencies: tuple[ConfigResource, ...] = ()
    depends_on: tuple[AbsResourceInstance, ...] = ()
    create_before_destroy: bool = False
    skip_destroy: bool = False
    identity: Raw | None = None
    identity_schema_version: int | None = None
    unknown: tuple[UnknownMember, ...] = ()
    origin: tuple[int, int] | None = None

    @property
    def is_current(self) -> bool:
        """True for the current object, False for a deposed one."""
        return not self.deposed


class ResourceState(Struct, frozen=True, kw_only=True, gc=False):
    """A resource: one provider configuration for all of it, and the objects of its instances.

    `provider_config` is None only for a resource without objects whose state names no provider.
    `objects` are in file order. `origin` lists the blocks of the document that the resource was read
    from (several if the file spreads it).
    """

    addr: AbsResource
    provider_config: ConfigProviderConfig | None
    objects: tuple[ResourceInstanceObject, ...] = ()
    unknown: tuple[UnknownMember, ...] = ()
    origin: tuple[int, ...] = ()

    @property
    def has_provider_keys(self) -> bool:
        """Whether any object is bound to a keyed provider instance."""
        return any(obj.provider_key is not NO_KEY for obj in self.objects)


def not_among(resources: Sequence[ResourceState], others: Sequence[ResourceState]) -> list[ResourceState]:
    """Return the resources that are not themselves among the `others`.

    An edit keeps most, in the same order: only those at other places are looked for, as identities take much memory.
    """
    more = len(others) - len(resources)
    from_start = chain(others, repeat(None))
    from_end = chain(others[more:] if more > 0 else chain(repeat(None, -more), others), repeat(None))
    moved = [one for one, a, b in zip(resources, from_start, from_end, strict=False) if one is not a and one is not b]
    missing = set(map(id, moved))
    missing.difference_update(map(id, others))
    return [one for one in moved if id(one) in missing]
