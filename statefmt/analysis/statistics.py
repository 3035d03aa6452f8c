"""Counts the contents of a snapshot, and measures the size of its parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from operator import add, attrgetter
from typing import NamedTuple, TypeVar

from statefmt.formats.object_sizes import ObjectSize, object_sizes
from statefmt.model.addrs import NO_KEY, AbsProviderInstance, AbsResourceInstance, InstanceKey, ResourceMode
from statefmt.model.snapshot import ObjectStatus, ResourceInstanceObject, ResourceState, Snapshot, each_instance

_Group = TypeVar("_Group", bound=object)


class Counts(NamedTuple):
    """The numbers of resources, instances and objects, and the bytes of the objects and their dependencies."""

    resources: int = 0
    instances: int = 0
    objects: int = 0
    bytes: int = 0
    dependency_bytes: int = 0

    def plus(self, other: Counts) -> Counts:
        """Return the sum of both."""
        return Counts(*map(add, self, other))


class LargeInstance(NamedTuple):
    """A resource instance with the total bytes of its objects."""

    addr: AbsResourceInstance
    bytes: int
    dependency_bytes: int


class Statistics(NamedTuple):
    """The statistics of a snapshot. Groups and instances are sorted by bytes, largest first.

    `provider_instances` count a resource once for each provider instance of its objects. `types` are keyed by type as
    in addresses (`data.aws_ami`), `modules` by module instance ("" for the root), and `providers` by source ("" if a
    resource names none). `instances` has all instances.
    """

    total: Counts
    data_resources: int
    deposed: int
    tainted: int
    dependencies: int
    outputs: int
    provider_instances: Mapping[AbsProviderInstance | None, Counts]
    types: Mapping[str, Counts]
    modules: Mapping[str, Counts]
    providers: Mapping[str, Counts]
    instances: tuple[LargeInstance, ...]


def statistics(snapshot: Snapshot) -> Statistics:
    """Compute the statistics of a snapshot. Bytes are counted in the file, or in compact format 4 for older formats."""
    sizes = object_sizes(snapshot)
    types: dict[str, Counts] = defaultdict(Counts)
    modules: dict[str, Counts] = defaultdict(Counts)
    providers: dict[str, Counts] = defaultdict(Counts)
    bound: dict[AbsProviderInstance | None, Counts] = defaultdict(Counts)
    total = Counts()
    for resource in snapshot.resources:
        counts = _counts(resource.objects, sizes)
        total = total.plus(counts)
        name = resource.addr.resource
        of_type = f"data.{name.type}" if name.mode is ResourceMode.DATA else name.type
        provider = resource.provider_config
        for groups, group in (
            (types, of_type),
            (modules, str(resource.addr.module)),
            (providers, str(provider.provider) if provider else ""),
        ):
            groups[group] = groups[group].plus(counts)
        for key, objects_of_key in _by_provider_key(resource).items():
            instance = None if provider is None else provider.instance(key)
            bound[instance] = bound[instance].plus(_counts(objects_of_key, sizes))
    objects = [obj for resource in snapshot.resources for obj in resource.objects]
    return Statistics(
        total=total,
        data_resources=sum(resource.addr.resource.mode is ResourceMode.DATA for resource in snapshot.resources),
        deposed=sum(not obj.is_current for obj in objects),
        tainted=sum(obj.status is ObjectStatus.TAINTED for obj in objects),
        dependencies=sum(len(obj.dependencies) + len(obj.depends_on) for obj in objects),
        outputs=len(snapshot.outputs),
        provider_instances=_descending(bound),
        types=_descending(types),
        modules=_descending(modules),
        providers=_descending(providers),
        instances=_instances(snapshot, sizes),
    )


def _by_provider_key(resource: ResourceState) -> dict[InstanceKey, list[ResourceInstanceObject]]:
    """Group the objects of a resource by the key of their provider instance; without objects, there is one group."""
    keys: dict[InstanceKey, list[ResourceInstanceObject]] = {}
    for obj in resource.objects:
        keys.setdefault(obj.provider_key, []).append(obj)
    return keys or {NO_KEY: []}


def _counts(objects: Sequence[ResourceInstanceObject], sizes: Mapping[tuple[int, int], ObjectSize]) -> Counts:
    found = [sizes[obj.origin] for obj in objects if obj.origin is not None]
    return Counts(
        resources=1,
        instances=len({obj.key for obj in objects}),
        objects=len(objects),
        bytes=sum(size.whole for size in found),
        dependency_bytes=sum(size.dependencies for size in found),
    )


def _descending(groups: Mapping[_Group, Counts]) -> dict[_Group, Counts]:
    return dict(sorted(groups.items(), key=lambda item: (-item[1].bytes, str(item[0]))))


def _instances(snapshot: Snapshot, sizes: Mapping[tuple[int, int], ObjectSize]) -> tuple[LargeInstance, ...]:
    """Return all instances, largest first; instances of equal size are in the order of `list`."""
    found = []
    for instance in each_instance(snapshot):
        of = [sizes[obj.origin] for obj in instance.objects if obj.origin is not None]
        whole, dependencies = sum(size.whole for size in of), sum(size.dependencies for size in of)
        found.append(LargeInstance(instance.addr, whole, dependencies))
    found.sort(key=attrgetter("bytes"), reverse=True)
    return tuple(found)
