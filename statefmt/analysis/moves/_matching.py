"""Matches destroyed with created objects of one type whose known attributes are equal.

Created objects with the same unknown attributes look their counterparts up in one index of all destroyed ones, by the
known attributes. So the work grows with the number of objects, times the number of different sets of unknown
attributes, of which a type has few.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from statefmt.analysis.moves._candidates import Candidate, Candidates
from statefmt.analysis.moves._values import Known, Shape, shape_key

# Objects with other sets of unknown attributes than these many of a type are not compared: only a plan that is made to
# waste time has more.
MOST_SHAPES: Final = 200


class EqualObjects(Struct, frozen=True, eq=False):
    """Objects that are linked by equal attributes: each destroyed one equals a created one, and the reverse."""

    destroyed: Sequence[Candidate]
    created: Sequence[Candidate]


def equal_objects(kind: Candidates) -> list[EqualObjects]:
    """Return the groups of objects that are equal in at least one telling attribute, in the order of the plans."""
    if not kind.destroyed:
        return []
    groups = _Groups()
    for shape, created in _by_shape(kind.created):
        before, after = _index(kind.destroyed, shape), _index(created, shape)
        for known, objects in after.items():
            if known in before and any(objects[0].attributes.is_telling(name) for name, _ in known):
                groups.join([*before[known], *objects])
    return groups.found(kind)


def are_equal(destroyed: Candidate, created: Candidate) -> bool:
    """Return whether the known attributes of a created object equal those of a destroyed one."""
    return destroyed.attributes.known(created.unknown) == created.attributes.known(created.unknown)


def _index(objects: Iterable[Candidate], shape: Shape) -> dict[Known, list[Candidate]]:
    index: dict[Known, list[Candidate]] = {}
    for one in objects:
        index.setdefault(one.attributes.known(shape), []).append(one)
    return index


def _by_shape(created: Iterable[Candidate]) -> list[tuple[Shape, list[Candidate]]]:
    shapes: dict[bytes, tuple[Shape, list[Candidate]]] = {}
    for one in created:
        shapes.setdefault(shape_key(one.unknown), (one.unknown, []))[1].append(one)
    return sorted(shapes.values(), key=lambda entry: -len(entry[1]))[:MOST_SHAPES]


class _Groups:
    """Groups of objects, each with a parent in its group; the one at the root is its own parent."""

    def __init__(self) -> None:
        self._parents: dict[Candidate, Candidate] = {}

    def join(self, objects: Sequence[Candidate]) -> None:
        """Put objects into one group, with all that are in their groups."""
        first = self._root(objects[0])
        for one in objects[1:]:
            self._parents[self._root(one)] = first

    def found(self, kind: Candidates) -> list[EqualObjects]:
        sides: dict[Candidate, tuple[list[Candidate], list[Candidate]]] = {}
        for side, candidates in enumerate((kind.destroyed, kind.created)):
            for one in candidates:
                if one in self._parents:
                    sides.setdefault(self._root(one), ([], []))[side].append(one)
        return [EqualObjects(*both) for both in sides.values()]

    def _root(self, one: Candidate) -> Candidate:
        root = one
        while (parent := self._parents.setdefault(root, root)) is not root:
            root = parent
        while one is not root:
            self._parents[one], one = root, self._parents[one]
        return root
