"""Finishes a partition: names its parts, and finds what they contain and need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from statefmt.analysis.partition._pieces import PieceGraph
from statefmt.analysis.partition.candidates import NeededResource, Partition, PartitionKind, PartitionPart
from statefmt.analysis.selection.covering import covering
from statefmt.model.addrs import ModuleInstance
from statefmt.text.pattern import pattern

# What cannot be in the name of a state in an operations file.
_NOT_IN_NAMES = pattern(r"[^a-z0-9]+")


def finished(
    kind: PartitionKind, graph: PieceGraph, parts: Sequence[int], names: Mapping[int, str]
) -> Partition | None:
    """Return the partition that puts each piece in a part, None if all are in one.

    `parts` are numbers; a piece needs only pieces of its own part or a lower one. `names` are what the parts are
    named after. Raises SurgeryError if an instance cannot be selected alone.
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
    """Return the module instances with resources in several parts, also in the modules that they call."""
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
