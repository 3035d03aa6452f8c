"""Finishes a partition: names its parts, and finds what they contain and need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from statefmt.analysis.partition._pieces import PieceGraph
from statefmt.analysis.partition.candidates import NeededResource, Partition, PartitionKind, StatePart
from statefmt.model.addrs import AbsResource, AbsResourceInstance, ModuleInstance
from statefmt.text.pattern import pattern

# What cannot be in the name of a state in an operations file.
_NOT_IN_NAMES = pattern(r"[^a-z0-9]+")


def finished(
    kind: PartitionKind, graph: PieceGraph, parts: Sequence[int], names: Mapping[int, str]
) -> Partition | None:
    """Return the partition that puts each piece in a part, None if all are in one.

    `parts` are numbers; a piece needs only pieces of its own part or a lower one. `names` are what the parts are
    named after.
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
    contents, divided = _contents(graph, parts)
    found = []
    for part, name in names.items():
        needs = tuple(other for other in levels if other in below[name])
        levels[name] = max((levels[other] + 1 for other in needs), default=0)
        found.append(StatePart(name, tuple(contents[part]), counts[part], needs, levels[name], part == largest))
    resources = len({piece.resource.config() for piece in graph.pieces})
    return Partition(kind, tuple(found), tuple(needed), tuple(divided), resources)


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


def _contents(
    graph: PieceGraph, parts: Sequence[int]
) -> tuple[dict[int, list[ModuleInstance | AbsResource | AbsResourceInstance]], list[ModuleInstance]]:
    """Return what is whole in each part, and the module instances that are in several."""
    of_module: dict[ModuleInstance, set[int]] = {}
    paths: dict[ModuleInstance, tuple[ModuleInstance, ...]] = {}
    for piece, part in zip(graph.pieces, parts, strict=True):
        module = piece.resource.module
        if module not in paths:
            paths[module] = module.on_the_way
        for one in paths[module]:
            of_module.setdefault(one, set()).add(part)
    of_resource: dict[AbsResource, set[int]] = {}
    for piece, part in zip(graph.pieces, parts, strict=True):
        of_resource.setdefault(piece.resource, set()).add(part)
    found: dict[int, dict[ModuleInstance | AbsResource | AbsResourceInstance, None]] = {part: {} for part in set(parts)}
    for piece, part in zip(graph.pieces, parts, strict=True):
        whole = next((one for one in paths[piece.resource.module] if len(of_module[one]) == 1), None)
        if whole is not None:
            found[part][whole] = None
        elif len(of_resource[piece.resource]) == 1:
            found[part][piece.resource] = None
        else:
            found[part].update((piece.resource.instance(key), None) for key in piece.keys)
    divided = [module for module, inside in of_module.items() if len(inside) > 1]
    return {part: list(contents) for part, contents in found.items()}, divided


def state_name(text: str) -> str:
    """Return a text as the name of a state in an operations file."""
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
