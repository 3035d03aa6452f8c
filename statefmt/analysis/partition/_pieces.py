"""Divides a state into the smallest pieces that a partition can move, with the needs of each piece.

A piece is the instances of a resource in one module instance that use one provider instance in one region. A state
records dependencies between blocks of the configuration, not between instances. So of a block, a piece needs the
pieces in the same module instance, and among these the ones with its own provider instance and region. It also needs
pieces whose `id`, `arn` or `self_link` is in its attributes; and all pieces of the block if none matches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from statefmt.analysis.cycles import cyclic_groups, targets_first
from statefmt.analysis.dependencies import dependency_graph
from statefmt.model.addrs import AbsProviderInstance, AbsResource, InstanceKey, ModuleInstance, ModuleStep
from statefmt.model.snapshot import ResourceInstanceObject, ResourceState, Snapshot
from statefmt.redaction.object_value import sensitive_paths
from statefmt.redaction.partial import step_key

_Steps: TypeAlias = tuple[ModuleStep, ...]
# A provider instance, and a region or None for all.
_Home: TypeAlias = tuple[AbsProviderInstance | None, str | None]


class StatePiece(NamedTuple):
    """Instances of a resource with the same provider instance and region ("" if unknown), by their keys.

    `is_whole` if these are all instances of the resource in its module instance; `is_secret` if any has sensitive
    attributes.
    """

    resource: AbsResource
    keys: tuple[InstanceKey, ...]
    is_whole: bool
    provider: AbsProviderInstance | None
    region: str
    is_secret: bool
    objects: tuple[ResourceInstanceObject, ...]


class Needed(NamedTuple):
    """Pieces of one block that others need together: the block's address, and the numbers of the pieces."""

    block: str
    pieces: tuple[int, ...]


class PieceGraph(NamedTuple):
    """The pieces by number, and their needs.

    `needs` has, for each piece, indexes in `needed`, and `direct` the ones that do not follow from others.
    """

    pieces: Sequence[StatePiece]
    needed: Sequence[Needed]
    needs: Sequence[Sequence[int]]
    direct: Sequence[Sequence[int]]

    @property
    def edges(self) -> list[Sequence[int]]:
        """The targets of each node: first of the pieces, then of their needs, in the order of `needed`."""
        count = len(self.pieces)
        return [*([count + place for place in places] for places in self.needs), *(one.pieces for one in self.needed)]

    def direct_edges(self, piece: int) -> frozenset[int]:
        """Return the targets of a piece that do not follow from others."""
        return frozenset(len(self.pieces) + place for place in self.direct[piece])


def piece_graph(snapshot: Snapshot) -> PieceGraph:
    """Return the pieces of a state and their needs."""
    graph = dependency_graph(snapshot)
    pieces = [piece for resource in snapshot.resources if resource.objects for piece in _pieces(resource)]
    of_block: dict[str, list[int]] = {}
    names = [str(piece.resource.config()) for piece in pieces]
    for number, name in enumerate(names):
        of_block.setdefault(name, []).append(number)
    finder = _Finder(pieces, of_block)
    needs: list[list[int]] = []
    direct: list[list[int]] = []
    for number, name in enumerate(names):
        needs.append([])
        direct.append([])
        for block in graph.edges[name]:
            if block in of_block and block != name:
                place = finder.place(number, block)
                needs[number].append(place)
                if (name, block) not in graph.implied:
                    direct[number].append(place)
    return PieceGraph(pieces, finder.needed, needs, direct)


def _pieces(resource: ResourceState) -> Iterator[StatePiece]:
    found: dict[tuple[InstanceKey, str], list[ResourceInstanceObject]] = {}
    homes: dict[InstanceKey, tuple[InstanceKey, str]] = {}
    for obj in resource.objects:
        # Deposed objects stay with the first object of their instance.
        home = homes.setdefault(obj.key, (obj.provider_key, _region_of(obj)))
        found.setdefault(home, []).append(obj)
    config = resource.provider_config
    for (key, region), objects in found.items():
        yield StatePiece(
            resource=resource.addr,
            keys=tuple(dict.fromkeys(obj.key for obj in objects)),
            is_whole=len(found) == 1,
            provider=None if config is None else config.instance(key),
            region=region,
            is_secret=any(obj.sensitive_attributes != b"[]" for obj in objects),
            objects=tuple(objects),
        )


class _Finder:
    """Finds the pieces of a block that a piece needs, each set of them once."""

    def __init__(self, pieces: Sequence[StatePiece], of_block: Mapping[str, Sequence[int]]) -> None:
        self._pieces = pieces
        self._of_block = of_block
        self._within: dict[tuple[str, int], dict[_Steps, list[int]]] = {}
        self._homes: dict[tuple[str, _Steps], dict[_Home, list[int]]] = {}
        self._ids: dict[str, Mapping[str, int]] = {}
        self._strings: tuple[int, frozenset[str]] = (-1, frozenset())
        self._places: dict[object, int] = {}
        self.needed: list[Needed] = []

    def place(self, number: int, block: str) -> int:
        """Return the index in `needed` of the pieces of a block that a piece needs."""
        piece, all_pieces = self._pieces[number], self._of_block[block]
        shared = _shared_depth(piece.resource.module, self._pieces[all_pieces[0]].resource.module)
        prefix, near = self._near(block, piece.resource.module, shared)
        key, own = self._own((block, prefix), near, piece)
        if len(own) == len(all_pieces):
            return self._numbered(block, block, all_pieces)
        named = self._named(number, block).difference(own)
        if named:
            return self._numbered((*key, frozenset(named)), block, (*own, *sorted(named)))
        return self._numbered(key, block, own)

    def _near(self, block: str, module: ModuleInstance, shared: int) -> tuple[_Steps, Sequence[int]]:
        """Return the pieces of a block in the same module instance, as far as the two share the path of modules."""
        groups = self._within.get((block, shared))
        if groups is None:
            groups = self._within[block, shared] = {}
            for number in self._of_block[block]:
                groups.setdefault(self._pieces[number].resource.module.steps[:shared], []).append(number)
        prefix = module.steps[:shared]
        return (prefix, groups[prefix]) if prefix in groups else ((), self._of_block[block])

    def _own(
        self, key: tuple[str, _Steps], near: Sequence[int], piece: StatePiece
    ) -> tuple[tuple[object, ...], Sequence[int]]:
        """Return the pieces with the provider instance of a piece, and with its region, if there are any."""
        homes = self._homes.get(key)
        if homes is None:
            homes = self._homes[key] = {}
            for number in near:
                other = self._pieces[number]
                homes.setdefault((other.provider, None), []).append(number)
                homes.setdefault((other.provider, other.region), []).append(number)
        wanted = ((piece.provider, piece.region), (piece.provider, None))
        home = next((home for home in wanted if home in homes), None)
        return (*key, home), near if home is None else homes[home]

    def _numbered(self, key: object, block: str, pieces: Sequence[int]) -> int:
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self.needed)
            self.needed.append(Needed(block, tuple(pieces)))
        return place

    def _named(self, number: int, block: str) -> set[int]:
        """Return the pieces of a block whose ids are in the attributes of a piece."""
        ids = self._ids.get(block)
        if ids is None:
            found: dict[str, int | None] = {}
            for other in self._of_block[block]:
                for obj in self._pieces[other].objects:
                    # An attribute of several pieces identifies none of them.
                    found.update((text, other if found.get(text, other) == other else None) for text in _ids_of(obj))
            ids = self._ids[block] = {text: other for text, other in found.items() if other is not None}
        if self._strings[0] != number:
            piece = self._pieces[number]
            self._strings = number, frozenset(text for obj in piece.objects for text in _strings_of(obj))
        strings = self._strings[1]
        return {ids[text] for text in ids.keys() & strings}


def _shared_depth(one: ModuleInstance, other: ModuleInstance) -> int:
    depth = 0
    for here, there in zip(one.steps, other.steps, strict=False):
        if here.name != there.name:
            break
        depth += 1
    return depth


# A shorter value may be in an attribute by chance.
_SHORTEST_ID: Final = 6
_REGION_IN_ARN: Final = 3


class _Whereabouts(Struct):
    """The attributes that locate an object, and the attributes that identify it in others."""

    id: object = None
    arn: object = None
    self_link: object = None
    region: object = None
    location: object = None


def _region_of(obj: ResourceInstanceObject) -> str:
    """Return the region or location in the attributes, "" if there is none; ignore a sensitive one."""
    found = _whereabouts(obj)
    hidden = {str(step_key(path[0])) if path else "" for path in sensitive_paths(obj)}
    if "" in hidden:
        return ""
    for name, value in (("region", found.region), ("location", found.location)):
        if isinstance(value, str) and value and name not in hidden:
            return value
    if isinstance(found.arn, str) and "arn" not in hidden and found.arn.startswith("arn:"):
        parts = found.arn.split(":")
        return parts[_REGION_IN_ARN] if len(parts) > _REGION_IN_ARN else ""
    return ""


def _whereabouts(obj: ResourceInstanceObject) -> _Whereabouts:
    if obj.attributes is None:
        flat = obj.attributes_flat or {}
        return _Whereabouts(**{name: flat.get(name) for name in _Whereabouts.__struct_fields__})
    try:
        return msgspec.json.decode(obj.attributes, type=_Whereabouts)
    except (msgspec.DecodeError, RecursionError):
        return _Whereabouts()


def _ids_of(obj: ResourceInstanceObject) -> Iterator[str]:
    """Yield the values by which other objects refer to this one."""
    found = _whereabouts(obj)
    for text in (found.id, found.arn, found.self_link):
        if isinstance(text, str) and len(text) >= _SHORTEST_ID:
            yield text


def _strings_of(obj: ResourceInstanceObject) -> Iterable[str]:
    if obj.attributes is None:
        return (obj.attributes_flat or {}).values()
    try:
        waiting: list[object] = [msgspec.json.decode(obj.attributes)]
    except (msgspec.DecodeError, RecursionError):
        return ()
    found: list[str] = []
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return found


class UnitGraph(NamedTuple):
    """Units by number: each needs only units with lower numbers.

    `of_node` has the unit of each node: first the pieces, then their needs. `needs` has the units that a unit needs,
    each with the number of dependencies that do not follow from others. `weights` are numbers of instances.
    """

    of_node: Sequence[int]
    needs: Sequence[Mapping[int, int]]
    weights: Sequence[int]

    @property
    def dependents(self) -> list[list[int]]:
        """The units that need each unit."""
        found: list[list[int]] = [[] for _ in self.needs]
        for unit, targets in enumerate(self.needs):
            for target in targets:
                found[target].append(unit)
        return found


def unit_graph(graph: PieceGraph, labels: Sequence[Hashable]) -> UnitGraph:
    """Contract nodes with equal labels, and nodes in a cycle; `labels` has one for each node."""
    numbers: dict[Hashable, int] = {}
    of_node = [numbers.setdefault(label, len(numbers)) for label in labels]
    targets: list[Counter[int]] = [Counter() for _ in numbers]
    for node, edges in enumerate(graph.edges):
        home = of_node[node]
        direct = edges if node >= len(graph.pieces) else graph.direct_edges(node)
        for target in edges:
            targets[home][of_node[target]] += target in direct
        del targets[home][home]
    merged = list(range(len(targets)))
    for group in cyclic_groups(dict(enumerate(targets))):
        for unit in group:
            merged[unit] = group[0]
    between: dict[int, Counter[int]] = {unit: Counter() for unit in merged}
    for unit, found in enumerate(targets):
        for target, number in found.items():
            if merged[target] != merged[unit]:
                between[merged[unit]][merged[target]] += number
    place = {unit: number for number, unit in enumerate(targets_first(between))}
    needs: list[Mapping[int, int]] = [{} for _ in place]
    for unit, found in between.items():
        needs[place[unit]] = dict(sorted((place[target], number) for target, number in found.items()))
    weights = [0] * len(place)
    final = [place[merged[unit]] for unit in of_node]
    for piece, unit in zip(graph.pieces, final, strict=False):
        weights[unit] += len(piece.keys)
    return UnitGraph(final, needs, weights)
