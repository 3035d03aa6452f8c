"""Sorts out those of a state's parts that may not be what they seem."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from statefmt.formats.salvage.model import Doubt, FoundObject, SalvagedKey


class Sign(NamedTuple):
    """A place where it shows that two texts meet, there or before: the part before it may hold the seam.

    A part that ends before `since` does not: it has another one behind it that is sound up to the sign.
    """

    position: int
    since: int = 0


def held(offsets: Sequence[int], signs: Iterable[Sign]) -> set[int]:
    """Return the offsets of the parts that may hold a seam; `offsets` are those of all parts, ascending.

    A seam that the grammar does not notice at once is noticed at the next bracket that closes: the stack of open
    brackets is that of one version, the text that of another. So it is in the part that was closed last, or in the
    one that shows it.
    """
    found: set[int] = set()
    for sign in signs:
        last = bisect_right(offsets, sign.position)
        if last and offsets[last - 1] == sign.position:
            found.add(sign.position)
            last -= 1
        if last and offsets[last - 1] >= sign.since:
            found.add(offsets[last - 1])
    return found


def mixed(objects: Sequence[FoundObject], signs: Iterable[Sign], end: int | None) -> set[int]:
    """Return the offsets of objects that may hold a seam that does not show: blocks of two writers have such.

    They are between the first sign and the last, and from an object to its repetition. A state that closes has one
    known seam, its end.
    """
    places = sorted({one.position for one in signs})
    first, last = (places[0], places[-1]) if places else (0, -1)
    found = {one.offset for one in objects if first <= one.offset <= last}
    return found | _between_repeated(objects, sorted([*places, *([] if end is None else [end])]))


def _between_repeated(objects: Iterable[FoundObject], places: Sequence[int]) -> set[int]:
    """Return the offsets of objects from one to its repetition, if no seam shows in between; `places` ascend.

    No version has an object twice, so a seam is there: in any of them.
    """
    offsets: list[int] = []
    first: dict[SalvagedKey, int] = {}
    # Up to which index objects that begin at an index are doubtful.
    last: dict[int, int] = {}
    for found in objects:
        if found.key is None or found.doubt in (Doubt.NESTED, Doubt.LOOSE):
            continue
        index = first.setdefault(found.key, len(offsets))
        offsets.append(found.offset)
        if bisect_right(places, offsets[index]) == bisect_right(places, found.offset) and index < len(offsets) - 1:
            last[index] = len(offsets) - 1
    doubtful: set[int] = set()
    end = -1
    for index, offset in enumerate(offsets):
        end = max(end, last.get(index, -1))
        if index <= end:
            doubtful.add(offset)
    return doubtful


def without_repeated(objects: Iterable[FoundObject]) -> Iterator[FoundObject]:
    """Mark the later ones of objects that the file has twice, and those whose resource has another provider before."""
    seen: set[SalvagedKey] = set()
    providers: dict[str, bytes] = {}
    for found in objects:
        if found.key is None or found.head is None or found.doubt is not None:
            yield found
        elif found.key in seen:
            yield replace(found, doubt=Doubt.REPEATED)
        elif providers.setdefault(found.key.resource, found.head.provider) != found.head.provider:
            yield replace(found, doubt=Doubt.PROVIDER)
        else:
            seen.add(found.key)
            yield found
