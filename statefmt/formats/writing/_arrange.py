"""Puts the entries of an edited array in order: those that stay, those that changed, and those that arrive."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic

from statefmt.formats.raw_json.spans import RawItem
from statefmt.formats.writing.assemble import _S, Entry
from statefmt.pieces import Span


def arranged(
    items: Sequence[RawItem],
    was: Callable[[int], _S],
    edited: Mapping[int, Entry[_S] | None],
    arriving: Sequence[Entry[_S]],
    order: Callable[[_S], Any],
    is_canonical: Callable[[], bool],
) -> list[Entry[_S]]:
    """Return the entries of an array. `was` gives the subject of an old element, and `edited` the new entries of some.

    An entry is None if its element is removed. A new entry goes before the first element that sorts after it. An
    element that now sorts elsewhere moves in a canonical file, so that this stays canonical, and keeps its place in any
    other file. Neighbours that stay as they are share an entry.
    """
    moving = {
        number: entry
        for number, entry in edited.items()
        if entry is not None and was(number) is not entry.subject and order(was(number)) != order(entry.subject)
    }
    if moving and not is_canonical():
        moving = {}
    elements = _Elements(items, was, {**edited, **dict.fromkeys(moving)} if moving else edited)
    entries: list[Entry[_S]] = []
    done = 0
    for placed in sorted([*arriving, *moving.values()], key=lambda entry: order(entry.subject)):
        place = elements.first_after(order(placed.subject), done, order)
        entries += [*elements.entries(done, place), placed]
        done = place
    return [*entries, *elements.entries(done, len(items))]


class _Elements(Generic[_S]):
    """The elements of an array in the file, and the new entries of those that `changed`, None if removed."""

    def __init__(
        self, items: Sequence[RawItem], was: Callable[[int], _S], changed: Mapping[int, Entry[_S] | None]
    ) -> None:
        self._items = items
        self._was = was
        self._changed = changed
        self._numbers = sorted(changed)

    def first_after(self, key: Any, start: int, order: Callable[[_S], Any]) -> int:
        """Return the index of the first element from `start` on that is still there and sorts after `key`."""
        for number in range(start, len(self._items)):
            if number not in self._changed:
                subject = self._was(number)
            elif (entry := self._changed[number]) is not None:
                subject = entry.subject
            else:
                continue
            if order(subject) > key:
                return number
        return len(self._items)

    def entries(self, start: int, end: int) -> Iterator[Entry[_S]]:
        """Yield the entries of some elements; those that are together and stay as they are share one."""
        numbers = self._numbers
        for number in numbers[bisect_left(numbers, start) : bisect_left(numbers, end)]:
            yield from self._kept(start, number)
            if (entry := self._changed[number]) is not None:
                yield entry
            start = number + 1
        yield from self._kept(start, end)

    def _kept(self, start: int, end: int) -> Iterator[Entry[_S]]:
        if start < end:
            first = self._items[start]
            yield Entry(self._was(start), first, [Span(first.whole.start, self._items[end - 1].whole.end)])
