"""Models a snapshot (the whole content of one state file): resources, instances, outputs and check results.

A file lists the objects of a resource flat; here they are grouped by instance. Source of `normalise_version`:
hashicorp/go-version 1.8 (`version.go`), which OpenTofu and Terraform both use.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property, lru_cache
from itertools import chain, repeat
from operator import lt
from typing import Final, NamedTuple

from msgspec import Raw, Struct

from statefmt.model.addrs import (
    NO_KEY,
    AbsProviderInstance,
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    ConfigResource,
    InstanceKey,
    ModuleInstance,
    key_order,
    module_instance_order,
    resource_order,
)
from statefmt.text import pattern

# A serial is an unsigned 64-bit integer.
HIGHEST_SERIAL: Final = 2**64 - 1


class Snapshot(Struct, frozen=True, kw_only=True):
    """The whole content of one state file, in file order.

    `terraform_version` is normalised (`v1.2` becomes `1.2.0`) and empty if the file has none. `serial` is an unsigned
    64-bit integer. `source` is the file from which the snapshot was read, for rewrites that keep the bytes of
    unchanged parts; None if the file was in an older format.
    """

    terraform_version: str = ""
    serial: int = 0
    lineage: str = ""
    outputs: tuple[OutputValue, ...] = ()
    resources: tuple[ResourceState, ...] = ()
    check_results: tuple[CheckResult, ...] = ()
    unknown: tuple[UnknownMember, ...] = ()
    source: Source | None = None


class Source(Struct, frozen=True):
    """The bytes of a v4 file and the snapshot read from them."""

    data: bytes
    snapshot: Snapshot


class UnknownMember(NamedTuple):
    """A member unknown to statetool: its name, its exact JSON text, and its position.

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
    """One object of one resource instance: the current object, or a deposed one.

    `attributes` and `identity` are undecoded JSON text (`None` if absent). `sensitive_attributes` is the canonical
    JSON text of the paths, `private` canonical base64. `origin` is the position (block, instance) of the object in
    its document, which lets a rewrite copy bytes; it is not part of the object's content. Source: OpenTofu
    `internal/states/instance_object_src.go`, `statefile/version4.go`.
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

    `provider_config` is None only for a resource without objects whose state names no provider. `objects` are in file
    order. `origin` lists the blocks of the resource in its document (several if the file splits it).
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
    """Return the resources that are not among the `others`, by identity.

    An edit keeps most resources in the same order: only resources that moved are searched for, as a set of identities
    takes much memory.
    """
    more = len(others) - len(resources)
    from_start = chain(others, repeat(None))
    from_end = chain(others[more:] if more > 0 else chain(repeat(None, -more), others), repeat(None))
    moved = [one for one, a, b in zip(resources, from_start, from_end, strict=False) if one is not a and one is not b]
    missing = set(map(id, moved))
    missing.difference_update(map(id, others))
    return [one for one in moved if id(one) in missing]


class InstanceState(Struct, frozen=True, dict=True):
    """One instance of a resource, with its current and deposed objects in file order."""

    resource: ResourceState
    key: InstanceKey
    objects: tuple[ResourceInstanceObject, ...]

    @property
    def addr(self) -> AbsResourceInstance:
        """The absolute address of the instance."""
        return self.resource.addr.instance(self.key)

    @property
    def current(self) -> ResourceInstanceObject | None:
        """The current object; None if only deposed objects are left."""
        return next((obj for obj in self.objects if obj.is_current), None)

    @property
    def deposed(self) -> tuple[ResourceInstanceObject, ...]:
        """The deposed objects in file order."""
        return tuple(obj for obj in self.objects if not obj.is_current)

    @property
    def current_first(self) -> tuple[ResourceInstanceObject, ...]:
        """All objects: the current object, then the deposed ones in file order."""
        current = self.current
        return self.deposed if current is None else (current, *self.deposed)

    def provider(self, obj: ResourceInstanceObject) -> AbsProviderInstance | None:
        """Return the provider instance that an object is bound to; None if the state names no provider."""
        config = self.resource.provider_config
        return None if config is None else config.instance(obj.provider_key)

    def object_of(self, deposed: str) -> ResourceInstanceObject:
        """Return the object with a deposed key, "" for the current object. Raises KeyError if it does not exist."""
        first = self.objects[0]
        return first if first.deposed == deposed else self._by_deposed[deposed]

    @cached_property
    def _by_deposed(self) -> dict[str, ResourceInstanceObject]:
        # The first of several objects with the same deposed key wins.
        return {obj.deposed: obj for obj in reversed(self.objects)}


def instances(snapshot: Snapshot) -> list[InstanceState]:
    """Return all resource instances in the order of `tofu state list`."""
    return list(each_instance(snapshot))


def each_instance(snapshot: Snapshot) -> Iterator[InstanceState]:
    """Like instances(), but yields one instance at a time, with much less memory."""
    for resource in in_list_order(snapshot.resources):
        objects = resource.objects
        if len(objects) == 1:
            yield InstanceState(resource, objects[0].key, objects)
            continue
        orders = [key_order(obj.key) for obj in objects]
        if all(map(lt, orders, orders[1:])):
            # The usual case: sorted, without deposed objects.
            for obj in objects:
                yield InstanceState(resource, obj.key, (obj,))
            continue
        of_keys: dict[InstanceKey, list[ResourceInstanceObject]] = {}
        for obj in objects:
            of_keys.setdefault(obj.key, []).append(obj)
        for key in sorted(of_keys, key=key_order):
            yield InstanceState(resource, key, tuple(of_keys[key]))


def in_list_order(resources: Iterable[ResourceState]) -> Iterator[ResourceState]:
    """Yield resources in the order of `tofu state list`.

    Sorting the modules, then the resources of each, then their keys is cheaper than sorting all instances of a state.
    """
    of_modules: dict[ModuleInstance, list[ResourceState]] = defaultdict(list)
    for resource in resources:
        of_modules[resource.addr.module].append(resource)
    for module in sorted(of_modules, key=module_instance_order):
        yield from sorted(of_modules[module], key=lambda resource: resource_order(resource.addr.resource))


class OutputValue(Struct, frozen=True, kw_only=True):
    """An output of the root module.

    `value` and `type` are canonical JSON text, re-encoded by type as OpenTofu does when it writes.
    Source: OpenTofu `internal/states/output_value.go`, `statefile/version4.go`.
    """

    name: str
    value: bytes
    type: bytes
    sensitive: bool = False
    deprecated: str = ""
    unknown: tuple[UnknownMember, ...] = ()


KNOWN_STATUSES = frozenset({"pass", "fail", "error", "unknown"})


class CheckObject(Struct, frozen=True, kw_only=True):
    """The result for one checkable object; `status` is kept from the file even if it is unknown."""

    object_addr: str
    status: str
    failure_messages: tuple[str, ...] = ()
    unknown: tuple[UnknownMember, ...] = ()


class CheckResult(Struct, frozen=True, kw_only=True):
    """The results for all objects of one checkable configuration construct.

    `known_kind` is False for an object kind unknown to OpenTofu, which drops such results. Source: OpenTofu
    `internal/states/checks.go`, `statefile/version4.go`.
    """

    object_kind: str
    config_addr: str
    status: str
    objects: tuple[CheckObject, ...] = ()
    known_kind: bool = True
    unknown: tuple[UnknownMember, ...] = ()


_PARTS = r"[0-9A-Za-z\-~]*+(?:\.[0-9A-Za-z\-~]++)*+"
_VERSION = pattern(
    rf"v?(?P<segments>[0-9]++(?:\.[0-9]++)*+)"
    rf"(?:-(?P<numeric_pre>[0-9]{_PARTS})|-?(?P<pre>[A-Za-z\-~]{_PARTS}))?"
    rf"(?:\+(?P<metadata>[0-9A-Za-z\-~]{_PARTS}))?",
    re.ASCII,
)
_INT64_MAX = 2**63 - 1


@lru_cache(maxsize=256)
def normalise_version(text: str) -> str | None:
    """Return the canonical form (`v1.2` becomes `1.2.0`, `1.2.3-rc1` stays), or None if it is not a version."""
    match = _VERSION.fullmatch(text)
    if match is None:
        return None
    # Drop leading zeros, and keep just enough digits to exceed the maximum.
    segments = [int(part.lstrip("0")[:20] or "0") for part in match["segments"].split(".")]
    if max(segments) > _INT64_MAX:
        return None
    segments += [0] * (3 - len(segments))
    version = ".".join(str(segment) for segment in segments)
    prerelease = match["pre"] or match["numeric_pre"]
    if prerelease:
        version += f"-{prerelease}"
    if match["metadata"]:
        version += f"+{match['metadata']}"
    return version


def depends_on_is_relative(version: str) -> bool:
    """Return whether the release may write module-relative `depends_on`: Terraform 0.12.0 to 0.12.13 did."""
    return version.startswith("0.12.")
