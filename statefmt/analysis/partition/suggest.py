"""Suggests how to divide a state into several, so that no parts need each other in a circle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Final

from statefmt.analysis.partition._communities import communities
from statefmt.analysis.partition._finished import finished
from statefmt.analysis.partition._levels import OVERALL, SHARED, levels, refined
from statefmt.analysis.partition._merging import merged
from statefmt.analysis.partition._modules import ModuleUnits
from statefmt.analysis.partition._pieces import PieceGraph, piece_graph
from statefmt.analysis.partition._units import UnitGraph, unit_graph
from statefmt.analysis.partition.candidates import Partition, PartitionKind, Suggestions
from statefmt.analysis.providers.use import short_names
from statefmt.model.addrs import AbsProviderInstance
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import Snapshot

# The parts that modules and communities are merged to, at most.
MOST_PARTS: Final = 8
# Smaller parts of modules and communities are merged, in shares of the instances.
_SMALLEST: Final = 0.05
_LARGEST: Final = 0.5
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
    limit = _LARGEST * sum(units.weights)
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
    return merged(units, parts, most=most, least=_SMALLEST * total, limit=_LARGEST * total)


def _of_units(kind: PartitionKind, graph: PieceGraph, modules: ModuleUnits, parts: Sequence[int]) -> Partition | str:
    names = _names(graph, modules, parts)
    found = finished(kind, graph, [parts[unit] for unit in modules.units.of_node[: len(graph.pieces)]], names)
    return found or _TANGLED


def _names(graph: PieceGraph, modules: ModuleUnits, parts: Sequence[int]) -> dict[int, str]:
    """Return the name of each part: the module, or else the kind of resource, that most of its instances are of."""
    found: dict[int, Counter[str]] = {}
    for piece, unit in zip(graph.pieces, modules.units.of_node, strict=False):
        resource = piece.resource.resource
        name = modules.names[unit] or resource.type.partition("_")[2] or resource.type
        found.setdefault(parts[unit], Counter())[name] += len(piece.keys)
    return {part: max(counts, key=lambda name: counts[name]) for part, counts in found.items()}


def _by_providers(graph: PieceGraph) -> Partition | str:
    """Go by the instances of each provider that has several; objects of the others go with what needs them."""
    used = dict.fromkeys(piece.provider for piece in graph.pieces if piece.provider is not None)
    several = Counter(provider.config.provider for provider in used)
    names: dict[AbsProviderInstance | None, str] = {
        provider: name for provider, name in short_names(list(used)).items() if several[provider.config.provider] > 1
    }
    if not names:
        return "no provider has several instances"
    return _by_homes(PartitionKind.PROVIDER, graph, [names.get(piece.provider) for piece in graph.pieces])


def _by_regions(graph: PieceGraph) -> Partition | str:
    """Go by the region in the attributes, or else by that of all other objects of the provider instance."""
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
