"""Divides a state into the smallest pieces that a partition can move, with what each piece needs.

A piece is the instances of a resource in one module instance that use one provider instance in one region. A state
records dependencies between blocks of the configuration, not between instances. So a piece needs, of a block, the
pieces in the same module instance, and among these the ones with its own provider instance and region. It needs others,
too, if their `id`, `arn` or `self_link` is in its attributes; and all of them if none is its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from statefmt.analysis.graph.dependencies import dependency_graph
from statefmt.model.addrs import AbsProviderInstance, AbsResource, InstanceKey, ModuleInstance, ModuleStep
from statefmt.model.resources import ResourceInstanceObject, ResourceState
from statefmt.model.snapshot import Snapshot
from statefmt.redaction.object_value import sensitive_paths
from statefmt.redaction.path_text import step_key

# A shorter value may be in an attribute by chance.
_SHORTEST_ID: Final = 6
_REGION_IN_ARN: Final = 3


_Steps: TypeAlias = tuple[ModuleStep, ...]
_Home: TypeAlias = tuple[AbsProviderInstance | None, str]


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
    """The pieces by number, and what they need.

    `needs` has, for each piece, places in `needed`, and `direct` those of them that do not follow from others.
    """

    pieces: Sequence[StatePiece]
    needed: Sequence[Needed]
    needs: Sequence[Sequence[int]]
    direct: Sequence[Sequence[int]]

    @property
    def edges(self) -> list[Sequence[int]]:
        """The targets of each node: first the pieces, and then what is needed, in the order of `needed`."""
        count = len(self.pieces)
        return [*([count + place for place in places] for places in self.needs), *(one.pieces for one in self.needed)]

    def direct_edges(self, piece: int) -> frozenset[int]:
        """The targets of a piece that do not follow from others."""
        return frozenset(len(self.pieces) + place for place in self.direct[piece])


class _Whereabouts(Struct):
    """The attributes that say where an object is, and the ones that name it in others."""

    id: object = None
    arn: object = None
    self_link: object = None
    region: object = None
    location: object = None


def piece_graph(snapshot: Snapshot) -> PieceGraph:
    """Return the pieces of a state and what they need."""
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
        home = homes.setdefault(obj.key, (obj.provider_key, _region(obj)))
        found.setdefault(home, []).append(obj)
    config = resource.provider_config
    for (key, region), objects in found.items():
        yield StatePiece(
            resource.addr,
            tuple(dict.fromkeys(obj.key for obj in objects)),
            len(found) == 1,
            None if config is None else config.instance(key),
            region,
            any(obj.sensitive_attributes != b"[]" for obj in objects),
            tuple(objects),
        )


def _region(obj: ResourceInstanceObject) -> str:
    """Return the region or location that the attributes name, "" if none; a sensitive one is not used."""
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


class _Finder:
    """Finds the pieces of a block that a piece needs, each set of them once."""

    def __init__(self, pieces: Sequence[StatePiece], of_block: Mapping[str, Sequence[int]]) -> None:
        self._pieces = pieces
        self._of_block = of_block
        self._within: dict[tuple[str, int], dict[_Steps, list[int]]] = {}
        self._owns: dict[tuple[str, _Steps, _Home], Sequence[int]] = {}
        self._ids: dict[str, Mapping[str, set[int]]] = {}
        self._strings: tuple[int, frozenset[str]] = (-1, frozenset())
        self._places: dict[object, int] = {}
        self.needed: list[Needed] = []

    def place(self, number: int, block: str) -> int:
        """Return the place in `needed` of the pieces of a block that a piece needs."""
        piece = self._pieces[number]
        shared = _shared_depth(piece.resource.module, self._pieces[self._of_block[block][0]].resource.module)
        prefix, near = self._near(block, piece.resource.module, shared)
        home = (piece.provider, piece.region)
        own = self._own(block, prefix, near, home)
        if len(own) == len(near):
            return self._numbered((block, prefix), block, near)
        named = self._named(number, block).intersection(near).difference(own)
        if named:
            return self._numbered((block, prefix, home, frozenset(named)), block, (*own, *sorted(named)))
        return self._numbered((block, prefix, home), block, own)

    def _near(self, block: str, module: ModuleInstance, shared: int) -> tuple[_Steps, Sequence[int]]:
        """Return the pieces of a block in the same module instance, as far as the two share the path of modules."""
        groups = self._within.get((block, shared))
        if groups is None:
            groups = self._within[block, shared] = {}
            for number in self._of_block[block]:
                groups.setdefault(self._pieces[number].resource.module.steps[:shared], []).append(number)
        prefix = module.steps[:shared]
        return (prefix, groups[prefix]) if prefix in groups else ((), self._of_block[block])

    def _own(self, block: str, prefix: _Steps, near: Sequence[int], home: _Home) -> Sequence[int]:
        """Return the pieces with the provider instance and region of `home`, as far as there are any."""
        key = block, prefix, home
        found = self._owns.get(key)
        if found is None:
            provider, region = home
            found = [number for number in near if self._pieces[number].provider == provider] or near
            self._owns[key] = found = [number for number in found if self._pieces[number].region == region] or found
        return found

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
            found: dict[str, set[int]] = {}
            for other in self._of_block[block]:
                for text in _ids(self._pieces[other]):
                    found.setdefault(text, set()).add(other)
            ids = self._ids[block] = found
        if self._strings[0] != number:
            self._strings = (number, _strings(self._pieces[number]))
        strings = self._strings[1]
        smaller, other_side = (ids, strings) if len(ids) < len(strings) else (strings, ids)
        return {place for text in smaller if text in other_side for place in ids[text]}


def _shared_depth(one: ModuleInstance, other: ModuleInstance) -> int:
    depth = 0
    for here, there in zip(one.steps, other.steps, strict=False):
        if here.name != there.name:
            break
        depth += 1
    return depth


def _ids(piece: StatePiece) -> Iterator[str]:
    for obj in piece.objects:
        found = _whereabouts(obj)
        for text in (found.id, found.arn, found.self_link):
            if isinstance(text, str) and len(text) >= _SHORTEST_ID:
                yield text


def _strings(piece: StatePiece) -> frozenset[str]:
    return frozenset(text for obj in piece.objects for text in _strings_of(obj))


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
