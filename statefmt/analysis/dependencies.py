"""Builds the dependency graph of a snapshot, and finds the edges that a drawing can omit.

The nodes are resources as in the configuration, without keys, since `dependencies` do not name instances. OpenTofu
also records indirect dependencies there (`internal/tofu/transform_reference.go`, AttachDependenciesTransformer), so
most edges follow from others; `implied` lists these. In a graph without cycles, the remaining edges are the
transitive reduction. The nodes of a cycle count as one node for edges from and to other nodes, and all edges among
them are kept. Nothing here recurses.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from statefmt.analysis.cycles import Edges, cyclic_groups, targets_first
from statefmt.model.addrs import ConfigResource, ResourceMode, resource_order
from statefmt.model.snapshot import ResourceInstanceObject, Snapshot, depends_on_is_relative


class Node(NamedTuple):
    """A resource: its address, and the number of its instances; None if it occurs only as a dependency."""

    addr: ConfigResource
    instances: int | None

    @property
    def is_missing(self) -> bool:
        """Whether the state lacks the resource but should have it; ephemeral resources are never in a state."""
        return self.instances is None and self.addr.resource.mode is not ResourceMode.EPHEMERAL


class DependencyGraph(NamedTuple):
    """The nodes by address, and the addresses that each node depends on, both in list order."""

    nodes: Mapping[str, Node]
    edges: Mapping[str, tuple[str, ...]]
    implied: frozenset[tuple[str, str]]


def dependency_graph(snapshot: Snapshot) -> DependencyGraph:
    """Return the resources of a snapshot, and the dependencies that its objects record."""
    texts: dict[ConfigResource, str] = {}
    instances: dict[ConfigResource, int] = {}
    targets: dict[ConfigResource, dict[ConfigResource, None]] = {}
    absolute = not depends_on_is_relative(snapshot.terraform_version)
    for resource in snapshot.resources:
        addr = resource.addr.config()
        instances[addr] = instances.get(addr, 0) + len({obj.key for obj in resource.objects})
        found = targets.setdefault(addr, {})
        last: tuple[ConfigResource, ...] = ()
        for obj in resource.objects:
            # The instances of a resource nearly always have the same list.
            if obj.dependencies != last or obj.depends_on:
                last = obj.dependencies
                found.update(dict.fromkeys(_named(obj, absolute)))

    def order(addr: ConfigResource) -> tuple[int, tuple[str, ...], tuple[int, str, str]]:
        # As in `list`: fewer module steps first, data before managed.
        return len(addr.module.names), addr.module.names, resource_order(addr.resource)

    for addr in sorted({*targets, *(target for found in targets.values() for target in found)}, key=order):
        texts[addr] = str(addr)
    nodes = {text: Node(addr, instances.get(addr)) for addr, text in texts.items()}
    place = {text: number for number, text in enumerate(nodes)}
    edges = {
        text: tuple(sorted((texts[target] for target in targets.get(addr, ())), key=place.__getitem__))
        for addr, text in texts.items()
    }
    return DependencyGraph(nodes, edges, implied_edges(edges))


def part_of(graph: DependencyGraph, chosen: Collection[str]) -> DependencyGraph:
    """Return the part of a graph with the chosen nodes. The implied edges are the edges implied in the whole graph."""
    return DependencyGraph(
        {text: node for text, node in graph.nodes.items() if text in chosen},
        {text: tuple(filter(chosen.__contains__, targets)) for text, targets in graph.edges.items() if text in chosen},
        graph.implied,
    )


def reachable(graph: DependencyGraph, starts: Iterable[str], depth: int | None) -> set[str]:
    """Return `starts` and the nodes that they depend on, in at most `depth` steps over edges that are not implied."""
    return _within(edges_down(graph), starts, depth)


def reaching(graph: DependencyGraph, ends: Iterable[str], depth: int | None) -> set[str]:
    """Return `ends` and the nodes that depend on them, in at most `depth` steps over edges that are not implied."""
    return _within(edges_up(graph), ends, depth)


def edges_down(graph: DependencyGraph, *, implied: bool = False) -> dict[str, list[str]]:
    """Return the dependencies of each node; omits implied ones unless `implied`."""
    return {
        source: [target for target in targets if implied or (source, target) not in graph.implied]
        for source, targets in graph.edges.items()
    }


def edges_up(graph: DependencyGraph, *, implied: bool = False) -> dict[str, list[str]]:
    """Return the dependents of each node; omits implied ones unless `implied`."""
    reverse: dict[str, list[str]] = {text: [] for text in graph.nodes}
    for source, targets in edges_down(graph, implied=implied).items():
        for target in targets:
            reverse[target].append(source)
    return reverse


def _named(obj: ResourceInstanceObject, absolute: bool) -> Iterable[ConfigResource]:
    if obj.depends_on and absolute:
        return (*obj.dependencies, *(instance.config() for instance in obj.depends_on))
    return obj.dependencies


def _within(edges: Mapping[str, Collection[str]], starts: Iterable[str], depth: int | None) -> set[str]:
    seen = set(starts)
    ring, steps = seen, 0
    while ring and (depth is None or steps < depth):
        ring = {target for node in ring for target in edges[node]} - seen
        seen = seen | ring
        steps += 1
    return seen


def implied_edges(edges: Edges) -> frozenset[tuple[str, str]]:
    """Return the edges whose target can also be reached from the source through another node.

    `edges` has every node, with the targets of each.
    """
    home = {node: node for node in edges}
    for group in cyclic_groups(edges):
        home |= dict.fromkeys(group, group[0])
    between: dict[str, set[str]] = {home[node]: set() for node in edges}
    for node, targets in edges.items():
        between[home[node]] |= {home[target] for target in targets} - {home[node]}
    direct = _direct(between)
    return frozenset(
        (node, target)
        for node, targets in edges.items()
        for target in targets
        if home[target] != home[node] and home[target] not in direct[home[node]]
    )


def _direct(edges: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the edges of a graph without cycles that do not follow from others."""
    number = {node: place for place, node in enumerate(targets_first(edges))}
    # Bit sets of the nodes reachable from a node, including itself.
    reach: dict[str, int] = {}
    direct: dict[str, set[str]] = {}
    for node, place in number.items():
        covered, kept = 0, set()
        # Predecessors of a target have higher numbers, so they come first here.
        for target in sorted(edges[node], key=number.__getitem__, reverse=True):
            if not covered >> number[target] & 1:
                kept.add(target)
                covered |= reach[target]
        direct[node] = kept
        reach[node] = covered | 1 << place
    return direct
