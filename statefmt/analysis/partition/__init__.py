"""Suggests how to divide a state into several.

    found = suggest_partitions(snapshot)     # partitions by modules, providers, regions and communities, best first

The parts of a partition have an order in which each needs only earlier parts: there are no cycles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property
from typing import Final

from msgspec import Struct

from statefmt.analysis.partition._groupings import OVERALL, SHARED, ModuleUnits, communities, levels, merged, refined
from statefmt.analysis.partition._pieces import PieceGraph, UnitGraph, piece_graph, unit_graph
from statefmt.analysis.providers import short_names
from statefmt.analysis.selection.covering import covering
from statefmt.model.addrs import AbsProviderInstance, ModuleInstance
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import Snapshot
from statefmt.text import pattern

# The terms of the score: each percent of the instances in the largest part,
_LARGEST: Final = 1.0
# each percent of the resources that other parts need,
_OUTPUTS: Final = 2.0
# each of these with secrets,
_SECRET: Final = 3.0
# each apply after the first, and each divided module.
_APPLY: Final = 2.0
_DIVIDED: Final = 2.0


class PartitionKind(Enum):
    """The criterion of a partition."""

    MODULE = "module"
    PROVIDER = "provider"
    REGION = "region"
    COMMUNITY = "community"


class NeededResource(Struct, frozen=True):
    """A resource, as in the configuration, that other parts need: its part needs an output for it.

    `is_secret` if it has sensitive attributes, which the output may expose to other parts.
    """

    resource: str
    part: str
    needed_by: tuple[str, ...]
    is_secret: bool


class PartitionPart(Struct, frozen=True):
    """A part of a state, and the selectors of its contents: whole modules and resources, or instances.

    `stays` if this part remains in the state. `level` is 0 if it needs no other part, and else one more than the
    highest part it needs: parts of one level can be applied at the same time.
    """

    name: str
    contents: tuple[str, ...]
    instances: int
    needs: tuple[str, ...]
    level: int
    stays: bool


class Partition(Struct, frozen=True, dict=True):
    """A way to divide a state: the parts, lowest first, so that each needs only earlier parts.

    `resources` is the number of resources as in the configuration, and `divided` are the module instances with
    resources in several parts.
    """

    kind: PartitionKind
    parts: tuple[PartitionPart, ...]
    needed: tuple[NeededResource, ...]
    divided: tuple[ModuleInstance, ...]
    resources: int

    @property
    def contents(self) -> frozenset[frozenset[str]]:
        """The contents of the parts, without their names."""
        return frozenset(frozenset(part.contents) for part in self.parts)

    @property
    def new_states(self) -> dict[str, tuple[str, ...]]:
        """The selectors of the parts that leave the state, by part name."""
        return {part.name: part.contents for part in self.parts if not part.stays}

    @property
    def outputs(self) -> int:
        """The number of resources that need an output for other parts."""
        return len(self.needed)

    @property
    def secrets(self) -> int:
        """The number of these resources with sensitive attributes."""
        return sum(one.is_secret for one in self.needed)

    @property
    def largest(self) -> float:
        """The share of the instances in the largest part, from 0 to 1."""
        counts = [part.instances for part in self.parts]
        return max(counts) / sum(counts)

    @property
    def applies(self) -> int:
        """The number of successive applies, if dependent parts are applied one after the other."""
        return max(part.level for part in self.parts) + 1

    @cached_property
    def score(self) -> float:
        """The cost of the partition; less is better."""
        return (
            100 * _LARGEST * self.largest
            + 100 * _OUTPUTS * self.outputs / self.resources
            + _SECRET * self.secrets
            + _APPLY * (self.applies - 1)
            + _DIVIDED * len(self.divided)
        )


class Suggestions(Struct, frozen=True):
    """Partitions, best first, and the reasons for omitting others."""

    partitions: tuple[Partition, ...]
    without: Mapping[PartitionKind, str]


# The maximum number of parts by modules and communities.
MOST_PARTS: Final = 8
# Smaller parts of modules and communities are merged, in shares of the instances.
_SMALLEST: Final = 0.05
_LARGEST_SHARE: Final = 0.5
_TANGLED: Final = "all the parts would need each other"


def suggest_partitions(
    snapshot: Snapshot, kinds: Collection[PartitionKind] = tuple(PartitionKind), *, most_parts: int = MOST_PARTS
) -> Suggestions:
    """Return ways of these kinds to divide a state, best first.

    Parts by modules and by communities of the dependency graph are at most `most_parts`; by provider instances and by
    regions there is a part for each.
    """
    graph = piece_graph(snapshot)
    if len(graph.pieces) < 2:
        return Suggestions((), dict.fromkeys(kinds, "there are not two resources"))
    makers: dict[PartitionKind, Callable[[], Partition | str]] = {
        PartitionKind.MODULE: lambda: _by_modules(graph, most_parts),
        PartitionKind.PROVIDER: lambda: _by_providers(graph),
        PartitionKind.REGION: lambda: _by_regions(graph),
        PartitionKind.COMMUNITY: lambda: _by_communities(graph, most_parts),
    }
    found: list[Partition] = []
    without: dict[PartitionKind, str] = {}
    for kind in kinds:
        try:
            partition = makers[kind]()
        except SurgeryError as error:
            partition = str(error)
        if isinstance(partition, str):
            without[kind] = partition
        elif any(partition.contents == other.contents for other in found):
            without[kind] = "gives the same parts as another suggestion"
        else:
            found.append(partition)
    return Suggestions(tuple(sorted(found, key=lambda one: one.score)), without)


def _by_modules(graph: PieceGraph, most: int) -> Partition | str:
    modules = ModuleUnits(graph, divides=False)
    homes = {home for home in modules.homes if home}
    if len(homes) < 2:
        return "the modules need each other in a circle" if modules.count > 1 else "there are not two modules to go by"
    parts, _ = levels(modules.units, modules.homes)
    return _of_units(PartitionKind.MODULE, graph, modules, _merged(modules.units, parts, most))


def _by_communities(graph: PieceGraph, most: int) -> Partition | str:
    modules = ModuleUnits(graph, divides=True)
    units = modules.units
    limit = _LARGEST_SHARE * sum(units.weights)
    homes = communities(units)
    found: list[Partition] = []
    for raises in (False, True):
        parts, _ = levels(units, homes, raises=raises)
        parts = refined(units, _merged(units, refined(units, parts, limit), most), limit)
        partition = _of_units(PartitionKind.COMMUNITY, graph, modules, parts)
        if not isinstance(partition, str):
            found.append(partition)
    return min(found, key=lambda one: one.score, default=_TANGLED)


def _merged(units: UnitGraph, parts: Sequence[int], most: int) -> list[int]:
    total = sum(units.weights)
    return merged(units, parts, most=most, least=_SMALLEST * total, limit=_LARGEST_SHARE * total)


def _of_units(kind: PartitionKind, graph: PieceGraph, modules: ModuleUnits, parts: Sequence[int]) -> Partition | str:
    names = _names(graph, modules, parts)
    found = finished(kind, graph, [parts[unit] for unit in modules.units.of_node[: len(graph.pieces)]], names)
    return found or _TANGLED


def _names(graph: PieceGraph, modules: ModuleUnits, parts: Sequence[int]) -> dict[int, str]:
    """Return the name of each part: the module, or else the kind of resource, of most of its instances."""
    found: dict[int, Counter[str]] = {}
    for piece, unit in zip(graph.pieces, modules.units.of_node, strict=False):
        resource = piece.resource.resource
        name = modules.names[unit] or resource.type.partition("_")[2] or resource.type
        found.setdefault(parts[unit], Counter())[name] += len(piece.keys)
    return {part: max(counts, key=lambda name: counts[name]) for part, counts in found.items()}


def _by_providers(graph: PieceGraph) -> Partition | str:
    """Divide by the instances of each provider that has several; other objects join their dependents."""
    used = dict.fromkeys(piece.provider for piece in graph.pieces if piece.provider is not None)
    several = Counter(provider.config.provider for provider in used)
    names: dict[AbsProviderInstance | None, str] = {
        provider: name for provider, name in short_names(list(used)).items() if several[provider.config.provider] > 1
    }
    if not names:
        return "no provider has several instances"
    return _by_homes(PartitionKind.PROVIDER, graph, [names.get(piece.provider) for piece in graph.pieces])


def _by_regions(graph: PieceGraph) -> Partition | str:
    """Divide by the region in the attributes, or else by the common region of the provider instance's other objects."""
    of_provider: dict[AbsProviderInstance | None, set[str]] = {}
    for piece in graph.pieces:
        if piece.region:
            of_provider.setdefault(piece.provider, set()).add(piece.region)
    if len(set().union(*of_provider.values())) < 2:
        return "no two regions are in the attributes"
    only = {provider: "".join(found) for provider, found in of_provider.items() if len(found) == 1}
    homes = [piece.region or only.get(piece.provider) for piece in graph.pieces]
    return _by_homes(PartitionKind.REGION, graph, homes)


def _by_homes(kind: PartitionKind, graph: PieceGraph, homes: Sequence[str | None]) -> Partition | str:
    count = len(graph.pieces)
    units = unit_graph(graph, range(count + len(graph.needed)))
    wanted: list[Counter[str]] = [Counter() for _ in units.needs]
    for piece, unit, home in zip(graph.pieces, units.of_node, homes, strict=False):
        if home:
            wanted[unit][home] += len(piece.keys)
    parts, names = levels(units, [max(one, key=lambda home: one[home]) if one else None for one in wanted])
    shown = {SHARED: "shared", OVERALL: "overall"}
    found = finished(
        kind, graph, [parts[unit] for unit in units.of_node[:count]], {i: shown.get(n, n) for i, n in enumerate(names)}
    )
    return found or _TANGLED


# Characters that are not allowed in the name of a state in an operations file.
_NOT_IN_NAMES = pattern(r"[^a-z0-9]+")


def finished(
    kind: PartitionKind, graph: PieceGraph, parts: Sequence[int], names: Mapping[int, str]
) -> Partition | None:
    """Return the partition that puts each piece in a part, None if all are in one.

    `parts` are numbers; a piece needs only pieces of its own part or a lower one. `names` are the bases of the part
    names. Raises SurgeryError if an instance cannot be selected alone.
    """
    members: dict[int, list[int]] = {part: [] for part in sorted(set(parts))}
    for number, part in enumerate(parts):
        members[part].append(number)
    if len(members) < 2:
        return None
    names = _unique({part: names[part] for part in members})
    needed = list(_needed(graph, parts, names))
    below: dict[str, set[str]] = {name: set() for name in names.values()}
    for number, part in enumerate(parts):
        for place in graph.needs[number]:
            below[names[part]].update(names[parts[other]] for other in graph.needed[place].pieces)
    counts = {part: sum(len(graph.pieces[number].keys) for number in found) for part, found in members.items()}
    largest = max(members, key=lambda part: (counts[part], -part))
    levels: dict[str, int] = {}
    homes = {
        piece.resource.instance(key): part
        for piece, part in zip(graph.pieces, parts, strict=True)
        for key in piece.keys
    }
    selectors = covering(homes)
    found = []
    for part, name in names.items():
        needs = tuple(other for other in levels if other in below[name])
        levels[name] = max((levels[other] + 1 for other in needs), default=0)
        found.append(
            PartitionPart(
                name=name,
                contents=selectors[part],
                instances=counts[part],
                needs=needs,
                level=levels[name],
                stays=part == largest,
            )
        )
    resources = len({piece.resource.config() for piece in graph.pieces})
    return Partition(kind, tuple(found), tuple(needed), tuple(_divided(graph, parts)), resources)


def _needed(graph: PieceGraph, parts: Sequence[int], names: Mapping[int, str]) -> Iterator[NeededResource]:
    users: dict[tuple[str, int], set[int]] = {}
    secret: set[tuple[str, int]] = set()
    for number, part in enumerate(parts):
        for place in graph.direct[number]:
            block, pieces = graph.needed[place]
            for other in pieces:
                if parts[other] != part:
                    key = block, parts[other]
                    users.setdefault(key, set()).add(part)
                    if graph.pieces[other].is_secret:
                        secret.add(key)
    for key in sorted(users, key=lambda key: (key[1], key[0])):
        yield NeededResource(key[0], names[key[1]], tuple(names[part] for part in sorted(users[key])), key in secret)


def _divided(graph: PieceGraph, parts: Sequence[int]) -> list[ModuleInstance]:
    """Return the module instances with resources in several parts, including resources of nested modules."""
    found: dict[ModuleInstance, int] = {}
    divided: dict[ModuleInstance, None] = {}
    paths: dict[ModuleInstance, tuple[ModuleInstance, ...]] = {}
    for piece, part in zip(graph.pieces, parts, strict=True):
        module = piece.resource.module
        if module not in paths:
            paths[module] = module.on_the_way
        divided.update((one, None) for one in paths[module] if found.setdefault(one, part) != part)
    return list(divided)


def state_name(text: str) -> str:
    """Convert a text to the name of a state in an operations file."""
    name = _NOT_IN_NAMES.sub("-", text.lower()).strip("-")
    return name if name and not name[0].isdigit() else f"part-{name}".rstrip("-")


def _unique(names: Mapping[int, str]) -> dict[int, str]:
    counts = Counter(map(state_name, names.values()))
    found: dict[int, str] = {}
    taken: set[str] = set()
    for part, text in names.items():
        name = wanted = state_name(text)
        number = 1
        while name in taken or (number > 1 and name in counts):
            number += 1
            name = f"{wanted}-{number}"
        taken.add(name)
        found[part] = name
    return found
