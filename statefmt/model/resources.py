"""Resources and their instance objects."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
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
    """A member that statetool has no meaning for: its name, its exact JSON text, and which member it stands after.

    `after` is the name of the last known member before it in its object, "" where there is none.
    """

    name: str
    raw: Raw
    after: str


class ObjectStatus(Enum):
    """Whether an object was fully created; the value is what the state file says."""

    READY = ""
    TAINTED = "tainted"


class ResourceInstanceObject(Struct, frozen=True, kw_only=True, gc=False):
    """One object of one resource instance: the current one, or a deposed one.

    `attributes` and `identity` are JSON text, never decoded on the way through (`None`: absent).
    `sensitive_attributes` is the canonical JSON text of the paths, `private` canonical base64.
    `origin` is the position of the object in the document it was read from (block, instance), which lets
    a rewrite copy bytes; it says nothing about the object itself.
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
    `objects` stand in the order of the file. `origin` lists the blocks of the document that it was read
    from (more than one where a file spreads a resource).
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
