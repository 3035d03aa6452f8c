"""Matches destroyed with created objects of one type whose known attributes are equal.

An index has the destroyed objects by the value of each attribute. For a created object, only those are compared that
share its rarest value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from statefmt.analysis.moves._candidates import Candidate, Candidates
from statefmt.analysis.moves._values import Known, shape_key

# So many comparisons are made for each object of a type. Real plans need about one; only a plan that is made to waste
# time needs more than this.
_MOST_COMPARISONS: Final = 20


class EqualObjects(Struct, frozen=True, eq=False):
    """Objects that are linked by equal attributes: each destroyed one equals a created one, and the reverse."""

    destroyed: Sequence[Candidate]
    created: Sequence[Candidate]


class Matched(NamedTuple):
    """The groups of equal objects, and the created objects that were not compared with all destroyed ones."""

    groups: Sequence[EqualObjects]
    not_compared: Sequence[Candidate]


def equal_objects(kind: Candidates) -> Matched:
    """Return the groups of objects that are equal in at least one telling attribute, in the order of the plans."""
    index = _Index(kind.destroyed)
    searches = sorted(map(index.search, _alike(kind.created)), key=lambda one: len(one.among))
    left = _MOST_COMPARISONS * (len(kind.destroyed) + len(kind.created))
    groups = _Groups()
    not_compared: list[Candidate] = []
    for search in searches:
        left -= len(search.among)
        if left < 0:
            not_compared += search.created
        elif found := [one for one in search.among if are_equal(one, search.created[0])]:
            groups.join([*found, *search.created])
    return Matched(groups.found(kind), not_compared)


def are_equal(destroyed: Candidate, created: Candidate) -> bool:
    """Return whether the known attributes of a created object equal those of a destroyed one."""
    return destroyed.attributes.known(created.unknown) == created.known


class _Search(NamedTuple):
    """Created objects that are alike, and the destroyed ones that may equal them."""

    created: Sequence[Candidate]
    among: Sequence[Candidate]


class _Index:
    """Destroyed objects by the values of their attributes."""

    def __init__(self, destroyed: Sequence[Candidate]) -> None:
        self._all: Final = destroyed
        self._by_value: Final[dict[tuple[str, str | bytes], list[Candidate]]] = {}
        for one in destroyed:
            for value in one.attributes.known({}):
                self._by_value.setdefault(value, []).append(one)

    def search(self, created: Sequence[Candidate]) -> _Search:
        """Return the search for objects that are alike: among those with their rarest value; none without evidence."""
        one = created[0]
        if not one.attributes.tells(name for name, _ in one.known):
            return _Search(created, ())
        # The value of an attribute that is unknown in part is not in the index.
        whole = (value for value in one.known if value[0] not in one.unknown)
        return _Search(created, min((self._by_value.get(value, ()) for value in whole), key=len, default=self._all))


def _alike(created: Iterable[Candidate]) -> Iterable[list[Candidate]]:
    """Return the created objects in groups with the same attributes, known and unknown."""
    found: dict[tuple[bytes, Known], list[Candidate]] = {}
    for one in created:
        found.setdefault((shape_key(one.unknown), one.known), []).append(one)
    return found.values()


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
