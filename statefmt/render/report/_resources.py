"""Prepares the table of resources for a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from statefmt.analysis.dependencies import DependencyGraph, edges_down, edges_up
from statefmt.analysis.providers import short_names
from statefmt.analysis.statistics import LargeInstance
from statefmt.model.addrs import AbsProviderInstance, AbsResource
from statefmt.model.snapshot import InstanceState, ObjectStatus, Snapshot, instances

_MOST_INSTANCES: Final = 100
_MOST_PROVIDERS: Final = 5
_MOST_DEPENDENCIES: Final = 20


class Listed(NamedTuple):
    """The first entries of a list, and how many follow."""

    first: tuple[str, ...]
    omitted: int

    @property
    def number(self) -> int:
        """How many entries the list has."""
        return len(self.first) + self.omitted


class ListedResource(NamedTuple):
    """A resource: its instances, the provider instances they are bound to, its bytes, and its neighbours.

    `dependents` is the number of resources that depend on it. `marks` are `tainted` and `deposed`.
    """

    address: str
    instances: Listed
    providers: Listed
    bytes: int
    depends_on: Listed
    dependents: int
    marks: tuple[str, ...]


def listed_resources(
    snapshot: Snapshot, graph: DependencyGraph, sizes: Sequence[LargeInstance]
) -> tuple[ListedResource, ...]:
    """Return a row for each resource with objects, in the order of `list`."""
    found: dict[AbsResource, list[InstanceState]] = {}
    for instance in instances(snapshot):
        found.setdefault(instance.resource.addr, []).append(instance)
    taken: Counter[AbsResource] = Counter()
    for size in sizes:
        taken[size.addr.containing_resource()] += size.bytes
    providers = {
        provider
        for of in found.values()
        for instance in of
        for obj in instance.objects
        if (provider := instance.provider(obj)) is not None
    }
    names = short_names(providers)
    down, up = edges_down(graph), edges_up(graph)
    return tuple(
        ListedResource(
            str(addr),
            _listed([str(instance.key) for instance in of if str(instance.key)], _MOST_INSTANCES, len(of)),
            _listed(_providers(of, names), _MOST_PROVIDERS),
            taken[addr],
            _listed(down[str(addr.config())], _MOST_DEPENDENCIES),
            len(up[str(addr.config())]),
            tuple(_marks(of)),
        )
        for addr, of in found.items()
    )


def _listed(entries: Sequence[str], most: int, number: int | None = None) -> Listed:
    first = tuple(entries[:most])
    return Listed(first, (len(entries) if number is None else number) - len(first))


def _providers(of: Sequence[InstanceState], names: Mapping[AbsProviderInstance, str]) -> list[str]:
    bound = {instance.provider(obj): None for instance in of for obj in instance.objects}
    return [names[provider] for provider in bound if provider is not None]


def _marks(of: Sequence[InstanceState]) -> list[str]:
    objects = [obj for instance in of for obj in instance.objects]
    tainted = any(obj.status is ObjectStatus.TAINTED for obj in objects)
    deposed = any(not obj.is_current for obj in objects)
    return [mark for mark, applies in (("tainted", tainted), ("deposed", deposed)) if applies]
